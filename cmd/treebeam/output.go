package main

import (
	"cmp"
	"compress/gzip"
	"io"
	"os"
	"strings"

	"github.com/klauspost/compress/zstd"

	"github.com/treebeam/treebeam/io/output"
	"github.com/treebeam/treebeam/io/store"
)

// writeOutput lets write write the file that a flag names. The file appears under its
// name when write has returned without an error; a device or a pipe, such as
// /dev/null, is written in place. It is compressed if the name ends in .gz or .zst.
// "" and "-" are standard output. A file that cannot be written, or that is among the
// data of an output, is refused before write is called.
func writeOutput(flag, name string, write func(io.Writer) error) error {
	if name == "" || name == "-" {
		return quietlyClosed(write(stdout))
	}
	file, err := createOutput(flag, name)
	if err != nil {
		return err
	}
	if err := quietlyClosed(writePacked(file, name, write)); err != nil {
		file.Abort()
		return err
	}
	return file.Commit()
}

// writePacked lets write write to a file, compressed as its name says.
func writePacked(file io.Writer, name string, write func(io.Writer) error) error {
	var packed io.WriteCloser
	switch name = strings.ToLower(name); {
	case strings.HasSuffix(name, ".gz"):
		packed = gzip.NewWriter(file)
	case strings.HasSuffix(name, ".zst"):
		var err error
		if packed, err = zstd.NewWriter(file, zstd.WithEncoderConcurrency(1)); err != nil {
			return err
		}
	default:
		return write(file)
	}
	return cmp.Or(write(packed), packed.Close())
}

// createOutput opens the file that a flag names, which appears under its name only when
// it is committed. Its errors are refusals.
func createOutput(flag, path string) (store.Writer, error) {
	if store.IsRemote(path) {
		return nil, refuse("%s %s: only --to parquet can be written to an object store; name a local file", flag, store.Redact(path))
	}
	if err := output.CheckTarget(flag, path, false); err != nil {
		return nil, err
	}
	info, err := os.Stat(path)
	switch {
	case err == nil && info.IsDir():
		return nil, refuse("%s %s is a folder; name a file in it", flag, path)
	case err == nil && !info.Mode().IsRegular():
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			return nil, refuse("%s %s cannot be written: %w; name another file", flag, path, err)
		}
		return device{f}, nil
	}
	f, err := store.CreateFile(path, "")
	if err != nil {
		return nil, refuse("%s %s cannot be written: %w; name another file, or make its folder", flag, path, err)
	}
	return f, nil
}

// A device is an output that cannot be undone.
type device struct{ *os.File }

func (d device) Commit() error { return d.Close() }
func (d device) Abort()        { d.Close() }
