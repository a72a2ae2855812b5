package finetune

import (
	"math"
	"slices"

	"github.com/treebeam/treebeam/parser/encode"
	"github.com/treebeam/treebeam/parser/hash"
	"github.com/treebeam/treebeam/parser/syntax"
)

// manyLabel is the output of the MLPs of labels in an encoder of many treebanks, which
// has many labels.
const manyLabel = 96

// elsewhereOf is how many sentences there are to one that is learned as one of
// encode.Anywhere instead of its own bank.
const elsewhereOf = 10

// banksOf returns the languages of sentences, sorted, and encode.Anywhere.
func banksOf(list []syntax.Sentence) (banks []string) {
	seen := map[string]bool{}
	for i := range list {
		if l := list[i].Language; !seen[l] && l != "" && l != encode.Anywhere {
			seen[l] = true
			banks = append(banks, l)
		}
	}
	slices.Sort(banks)
	return append(banks, encode.Anywhere)
}

// elsewhere returns the choice of banks for the examples of the next step; nil if there
// are none.
func (t *trainer) elsewhere() func(i int, e *example) int32 {
	if !t.Many {
		return nil
	}
	anywhere := int32(len(t.vocabulary.p.Banks) - 1)
	seed := hash.Key2(3, t.Seed, uint64(t.steps))
	return func(i int, e *example) int32 {
		if hash.Pair(seed, uint64(i))%elsewhereOf == 0 {
			return anywhere
		}
		return e.bank
	}
}

// draw returns the sentences of an epoch from a shuffled list of all: of each bank as
// many pieces as the square root of its size demands, of all banks as many as they have
// together. A small bank repeats its sentences, and a large one leaves some out.
func (t *trainer) draw(shuffled []int) (order []int) {
	banks := len(t.vocabulary.p.Banks)
	size, roots, members := make([]int, banks), 0.0, make([][]int, banks)
	for i := range t.train {
		size[t.train[i].bank] += len(t.train[i].ids)
	}
	for _, n := range size {
		roots += math.Sqrt(float64(n))
	}
	for _, i := range shuffled {
		b := t.train[i].bank
		members[b] = append(members[b], i)
	}
	for b, list := range members {
		want := int(float64(t.pieces) * math.Sqrt(float64(size[b])) / roots)
		for at := 0; want > 0 && len(list) > 0; at++ {
			i := list[at%len(list)]
			order = append(order, i)
			want -= len(t.train[i].ids)
		}
	}
	mixed := make([]int, len(order))
	for k, from := range hash.Shuffled(len(order), hash.Pair(t.Seed, uint64(len(order))+uint64(t.epoch)<<32)) {
		mixed[k] = order[from]
	}
	return mixed
}
