// Package modeltest is for tests that need the embedded model.
package modeltest

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/treebeam/treebeam/model"
)

// Accurate returns the accurate embedded model, or skips the test where it is not
// in the program: it was not trained yet, or left out with the tag noaccurate.
func Accurate(t testing.TB) *model.Model {
	t.Helper()
	m, err := model.Open(model.EmbeddedAccurate)
	if errors.Is(err, model.ErrNoAccurate) || errors.Is(err, model.ErrTemplates) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return m
}

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
