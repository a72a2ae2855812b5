package pipeline

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/treebeam/treebeam/io/output"
	"github.com/treebeam/treebeam/parser/syntax"
)

// A run that reads files again is not complete until it ends. Killed between
// the two parts of a range it has lost no row: the next run, whatever it was
// asked for, does that range again.
func TestKilledWhileRetrying(t *testing.T) {
	_, denied := lockable(t)
	denied.Store(9000)
	o := options("mem://b/in", filepath.Join(t.TempDir(), "out"))
	o.RangeBytes = 2000
	failed := run(t, o)

	denied.Store(0)
	o.RetryFailures = true
	complete := 0
	toy.SetHook(func(*syntax.Sentence) {
		if _, err := os.Stat(filepath.Join(o.Output, output.ManifestFile)); err == nil {
			complete++
		}
	})
	mended := run(t, o)
	toy.SetHook(nil)
	if complete > 0 {
		t.Errorf("the output had its manifest while parts were replaced")
	}
	o.RetryFailures = false

	// As if the process had been killed after it renamed the failures of the
	// first range that it did again, and nothing of the next one.
	done := false
	var again []string
	for _, name := range slices.Sorted(maps.Keys(mended)) {
		part, isTrees := strings.CutPrefix(name, "trees/")
		if !isTrees || failed[name] == mended[name] {
			continue
		}
		again = append(again, name)
		restore := []string{name, "failures/" + part}
		if !done {
			restore, done = restore[:1], true
		}
		for _, name := range restore {
			if err := os.WriteFile(filepath.Join(o.Output, name), []byte(failed[name]), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	if len(again) < 3 {
		t.Fatalf("only %v were read again", again)
	}
	got := run(t, o)
	if got[again[0]] != mended[again[0]] {
		t.Error("the failure row of the first range is lost")
	}
	for _, name := range again[1:] {
		if got[name] != failed[name] {
			t.Errorf("%s was done again", name)
		}
	}
	if sum, err := output.ReadSummary(o.Output); err != nil || int(sum.Errors) != len(again)-1 || len(failureRows(t, o.Output)) != len(again)-1 {
		t.Errorf("%+v, %v", sum, err)
	}
	o.RetryFailures = true
	same(t, "all of them", mended, run(t, o))
}
