// Package modeltest is for tests that need the embedded model.
package modeltest

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/treebeam/treebeam/model"
)

// SkipWithout skips tests that need the embedded model, given by patterns as
// for go test -skip, while that model is of other templates: pack.Templates was
// raised and make model has not run yet. It says so. Call it first in TestMain.
func SkipWithout(patterns ...string) {
	_, err := model.Open(model.Embedded)
	if !errors.Is(err, model.ErrTemplates) {
		return
	}
	fmt.Fprintln(os.Stderr, "tests that need it are skipped:", err)
	if set := flag.Lookup("test.skip").Value.String(); set != "" {
		patterns = slices.Insert(patterns, 0, set)
	}
	if err := flag.Set("test.skip", strings.Join(patterns, "|")); err != nil {
		panic(err)
	}
}
