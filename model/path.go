package model

import (
	"context"
	"fmt"

	"github.com/treebeam/treebeam/parser/search"
	"github.com/treebeam/treebeam/parser/syntax"
)

// A Request says what Run does.
type Request struct {
	Effort  float64 // Effort.Least
	Retag   bool    // replaces given tags
	TagOnly bool    // finds no trees
}

// Run takes sentences of words to their trees, each as if it were alone: it encodes,
// tags, prunes and parses them in place, in its caller's goroutine, until ctx is done.
// The error is the context's, or means a bug and names the sentence; then some
// sentences are worked on and others are not.
func (m *Model) Run(ctx context.Context, sents []*syntax.Sentence, r Request) error {
	var failed error
	e := Effort{Least: r.Effort, Parse: func(_ int, s *syntax.Sentence) bool {
		if failed == nil {
			failed = ctx.Err()
		}
		if failed == nil {
			if err := m.runOne(s, r); err != nil {
				failed = fmt.Errorf("sentence at byte %d: %w", s.StartByte, err)
			}
		}
		return failed == nil
	}}
	if m.Encodes() {
		e.Encode = func(_ []int, sents []*syntax.Sentence) {
			if ctx.Err() == nil {
				m.Encode(sents)
			}
		}
	}
	e.Run(sents)
	return failed
}

// runOne is Run for a sentence that was encoded, or was not.
func (m *Model) runOne(s *syntax.Sentence, r Request) error {
	m.Tag(s, r.Retag)
	if r.TagOnly {
		return nil
	}
	m.Prune(s)
	if err := m.Parse(s, search.Options{Seed: 1}); err != nil { // the command's default
		return err
	}
	return syntax.CheckTree(s.Words)
}
