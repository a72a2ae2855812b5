package rerank

import (
	"math"
	"slices"
	"testing"

	"github.com/treebeam/treebeam/model"
	"github.com/treebeam/treebeam/parser/search"
	"github.com/treebeam/treebeam/parser/syntax"
)

var texts = []string{"She saw the man with the telescope.", "Old boats sink.", "They left because it rained.", "Time flies like an arrow.", "What did you say?"}

// pruned returns sentences with candidates of the embedded model, more than it would leave.
func pruned(t *testing.T) (*model.Model, []syntax.Sentence) {
	t.Helper()
	m, err := model.Open(model.Embedded)
	if err != nil {
		t.Fatal(err)
	}
	var list []syntax.Sentence
	for _, text := range texts {
		for _, s := range m.Segment(text, 100) {
			m.Tag(&s, true)
			m.Pruner.WithCut(9).Prune(&s)
			list = append(list, s)
		}
	}
	return m, list
}

// The second tree is the second best of all that the candidates allow.
func TestSecondBestByEnumeration(t *testing.T) {
	m, list := pruned(t)
	proven := 0
	for i := range list {
		s := &list[i]
		got, tried, certified, err := Alternatives(m.Decoder, s, search.Options{Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		var scores []int64
		heads := make([]int32, len(s.Words))
		var each func(w int)
		each = func(w int) {
			if w > len(heads) {
				if score, ok := m.Decoder.Score(s, heads); ok {
					scores = append(scores, score)
				}
				return
			}
			for _, h := range s.Candidates.Of(w) {
				heads[w-1] = h
				each(w + 1)
			}
		}
		each(1)
		slices.Sort(scores)
		slices.Reverse(scores)
		if len(scores) < 2 {
			continue
		}
		if len(got) < 2 || got[0].Score != scores[0] || certified == tried && got[1].Score != scores[1] {
			t.Errorf("%q: %d trees, %+v; the best of all %d score %v", s.Text, len(got), got[:min(len(got), 2)], len(scores), scores[:2])
		}
		if certified == tried {
			proven++
		}
	}
	if proven == 0 {
		t.Error("no second tree is proven")
	}
}

func TestOptima(t *testing.T) {
	m, list := pruned(t)
	for i := range list {
		s := &list[i]
		o := search.Options{Seed: 1}
		got, err := Optima(m.Decoder, s, o, 30)
		if err != nil {
			t.Fatal(err)
		}
		again, _ := Optima(m.Decoder, s, o, 30)
		for k, tree := range got {
			if score, ok := m.Decoder.Score(s, tree.Heads); !ok || score != tree.Score {
				t.Errorf("%q, tree %d: score %d, want %d, %v", s.Text, k, tree.Score, score, ok)
			}
			begin, end := true, Tree{}
			next := func(head []int32) bool {
				copy(head[1:], tree.Heads)
				defer func() { begin = false }()
				return begin
			}
			if err := climb(m.Decoder, s, next, func(t Tree) { end = t }); err != nil || k > 0 && end.Score != tree.Score {
				t.Errorf("%q, tree %d is no local optimum (%v)", s.Text, k, err)
			}
			if k > 1 && tree.Score > got[k-1].Score {
				t.Errorf("%q: tree %d scores more than the one before", s.Text, k)
			}
			if !slices.Equal(tree.Heads, again[k].Heads) {
				t.Errorf("%q: two calls differ", s.Text)
			}
		}
		more, _, _, _ := Alternatives(m.Decoder, s, o)
		if all := Merge(got, more, 5); len(all) > 5 || !slices.Equal(all[0].Heads, got[0].Heads) {
			t.Errorf("%q: merged wrongly", s.Text)
		}
	}
}

func TestIndicators(t *testing.T) {
	_, list := pruned(t)
	s := &list[0]
	n := len(s.Words)
	chain, flat := make([]int32, n), make([]int32, n)
	for i := range chain {
		chain[i], flat[i] = int32(i), 1
	}
	flat[0] = 0
	a, b := Indicators(s, chain), Indicators(s, flat)
	if !slices.IsSorted(a) || len(slices.Compact(slices.Clone(a))) != len(a) || slices.Equal(a, b) || len(only(a, b, nil)) != 0 {
		t.Errorf("%d and %d indicators", len(a), len(b))
	}
	if again := Indicators(s, chain); !slices.Equal(a, again) {
		t.Error("two calls differ")
	}
	numbers := NewNumbering()
	first := numbers.Hidden(s, chain, 1, 2)
	numbers.Close()
	words, arcs := numbers.Words(), numbers.Arcs()
	if second := numbers.Hidden(s, flat, 1, 2); numbers.Words() != words || numbers.Arcs() != arcs || len(second.Word) != n {
		t.Error("a closed numbering grew")
	}
	m := newHidden(words, arcs, 3, 1, 1)
	if x := m.Score(&first); math.IsNaN(x) || math.IsInf(x, 0) {
		t.Errorf("score %g", x)
	}
}
