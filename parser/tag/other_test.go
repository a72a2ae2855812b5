package tag

import (
	"math"
	"slices"
	"sync"
	"testing"

	"github.com/treebeam/treebeam/parser/hash"
	"github.com/treebeam/treebeam/parser/sequence"
)

func TestOther(t *testing.T) {
	m := trainToy(t)
	is := func(want string) func(string) bool { return func(upos string) bool { return upos == want } }
	s := sentence("the walks walks some cat .")
	m.Tag(&s, Request{Retag: true})
	for i, want := range []string{"NOUN", "VERB"} {
		if s.Words[i+1].UPOS != want {
			t.Fatalf("%+v", s.Words)
		}
	}
	before := s.Words[1]
	w, odds, found := m.Other(&s, 1, Request{}, math.MaxInt64, is("VERB"))
	if !found || odds <= 0 || w.UPOS != "VERB" || w.XPOS != "VBZ" || w.Lemma != "walk" ||
		w.Feats != "Person=3|Tense=Pres|VerbForm=Fin" || s.Words[1] != before {
		t.Errorf("%+v with odds %d, found %v", w, odds, found)
	}
	if _, _, found := m.Other(&s, 1, Request{}, odds-1, is("VERB")); found {
		t.Error("a tag is found that is too bad")
	}
	// A tagger that has not met the words before says the same.
	m.pool = sync.Pool{}
	if again, same, _ := m.Other(&s, 1, Request{}, math.MaxInt64, is("VERB")); again != w || same != odds {
		t.Errorf("without scratch: %+v with odds %d, want %d", again, same, odds)
	}
	// What the tagger would not have chosen is worse than what it chooses.
	c := s
	c.Words[1] = w
	if w, back, found := m.Other(&c, 1, Request{}, math.MaxInt64, is("NOUN")); !found || back != -odds || w != before {
		t.Errorf("back: %+v with odds %d, want %d", w, back, -odds)
	}
	if _, _, found := m.Other(&s, 1, Request{}, math.MaxInt64, is("none")); found {
		t.Error("there is a tag that does not exist")
	}
}

// The probabilities of tags beside those of the neighbours are those of Other.
func TestConditionals(t *testing.T) {
	m := trainToy(t)
	s := sentence("the walks walks some cat .")
	m.Tag(&s, Request{Retag: true})
	for i, temperature := range []int32{0, sequence.TemperatureUnit, 2 * sequence.TemperatureUnit} {
		p, sum := map[string]float64{}, 0.0 // the largest of each UPOS
		for k, x := range m.Conditionals(&s, Request{Temperature: temperature})[1] {
			upos, _ := m.TagName(k)
			p[upos] = max(p[upos], x)
			sum += x
		}
		_, odds, _ := m.Other(&s, 1, Request{}, math.MaxInt64, func(upos string) bool { return upos == "VERB" })
		want := float64(odds) / 1024 / float64(max(i, 1))
		if got := math.Log(p["NOUN"] / p["VERB"]); math.Abs(got-want) > 0.01 {
			t.Errorf("temperature %d: log-odds of %v, want %v", temperature, got, want)
		}
		if math.Abs(sum-1) > 1e-9 {
			t.Errorf("temperature %d: a sum of %v", temperature, sum)
		}
	}
}

// In a long sentence only the words around are read and tagged again, and they say
// what the whole sentence says.
func TestOtherReadsTheWordsAround(t *testing.T) {
	m, r, found := trainToy(t), hash.Rand(7), 0
	s := randomForms(&r, 1000)
	m.Tag(&s, Request{Retag: true})
	anyOther := func(i int) func(string) bool {
		return func(upos string) bool { return upos != s.Words[i].UPOS }
	}
	for i := 0; i < len(s.Words); i += 7 {
		m.pool = sync.Pool{}
		got, odds, ok := m.Other(&s, i, Request{}, math.MaxInt64, anyOther(i))
		if sc, _ := m.pool.Get().(*scratch); sc != nil && len(sc.lat.Start)-1 > 2*otherReach+1 {
			t.Fatalf("word %d: %d words are tagged again", i+1, len(sc.lat.Start)-1)
		}
		if !ok {
			continue
		}
		found++
		c := s // by the whole sentence
		c.Words = slices.Clone(s.Words)
		for k := range c.Words {
			c.Words[k].Feats, c.Words[k].Lemma = "", ""
		}
		c.Words[i].UPOS, c.Words[i].XPOS = got.UPOS, ""
		m.Tag(&c, Request{})
		if c.Words[i] != got {
			t.Errorf("word %d: %+v with odds %d, by the whole sentence %+v", i+1, got, odds, c.Words[i])
		}
	}
	if found < 20 {
		t.Errorf("only %d words could be something else", found)
	}
}
