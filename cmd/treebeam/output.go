package main

import (
	"io"
	"os"

	"github.com/treebeam/treebeam/io/durable"
	"github.com/treebeam/treebeam/io/output"
	"github.com/treebeam/treebeam/io/store"
)

// An outputFile is a file that is being written. Cleanup undoes what can be undone.
type outputFile interface {
	io.Writer
	Cleanup() error
}

// createOutput opens the file that a flag names, which appears under its name only when
// commit is called, and none that is among the data of an output. A device or a pipe,
// such as /dev/null, is written in place. Its errors are refusals.
func createOutput(flag, path string) (w outputFile, commit func() error, err error) {
	if store.IsRemote(path) {
		return nil, nil, refuse("%s %s: only --to parquet can be written to an object store; name a local file", flag, store.Redact(path))
	}
	if err := output.CheckTarget(flag, path, false); err != nil {
		return nil, nil, err
	}
	info, err := os.Stat(path)
	switch {
	case err == nil && info.IsDir():
		return nil, nil, refuse("%s %s is a folder; name a file in it", flag, path)
	case err == nil && !info.Mode().IsRegular():
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			return nil, nil, refuse("%s %s cannot be written: %w; name another file", flag, path, err)
		}
		return device{f}, f.Close, nil
	}
	f, err := durable.Create(path, "", 0o644)
	if err != nil {
		return nil, nil, refuse("%s %s cannot be written: %w; name another file, or make its folder", flag, path, err)
	}
	return f, f.CloseAtomicallyReplace, nil
}

// A device is an output that cannot be undone.
type device struct{ *os.File }

func (d device) Cleanup() error { return d.Close() }
