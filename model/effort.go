package model

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/treebeam/treebeam/parser/search"
	"github.com/treebeam/treebeam/parser/syntax"
)

// An Effort parses sentences with an encoder, or with it where that is needed. Its
// functions belong to a model, or to a stage of the pipeline. The goroutines that Each
// starts call them.
type Effort struct {
	// Least is the expected LAS (Sure) from which a sentence keeps the parse that
	// it gets without the encoder: with 1 all are encoded, with 0 none is.
	Least float64
	// Encode is Model.Encode; nil is Least 0. which are the numbers of the
	// sentences.
	Encode func(which []int, sents []*syntax.Sentence)
	// Parse runs all stages on a sentence that was encoded, or was not. i is its
	// number; the sentence may be a copy. It reports whether it has a tree.
	Parse func(i int, s *syntax.Sentence) (parsed bool)
	// Each calls body for 0..n-1, the heaviest first; nil is a loop.
	Each    func(n int, weight func(i int) int, body func(i int))
	Workers int // goroutines of Each, about: groups are smaller for many; changes no result
}

// Run parses sentences in place, each as if it were alone, and returns the number of
// words in the encoded sentences. Dense scores live while the few sentences that are
// encoded together are parsed: about a MB for each worker, and 8 (n+1)² bytes more for
// a sentence of n words.
func (e *Effort) Run(sents []*syntax.Sentence) (encoded int) {
	words := func(i int) int { return len(sents[i].Words) }
	if e.Encode == nil || e.Least <= 0 {
		e.each(len(sents), words, func(i int) { e.Parse(i, sents[i]) })
		return 0
	}
	sure := make([]bool, len(sents))
	if e.Least < 1 {
		e.each(len(sents), words, func(i int) { sure[i] = e.fast(i, sents[i]) })
	}
	var unsure []int
	for i := range sure {
		if !sure[i] {
			unsure = append(unsure, i)
			encoded += words(i)
		}
	}
	groups := Groups(len(unsure), e.Workers, func(k int) int { return words(unsure[k]) })
	e.each(len(groups), func(g int) int { return len(groups[g]) * words(unsure[groups[g][0]]) }, func(g int) {
		which := groups[g]
		list := make([]*syntax.Sentence, len(which))
		for k, at := range which {
			which[k], list[k] = unsure[at], sents[unsure[at]]
		}
		e.Encode(which, list)
		for k, i := range which {
			e.Parse(i, list[k])
			list[k].Dense = syntax.Dense{}
		}
	})
	return encoded
}

// fast parses sentence i without the encoder. It keeps the result and reports
// true if that is sure enough.
func (e *Effort) fast(i int, s *syntax.Sentence) bool {
	c := *s
	c.Words = slices.Clone(s.Words)
	if !e.Parse(i, &c) || !Sure(&c, e.Least) {
		return false
	}
	*s = c
	return true
}

// Sure reports whether the expected LAS of a sentence that was parsed without the
// encoder, the mean of its DeprelConf, is at least p, from 0 to 1. For a sentence
// without confidence it is unknown and counts as less. A sentence that Encode skips
// always counts as sure.
func Sure(s *syntax.Sentence, p float64) bool {
	if len(s.Words) == 0 || len(s.Words) > syntax.MaxWholeWords {
		return true
	}
	if len(s.Confidence.DeprelConf) != len(s.Words) {
		return false
	}
	sum := 0.0
	for _, x := range s.Confidence.DeprelConf {
		sum += float64(x) // multiples of 1/4096: exact
	}
	return sum >= p*float64(len(s.Words))
}

// Words of a group of sentences that are encoded together: with more of them
// weights are read for more words at once, with fewer more workers have some.
const (
	leastGroup = 64
	mostGroup  = 512
)

// Groups cuts sentences 0..n-1 into groups of similar length, the longest first. Each
// group is encoded together, by one of the given number of workers.
func Groups(n, workers int, words func(i int) int) [][]int {
	list, total := make([]int, n), 0
	for i := range list {
		list[i] = i
		total += words(i)
	}
	slices.SortStableFunc(list, func(a, b int) int { return cmp.Compare(words(b), words(a)) })
	most := min(max(total/(4*max(workers, 1)), leastGroup), mostGroup)
	var groups [][]int
	for len(list) > 0 {
		to, size := 1, words(list[0])
		for to < len(list) && size+words(list[to]) <= most {
			size += words(list[to])
			to++
		}
		groups, list = append(groups, list[:to:to]), list[to:]
	}
	return groups
}

func (e *Effort) each(n int, weight func(i int) int, body func(i int)) {
	if e.Each != nil {
		e.Each(n, weight, body)
		return
	}
	for i := range n {
		body(i)
	}
}

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
