package pipeline

import (
	"errors"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/gofrs/flock"

	"github.com/treebeam/treebeam/io/output"
)

// A second start of a command while the first runs is refused, and goes on
// when that has ended.
func TestSecondStart(t *testing.T) {
	o := options(write(t, map[string]string{"x.txt": prose(3)}), filepath.Join(t.TempDir(), "out"))
	first, err := Prepare(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	before := files(t, o.Output)
	overwriting := o
	overwriting.Overwrite, overwriting.Rows.MaxWords = true, 7
	for name, o := range map[string]Options{"the same": o, "another": overwriting} {
		if _, err := Prepare(t.Context(), o); !isRefusal(err) || !strings.Contains(err.Error(), "another run of treebeam is writing to") {
			t.Errorf("%s: got %v", name, err)
		}
	}
	same(t, "refused", before, files(t, o.Output))
	if _, err := Run(t.Context(), first); err != nil {
		t.Fatal(err)
	}
	again, err := Prepare(t.Context(), o)
	if err != nil {
		t.Fatal("after the run: ", err)
	}
	again.Close()
}

// Two runs at once end with the bytes of one, where no lock keeps them apart.
func TestTwoWithoutLocks(t *testing.T) {
	defer func(before func(*flock.Flock) (bool, error)) { tryLock = before }(tryLock)
	o := options(corpus(t), filepath.Join(t.TempDir(), "one"))
	o.RangeBytes = rangeBytes
	want := run(t, o)
	tryLock = func(*flock.Flock) (bool, error) { return false, errors.ErrUnsupported }
	o.Output = filepath.Join(t.TempDir(), "two")
	var both sync.WaitGroup
	for range 2 {
		both.Go(func() {
			if err := tryRun(o); err != nil {
				t.Error(err)
			}
		})
	}
	both.Wait()
	got := files(t, o.Output)
	delete(want, filepath.Join(output.OwnDir, "lock"))
	delete(got, filepath.Join(output.OwnDir, "lock"))
	same(t, "two at once", want, got)
}
