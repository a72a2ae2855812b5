package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"io"
	"io/fs"
	"testing"
	"time"
)

// Both kinds of archive hold what was put in, and have the same bytes each
// time.
func TestArchives(t *testing.T) {
	when := time.Unix(1_790_000_000, 0).UTC()
	files := []file{{"a/program", 0o755, bytes.Repeat([]byte("program"), 1000)}, {"a/README.md", 0o644, []byte("text")}}
	for name, c := range map[string]struct {
		pack   func(io.Writer, []file, time.Time) error
		unpack func(*testing.T, []byte) []file
	}{"tar": {tarball, untar}, "zip": {zipped, unzip}} {
		t.Run(name, func(t *testing.T) {
			var first, second bytes.Buffer
			for _, b := range []*bytes.Buffer{&first, &second} {
				must(t, c.pack(b, files, when))
			}
			if !bytes.Equal(first.Bytes(), second.Bytes()) {
				t.Error("other bytes the second time")
			}
			got := c.unpack(t, first.Bytes())
			if len(got) != len(files) {
				t.Fatalf("%d files", len(got))
			}
			for i, f := range files {
				if got[i].name != f.name || got[i].mode != f.mode || !bytes.Equal(got[i].data, f.data) {
					t.Errorf("file %d is %s, mode %v, %d bytes", i, got[i].name, got[i].mode, len(got[i].data))
				}
			}
			var later bytes.Buffer
			if err := c.pack(&later, files, when.Add(time.Hour)); err != nil || bytes.Equal(first.Bytes(), later.Bytes()) {
				t.Errorf("the time is not in the archive, %v", err)
			}
		})
	}
}

func untar(t *testing.T, data []byte) (list []file) {
	z, err := gzip.NewReader(bytes.NewReader(data))
	must(t, err)
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if err == io.EOF {
			return list
		}
		must(t, err)
		content, err := io.ReadAll(r)
		must(t, err)
		list = append(list, file{h.Name, fs.FileMode(h.Mode), content})
	}
}

func unzip(t *testing.T, data []byte) (list []file) {
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	must(t, err)
	for _, f := range z.File {
		r, err := f.Open()
		must(t, err)
		content, err := io.ReadAll(r)
		must(t, err)
		list = append(list, file{f.Name, f.Mode(), content})
	}
	return list
}

// must ends the test if there is an error.
func must(tb testing.TB, errs ...error) {
	tb.Helper()
	for _, err := range errs {
		if err != nil {
			tb.Fatal(err)
		}
	}
}
