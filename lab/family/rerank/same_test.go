package rerank

import (
	"encoding/binary"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/treebeam/treebeam/parser/hash"
)

// What is learned has the same bits on every machine, whether or not its processor
// rounds products before it adds them.
func TestSameBitsOnEveryMachine(t *testing.T) {
	digest := fnv.New64a()
	put := func(x float64) { binary.Write(digest, binary.LittleEndian, math.Float64bits(x)) }
	linear, _ := Boost(randomLists(rand.New(rand.NewPCG(1, 2)), 60, 30), BoostOptions{Rounds: 80, Cutoff: 1})
	put(linear.Factor)
	var keys []hash.Key
	for k := range linear.Weights {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	for _, k := range keys {
		put(linear.Weights[k])
	}
	if got := digest.Sum64(); got != 0x273d2b3555719278 {
		t.Errorf("boosting learns %#x", got)
	}
	digest.Reset()
	rng := rand.New(rand.NewPCG(3, 4))
	lists := make([][]HiddenTree, 20)
	for i := range lists {
		for range 3 {
			tree := randomTree(rng, 6)
			tree.Right = rng.IntN(6)
			lists[i] = append(lists[i], tree)
		}
	}
	words, arcs := 0, 0
	for _, l := range lists {
		for j := range l {
			for i := range l[j].Word {
				for _, f := range l[j].Word[i] {
					words = max(words, int(f)+1)
				}
				for _, f := range l[j].Arc[i] {
					arcs = max(arcs, int(f)+1)
				}
			}
		}
	}
	m, err := TrainHidden(lists, words, arcs, HiddenOptions{Epochs: 3})
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range append(m.word, m.arc...) {
		put(x)
	}
	put(m.Score(&lists[0][0]))
	if got := digest.Sum64(); got != 0x6db706c63c991023 {
		t.Errorf("hidden classes learn %#x", got)
	}
}
