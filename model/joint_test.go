package model_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/treebeam/treebeam/model"
	"github.com/treebeam/treebeam/model/modeltest"
	"github.com/treebeam/treebeam/parser/search"
	"github.com/treebeam/treebeam/parser/syntax"
	"github.com/treebeam/treebeam/parser/tag"
)

const ambiguous = "Time flies like an arrow. The old man the boats. I saw her duck under the table. " +
	"They can fish in the cooling water. Fat people eat accumulates. Police help dog bite victim. " +
	"In the morning, before the first ferry leaves, the fishermen sort their nets on the quay and talk about the weather."

// pruned returns the sentences of a text, ready to be parsed.
func pruned(m *model.Model, text string) []syntax.Sentence {
	list := m.Segment(text, 1000)
	for i := range list {
		m.Tag(&list[i], true)
		m.Prune(&list[i])
	}
	return list
}

// What ChooseTags leaves is what the stages make of the new UPOS and XPOS: FEATS,
// lemmas, candidates and probabilities follow.
func TestChooseTagsLeavesWhatFollowsFromTags(t *testing.T) {
	m, err := model.Open("")
	if err != nil {
		t.Fatal(err)
	}
	b := tag.Bounds{Tags: 3, Most: 4096}
	changed := 0
	for i, s := range pruned(m, ambiguous) {
		own := syntax.Clone([]syntax.Sentence{s})[0]
		own.TagProb = append([]float32(nil), s.TagProb...)
		trials := m.ChooseTags(&s, search.Options{}, b, search.JointOptions{Weight: 1})
		again := syntax.Clone([]syntax.Sentence{own})[0]
		again.TagProb = append([]float32(nil), own.TagProb...)
		if m.ChooseTags(&again, search.Options{}, b, search.JointOptions{Weight: 1}) != trials || !reflect.DeepEqual(again.Words, s.Words) {
			t.Errorf("sentence %d: two calls differ", i+1)
		}
		fresh := syntax.Clone([]syntax.Sentence{s})[0]
		m.Prune(&fresh)
		if !reflect.DeepEqual(fresh.Candidates.Heads, s.Candidates.Heads) || !reflect.DeepEqual(fresh.Candidates.LogOdds, s.Candidates.LogOdds) {
			t.Errorf("sentence %d: candidates are of other tags", i+1)
		}
		for k := range s.Words {
			w, was := s.Words[k], own.Words[k]
			if w.UPOS == was.UPOS {
				if w != was && w.XPOS == was.XPOS {
					t.Errorf("%s: %v became %v with its tags", w.Form, was, w)
				}
				continue
			}
			changed++
			if s.TagProb[k] > own.TagProb[k] || s.TagProb[k] <= 0 {
				t.Errorf("%s: probability %v after %v", w.Form, s.TagProb[k], own.TagProb[k])
			}
			given := syntax.Clone([]syntax.Sentence{own})[0]
			for j := range given.Words {
				given.Words[j].Feats, given.Words[j].Lemma = "", ""
			}
			given.Words[k].UPOS, given.Words[k].XPOS = w.UPOS, w.XPOS
			m.Tag(&given, false)
			if x := given.Words[k]; x != w {
				t.Errorf("%s as %s: %v, the tagger says %v", w.Form, w.UPOS, w, x)
			}
		}
		if err := m.Parse(&s, search.Options{}); err != nil {
			t.Error(err)
		}
	}
	if changed == 0 {
		t.Error("no tag changed: the test says nothing")
	}
}

func TestChooseTagsKeepsGivenTags(t *testing.T) {
	m, err := model.Open("")
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range m.Segment(ambiguous, 1000) {
		for k := range s.Words {
			s.Words[k].UPOS = "NOUN"
		}
		m.Tag(&s, false)
		m.Prune(&s)
		want := syntax.Clone([]syntax.Sentence{s})[0].Words
		if n := m.ChooseTags(&s, search.Options{}, tag.Bounds{Tags: 5, Most: 1 << 20}, search.JointOptions{Weight: 1}); n != 0 || !reflect.DeepEqual(s.Words, want) {
			t.Errorf("%d trees were looked for, words %v", n, s.Words)
		}
	}
}

// Parse with JointTags is ChooseTags and Parse, without crossing arcs and with dense
// scores as well.
func TestParseWithJointTags(t *testing.T) {
	fast, err := model.Open("")
	if err != nil {
		t.Fatal(err)
	}
	data, err := modeltest.WithEncoder(fast)
	if err != nil {
		t.Fatal(err)
	}
	dense, err := model.OpenBytes(data)
	if err != nil {
		t.Fatal(err)
	}
	changed := 0
	for _, m := range []*model.Model{fast, dense} {
		for _, o := range []search.Options{{}, {Projective: true}} {
			for i, s := range m.Segment(ambiguous, 1000) {
				m.Encode([]*syntax.Sentence{&s})
				m.Tag(&s, true)
				m.Prune(&s)
				two := syntax.Clone([]syntax.Sentence{s})[0]
				two.TagProb = append([]float32(nil), s.TagProb...)
				own := syntax.Clone([]syntax.Sentence{s})[0]
				m.ChooseTags(&two, o, tag.Bounds{Tags: 3, Most: 1024}, search.JointOptions{})
				for k := range own.Words {
					if two.Words[k].UPOS != own.Words[k].UPOS {
						changed++
					}
				}
				if err := m.Parse(&two, o); err != nil {
					t.Fatal(err)
				}
				joint := o
				joint.JointTags = true
				if err := m.Parse(&s, joint); err != nil {
					t.Fatal(err)
				}
				if !reflect.DeepEqual(s.Words, two.Words) || !reflect.DeepEqual(s.Confidence, two.Confidence) {
					t.Errorf("sentence %d, projective %v: in one step %v, in two %v", i+1, o.Projective, s.Words, two.Words)
				}
			}
		}
	}
	if changed == 0 {
		t.Error("no tag changed: the test says nothing")
	}
}

// The longer a sentence, the fewer trees: time does not grow with the square of its words.
func TestChooseTagsIsBounded(t *testing.T) {
	m, err := model.Open("")
	if err != nil {
		t.Fatal(err)
	}
	forms := strings.Fields(strings.NewReplacer(".", "", ",", "").Replace(ambiguous))
	for _, n := range []int{20, 300, 900} {
		var s syntax.Sentence
		for i := range n {
			s.Words = append(s.Words, syntax.Word{Form: forms[i%len(forms)], Head: syntax.NoHead})
		}
		m.Tag(&s, true)
		m.Prune(&s)
		most := map[int]int{20: 64, 300: 6, 900: 4}[n]
		trials := m.ChooseTags(&s, search.Options{}, tag.Bounds{Tags: 3, Most: 4096}, search.JointOptions{})
		if trials > most || n > 20 && trials < most {
			t.Errorf("%d words: %d trees, want %d", n, trials, most)
		}
	}
}
