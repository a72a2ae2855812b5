package main

import (
	"archive/tar"
	"archive/zip"
	"compress/gzip"
	"errors"
	"io"
	"io/fs"
	"strings"
	"time"
)

// A file is an entry of an archive.
type file struct {
	name string // with forward slashes; a folder ends in one
	mode fs.FileMode
	data []byte
}

// tarball writes the files as .tar.gz. The bytes depend on the arguments only.
func tarball(w io.Writer, files []file, when time.Time) error {
	z := gzip.NewWriter(w)
	t := tar.NewWriter(z)
	for _, f := range files {
		kind := byte(tar.TypeReg)
		if strings.HasSuffix(f.name, "/") {
			kind = tar.TypeDir
		}
		err := t.WriteHeader(&tar.Header{Typeflag: kind, Name: f.name, Mode: int64(f.mode),
			Size: int64(len(f.data)), ModTime: when, Format: tar.FormatUSTAR})
		if err != nil {
			return err
		}
		if _, err := t.Write(f.data); err != nil {
			return err
		}
	}
	return errors.Join(t.Close(), z.Close())
}

// zipped writes the files as .zip. The bytes depend on the arguments only.
func zipped(w io.Writer, files []file, when time.Time) error {
	z := zip.NewWriter(w)
	for _, f := range files {
		h := &zip.FileHeader{Name: f.name, Method: zip.Deflate, Modified: when}
		h.SetMode(f.mode)
		entry, err := z.CreateHeader(h)
		if err != nil {
			return err
		}
		if _, err := entry.Write(f.data); err != nil {
			return err
		}
	}
	return z.Close()
}
