package diff

import (
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/treebeam/treebeam/io/conllu"
	"github.com/treebeam/treebeam/io/parquet"
	"github.com/treebeam/treebeam/parser/syntax"
)

// A change planted in the trees of a treebank comes out first, and about as often as it
// was planted, among as many other changes as there are of it: half of the obliques to
// the right of a noun hang on that noun afterwards, and words anywhere get another head.
func TestPlantedInTreebank(t *testing.T) {
	files, _ := filepath.Glob("../../../shared/treebanks/en_ewt/*dev.conllu")
	if len(files) != 1 {
		t.Skip("no treebank en_ewt in ../shared/treebanks")
	}
	gold, err := conllu.ReadAll(files[0])
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(5, 5))
	a, b := output{}, output{}
	planted, others := map[Shape]int{}, 0
	for i := range gold {
		s := &gold[i]
		id := fmt.Sprintf("d%05d.txt", i)
		a[id] = []parquet.Tree{treeOf(s)}
		b[id] = output{id: a[id]}.clone()[id]
		after := &b[id][0]
		for m := range after.Head {
			noun := nounBetween(s, m)
			switch {
			case noun > 0 && rng.IntN(2) == 0:
				after.Head[m], after.Deprel[m] = noun, "nmod"
				planted[Shape{"VERB", "obl", s.Words[m].UPOS, "right"}]++
			case rng.IntN(100) == 0:
				if h := int32(rng.IntN(len(after.Head) + 1)); h != int32(m+1) && h != after.Head[m] {
					after.Head[m] = h
					others++
				}
			}
		}
	}
	want := planted[Shape{"VERB", "obl", "NOUN", "right"}]
	if want < 50 || others < want {
		t.Fatalf("%d obliques moved, %d other words: too few for a test", want, others)
	}
	r := compare(t, a, b, Options{})
	first := r.Migrations[0]
	if first.From != (Shape{"VERB", "obl", "NOUN", "right"}) || first.To != (Shape{"NOUN", "nmod", "NOUN", "right"}) || first.Head != "right" || first.Modifier != "same" {
		t.Errorf("first is %+v", first)
	}
	if math.Abs(first.Count-float64(want)) > 0.05*float64(want) {
		t.Errorf("%.1f obliques found, %d planted", first.Count, want)
	}
	if len(r.Migrations) > 1 && r.Migrations[1].Count > first.Count/2 && r.Migrations[1].From.Label != "obl" {
		t.Errorf("second is %+v", r.Migrations[1])
	}
}

// nounBetween returns the number of the nearest noun between word m+1, an oblique noun or
// proper noun to the right of its verb, and that verb; 0 if there is none or word m+1 is
// something else.
func nounBetween(s *syntax.Sentence, m int) int32 {
	w := &s.Words[m]
	if w.Deprel != "obl" || w.Head < 1 || int(w.Head) > m || s.Words[w.Head-1].UPOS != "VERB" {
		return 0
	}
	for k := m - 1; k >= int(w.Head); k-- {
		if s.Words[k].UPOS == "NOUN" {
			return int32(k + 1)
		}
	}
	return 0
}

func treeOf(s *syntax.Sentence) parquet.Tree {
	t := parquet.Tree{Text: s.Text, TreeMargin: 2}
	for i := range s.Words {
		w := &s.Words[i]
		t.Tokens, t.UPOS = append(t.Tokens, w.Form), append(t.UPOS, w.UPOS)
		t.Head, t.Deprel = append(t.Head, w.Head), append(t.Deprel, w.Deprel)
		t.HeadMarginal = append(t.HeadMarginal, 0.5)
	}
	return t
}
