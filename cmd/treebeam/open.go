package main

import (
	"context"

	"github.com/treebeam/treebeam/io/output"
	"github.com/treebeam/treebeam/pipeline/nightly"
)

// openOutput opens what is in a folder: the output of a run, or what is
// current in a state.
func openOutput(ctx context.Context, folder string) (*output.Reader, error) {
	boundMemory()
	if nightly.IsState(ctx, folder) {
		return openState(ctx, folder)
	}
	return output.Open(ctx, folder)
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
