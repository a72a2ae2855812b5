package transforms_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/treebeam/treebeam/io/output"
	"github.com/treebeam/treebeam/io/source"
	"github.com/treebeam/treebeam/transforms"
)

// A file that has grown by a frame of zstd, with a window that one file at a time may have, is
// parsed whole.
func TestGrownFrame(t *testing.T) {
	var frame bytes.Buffer
	w, err := zstd.NewWriter(&frame, zstd.WithWindowSize(16<<20))
	if err == nil {
		_, err = w.Write([]byte("One line.\n"))
	}
	if err == nil {
		err = w.Flush() // before its size is known
	}
	if err == nil {
		err = w.Close()
	}
	dir := t.TempDir()
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "x.txt.zst"), bytes.Repeat(frame.Bytes(), 2), 0o666)
	}
	var list []source.Input
	if err == nil {
		list, err = source.List(t.Context(), []string{dir}, source.ListOptions{})
	}
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	o := output.RowOptions{From: "auto", Lines: "auto"}
	if tail, err := transforms.Grown(ctx, &list[0], int64(frame.Len()), nil, o); tail != 0 || err != nil {
		t.Errorf("%d, %v", tail, err)
	}
}
