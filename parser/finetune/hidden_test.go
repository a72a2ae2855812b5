package finetune

import (
	"slices"
	"testing"

	"github.com/treebeam/treebeam/parser/syntax"
)

// TestHidden: a sequence gets the same vectors whatever is beside it, with any
// number of workers, those of the network over the whole vocabulary, and the
// encoder stays as it is.
func TestHidden(t *testing.T) {
	p := toy(2)
	before := slices.Concat(p.Word, p.Position, p.Layers[0].Query.Weight, p.Layers[1].Down.Bias)
	sequences := [][]int32{{0, 5, 4, 1}, {0, 3, 1}, {0, 4, 4, 4, 5, 1}}
	all := Hidden(p, sequences, 2)
	for i, ids := range sequences {
		if alone := Hidden(p, [][]int32{ids}, 1); !slices.Equal(alone[0], all[i]) || len(all[i]) != len(ids)*p.Width {
			t.Errorf("sequence %d: alone it has other vectors", i)
		}
	}
	if after := slices.Concat(p.Word, p.Position, p.Layers[0].Query.Weight, p.Layers[1].Down.Bias); !slices.Equal(before, after) {
		t.Error("the encoder was changed")
	}
	if slices.Equal(all[2][p.Width:2*p.Width], all[2][2*p.Width:3*p.Width]) {
		t.Error("positions make no difference")
	}
	whole := newNetwork(toy(2)).forward(&batch{sents: make([]*syntax.Sentence, 1), ids: sequences[0], start: []int{0, 4}}, stepOptions{})
	if !slices.Equal(whole[2].Data, all[0]) {
		t.Error("with the whole vocabulary the vectors are others")
	}
}
