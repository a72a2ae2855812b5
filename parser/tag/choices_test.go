package tag

import (
	"reflect"
	"slices"
	"testing"

	"github.com/treebeam/treebeam/parser/syntax"
)

// eachPath calls f with every path through c.
func eachPath(c *syntax.Choices, f func(path []int)) {
	path := make([]int, len(c.Words))
	var rec func(i int)
	rec = func(i int) {
		if i == len(path) {
			f(path)
			return
		}
		for path[i] = range c.Words[i] {
			rec(i + 1)
		}
	}
	rec(0)
}

// untagged are sentences of the toy treebank's forms, in an order that it has not.
func untagged() []syntax.Sentence {
	list := syntax.Clone(toyTreebank()[:12])
	for i := range list {
		w := list[i].Words
		slices.Reverse(w)
		w[0].Form += "ed"
		w[len(w)-1].Form = "un" + w[len(w)-1].Form
		for k := range w {
			w[k].UPOS, w[k].XPOS, w[k].Feats, w[k].Lemma = "", "", "", ""
		}
	}
	return list
}

func TestTheFirstChoicesAreTheBestPath(t *testing.T) {
	m, open := trainToy(t), 0
	for _, s := range untagged() {
		c := m.Choices(&s, Request{Retag: true}, Bounds{Tags: 4, Most: 1 << 20})
		open += c.Open()
		if s.Words[0].UPOS != "" {
			t.Fatal("Choices changed its input")
		}
		want := syntax.Clone([]syntax.Sentence{s})[0]
		m.Tag(&want, true)
		best := make([]int, len(s.Words))
		c.Set(&s, best)
		for i := range s.Words {
			if s.Words[i] != want.Words[i] {
				t.Fatalf("word %d is %v in the first choices, %v tagged", i+1, s.Words[i], want.Words[i])
			}
		}
		top := c.Score(best)
		eachPath(&c, func(path []int) {
			if x := c.Score(path); x > top+int64(len(path)) { // each score is rounded
				t.Errorf("path %v scores %d, the tagger's %d", path, x, top)
			}
		})
	}
	if open < 5 {
		t.Errorf("only %d words have a choice", open)
	}
}

func TestChoicesAreWhatTheTaggerMakesOfTheirUPOS(t *testing.T) {
	m, tried := trainToy(t), 0
	for _, s := range untagged() {
		c := m.Choices(&s, Request{Retag: true}, Bounds{Tags: 4, Most: 1 << 20})
		for i := range c.Words {
			for k, x := range c.Words[i] {
				if k > 0 && x.Score > c.Words[i][1].Score {
					t.Errorf("word %d: choice %d scores more than 1", i+1, k)
				}
				given := syntax.Clone([]syntax.Sentence{s})[0]
				for j := range given.Words {
					given.Words[j].UPOS, given.Words[j].XPOS = c.Words[j][0].UPOS, c.Words[j][0].XPOS
				}
				given.Words[i].UPOS, given.Words[i].XPOS = x.UPOS, x.XPOS
				m.Tag(&given, false)
				if w := given.Words[i]; w.Feats != x.Feats || w.Lemma != x.Lemma {
					t.Errorf("%s as %s: choice has %s %s, the tagger %s %s", w.Form, x.UPOS, x.Feats, x.Lemma, w.Feats, w.Lemma)
				}
				tried++
			}
		}
	}
	if tried < 30 {
		t.Errorf("only %d choices", tried)
	}
}

func TestGivenTagsLeaveNoChoice(t *testing.T) {
	m := trainToy(t)
	for _, s := range untagged() {
		s.Words[0].UPOS = "VERB"
		c := m.Choices(&s, Request{}, Bounds{Tags: 4, Feats: 4, Most: 1 << 20})
		if c.Open() != 0 || c.Words[0][0].UPOS != "VERB" {
			t.Fatalf("choices %v", c.Words)
		}
	}
}

func TestJackknifedChoicesBeginWithJackknifedTags(t *testing.T) {
	sents := toyTreebank()
	want, err := Jackknife(sents, 4, Options{Epochs: 3})
	if err != nil {
		t.Fatal(err)
	}
	got, choices, err := JackknifeChoices(sents, 4, Bounds{Tags: 3, Most: 1 << 20}, Options{Epochs: 3, Workers: 4})
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Fatalf("other tags: %v", err)
	}
	for i := range choices {
		choices[i].Set(&got[i], make([]int, len(got[i].Words)))
	}
	if !reflect.DeepEqual(got, want) {
		t.Error("the first choices are others than the tags")
	}
}
