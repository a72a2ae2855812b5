package label

import (
	"math/rand/v2"
	"testing"
)

// The keys are part of every model file: a model trained before a change of a
// template would read the weights of other features. If this test fails and
// the change is meant, put in the new hash and raise Template in ourHeader: older
// models are refused then, and must be trained again.
func TestTemplatesAreStable(t *testing.T) {
	const want, version = 0xd9d5899085677294, 1
	var h uint64
	var l keyList
	for _, s := range sample(rand.New(rand.NewPCG(4, 2)), 10, 9) {
		words, order := make([]word, len(s.Words)+1), make([]int32, len(s.Words))
		readSentence(&s, words, order)
		for m := 1; m <= len(s.Words); m++ {
			l.of(words, int32(m))
			for _, k := range l.keys[:l.n] {
				h = (h ^ k) * mul1
				h ^= h >> 29
			}
		}
	}
	if h != want || ourHeader.Template != version {
		t.Errorf("the keys of version %d hash to %#016x, want version %d, %#016x", ourHeader.Template, h, version, uint64(want))
	}
}
