package pipeline

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/treebeam/treebeam/io/store"
)

// breakDisk makes the local disk fail with err at an operation on files whose
// path contains part.
func breakDisk(t *testing.T, operation, part string, err error) *atomic.Int64 {
	var n atomic.Int64
	store.Register("", func(context.Context) (store.Store, error) {
		return store.Local{Fault: func(op, name string) error {
			if op != operation || !strings.Contains(name, part) {
				return nil
			}
			n.Add(1)
			return err
		}}, nil
	})
	t.Cleanup(mendDisk)
	return &n
}

func mendDisk() {
	store.Register("", func(context.Context) (store.Store, error) { return store.Local{}, nil })
}

// On a full or broken disk the run fails, says where, and leaves nothing under
// a final name that is not whole; the same command then ends with the bytes of
// an undisturbed run.
func TestBrokenDisk(t *testing.T) {
	o := options(corpus(t), filepath.Join(t.TempDir(), "out"))
	o.RangeBytes = rangeBytes
	want := run(t, o)
	for _, c := range []struct {
		operation, part string
		err             error
	}{
		{store.FaultWrite, "trees/part-00003", syscall.ENOSPC},
		{store.FaultWrite, "failures/part-00002", syscall.EIO},
		{store.FaultSync, "trees/part-00001", syscall.EIO},
		{store.FaultRename, "trees/part-00004", syscall.ENOSPC},
		{store.FaultCreate, "trees/part-00000", syscall.ENOSPC},
		{store.FaultSync, "documents/", syscall.ENOSPC},
		{store.FaultWrite, "summary.json", syscall.ENOSPC},
		{store.FaultRename, "manifest.json", syscall.EIO},
		{store.FaultWrite, "plan-", syscall.ENOSPC},
	} {
		o.Output = filepath.Join(t.TempDir(), "out")
		hits := breakDisk(t, c.operation, c.part, c.err)
		err := tryRun(o)
		mendDisk()
		if err == nil || !strings.Contains(err.Error(), c.part) || !strings.Contains(err.Error(), c.err.Error()) || hits.Load() == 0 {
			t.Errorf("%s of %s: got %v", c.operation, c.part, err)
			continue
		}
		if isRefusal(err) {
			t.Errorf("%s of %s: refused: %v", c.operation, c.part, err)
		}
		for name, data := range files(t, o.Output) {
			if _, final := want[name]; final && data != want[name] {
				t.Errorf("%s of %s: %s is there and is not whole", c.operation, c.part, name)
			}
		}
		same(t, c.operation+" of "+c.part, want, run(t, o))
	}
	// Before any work it is a refusal.
	o.Output = filepath.Join(t.TempDir(), "out")
	breakDisk(t, store.FaultWrite, "run-", syscall.ENOSPC)
	if err := tryRun(o); !isRefusal(err) || !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("got %v", err)
	}
}
