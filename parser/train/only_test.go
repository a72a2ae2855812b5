package train

import (
	"bytes"
	"reflect"
	"strings"
	"testing"

	"github.com/treebeam/treebeam/model"
	"github.com/treebeam/treebeam/parser/pack"
	"github.com/treebeam/treebeam/parser/syntax"
)

// TestLemmasAlone trains the lemmas of a model again whose own are lost: from
// its treebank they come out as a whole training makes them; from another they
// are others, and all else stays byte for byte.
func TestLemmasAlone(t *testing.T) {
	if testing.Short() {
		t.Skip("trains a whole model")
	}
	train, dev := grammar("train", 60, 1), grammar("dev", 20, 2)
	o := Options{Seed: 5, Folds: 2, Blocks: blocksOf}
	whole, err := Run(train, dev, o)
	if err != nil {
		t.Fatal(err)
	}
	want, err := model.Decode(whole)
	if err != nil {
		t.Fatal(err)
	}
	lost := &model.File{Info: want.Info, Sections: replaced(want.Sections, "tag.lemma.",
		[]pack.Section{{Name: "tag.lemma.old", Data: []byte("x")}})}
	lost.Info.Scores, lost.Info.Parts = nil, []model.Part{{Name: "other"}, {Name: OnlyLemmas}}
	if _, err := model.New(lost); err == nil {
		t.Fatal("a model without lemmas opens")
	}

	o.Info = model.Info{Command: "the command", Code: "v9", Created: "by me", Language: "not this"}
	data, err := Only(OnlyLemmas, Base{File: lost, Digest: "digest of lost"}, train, dev, o)
	if err != nil {
		t.Fatal(err)
	}
	got, err := model.Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got.Sections, want.Sections) {
		t.Error("the lemmas are not those of a whole training, or other sections changed")
	}
	if len(got.Info.Parts) != 2 || got.Info.Parts[0].Name != "other" {
		t.Fatalf("parts %+v", got.Info.Parts)
	}
	part := model.Part{Name: OnlyLemmas, From: "digest of lost", Command: "the command", Seed: 5, Code: "v9",
		Created: "by me",
		Train:   want.Info.Train, Dev: want.Info.Dev}
	if !reflect.DeepEqual(got.Info.Parts[1], part) {
		t.Errorf("provenance %+v, want %+v", got.Info.Parts[1], part)
	}
	got.Info.Parts = nil
	if !reflect.DeepEqual(got.Info, want.Info) {
		t.Errorf("provenance %+v, want %+v", got.Info, want.Info)
	}

	upper := grammar("train", 60, 1)
	for i := range upper.Sentences {
		for j := range upper.Sentences[i].Words {
			w := &upper.Sentences[i].Words[j]
			w.Lemma = strings.ToUpper(w.Lemma)
		}
	}
	if data, err = Only(OnlyLemmas, Base{File: want}, upper, dev, o); err != nil {
		t.Fatal(err)
	}
	if got, err = model.Decode(data); err != nil {
		t.Fatal(err)
	}
	changed := 0
	for i, s := range got.Sections {
		switch same := s.Name == want.Sections[i].Name && bytes.Equal(s.Data, want.Sections[i].Data); {
		case !same && strings.HasPrefix(s.Name, "tag.lemma."):
			changed++
		case !same:
			t.Errorf("section %s changed", s.Name)
		}
	}
	if changed == 0 {
		t.Error("other lemmas in the treebank, and the same in the model")
	}
	m, err := model.New(got)
	if err != nil {
		t.Fatal(err)
	}
	s := syntax.Sentence{Words: []syntax.Word{{Form: "the"}, {Form: "dog"}}}
	m.Tag(&s, false)
	if s.Words[1].Lemma != "DOG" {
		t.Errorf("lemma of dog: %s", s.Words[1].Lemma)
	}
	refusesForeign(t, want)
}

// refusesForeign gives Only treebanks that are no use to the model.
func refusesForeign(t *testing.T, from *model.File) {
	for _, c := range []struct {
		change func(*syntax.Word)
		want   string
	}{
		{func(w *syntax.Word) { w.Lemma = "" }, "has a lemma"},
		{func(w *syntax.Word) { w.XPOS = "other" }, "knows the UPOS and XPOS of only 0"},
		{func(w *syntax.Word) { w.Deprel = "" }, "no word has both a head and a relation"},
	} {
		dataset := grammar("train", 20, 3)
		for i := range dataset.Sentences {
			for j := range dataset.Sentences[i].Words {
				c.change(&dataset.Sentences[i].Words[j])
			}
		}
		if _, err := Only(OnlyLemmas, Base{File: from}, dataset, grammar("dev", 5, 2), Options{}); err == nil ||
			!strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v, want an error with %q", err, c.want)
		}
	}
}
