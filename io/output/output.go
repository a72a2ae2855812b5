// Package output writes what a run has parsed into a folder, and reads it
// again. A run (Run) fills the two parts of each of its ranges (Parts), says in
// their footers what it read of every file, and closes with documents/,
// summary.json and manifest.json (Run.Finish), whose presence says that the
// output is complete.
//
// Whoever reads an output does it through a Reader, which takes no part for the
// whole. Held, done and damaged ranges of a run that is continued are found by
// Run; what an interrupted run has to show, by Earlier.
//
// An output may be in an object store: all access goes through package store.
package output

import (
	"context"

	"github.com/treebeam/treebeam/io/source"
	"github.com/treebeam/treebeam/io/store"
)

// Names in an output folder.
const (
	OwnDir       = source.OwnDir // plans, temporary files, copied models
	SummaryFile  = "summary.json"
	ManifestFile = "manifest.json"
)

// kinds are the folders of an output that hold its parts.
var kinds = []string{"trees", "failures", "words", "documents"}

// WriteFile writes the file name in the output folder, all of it or nothing.
func WriteFile(ctx context.Context, output, name string, data []byte) error {
	return store.WriteFile(ctx, store.Join(output, name), data, store.Options{Expect: store.Anything, Temp: tmpDir(output)})
}
