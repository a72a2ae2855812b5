package prune

import (
	"slices"

	"github.com/treebeam/treebeam/parser/graph"
	"github.com/treebeam/treebeam/parser/syntax"
)

// Training sentences may be partial trees: some words have syntax.NoHead. The
// known heads have no cycle, and one root at most, so that some tree has them
// all.

// Complete gives the words without a head those of the best tree over the
// candidates that has all known heads, and takes their relations away. It changes
// nothing where the known heads are of no tree, or the sentence is parsed in
// windows.
func Complete(s *syntax.Sentence) {
	if !s.Partial() {
		return
	}
	like := *s
	if Keep(&like, s.Heads()) != nil {
		return
	}
	head := make([]int32, len(s.Words)+1)
	arcs := graph.Of(&like.Candidates)
	if !new(graph.Spanner).MaximumTree(&arcs, 0, head) {
		return
	}
	for i := range s.Words {
		if w := &s.Words[i]; w.Head == syntax.NoHead {
			w.Head, w.Deprel = head[i+1], ""
		}
	}
}

// missing returns, by word minus 1, the heads that are missing among the candidates
// for there to be a tree with the known heads, syntax.NoHead where nothing is; nil
// if there is such a tree, or never one.
func missing(s *syntax.Sentence) []int32 {
	if !s.Partial() {
		return nil
	}
	like := *s
	if Keep(&like, s.Heads()) != nil {
		return nil
	}
	var list []int32
	for m := 1; m <= len(s.Words); m++ {
		for _, h := range like.Candidates.Of(m) {
			if !slices.Contains(s.Candidates.Of(m), h) {
				if list == nil {
					list = slices.Repeat([]int32{syntax.NoHead}, len(s.Words))
				}
				list[m-1] = h
			}
		}
	}
	return list
}

// includeCompletion makes sure that the shortlist has a tree with the known
// heads, which are on it.
func (x *scratch) includeCompletion(s *syntax.Sentence) {
	like := *s
	like.Candidates = syntax.Candidates{Start: x.arcs.Start, Heads: x.arcs.Heads, LogOdds: x.arcs.Score}
	if list := missing(&like); list != nil {
		x.include(s, func(m int) int32 { return list[m-1] })
	}
}

// wanted returns the probabilities of the arcs of x.odds under the trees that
// have the known heads, nil if all are known.
func (x *scratch) wanted(s *syntax.Sentence) []float64 {
	if !s.Partial() {
		return nil
	}
	given := s.Heads()
	all := syntax.Candidates{Start: x.odds.Start, Heads: x.odds.Heads, LogOdds: x.odds.Score}
	c := restrict(&all, given, int32(slices.Index(given, syntax.Root)+1))
	arcs := graph.Of(&c)
	p := make([]float64, len(arcs.Heads))
	if arcs.N() > marginalWords || !x.margins.Compute(&arcs, p) {
		arcs.Softmax(p)
	}
	x.q = resize(x.q, len(x.odds.Heads))
	clear(x.q)
	for m := 1; m <= arcs.N(); m++ {
		lo, hi := x.odds.Span(m)
		from, to := arcs.Span(m)
		for a := lo; a < hi && from < to; a++ {
			if x.odds.Heads[a] == arcs.Heads[from] { // both increase
				x.q[a] = p[from]
				from++
			}
		}
	}
	return x.q
}
