package tag

import (
	"reflect"
	"slices"
	"testing"

	"github.com/treebeam/treebeam/parser/sequence"
	"github.com/treebeam/treebeam/parser/syntax"
)

// A label that the search does not see counts against a word, unless it has the
// UPOS of the best one.
func TestLead(t *testing.T) {
	m := newModel()
	m.upos = []string{"ADJ", "NOUN", "NOUN", "VERB"}
	m.finish()
	for _, c := range []struct {
		emit []int32
		beam int
		want int64
	}{
		{[]int32{0, 9, 8, 3}, 1, 6},
		{[]int32{0, 9, 8, 3}, 3, 9},
		{[]int32{0, 9, 8, 3}, 4, noRival},
		{[]int32{5, 9, 8, 5}, 3, 4}, // VERB is as good as ADJ, which came first
		{[]int32{9, 9, 8, 9}, 1, 0},
		{[]int32{-5, 9, 9, -4}, 2, 13},
	} {
		var lat sequence.Lattice[int32]
		lat.Reset()
		lat.Push(m.all, c.emit, c.beam, 0)
		if got := m.lead(&lat, m.all, c.emit); got != c.want {
			t.Errorf("%v, %d candidates: lead %d, want %d", c.emit, c.beam, got, c.want)
		}
	}
	var lat sequence.Lattice[int32]
	lat.Reset()
	lat.Push(m.all[1:3], []int32{9, 3}, 1, 0)
	if got := m.lead(&lat, m.all[1:3], []int32{9, 3}); got != noRival {
		t.Errorf("all labels are NOUN: lead %d", got)
	}
}

func TestTagProb(t *testing.T) {
	m := trainToy(t)
	words := func(forms ...string) (s syntax.Sentence) {
		for _, f := range forms {
			s.Words = append(s.Words, syntax.Word{Form: f})
		}
		return s
	}
	s := words("the", "dog", "zork", "the", "walks", ".")
	m.Tag(&s, Request{})
	if len(s.TagProb) != 6 || s.TagsGiven {
		t.Fatalf("probabilities %v, given %v", s.TagProb, s.TagsGiven)
	}
	if s.TagProb[0] != sureProb {
		t.Errorf("the only tag of a frequent form has probability %v, want %v", s.TagProb[0], sureProb)
	}
	for i, p := range s.TagProb {
		if p <= 0 || p >= 1 || p*probGrain != float32(int(p*probGrain)) {
			t.Errorf("word %d: probability %v", i+1, p)
		}
	}
	if s.TagProb[2] >= s.TagProb[1] {
		t.Errorf("an unknown form has probability %v, a known one %v", s.TagProb[2], s.TagProb[1])
	}
	first := s.TagProb
	for _, m := range []*Model{m, trainToy(t)} { // with used scratch, and with fresh
		s := words("the", "dog", "zork", "the", "walks", ".")
		m.Tag(&s, Request{Retag: true})
		if !reflect.DeepEqual(s.TagProb, first) {
			t.Errorf("probabilities %v, and then %v", first, s.TagProb)
		}
	}
	hot := words("the", "dog", "zork", "the", "walks", ".")
	m.Tag(&hot, Request{Retag: true, Temperature: 4 * sequence.TemperatureUnit})
	if hot.TagProb[2] >= first[2] || !slices.EqualFunc(hot.Words, s.Words, func(a, b syntax.Word) bool { return a == b }) {
		t.Errorf("at a higher temperature probability %v of %v, at the lower one %v of %v", hot.TagProb[2], hot.Words,
			first[2], s.Words)
	}
}

func TestTagProbOfGivenTags(t *testing.T) {
	m := trainToy(t)
	s := syntax.Sentence{Words: []syntax.Word{{Form: "the", UPOS: "DET"}, {Form: "walks", UPOS: "VERB"},
		{Form: "zork"}, {Form: "dog", XPOS: "NN"}}}
	m.Tag(&s, Request{})
	if p := s.TagProb; p[0] != 1 || p[1] != 1 || p[2] >= 1 || p[3] >= 1 || s.TagsGiven {
		t.Errorf("two of four UPOS are given: probabilities %v, all given: %v", p, s.TagsGiven)
	}
	m.Tag(&s, Request{})
	if !s.TagsGiven || slices.Min(s.TagProb) != 1 {
		t.Errorf("all UPOS are given: probabilities %v, all given: %v", s.TagProb, s.TagsGiven)
	}
	m.Tag(&s, Request{Retag: true})
	if s.TagsGiven || slices.Max(s.TagProb) >= 1 {
		t.Errorf("tagged again: probabilities %v, all given: %v", s.TagProb, s.TagsGiven)
	}
}

// Dense scores that leave no doubt do so to the probabilities, and those for
// other tags raise doubts.
func TestTagProbOfDenseScores(t *testing.T) {
	m := trainToy(t)
	tag := func(bonus int32) syntax.Sentence {
		s := syntax.Sentence{Words: slices.Clone(toyTreebank()[0].Words)}
		s.Dense.Tags = make([]int32, len(s.Words)*m.NumTags())
		for i := range s.Words {
			for l := range m.NumTags() {
				if upos, _ := m.TagName(l); upos == "NOUN" {
					s.Dense.Tags[i*m.NumTags()+l] = bonus
				}
			}
		}
		m.Tag(&s, Request{Retag: true})
		return s
	}
	plain, doubt, strong := tag(0), tag(scoreUnit/4), tag(1<<20)
	for i := range plain.Words {
		if strong.Words[i].UPOS != "NOUN" || strong.TagProb[i] < 0.999 {
			t.Errorf("word %d is %s with probability %v, the dense scores say NOUN", i+1, strong.Words[i].UPOS,
				strong.TagProb[i])
		}
		p, q := plain.TagProb[i], doubt.TagProb[i]
		if w := plain.Words[i].UPOS; w != doubt.Words[i].UPOS || w == "NOUN" && q < p || w != "NOUN" && q > p ||
			p < 0.99 && p == q {
			t.Errorf("word %d is %s with probability %v; with scores for NOUN it is %s with probability %v", i+1, w, p,
				doubt.Words[i].UPOS, q)
		}
	}
}
