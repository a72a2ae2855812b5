package rerank

import (
	"slices"

	"github.com/treebeam/treebeam/parser/graph"
	"github.com/treebeam/treebeam/parser/hash"
	"github.com/treebeam/treebeam/parser/search"
	"github.com/treebeam/treebeam/parser/syntax"
)

// A Tree is one that the search has found.
type Tree struct {
	Heads []int32 // by word minus 1
	Score int64   // in units of 1/score.Unit
}

// Optima returns the tree that the search finds and the distinct ends of climbs
// from trees drawn at random by the pruner's scores, in the order of falling score. The first
// is the search's own. The sentence, whose Candidates are set, is not changed.
func Optima(m *search.Model, s *syntax.Sentence, o search.Options, climbs int) ([]Tree, error) {
	list, err := single(m, s, o)
	if err != nil || len(list) == 0 {
		return list, err
	}
	if !s.Whole() {
		return list, nil // parsed in windows: one tree is all there is
	}
	arcs := graph.Of(&s.Candidates)
	var sampler graph.Sampler
	var spanner graph.Spanner
	sampler.Prepare(&arcs)
	n := len(s.Words)
	var roots []int
	for w := 1; w <= n; w++ {
		if lo, hi := arcs.Span(w); slices.Contains(arcs.Heads[lo:hi], 0) {
			roots = append(roots, w)
		}
	}
	rng := hash.Rand(seedOf(o.Seed, s))
	err = climb(m, s, func(head []int32) bool {
		climbs--
		return climbs >= 0 &&
			(sampler.Sample(&arcs, roots[rng.Below(uint32(len(roots)))], nil, head, &rng) || spanner.MaximumTree(&arcs, 0, head))
	}, func(t Tree) { list = insert(list, t) })
	order(list)
	return list, err
}

// climb calls found with the ends of climbs from trees, as long as next sets the heads of one,
// by word.
func climb(m *search.Model, s *syntax.Sentence, next func(head []int32) bool, found func(Tree)) error {
	c := *s
	c.Words = slices.Clone(s.Words)
	return m.Parse(&c, search.Options{Decoder: climber{next, found}, Budget: 1 << 40})
}

// A climber is the decoder of climb.
type climber struct {
	next  func(head []int32) bool
	found func(Tree)
}

// Decode implements search.Decoder.
func (c climber) Decode(x *search.Search) bool {
	if !x.First() {
		return false
	}
	x.Offer()
	for head := make([]int32, x.Scores.N+1); c.next(head); x.Offer() {
		x.Tree.Set(&x.Scores.Arcs, head)
		x.Climb()
		c.found(Tree{slices.Clone(x.Tree.Head[1:]), x.Scores.Total(&x.Tree)})
	}
	return true
}

// Alternatives returns the tree that the search finds and, for each word with more than one
// candidate, the best tree that it finds where the word has another head (Murty 1968: the second best of
// all trees is one of these). certified counts those that are proven to be
// best, and so is the second tree as a whole if it equals the number of words that were tried.
func Alternatives(m *search.Model, s *syntax.Sentence, o search.Options) (list []Tree, tried, certified int, err error) {
	if list, err = single(m, s, o); err != nil || len(list) == 0 {
		return list, 0, 0, err
	}
	if !s.Whole() { // their trees have no one score
		return list, 0, 0, nil
	}
	best := list[0].Heads
	var spanner graph.Spanner
	for w := 1; w <= len(s.Words); w++ {
		without := *s
		without.Words = slices.Clone(s.Words)
		if len(s.Candidates.Of(w)) < 2 || !drop(&without.Candidates, &s.Candidates, w, best[w-1]) {
			continue
		}
		tried++
		arcs := graph.Of(&without.Candidates)
		if !spanner.MaximumTree(&arcs, 0, make([]int32, len(best)+1)) { // no tree is left without that arc
			certified++
			continue
		}
		if err := m.Parse(&without, o); err != nil {
			return list, tried, certified, err
		}
		if without.Confidence.Certificate != syntax.Uncertain {
			certified++
		}
		heads := headsOf(&without)
		if score, reachable := m.Score(s, heads); reachable {
			list = insert(list, Tree{heads, score})
		}
	}
	order(list)
	return list, tried, certified, nil
}

// drop sets c to all candidates but head h of word w.
func drop(c, all *syntax.Candidates, w int, h int32) bool {
	at := slices.Index(all.Of(w), h)
	if at < 0 {
		return false
	}
	at += int(all.Start[w-1])
	*c = syntax.Candidates{
		Start: slices.Clone(all.Start), Lost: all.Lost,
		Heads:   slices.Delete(slices.Clone(all.Heads), at, at+1),
		LogOdds: slices.Delete(slices.Clone(all.LogOdds), at, at+1),
	}
	for k := w; k < len(c.Start); k++ {
		c.Start[k]--
	}
	return true
}

// single returns the tree that the search finds, alone.
func single(m *search.Model, s *syntax.Sentence, o search.Options) ([]Tree, error) {
	c := *s
	c.Words = slices.Clone(s.Words)
	if len(c.Words) == 0 {
		return nil, nil
	}
	if err := m.Parse(&c, o); err != nil {
		return nil, err
	}
	heads := headsOf(&c)
	score, _ := m.Score(s, heads)
	return []Tree{{heads, score}}, nil
}

func headsOf(s *syntax.Sentence) []int32 {
	heads := make([]int32, len(s.Words))
	for i := range heads {
		heads[i] = s.Words[i].Head
	}
	return heads
}

// insert adds a tree unless the list has it.
func insert(list []Tree, t Tree) []Tree {
	for i := range list {
		if slices.Equal(list[i].Heads, t.Heads) {
			return list
		}
	}
	return append(list, t)
}

// order sorts all but the first tree by falling score; of equal ones that found first is in front.
func order(list []Tree) {
	slices.SortStableFunc(list[1:], func(a, b Tree) int {
		switch {
		case a.Score > b.Score:
			return -1
		case a.Score < b.Score:
			return 1
		}
		return 0
	})
}

// Merge returns the distinct trees of both lists, which begin with the same tree, the best k of them.
func Merge(a, b []Tree, k int) []Tree {
	list := slices.Clone(a)
	for _, t := range b {
		list = insert(list, t)
	}
	if len(list) > 0 {
		order(list)
	}
	return list[:min(k, len(list))]
}

// seedOf returns a seed that depends on the words alone.
func seedOf(seed uint64, s *syntax.Sentence) uint64 {
	for i := range s.Words {
		seed = hash.Pair(seed, hash.String(s.Words[i].Form))
	}
	return seed
}
