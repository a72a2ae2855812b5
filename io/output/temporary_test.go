package output

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/treebeam/treebeam/io/parquet"
)

// The temporary files of a range that takes days are not swept: neither of its
// two files need be written to all that time.
func TestLongRangeIsNotSwept(t *testing.T) {
	defer func(before time.Duration) { touchAfter = before }(touchAfter)
	touchAfter = time.Millisecond
	job := Run{Record: Record{FP: "0123456789abcdef"}, Ranges: 1, Output: t.TempDir()}
	r, err := job.Open(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Abandon()
	if err := r.part.Failures(parquet.Failure{SourceURI: "x"}); err != nil {
		t.Fatal(err)
	}
	files := func() []os.DirEntry {
		list, err := os.ReadDir(tmpDir(job.Output))
		if err != nil {
			t.Fatal(err)
		}
		return list
	}
	old := time.Now().Add(-48 * time.Hour)
	before := files()
	if len(before) != 2 {
		t.Fatalf("%d temporary files", len(before))
	}
	for _, e := range before {
		if err := os.Chtimes(filepath.Join(tmpDir(job.Output), e.Name()), old, old); err != nil {
			t.Fatal(err)
		}
	}
	for young := 0; young < 2; {
		time.Sleep(time.Millisecond)
		young = 0
		for _, e := range files() {
			if info, err := e.Info(); err == nil && time.Since(info.ModTime()) < time.Hour {
				young++
			}
		}
	}
	Sweep(job.Output, time.Now())
	if n := len(files()); n != 2 {
		t.Errorf("%d of 2 temporary files are left", n)
	}
	if err := r.publish(nil); err != nil {
		t.Fatal(err)
	}
	Sweep(job.Output, time.Now().Add(48*time.Hour))
	if n := len(files()); n != 0 {
		t.Errorf("%d temporary files are left", n)
	}
}
