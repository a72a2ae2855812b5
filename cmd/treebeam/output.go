package main

import (
	"io"

	"github.com/treebeam/treebeam/io/durable"
	"github.com/treebeam/treebeam/io/store"
)

// createOutput opens a file that appears under its name only when commit is
// called. Its errors are refusals.
func createOutput(path string) (w io.Writer, commit func() error, err error) {
	if store.IsRemote(path) {
		return nil, nil, refuse("--output %s: only --to parquet can be written to an object store; name a local file", store.Redact(path))
	}
	f, err := durable.Create(path, "", 0o644)
	if err != nil {
		return nil, nil, refuse("--output %s cannot be written: %w", path, err)
	}
	return f, f.CloseAtomicallyReplace, nil
}
