package main

import (
	"context"
	"os"

	"github.com/treebeam/treebeam/io/conllu"
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

// brokenBlocks counts the blocks of CoNLL files that cannot be read, and names the
// first ones with their file and line.
type brokenBlocks struct{ n int }

// namedBlocks is how many are named.
const namedBlocks = 5

func (b *brokenBlocks) add(err *conllu.Error) {
	if b.n++; b.n <= namedBlocks {
		say(os.Stderr, "left out: %v\n", err)
	}
}

// end says what was left out. As with a run, it is status 3 if nothing was read.
func (b *brokenBlocks) end(read int64) error {
	if b.n > namedBlocks {
		say(os.Stderr, "left out: %d more broken blocks\n", b.n-namedBlocks)
	}
	if b.n > 0 && read == 0 {
		return exitCode(exitFailures)
	}
	return nil
}
