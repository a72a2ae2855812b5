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
	if b.headErr != nil {
		return b.headErr
	}
	if word, fault := checkTree(&b.Sentence, o); word > 0 {
		place := b.heads[word-1]
		return &Error{Fault: fault, Line: place.line, Offset: place.offset, Column: colHead + 1}
	}
	return nil
}

// CheckHeads reports why the HEADs of a sentence, as far as they are given, are
// no part of a tree with one root, or nil: one is no number of a word, two are
// 0, or some of them form a cycle. It points at the line of the first fault.
func (b *Block) CheckHeads() *Error { return checkBlock(b, Options{NoHeads: true}) }

// CheckTree reports why the heads of s form no tree with one root, or "".
// The word is the one at fault, from 1; 0 if there are no words.
func CheckTree(s *syntax.Sentence) (word int, reason string) {
	if len(s.Words) == 0 {
		return 0, "the sentence has no words"
	}
	word, fault := checkTree(s, Options{})
	return word, fault.Reason
}

// checkTree returns the first word at fault and what its fault is, or 0.
func checkTree(s *syntax.Sentence, o Options) (word int, fault syntax.Fault) {
	n, root, missing := len(s.Words), 0, 0
	for i := range s.Words {
		switch h := s.Words[i].Head; {
		case h == syntax.NoHead && o.NoHeads:
			missing++
		case h == syntax.NoHead:
			return i + 1, syntax.Because(syntax.KindHead, "word %d has no head", i+1)
		case h < 0 || int(h) > n:
			return i + 1, syntax.Because(syntax.KindHead, "head %d of word %d is not in the sentence, which has %d words", h, i+1, n)
		case h == syntax.Root && root > 0 && !o.MultipleRoots:
			return i + 1, syntax.Because(syntax.KindTwoRoots, "words %d and %d are both roots: a tree has one", root, i+1)
		case h == syntax.Root:
			root = i + 1
		}
	}
	if root == 0 && missing == 0 && n > 0 {
		return 1, syntax.Because(syntax.KindNoRoot, "no word has head 0: a tree has one root")
	}
	return findCycle(s)
}

// findCycle follows the heads of every word once. NoHead ends a path.
func findCycle(s *syntax.Sentence) (word int, fault syntax.Fault) {
	state := make([]int32, len(s.Words)+1) // 0 new, else the walk that met it
	for i := range s.Words {
		walk := int32(i + 1)
		at := walk
		for at > 0 && state[at] == 0 {
			state[at] = walk
			at = s.Words[at-1].Head
		}
		if at > 0 && state[at] == walk {
			return int(at), syntax.Because(syntax.KindCycle, "the heads of word %d lead back to it: a cycle", at)
		}
	}
	return 0, syntax.Fault{}
}
