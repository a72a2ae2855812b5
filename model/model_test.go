package model

import (
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/treebeam/treebeam/parser/label"
	"github.com/treebeam/treebeam/parser/pack"
	"github.com/treebeam/treebeam/parser/prune"
	"github.com/treebeam/treebeam/parser/search"
	"github.com/treebeam/treebeam/parser/segment"
	"github.com/treebeam/treebeam/parser/syntax"
	"github.com/treebeam/treebeam/parser/tag"
	"github.com/treebeam/treebeam/parser/word"
)

// toySentences are of our own: form, UPOS, head, deprel.
func toySentences() []syntax.Sentence {
	var list []syntax.Sentence
	for _, text := range []string{
		"the DET 2 det|dog NOUN 3 nsubj|barks VERB 0 root|. PUNCT 3 punct",
		"a DET 2 det|cat NOUN 3 nsubj|sees VERB 0 root|the DET 5 det|dog NOUN 3 obj|. PUNCT 3 punct",
		"dogs NOUN 2 nsubj|bark VERB 0 root|at ADP 4 case|cats NOUN 2 obl|. PUNCT 2 punct",
		"the DET 2 det|cat NOUN 3 nsubj|sleeps VERB 0 root|. PUNCT 3 punct",
	} {
		var s syntax.Sentence
		for _, w := range strings.Split(text, "|") {
			f := strings.Fields(w)
			s.Words = append(s.Words, syntax.Word{Form: f[0], Lemma: f[0], UPOS: f[1], Head: int32(f[2][0] - '0'), Deprel: f[3]})
		}
		s.Words[len(s.Words)-2].Misc = "SpaceAfter=No"
		list = append(list, s)
	}
	return list
}

// smallModel returns the sections of a whole model, trained once.
func smallModel(t testing.TB) []pack.Section {
	t.Helper()
	return slices.Clone(smallSections())
}

var smallSections = sync.OnceValue(func() []pack.Section {
	list := toySentences()
	var b pack.Builder
	words := word.Learn(list)
	words.Pack(b.Sub(WordName))
	must(segment.Train(list, nil, segment.Options{})).Pack(b.Sub(SegmentName))
	must(tag.Train(list, nil, tag.Options{})).Pack(b.Sub(TagName))
	pruner := must(prune.Train(words, list, list, prune.Options{}))
	pruner.Pack(b.Sub(PruneName))
	for i := range list {
		pruner.Prune(&list[i])
		prune.AddGold(&list[i])
	}
	must(search.Train(words, list, list, search.TrainOptions{Epochs: 2})).Pack(b.Sub(ParseName))
	must(label.Train(words, list, nil, label.Options{})).Pack(b.Sub(LabelName))
	return b.Sections
})

// TestStagesFromTextToTrees runs all stages of a model on raw text, from many
// goroutines at once.
func TestStagesFromTextToTrees(t *testing.T) {
	data := must(Encode(Info{}, smallModel(t)))
	m := must(OpenBytes(data))
	parse := func() []syntax.Sentence {
		sents := m.Segment("the dog sees a cat. dogs bark.", 100)
		for i := range sents {
			s := &sents[i]
			m.Tag(s, false)
			m.Prune(s)
			if err := m.Parse(s, search.Options{}); err != nil {
				t.Error(err)
			}
		}
		return sents
	}
	want := parse()
	if len(want) == 0 {
		t.Fatal("no sentences")
	}
	for _, s := range want {
		for _, w := range s.Words {
			if w.UPOS == "" || w.Deprel == "" {
				t.Errorf("word %+v", w)
			}
		}
		if err := syntax.CheckTree(s.Words); err != nil {
			t.Errorf("%q: %v", s.Text, err)
		}
	}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 20 {
				got := parse()
				for i := range got {
					if i < len(want) && !slices.Equal(got[i].Words, want[i].Words) {
						t.Errorf("sentence %d differs between goroutines", i+1)
					}
				}
			}
		})
	}
	wg.Wait()
	var unpruned syntax.Sentence
	unpruned.Words = want[0].Words
	if err := m.Parse(&unpruned, search.Options{}); err == nil {
		t.Error("a sentence without candidates was parsed")
	}
}

func TestMissingComponentIsNamed(t *testing.T) {
	data := must(Encode(Info{}, toySections()))
	if _, err := OpenBytes(data); err == nil || !strings.Contains(err.Error(), "word") || !strings.Contains(err.Error(), "train") {
		t.Errorf("a model without components: %v", err)
	}
}

// A model of other templates is refused, with what to do: opened, it would
// score other features than it was trained on. One of the version before, to which
// this one only adds, is read.
func TestOtherTemplatesAreRefused(t *testing.T) {
	data := must(Encode(Info{Templates: pack.Templates + 1}, smallModel(t)))
	f, err := Decode(data)
	if err != nil || f.Info.Templates != pack.Templates {
		t.Fatalf("templates %d (%v): Encode writes those of the program", f.Info.Templates, err)
	}
	for v := pack.Oldest - 1; v <= pack.Templates+1; v++ {
		f.Info.Templates = v
		_, err := New(f)
		if v >= pack.Oldest && v <= pack.Templates {
			if err != nil {
				t.Errorf("templates %d: %v", v, err)
			}
		} else if !errors.Is(err, ErrTemplates) || !strings.Contains(err.Error(), "train it again") {
			t.Errorf("templates %d: %v, want a refusal that says what to do", v, err)
		}
	}
}

// must returns what a call returns without an error.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
