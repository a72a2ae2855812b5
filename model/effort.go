package model

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/treebeam/treebeam/parser/search"
	"github.com/treebeam/treebeam/parser/syntax"
)

// An Effort parses sentences, some or all of them with an encoder. Its functions are
// those of a model or of a stage of the pipeline. They are called from the goroutines
// that Each starts.
type Effort struct {
	// A sentence keeps its parse without the encoder if its expected LAS is at least
	// Least (sure). With 1 all sentences are encoded, with 0 none.
	Least float64
	// Encode is Model.Encode for sentences of one language; which has their indices.
	// nil is the same as Least 0.
	Encode func(which []int, sents []*syntax.Sentence)
	// Parse runs the stages on sentence i, encoded or not; s may be a copy. It reports
	// whether the sentence has a tree.
	Parse func(i int, s *syntax.Sentence) (parsed bool)
	// Each calls body for 0..n-1, those with the largest weight first; nil is a loop.
	Each    func(n int, weight func(i int) int, body func(i int))
	Workers int // goroutines of Each, about: groups are smaller for many; changes no result
}

// Run parses sentences in place and returns the number of words in the encoded ones.
// The result for a sentence does not depend on the others. Dense scores are kept only
// while the few sentences that are encoded together are parsed. They take about 1 MB
// for each worker, and 8 (n+1)² bytes more for a sentence of n words.
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
	slices.SortStableFunc(unsure, func(a, b int) int { return strings.Compare(sents[a].Language, sents[b].Language) })
	var groups [][]int // of places in unsure
	for start := 0; start < len(unsure); {
		end := start + 1
		for end < len(unsure) && sents[unsure[end]].Language == sents[unsure[start]].Language {
			end++
		}
		for _, group := range Groups(end-start, e.Workers, func(k int) int { return words(unsure[start+k]) }) {
			for k := range group {
				group[k] += start
			}
			groups = append(groups, group)
		}
		start = end
	}
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
	if !e.Parse(i, &c) || !sure(&c, e.Least) {
		return false
	}
	*s = c
	return true
}

// sure reports whether the expected LAS of a sentence that was parsed without the
// encoder is at least p, in [0,1]. The expected LAS is the mean of DeprelConf. A
// sentence without DeprelConf is not sure. A sentence that Encode skips is always sure.
func sure(s *syntax.Sentence, p float64) bool {
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

// Groups divides sentences 0..n-1 into groups of similar length, the longest first. The
// sentences of a group are to be encoded together, by one of the given number of
// workers.
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

// A Request has the options of Model.Run.
type Request struct {
	Effort  float64 // Effort.Least
	Retag   bool    // replaces given tags
	TagOnly bool    // finds no trees
}

// Run encodes, tags, prunes and parses sentences of words in place, in its caller's
// goroutine, until ctx is done. The result for a sentence does not depend on the
// others. The error is from ctx, or it means a bug and names the sentence; some
// sentences are then finished and others are not.
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
		s.ForgetNetwork()
		return nil
	}
	m.Prune(s)
	if err := m.Parse(s, search.Options{Seed: 1}); err != nil { // the command's default
		return err
	}
	return syntax.CheckTree(s.Words)
}
