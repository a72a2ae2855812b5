package finetune

import (
	"slices"

	"github.com/treebeam/treebeam/parser/encode"
	"github.com/treebeam/treebeam/parser/syntax"
)

// Hidden returns the last layer's vectors, len(ids) x Width, of each of several
// sequences of pieces with their marks, none longer than there are positions.
// Factors of products are not rounded, and nothing is dropped. p stays as it
// is. The number of workers changes no bit.
func Hidden(p *encode.Params, sequences [][]int32, workers int) [][]float32 {
	// A copy with the rows of the pieces that occur.
	b := &batch{sents: make([]*syntax.Sentence, len(sequences)), start: []int{0}}
	for _, ids := range sequences {
		b.ids = append(b.ids, ids...)
		b.start = append(b.start, len(b.ids))
	}
	used := slices.Clone(b.ids)
	slices.Sort(used)
	used = slices.Compact(used)
	c, w := *p, p.Width
	c.Layers, c.Word = slices.Clone(p.Layers), nil
	for _, id := range used {
		c.Word = append(c.Word, p.Word[int(id)*w:(int(id)+1)*w]...)
	}
	for i, id := range b.ids {
		at, _ := slices.BinarySearch(used, id)
		b.ids[i] = int32(at)
	}
	levels := newNetwork(&c).forward(b, stepOptions{workers: workers})
	out := make([][]float32, len(sequences))
	for s := range out {
		out[s] = slices.Clone(levels[len(p.Layers)].Data[b.start[s]*w : b.start[s+1]*w])
	}
	return out
}
