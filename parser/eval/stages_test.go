package eval

import (
	"slices"
	"strings"
	"testing"

	"github.com/treebeam/treebeam/model"
	"github.com/treebeam/treebeam/parser/search"
	"github.com/treebeam/treebeam/parser/syntax"
)

// Faults are planted in what a model finds itself, and every one is found where it was
// planted.
func TestLosses(t *testing.T) {
	m, err := model.Open(model.Embedded)
	if err != nil {
		t.Fatal(err)
	}
	texts := []string{"The old boat was sold.", "She gave him the keys yesterday.",
		"We can't swim here.", "They left early because it rained."}
	o := search.Options{Seed: SearchSeed}
	var bare []syntax.Sentence
	for _, text := range texts {
		bare = append(bare, m.Segment(text, DefaultMaxWords)...)
	}
	found, err := Predict(m, o, bare, nil, GoldTokens, 2)
	if err != nil {
		t.Fatal(err)
	}
	// What the model finds with its own tags given is what gold will be.
	gold, err := Predict(m, o, found, nil, GoldTags, 2)
	if err != nil {
		t.Fatal(err)
	}
	lost := func(name string, gold []syntax.Sentence, setting Setting) map[Stage]int {
		t.Helper()
		var blocks []string
		if setting == Raw {
			blocks = texts
		}
		system, err := Predict(m, o, gold, blocks, setting, 2)
		if err != nil {
			t.Fatal(err)
		}
		l, err := FindLosses(m, 1, o, gold, system, setting, 2)
		if err != nil {
			t.Fatal(err)
		}
		by, sum := map[Stage]int{}, 0
		for _, s := range l.Stages {
			by[s.Stage] = s.Words
			sum += s.Words
		}
		if sum != l.Lost {
			t.Errorf("%s: %d words lost, %d by the stages", name, l.Lost, sum)
		}
		r, err := Evaluate(gold, system)
		if err != nil || l.Stages[0].LAS != r.Scores[LAS].F1() {
			t.Errorf("%s: the first run has LAS %v, the prediction %v, %v", name, l.Stages[0].LAS, r.Scores[LAS], err)
		}
		return by
	}
	for s, n := range lost("nothing planted", gold, Raw) {
		if n != 0 {
			t.Errorf("nothing planted: %s lost %d words", s, n)
		}
	}

	cut := slices.Clone(gold) // gold has "can't" as one word, which no model that knows better will find
	at := slices.IndexFunc(gold, func(s syntax.Sentence) bool { return strings.Contains(s.Text, "can't") })
	if cut[at] = glued(gold[at], "ca", "n't"); len(cut[at].Words) != len(gold[at].Words)-1 {
		t.Fatalf("%q is not cut as expected", gold[at].Text)
	}
	if by := lost("a cut", cut, Raw); by[SegmentationStage] == 0 {
		t.Errorf("a cut: %v", by)
	}

	label := syntax.Clone(gold)
	label[0].Words[0].Deprel = "vocative" // of "The"
	if by := lost("a label", label, GoldTokens); by[LabelStage] != 1 || by[ModelStage]+by[PruningStage] != 0 {
		t.Errorf("a label: %v", by)
	}

	head := syntax.Clone(gold)
	n := int32(len(head[0].Words))
	head[0].Words[0].Head = n // "The" below the full stop
	if by := lost("a head", head, GoldTags); by[ModelStage] != 1 || by[SearchStage] != 0 {
		t.Errorf("a head: %v", by)
	}
}

// glued returns a copy of s in which the adjacent words a and b are one.
func glued(s syntax.Sentence, a, b string) syntax.Sentence {
	out := syntax.Clone([]syntax.Sentence{s})[0]
	for i := 1; i < len(out.Words); i++ {
		if out.Words[i-1].Form != a || out.Words[i].Form != b {
			continue
		}
		second := int32(i + 1)
		out.Words[i-1].Form, out.Words[i-1].Misc = a+b, out.Words[i].Misc
		out.Words = slices.Delete(out.Words, i, i+1)
		for k := range out.Words {
			w := &out.Words[k]
			if w.Head >= second {
				w.Head--
			}
		}
		break
	}
	out.MWTs = nil
	return out
}
