package search

import (
	"slices"
	"testing"

	"github.com/treebeam/treebeam/parser/graph"
	"github.com/treebeam/treebeam/parser/hash"
)

// pruned is a whole decoder: it takes the tree that the pruner likes best.
type pruned struct{}

func (pruned) Decode(x *Search) bool {
	if !x.First() {
		return false
	}
	x.Offer()
	return true
}

func TestToyDecoder(t *testing.T) {
	r := hash.Rand(31)
	m, differ := noisy(), 0
	for range 20 {
		s := randomSentence(8, 4, &r)
		want := make([]int32, len(s.Words)+1)
		arcs := graph.Of(&s.Candidates)
		if !new(graph.Spanner).MaximumTree(&arcs, 0, want) {
			t.Fatal("no tree")
		}
		heads := func(o Options) []int32 {
			if err := m.Parse(s, o); err != nil {
				t.Fatal(err)
			}
			return s.Heads()
		}
		got := heads(Options{Decoder: pruned{}})
		if !slices.Equal(got, want[1:]) || len(s.Confidence.HeadMargin) != len(got) {
			t.Fatalf("heads %v, want %v; %+v", got, want[1:], s.Confidence)
		}
		if !slices.Equal(got, heads(Options{})) {
			differ++
		}
	}
	if differ == 0 {
		t.Error("the parser's own decoders find the same trees")
	}
}
