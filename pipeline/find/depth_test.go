package find

import (
	"math/rand/v2"
	"testing"

	"github.com/treebeam/treebeam/parser/syntax"
)

// The depth of a tree is that of its deepest word, of random trees and of the longest chain, on
// which climbing from every word to the root would take two billion steps.
func TestDepth(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	for n := range 60 {
		words := make([]syntax.Word, n)
		want := int64(0)
		for i, at := range rng.Perm(n) {
			words[i].UPOS = []string{"NOUN", punctuation, "VERB"}[rng.IntN(3)]
			words[i].Head = int32(at) // of a later word, or the root
			if at <= i+1 {
				words[i].Head = 0
			}
		}
		for i := range words {
			d := int64(0)
			for h := words[i].Head; h > 0; h = words[h-1].Head {
				if words[h-1].UPOS != punctuation {
					d++
				}
			}
			if words[i].UPOS != punctuation {
				want = max(want, d)
			}
		}
		if _, depth, _, _ := measure(words); depth != want {
			t.Errorf("depth %d, want %d: %v", depth, want, words)
		}
	}
	chain := make([]syntax.Word, syntax.MaxWords)
	for i := range chain {
		chain[i].Head = int32(i)
	}
	if n, depth, arcs, length := measure(chain); n != syntax.MaxWords || depth != n-1 || arcs != depth || length != depth {
		t.Errorf("a chain: %d words, depth %d, %d arcs of length %d", n, depth, arcs, length)
	}
}
