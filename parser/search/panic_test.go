package search

import (
	"fmt"
	"slices"
	"testing"

	"github.com/treebeam/treebeam/parser/hash"
	"github.com/treebeam/treebeam/parser/part"
	"github.com/treebeam/treebeam/parser/syntax"
)

// A grenade is a scorer that panics when its time has come.
type grenade struct {
	noise
	left int
}

func (g *grenade) tick() {
	if g.left--; g.left == 0 {
		panic("planted")
	}
}

func (g *grenade) Sum(keys []hash.Key) int32 {
	g.tick()
	return g.noise.Sum(keys)
}

func (g *grenade) SumParts(keys []hash.Key, ends, sums []int32) {
	g.tick()
	g.noise.SumParts(keys, ends, sums)
}

// A panic in one sentence, wherever the search is then, changes nothing of the
// sentences that come after it.
func TestPanicLeavesNothingBehind(t *testing.T) {
	r := hash.Rand(8)
	g := &grenade{noise: noise(300)}
	m := newModel(g, part.All)
	var list []*syntax.Sentence
	for range 6 {
		list = append(list, randomSentence(3+int(r.Below(20)), 2, &r))
	}
	parse := func(k, fuse int) (tree string, panicked bool) {
		s := *list[k]
		s.Words = slices.Clone(s.Words)
		g.left = fuse
		defer func() { panicked = recover() != nil }()
		if err := m.Parse(&s, Options{}); err != nil {
			t.Fatal(err)
		}
		return fmt.Sprint(s.Words, s.Confidence), false
	}
	var want []string
	for k := range list {
		tree, _ := parse(k, 0)
		want = append(want, tree)
	}
	panics := 0
	for fuse := 1; fuse < 4000; fuse += 1 + fuse/8 {
		for k := range list {
			if _, panicked := parse(k, fuse); panicked {
				panics++
			}
			other := (k + 1) % len(list)
			if got, _ := parse(other, 0); got != want[other] {
				t.Fatalf("after a panic at score %d of sentence %d:\n%s\nbefore:\n%s", fuse, k, got, want[other])
			}
		}
	}
	if panics < 50 {
		t.Errorf("%d panics", panics)
	}
}
