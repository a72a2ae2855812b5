package model

import (
	"fmt"
	"strings"
	"testing"

	"github.com/treebeam/treebeam/parser/syntax"
)

func TestWithFeature(t *testing.T) {
	for _, c := range [][2]string{
		{"", "ExtPos=ADV"},
		{"Degree=Pos", "Degree=Pos|ExtPos=ADV"},
		{"Definite=Ind|ExtPos=ADP|PronType=Art", "Definite=Ind|ExtPos=ADV|PronType=Art"},
		{"Number=Sing", "ExtPos=ADV|Number=Sing"},
	} {
		if got := withFeature(c[0], extPos, "ADV"); got != c[1] {
			t.Errorf("%q becomes %q, want %q", c[0], got, c[1])
		}
	}
}

// TestSetExtPos: the first word of a fixed expression gets what its relation says,
// but where its tags or all FEATS were given or the treebank has no ExtPos.
func TestSetExtPos(t *testing.T) {
	for _, c := range []struct {
		known bool
		prob  float32
		given bool
		want  string
	}{{true, 0.5, false, "ExtPos=ADV"}, {true, 1, false, ""}, {true, 0.5, true, ""}, {false, 0.5, false, ""}} {
		s := syntax.Sentence{Words: []syntax.Word{
			{Form: "of", UPOS: "ADP", Head: 3, Deprel: "advmod"},
			{Form: "course", UPOS: "NOUN", Head: 1, Deprel: "fixed"},
			{Form: "yes", UPOS: "INTJ", Head: 0, Deprel: "root"},
		}, TagProb: []float32{c.prob, 0.5, 0.5}, Given: syntax.Given{Feats: c.given}}
		m := Model{extPos: c.known}
		m.setExtPos(&s)
		if got := s.Words[0].Feats; got != c.want || s.Words[1].Feats+s.Words[2].Feats != "" {
			t.Errorf("%+v: FEATS are %q", c, got)
		}
	}
}

func TestLessProbable(t *testing.T) {
	for _, c := range []struct {
		p    float32
		odds int64
		want float32
	}{{0.75, 0, 0.75}, {0.75, -500, 0.75}, {0.5, 710, 0.25}, {0.5, 1 << 40, 1.0 / 65536}} {
		if got := lessProbable(c.p, c.odds); got < c.want-0.001 || got > c.want+0.001 || got*65536 != float32(int(got*65536)) {
			t.Errorf("%v with odds %d becomes %v, want %v", c.p, c.odds, got, c.want)
		}
	}
}

// A recipient that the search takes for a part of the object moves to the verb, with
// the words before it, and labels and confidence are those of the new tree.
func TestRecipientMoves(t *testing.T) {
	m, err := Open(Embedded)
	if err != nil {
		t.Fatal(err)
	}
	s := syntax.Sentence{}
	for form := range strings.FieldsSeq("We must buy the baby new shoes .") {
		s.Words = append(s.Words, syntax.Word{Form: form})
	}
	if err := m.Run(t.Context(), []*syntax.Sentence{&s}, Request{Effort: 1}); err != nil {
		t.Fatal(err)
	}
	want := []string{"3 nsubj", "3 aux", "0 root", "5 det", "3 iobj", "7 amod", "3 obj", "3 punct"}
	for i, w := range s.Words {
		if got := fmt.Sprintf("%d %s", w.Head, w.Deprel); got != want[i] {
			t.Errorf("%s: %s, want %s", w.Form, got, want[i])
		}
		for _, p := range []float32{s.Confidence.HeadMarginal[i], s.Confidence.LabelProb[i], s.Confidence.HeadConf[i], s.Confidence.DeprelConf[i]} {
			if p < 0 || p > 1 {
				t.Errorf("%s: a probability of %v", w.Form, p)
			}
		}
	}
	if c := s.Confidence; c.Certificate != syntax.Uncertain || c.HeadConf[4] > c.HeadConf[0] {
		t.Errorf("%+v: a head that was changed is not less certain", c)
	}
}
