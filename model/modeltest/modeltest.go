// Package modeltest helps tests that need the embedded model.
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

// SkipWithout skips tests that need the embedded model, given by patterns as for go
// test -skip, if that model has an unreadable version: pack.Templates was raised and
// make model has not run yet. It reports this on standard error. Call it first in
// TestMain.
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
