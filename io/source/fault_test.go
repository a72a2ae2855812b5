package source

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/treebeam/treebeam/io/store"
)

// What becomes of a file after it was listed: one that is deleted is a row, one
// that is cut into pieces or is no file any more has changed, and where its
// folder is gone too, nothing is said of the file at all.
func TestGone(t *testing.T) {
	for name, c := range map[string]struct {
		change  func(dir string) error
		input   string
		pieces  int64 // bytes of each, 0 for whole files
		kind    Kind
		message string
	}{
		"deleted":         {func(dir string) error { return os.Remove(filepath.Join(dir, "in/a/x.txt")) }, "in", 0, Permanent, "the file is gone"},
		"one piece of it": {func(dir string) error { return os.Remove(filepath.Join(dir, "in/a/x.txt")) }, "in", 3, Changed, "the file is gone since"},
		"with its folder": {func(dir string) error { return os.RemoveAll(filepath.Join(dir, "in/a")) }, "in", 0, Permanent, "the file is gone"},
		"the last of one": {func(dir string) error { return os.Remove(filepath.Join(dir, "in/b/z.txt")) }, "in/b", 0, Transient, "in/b: if that was unmounted"},
		"empty mount": {func(dir string) error {
			return errors.Join(os.RemoveAll(filepath.Join(dir, "in")), os.Mkdir(filepath.Join(dir, "in"), 0o777))
		}, "in", 0, Transient, "unmounted"},
		"mount below": {func(dir string) error {
			return errors.Join(os.RemoveAll(filepath.Join(dir, "in/b")), os.Mkdir(filepath.Join(dir, "in/b"), 0o777))
		}, "in", 0, Transient, "in/b: if"},
		"no mount point": {func(dir string) error { return os.RemoveAll(filepath.Join(dir, "in")) }, "in", 0, Transient, "unmounted"},
		"of pieces":      {func(dir string) error { return os.RemoveAll(filepath.Join(dir, "in")) }, "in", 3, Transient, "unmounted"},
		"glob":           {func(dir string) error { return os.RemoveAll(filepath.Join(dir, "in")) }, "in/**/*.txt", 0, Transient, "unmounted"},
		"becomes a folder": {func(dir string) error {
			x := filepath.Join(dir, "in/a/x.txt")
			return errors.Join(os.Remove(x), os.Mkdir(x, 0o777))
		}, "in", 0, Changed, "not a regular file"},
		"becomes a link": {func(dir string) error {
			x := filepath.Join(dir, "in/a/x.txt")
			return errors.Join(os.Remove(x), os.Symlink("x.txt", x))
		}, "in", 3, Changed, "symbolic links"},
		"its folder a file": {func(dir string) error {
			return errors.Join(os.RemoveAll(filepath.Join(dir, "in/a")), os.WriteFile(filepath.Join(dir, "in/a"), nil, 0o666))
		}, "in", 0, Changed, "not a directory"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := tree(t, map[string]string{"in/a/x.txt": "0123456789", "in/a/y.txt": "y", "in/b/z.txt": "0123456789", "beside.txt": ""})
			plan := planOf(t, dir, c.pieces, c.input)
			if err := c.change(dir); err != nil {
				t.Fatal(err)
			}
			var fault error
			for i := range plan.Ranges {
				r := &plan.Ranges[i]
				for j := range r.Pieces {
					f, err := Open(t.Context(), r, &r.Pieces[j])
					if err == nil {
						f.Close()
					} else if p := &r.Pieces[j]; p.Size > 1 && (!p.Whole() || c.pieces == 0) {
						fault = err
					}
				}
			}
			var e *Error
			if !errors.As(fault, &e) || e.Kind != c.kind || !strings.Contains(e.Error(), c.message) {
				t.Errorf("got kind %v of %v, want %v with %q", e.Kind, fault, c.kind, c.message)
			}
		})
	}
}

// What could not be read when it was listed stays so: it is a row.
func TestNeverThere(t *testing.T) {
	dir := tree(t, map[string]string{"in/x.txt": "x"})
	if err := os.Symlink("nowhere", filepath.Join(dir, "in/link.txt")); err != nil {
		t.Skip(err)
	}
	plan := planOf(t, dir, 0, "in")
	if _, err := openFirst(t, plan); !isFault(err, Permanent) {
		t.Errorf("got %v", err)
	}
}

// An object that is gone is a row if it was read by one range; a bucket that
// is gone says nothing of its objects.
func TestRemoteGone(t *testing.T) {
	m := memory(t, map[string]string{"b/in/x.txt": "0123456789", "b/in/y.txt": "y"})
	for _, c := range []struct {
		pieces int64
		fault  error
		kind   Kind
	}{{0, fs.ErrNotExist, Permanent}, {3, fs.ErrNotExist, Changed}, {0, store.ErrNoBucket, Transient}, {3, store.ErrNoBucket, Transient}, {3, fs.ErrPermission, Permanent}} {
		sleepless(t)
		plan := remotePlan(t, PlanOptions{RangeBytes: c.pieces})
		m.Break(func(name string, _, _ int64) (int64, error) {
			return 0, &store.Error{Name: name, Kind: c.fault, Err: errors.New("no")}
		})
		for i := range plan.Ranges {
			p := &plan.Ranges[i].Pieces[0]
			if p.Size == 1 {
				continue
			}
			f, err := Open(context.Background(), &plan.Ranges[i], p)
			if err != nil {
				t.Fatal(err)
			}
			_, err = f.Head()
			f.Close()
			if !isFault(err, c.kind) {
				t.Errorf("pieces of %d, %v: got %v", c.pieces, c.fault, err)
			}
		}
		m.Break(nil)
	}
}
