package main

import (
	"context"
	"os"

	"github.com/treebeam/treebeam/io/output"
	"github.com/treebeam/treebeam/io/store"
	"github.com/treebeam/treebeam/pipeline/nightly"
)

// openOutput opens what is in a folder: the output of a run, or what is
// current in a state.
func openOutput(ctx context.Context, folder string) (*output.Reader, error) {
	boundMemory()
	if nightly.IsState(ctx, folder) {
		return openState(ctx, folder)
	}
	o, err := output.Open(ctx, folder)
	if err == nil && len(o.Others) > 0 {
		say(os.Stderr, "%s is of another run and is not read, but queries over the folder read it (%s in all): remove it\n",
			store.Join(folder, o.Others[0]), plural(int64(len(o.Others)), "such file"))
	}
	return o, err
}

// openState opens what is current in a state.
func openState(ctx context.Context, folder string) (*output.Reader, error) {
	boundMemory()
	s, err := nightly.At(folder)
	if err != nil {
		return nil, err
	}
	snapshot, err := s.MustCurrent(ctx)
	if err != nil {
		return nil, err
	}
	return snapshot.Output(), nil
}

// openOne opens the only argument of a command.
func openOne(ctx context.Context, folders []string) (*output.Reader, error) {
	if len(folders) != 1 {
		return nil, refuse("name one output folder of treebeam parse, or the folder of a state; got %d arguments", len(folders))
	}
	return openOutput(ctx, folders[0])
}
