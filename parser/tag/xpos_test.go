package tag

import (
	"fmt"
	"reflect"
	"slices"
	"testing"

	"github.com/treebeam/treebeam/parser/pack"
	"github.com/treebeam/treebeam/parser/sequence"
	"github.com/treebeam/treebeam/parser/syntax"
)

// A given XPOS without UPOS restricts what the word may be, as a given UPOS
// does, whether XPOS has few values or so many that it is chosen with FEATS.
func TestXPOSWithoutUPOS(t *testing.T) {
	few := trainToy(t)
	sents := toyTreebank()
	n := 0
	eachWord(sents, func(w *syntax.Word) {
		if w.UPOS == "NOUN" {
			w.XPOS = fmt.Sprintf("%s-%d", w.XPOS, n%250)
		}
		n++
	})
	many, err := Train(sents, nil, Options{Epochs: 2})
	if err != nil {
		t.Fatal(err)
	}
	if !many.fine || few.fine {
		t.Fatal("the two treebanks are of one kind")
	}
	for _, m := range []*Model{few, many} {
		for _, c := range []struct{ form, upos, xpos, want, feats string }{
			{"walks", "", "VBZ", "VERB", "Person=3|Tense=Pres|VerbForm=Fin"},
			{"the", "", "VBD", "VERB", "Tense=Past|VerbForm=Fin"},
			{"walks", "", ".", "PUNCT", ""},
			{"walks", "NOUN", "VBZ", "NOUN", ""},                        // do not go together: UPOS wins
			{"walks", "ZORK", "VBD", "ZORK", "Tense=Past|VerbForm=Fin"}, // unknown: XPOS decides
			{"dog", "", "zork", "NOUN", "Number=Sing"},
		} {
			s := syntax.Sentence{Words: []syntax.Word{{Form: "the"}, {Form: c.form, UPOS: c.upos, XPOS: c.xpos}}}
			m.Tag(&s, Request{})
			w := s.Words[1]
			if w.UPOS != c.want || w.XPOS != c.xpos || c.upos != "NOUN" && w.Feats != c.feats {
				t.Errorf("fine %v, %+v: %+v", m.fine, c, w)
			}
			s.Words[1] = syntax.Word{Form: c.form, UPOS: c.upos, XPOS: c.xpos}
			m.Tag(&s, Request{Retag: true})
			if c.form == "walks" && s.Words[1].UPOS == "PUNCT" {
				t.Error("retag kept an XPOS")
			}
		}
	}
	for _, x := range []string{"NN-8", "NNS-1"} { // one of the many
		if !slices.Contains(many.fineXPOS, x) {
			continue
		}
		s := syntax.Sentence{Words: []syntax.Word{{Form: "walked", XPOS: x}}}
		many.Tag(&s, Request{})
		if w := s.Words[0]; w.UPOS != "NOUN" || w.XPOS != x {
			t.Errorf("given %s: %+v", x, w)
		}
	}
}

// richXPOS is a treebank whose XPOS has about so many values, some of them
// common.
func richXPOS(values int) []syntax.Sentence {
	var out []syntax.Sentence
	for n := 0; n < 2*values; {
		for _, s := range toyTreebank() {
			s.Words = slices.Clone(s.Words)
			for i := range s.Words {
				s.Words[i].XPOS += fmt.Sprint("-", n%values/(1+n/values*20))
				n++
			}
			out = append(out, s)
		}
	}
	return out
}

// The tables of a model do not grow with the square of the values of XPOS.
func TestRichXPOSDoesNotFillTheModel(t *testing.T) {
	sents := richXPOS(1500)
	m, err := Train(sents, nil, Options{Epochs: 1})
	if err != nil {
		t.Fatal(err)
	}
	size, words := 0, 0
	sections := packed(m)
	for _, s := range sections {
		size += len(s.Data)
	}
	eachWord(sents, func(*syntax.Word) { words++ })
	xpos := len(counted(sents, func(w *syntax.Word) string { return w.XPOS }))
	t.Logf("%d words, %d XPOS, %d units: %d bytes", words, xpos, m.morph.Labels.Units, size)
	if xpos < 1500 || !m.fine {
		t.Fatalf("only %d values: the test sees too little", xpos)
	}
	if m.morph.Labels.Units != sequence.MaxUnits || len(m.morph.Pairs) != sequence.MaxUnits*sequence.MaxUnits {
		t.Errorf("%d units, %d pairs", m.morph.Labels.Units, len(m.morph.Pairs))
	}
	if size > 6<<20 {
		t.Errorf("the model has %d bytes", size)
	}
	opened, err := Open(pack.NewView(sections), "tagger")
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range sents[:50] {
		s2 := s
		s2.Words = slices.Clone(s.Words)
		m.Tag(&s, Request{Retag: true})
		opened.Tag(&s2, Request{Retag: true})
		if !reflect.DeepEqual(s.Words, s2.Words) {
			t.Fatalf("opened model tags %v, fresh one %v", s2.Words, s.Words)
		}
	}
}

// The units of the second layer are the UPOS and the commonest attributes.
func TestUnitsAreTheCommonest(t *testing.T) {
	m := newModel()
	v := &inventory{upos: map[string]uint16{"N": 0}}
	m.numberMorphs(v, map[columns]int{{"N", "A=a|B=b"}: 5, {"N", "A=a"}: 3, {"N", "A=c|B=b"}: 4, {"N", "A=d"}: 8})
	ls := &m.morph.Labels
	// B=b stands in 9 words, A=a and A=d in 8, A=c in 4; labels are in the order of FEATS.
	for i, want := range [][]uint16{{0, 2}, {0, 1, 2}, {0, 1, 4}, {0, 3}} {
		parts := ls.Of(uint16(i))
		if !slices.Equal(parts[:len(want)], want) || int(parts[len(want)]) < ls.Units {
			t.Errorf("label %d has the parts %v, want %v and no other unit", i, parts, want)
		}
	}
}

// A word with very many items of FEATS does not make as many labels' parts.
func TestManyFeatsInTraining(t *testing.T) {
	sents := toyTreebank()
	for i := range 2 {
		feats := ""
		for k := range 3000 {
			feats += fmt.Sprintf("|A%04d=%d", k, i)
		}
		sents[i].Words[0].Feats = feats[1:]
	}
	m, err := Train(sents, nil, Options{Epochs: 1})
	if err != nil {
		t.Fatal(err)
	}
	if most := MaxUPOS + 2*syntax.MaxFeats; m.morph.Labels.Units > most {
		t.Errorf("%d units, want at most %d", m.morph.Labels.Units, most)
	}
}
