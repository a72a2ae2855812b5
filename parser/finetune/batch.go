// Package finetune learns the weights of a pretrained encoder further, and
// those of the heads above it, from a treebank: forward and backward passes in
// 32-bit floats. The same bytes come out for any number of workers; they may
// differ between kinds of processors.
package finetune

import "github.com/treebeam/treebeam/parser/syntax"

// A batch is a few sentences and their pieces, one after the other.
type batch struct {
	sents  []*syntax.Sentence // at least one word each
	ids    []int32            // of the pieces, with both marks around each sentence
	start  []int              // of sentence s: its first piece, which is the mark Begin; length len(sents)+1
	words  [][]span           // [s][m-1]: the pieces of word m of sentence s, at least one
	weight []float32          // of sentence s in the loss; nil if all weigh 1
}

// A span is pieces ids[lo:hi] of a batch.
type span struct{ lo, hi int32 }

// stepOptions say how a batch is run.
type stepOptions struct {
	workers int    // goroutines, changes no bit; 0 and 1 are the caller alone
	seed    uint64 // of the dropout of this step; 0 for none
}

// rows returns the number of pieces.
func (b *batch) rows() int { return len(b.ids) }
