package eval

import (
	"slices"
	"testing"

	"github.com/treebeam/treebeam/parser/calibrate"
	"github.com/treebeam/treebeam/parser/syntax"
)

func TestJudge(t *testing.T) {
	gold := []syntax.Sentence{
		sentenceOf("ab/2/x:s/0", "c/0/root/0", "./2/punct/0"),
		sentenceOf("d/0/root/0"),
		sentenceOf("e/0/root/0", "f/1/x/0"),
	}
	gold[0].Words[1].UPOS, gold[1].Words[0].UPOS = "NOUN", "VERB"
	system := []syntax.Sentence{
		sentenceOf("ab/2/x:t/0", "c/0/root/0", "./1/punct/0"), // another subtype, another head
		sentenceOf("d/0/root/0"),
		sentenceOf("e/0/root/0"), // a gold sentence in two
		sentenceOf("f/0/root/0"),
	}
	system[0].Words[1].UPOS, system[1].Words[0].UPOS = "NOUN", "NOUN"
	got, err := Judge(gold, system)
	if err != nil {
		t.Fatal(err)
	}
	const r, w = true, false
	for k, want := range []calibrate.Judgement{
		{UPOS: []bool{r, r, r}, Head: []bool{r, r, w}, LAS: []bool{r, r, w}, Deprel: []bool{w, r, w}},
		{UPOS: []bool{w}, Head: []bool{r}, LAS: []bool{r}, Deprel: []bool{r}, Tree: true},
		{UPOS: []bool{r}, Head: []bool{r}, LAS: []bool{r}, Deprel: []bool{r}},
		{UPOS: []bool{r}, Head: []bool{w}, LAS: []bool{w}, Deprel: []bool{w}},
	} {
		g := got[k]
		if !slices.Equal(g.UPOS, want.UPOS) || !slices.Equal(g.Head, want.Head) || !slices.Equal(g.LAS, want.LAS) ||
			!slices.Equal(g.Deprel, want.Deprel) || g.Tree != want.Tree {
			t.Errorf("sentence %d: %+v, want %+v", k, g, want)
		}
	}

	// What is not aligned is wrong.
	cut := []syntax.Sentence{sentenceOf("a/0/root/0", "b/1/x/0", "c/1/x/0", "./1/x/0")}
	if got, err = Judge(gold[:1], cut); err != nil || slices.Contains(got[0].UPOS[:2], true) || !got[0].UPOS[3] || got[0].Tree {
		t.Errorf("%+v, %v", got, err)
	}
	if _, err := Judge(gold, gold[1:]); err == nil {
		t.Error("texts that differ")
	}
	if got, err := Judge(gold, gold); err != nil || len(got) != 3 || !got[0].Tree || !got[2].Tree {
		t.Errorf("gold against itself: %+v, %v", got, err)
	}
}

// The sums of judgements are the counts of Evaluate.
func TestJudgeCountsAsEvaluate(t *testing.T) {
	gold := []syntax.Sentence{sentenceOf("ab/2/x:s/0", "c/0/root/0", "./2/punct/0"), sentenceOf("d/0/root/0", "e/1/y/0")}
	system := []syntax.Sentence{sentenceOf("a/3/x/0", "b/3/x/0", "c/0/root/0", "./3/punct/0"),
		sentenceOf("d/2/root/0", "e/0/y:z/0")}
	judged, err := Judge(gold, system)
	if err != nil {
		t.Fatal(err)
	}
	r, err := Evaluate(gold, system)
	if err != nil {
		t.Fatal(err)
	}
	count := map[Metric]int{}
	for _, j := range judged {
		for metric, list := range map[Metric][]bool{UPOS: j.UPOS, UAS: j.Head, LAS: j.LAS, LASFull: j.Deprel} {
			for _, right := range list {
				if right {
					count[metric]++
				}
			}
		}
	}
	for metric, n := range count {
		if r.Scores[metric].Correct != n {
			t.Errorf("%v: judged %d, evaluated %d", metric, n, r.Scores[metric].Correct)
		}
	}
	if len(count) != 4 {
		t.Error(count)
	}
}
