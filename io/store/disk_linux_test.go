package store_test

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/treebeam/treebeam/io/store"
)

// TestFullDisk fills a real file system, where the test may mount one.
func TestFullDisk(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=64k"); err != nil {
		t.Skip("no file system can be mounted here: ", err)
	}
	defer syscall.Unmount(dir, syscall.MNT_DETACH)
	w, err := store.Local{}.Create(t.Context(), filepath.Join(dir, "x"), store.Options{})
	must(t, err)
	defer w.Abort()
	if _, err = w.Write(make([]byte, 100<<10)); err == nil {
		err = w.Commit()
	}
	if !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("got %v", err)
	}
	w.Abort()
	if left, _ := os.ReadDir(dir); len(left) != 0 {
		t.Errorf("left %v", left)
	}
}
