package prune

import (
	"fmt"
	"slices"
	"testing"

	"github.com/treebeam/treebeam/parser/hash"
	"github.com/treebeam/treebeam/parser/syntax"
	"github.com/treebeam/treebeam/parser/word"
)

// Classes of words add keys to arcs and change no other. Another hash means that
// models with classes must be trained again: raise pack.Clustered.
func TestClusterKeysAreStable(t *testing.T) {
	const want, wantPlain = 0x049ca918ea39c7ea, 838
	s := toy(1, 3)[0]
	var list []word.ClusterWord
	for i := range s.Words[1:] {
		list = append(list, word.ClusterWord{Bits: fmt.Sprintf("%b", 37*(i+1)), Form: s.Words[i+1].Form, Count: 1})
	}
	c, err := word.NewClusters(list, false)
	if err != nil {
		t.Fatal(err)
	}
	keys := func(c *word.Clusters) (list []hash.Key) {
		x := scratch{encoder: word.NewEncoder(word.Learn(nil).WithClusters(c))}
		words := syntax.Clone([]syntax.Sentence{s})[0]
		x.words = x.encoder.Encode(&words)
		n := words.Len()
		x.guess.head = make([]int32, n+1)
		x.guess.set(x.words)
		for m := 1; m <= n; m++ {
			for h := 0; h <= n; h++ {
				if h != m {
					list = x.keysOf(h, m, list)
				}
			}
		}
		return list
	}
	plain, more := keys(nil), keys(c)
	if len(plain) != wantPlain {
		t.Errorf("%d keys without classes, want %d", len(plain), wantPlain)
	}
	for _, k := range plain {
		at := slices.Index(more, k)
		if at < 0 {
			t.Fatal("a key is not there with classes")
		}
		more = slices.Delete(more, at, at+1)
	}
	var h uint64
	for _, k := range more {
		h = hash.Pair(h, k)
	}
	if h != want {
		t.Errorf("the %d keys of classes hash to %#016x, want %#016x", len(more), h, uint64(want))
	}
}
