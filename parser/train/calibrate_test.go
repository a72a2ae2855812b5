package train

import (
	"slices"
	"testing"

	"github.com/treebeam/treebeam/parser/syntax"
)

// bank makes sentences of so many words each; a negative number begins a
// document.
func bank(lengths ...int) []syntax.Sentence {
	var list []syntax.Sentence
	for _, n := range lengths {
		var s syntax.Sentence
		if n < 0 {
			s.Comments, n = []string{"# newdoc id = x"}, -n
		}
		s.Words = make([]syntax.Word, n)
		list = append(list, s)
	}
	return list
}

func TestHalves(t *testing.T) {
	for _, c := range []struct {
		name string
		in   []syntax.Sentence
		want []int
	}{
		{"documents stay whole", bank(-5, 5, -4, 4, -3, -6, 1), []int{0, 0, 1, 1, 1, 0, 0}},
		{"no documents", bank(5, 5, 5, 5), []int{0, 0, 1, 1}},
		{"one holds nearly all", bank(-50, 50, 50, 50, -5), []int{0, 0, 1, 1, 1}},
		{"nothing", nil, []int{}},
	} {
		if got := halves(c.in); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

func TestCalibrationSetting(t *testing.T) {
	train := toyTreebank("train", 12)
	for _, gold := range []bool{false, true} {
		tr := &trainer{Options: Options{GoldTags: gold}, train: train, dev: train}
		want := GoldTokens
		if gold {
			want = GoldTags
		}
		if got := CalibrationSetting(tr.provenance()); got != want {
			t.Errorf("gold tags %t: %s", gold, got)
		}
	}
}
