package part

import (
	"fmt"
	"slices"
	"testing"

	"github.com/treebeam/treebeam/parser/hash"
	"github.com/treebeam/treebeam/parser/syntax"
	"github.com/treebeam/treebeam/parser/word"
)

// classed returns a vocabulary with a class for most words of a sentence.
func classed(t testing.TB, s *syntax.Sentence) *word.Vocabulary {
	t.Helper()
	var list []word.ClusterWord
	for i := range s.Words[1:] {
		list = append(list, word.ClusterWord{Bits: fmt.Sprintf("%b", 37*(i+1)), Form: s.Words[i+1].Form, Count: 1})
	}
	c, err := word.NewClusters(list, false)
	if err != nil {
		t.Fatal(err)
	}
	return word.Learn(nil).WithClusters(c)
}

// Classes of words add keys to arcs, grandparents and siblings, and change no other.
// Another hash means that models with classes must be trained again: raise
// pack.Clustered.
func TestClusterKeysAreStable(t *testing.T) {
	golden := map[string]uint64{"arcs": 0x3e31dd16eab3201b, "gp": 0x447121f141f4430e, "cs": 0x51765bbbc1744d0a}
	s := fixture()
	plain := newScratch(s, 1, All)
	with := newScratch(s, 1, All)
	copied := *s
	copied.SetMemo(nil)
	with.t.Prepare(&Source{Vocabulary: classed(t, s), Parts: noise(1), Families: All}, &copied)
	got := map[string]uint64{}
	eachPart(plain, func(p Part, keys []hash.Key) {
		name, more := kindName(p.Kind()), with.t.Keys(p, nil)
		for _, k := range keys {
			at := slices.Index(more, k)
			if at < 0 {
				t.Fatalf("a part %q lacks a key with classes", name)
			}
			more = slices.Delete(more, at, at+1)
		}
		slices.Sort(more)
		if n := len(more); n != len(slices.Compact(more)) {
			t.Fatalf("a part %q has a key of classes twice", name)
		}
		for _, k := range more {
			got[name] += hash.Pair(k, uint64(p.Kind()))
		}
		if limit := map[string]int{"arcs": 30, "gp": 6, "cs": 6}[name]; len(more) > limit {
			t.Fatalf("a part %q has %d keys of classes, want at most %d", name, len(more), limit)
		}
	})
	for _, name := range []string{"arcs", "gp", "cs"} {
		if got[name] != golden[name] {
			t.Errorf("the keys of classes of %q hash to %#016x, want %#016x", name, got[name], golden[name])
		}
	}
}

// Without classes a sentence takes the look-ups that its keys say, and with them the
// ones of their templates more.
func TestLookupsWithoutClusters(t *testing.T) {
	lookups := func(v *word.Vocabulary) int64 {
		s := fixture()
		var x Scores
		x.Prepare(&Source{Vocabulary: v, Parts: noise(1), Families: Standard}, s)
		return x.Count.Lookups
	}
	plain, none, with := lookups(word.Learn(nil)), lookups(word.Learn(nil).WithClusters(nil)),
		lookups(classed(t, fixture()))
	const want = 11200
	if plain != want || none != want {
		t.Errorf("%d and %d look-ups of arcs without classes, want %d", plain, none, want)
	}
	if more := with - plain; more <= 0 {
		t.Errorf("%d look-ups more with classes", more)
	}
}
