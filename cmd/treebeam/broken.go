package main

import (
	"os"

	"github.com/treebeam/treebeam/io/conllu"
)

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
