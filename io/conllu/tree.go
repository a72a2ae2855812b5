package conllu

import (
	"fmt"
	"io"
	"os"

	"github.com/treebeam/treebeam/parser/syntax"
)

// ReadAll reads a file of trees, for training and evaluation: every block
// must be a sentence with one root, heads inside the sentence and no cycle.
// Otherwise it returns an *Error that names the file, the line of the first
// fault and how many sentences more have one. It reads no further than a
// sentence of more than syntax.MaxBytes.
func ReadAll(path string) ([]syntax.Sentence, error) {
	return ReadAllWith(path, Options{})
}

// ReadAllWith is ReadAll with a format and relaxed checks.
func ReadAllWith(path string, o Options) ([]syntax.Sentence, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return ReadTrees(f, path, o)
}

// ReadTrees is ReadAllWith for a stream; name takes the file's place in
// errors.
func ReadTrees(r io.Reader, name string, o Options) ([]syntax.Sentence, error) {
	var sents []syntax.Sentence
	var first *Error
	o.EndAtLong = true
	refuse := func(e *Error) {
		if first == nil {
			c := *e
			c.File = name
			first = &c
			return
		}
		first.More++
	}
	for b, err := range Read(r, o) {
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		e := b.Err
		if e == nil {
			e = checkBlock(&b, o)
		}
		if e != nil {
			refuse(e)
			continue
		}
		sents = append(sents, b.Sentence)
	}
	if first != nil {
		return nil, first
	}
	return sents, nil
}

// checkBlock judges the tree of a block. It points at the line of the block's
// first fault.
func checkBlock(b *Block, o Options) *Error {
	if word, fault := syntax.CheckHeads(b.Sentence.Words, o.NoHeads, o.MultipleRoots); word > 0 {
		place := b.heads[word-1]
		if b.headErr == nil || place.offset < b.headErr.Offset {
			return &Error{Fault: fault, Line: place.line, Offset: place.offset, Column: colHead + 1}
		}
	}
	return b.headErr
}

// CheckHeads reports why the given HEADs of a sentence cannot be part of a tree with
// one root: one is not the number of a word, two are 0, or some of them form a cycle.
// It returns nil if they can. It points at the line of the first fault.
func (b *Block) CheckHeads() *Error { return checkBlock(b, Options{NoHeads: true}) }
