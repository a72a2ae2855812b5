package train

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/treebeam/treebeam/model"
	"github.com/treebeam/treebeam/parser/eval"
	"github.com/treebeam/treebeam/parser/syntax"
)

// What pruner, parser and labels see has the tags of run time, or gold ones, or both.
func TestTreeTags(t *testing.T) {
	train := toyTreebank("train", 12)
	for i := range train.Sentences {
		train.Sentences[i].Words[1].UPOS = fmt.Sprint("Q", i) // which nothing can predict
	}
	for _, c := range []struct {
		o    Options
		gold []bool // whether the first sentences have gold tags
		n    int
	}{
		{Options{treeTags: "jackknifed"}, []bool{false, false}, 11},
		{Options{}, []bool{true, false}, 22}, {Options{GoldTags: true}, []bool{true, true}, 11},
	} {
		var r rig
		if _, err := r.run(train, toyTreebank("dev", 5), c.o); err != nil {
			t.Fatal(err)
		}
		for _, phase := range []string{"pruner", "parser", "labels"} {
			list := r.seen[phase]
			if len(list) != c.n || c.n == 22 && list[0].ID != list[1].ID {
				t.Fatalf("%+v: %s saw %d sentences, want those with one root: %d", c.o, phase, len(list), c.n)
			}
			for i, want := range c.gold {
				if w := list[i].Words[1]; (w.UPOS == "Q"+strings.TrimPrefix(list[i].ID, "train")) != want || w.Head != 1 {
					t.Errorf("%+v: %s saw %s in sentence %d, gold tags: %t", c.o, phase, w.UPOS, i, want)
				}
			}
		}
		if s := r.seen["segmenter"]; len(s) != 12 || s[0].Words[1].UPOS != "Q0" {
			t.Error("the segmenter did not see the whole gold treebank")
		}
		if slices.Contains(r.ran, "tags") == c.o.GoldTags {
			t.Errorf("%+v: ran %v", c.o, r.ran)
		}
	}
}

func toyEncoder() *EncoderOptions {
	return &EncoderOptions{Params: tinyEncoder(), File: "tiny.tbe", SHA256: "sum", Layers: 1, Epochs: 2}
}

// A training that is interrupted wherever something is kept, and continued each time, gives
// the same bytes as one in one run, and does nothing twice that is finished.
func TestResumeGivesTheSameBytes(t *testing.T) {
	o := Options{Seed: 3, Encoder: toyEncoder()}
	want, err := trainToy(&rig{}, o)
	if err != nil {
		t.Fatal(err)
	}
	store := memory{}
	var r rig
	breaks := []string{"words", "segmenter", "tagger", "tags", "pruner", "candidates", "parser.epoch", "parser.epoch",
		"parser", "labels",
		"encoder.epoch", "encoder.epoch", "encoder", "mix"}
	for _, at := range breaks {
		nth := 1
		if strings.HasSuffix(at, ".epoch") {
			nth = 2
		}
		o.Store = &failing{store, at, nth}
		if _, err := trainToy(&r, o); err != nil && !errors.Is(err, errBroken) {
			t.Fatalf("%s: broke off with %v", at, err)
		}
	}
	o.Store = store
	got, err := trainToy(&r, o)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Error("resumed everywhere: other bytes than in one run")
	}
	started := map[string]int{}
	for _, phase := range r.ran {
		started[phase]++
	}
	for phase, n := range started {
		if most := map[string]int{"parser": 4, "encoder": 4}[phase]; n > max(most, 2) && phase != "evaluation" {
			t.Errorf("%s was started %d times: %v", phase, n, r.ran)
		}
	}
}

// Whatever happens to what a store keeps, it changes no bytes.
func TestDamagedEntriesAreDoneAgain(t *testing.T) {
	store := memory{}
	o := Options{Seed: 3, Store: store, Encoder: toyEncoder()}
	want, err := trainToy(&rig{}, o)
	if err != nil {
		t.Fatal(err)
	}
	var again rig
	if _, err := trainToy(&again, o); err != nil || len(again.ran) != 1 {
		t.Errorf("a finished training did %v again (%v)", again.ran, err)
	}
	kind := 0
	for name, kept := range maps.Clone(store) {
		store[name] = [][]byte{nil, kept[:len(kept)/2], bytes.Replace(kept, []byte("a"), []byte("b"), 1)}[kind%3]
		kind++
		if got, err := trainToy(&rig{}, o); err != nil || !bytes.Equal(got, want) {
			t.Errorf("with a damaged %s: other bytes (%v)", name, err)
		}
	}
}

// Trainings share what does not depend on their other options, and nothing else; what they
// share is kept by each, too.
func TestReuse(t *testing.T) {
	shared := memory{}
	if _, err := trainToy(&rig{}, Options{Seed: 3, TagSeed: 9, Reuse: shared}); err != nil {
		t.Fatal(err)
	}
	phases := []string{"words", "segmenter", "tagger", "tags", "pruner", "candidates", "parser", "labels"}
	for _, x := range []struct {
		o    Options
		kept int // phases, from the first one, that are not done again
		also string
	}{
		{Options{Seed: 3, TagSeed: 9}, 8, ""},
		{Options{Seed: 4, TagSeed: 9}, 4, ""},
		{Options{Seed: 3, TagSeed: 9, Tensor: 4}, 6, "labels"},
		{Options{Seed: 3, TagSeed: 9, GoldTags: true}, 3, ""},
		{Options{Seed: 3, TagSeed: 9, Folds: 3}, 3, ""},
		{Options{Seed: 3}, 1, ""},
	} {
		var r rig
		want, err := trainToy(&rig{}, x.o)
		if err != nil {
			t.Fatal(err)
		}
		o, store := x.o, memory{}
		o.Store, o.Reuse = store, maps.Clone(shared)
		got, err := trainToy(&r, o)
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("%+v: %v, other bytes than without shared phases", x.o, err)
		}
		for i, phase := range phases {
			if done, kept := slices.Contains(r.ran, phase), i < x.kept || phase == x.also; done == kept &&
				!(x.o.GoldTags && phase == "tags") {
				t.Errorf("%+v: %s done %t, want %t", x.o, phase, done, !kept)
			}
		}
		if x.kept == 4 {
			var resumed rig
			if _, err := trainToy(&resumed, Options{Seed: 4, TagSeed: 9, Store: store}); err != nil || len(resumed.ran) != 1 {
				t.Errorf("%v: the store alone had to do %v again", err, resumed.ran)
			}
		}
	}
}

func TestRunRefuses(t *testing.T) {
	for _, o := range []Options{{Folds: 1}, {Folds: -1}} {
		if _, err := trainToy(&rig{}, o); err == nil {
			t.Errorf("%+v was accepted", o)
		}
	}
	bad := toyTreebank("train", 3)
	bad.Sentences[0].Words[2].Head = 5
	r := rig{}
	_, err := r.run(bad, toyTreebank("dev", 3), Options{})
	if err == nil || !strings.Contains(err.Error(), "cycle") || !strings.Contains(err.Error(), "train.conllu:") ||
		len(r.ran) != 0 {
		t.Errorf("cyclic tree: %v after %v", err, r.ran)
	}
}

// A panic of a stage is an error of its sentence, with the place in the code,
// and of several errors the first sentence's is returned, whatever the order
// in which workers meet them.
// Whatever a model has learned from is known by the hash of its file.
func TestLearned(t *testing.T) {
	of := func(hash string) model.Data { return model.Data{SHA256: hash} }
	m := &model.Model{Info: model.Info{Train: of("train"), More: []model.Data{of("more")}, Dev: of("dev"), Silver: []model.Data{of("silver")},
		Parts:   []model.Part{{Train: of("part"), More: []model.Data{of("more of part")}, Silver: []model.Data{of("silver of part")}, Dev: of("dev of part")}},
		Adapted: []model.Adaptation{{Trees: []model.Data{of("trees")}}}}}
	for hash, want := range map[string]bool{"train": true, "more": true, "silver": true, "part": true, "more of part": true,
		"silver of part": true, "trees": true,
		"dev": false, "dev of part": false, "other": false} {
		if Learned(m, Treebank{SHA256: hash}) != want {
			t.Errorf("learned from %s: %t", hash, !want)
		}
	}
}

func TestForEachReportsPanics(t *testing.T) {
	for range 20 {
		sents := toyTreebank("x", 9).Sentences
		err := eval.EachSentence(sents, 3, func(s *syntax.Sentence) error {
			if s.ID == "x7" {
				return errBroken
			}
			if s.ID == "x5" {
				panic("planted")
			}
			return nil
		})
		if err == nil || !strings.HasPrefix(err.Error(), "sentence 6 (x5): internal: planted\n") ||
			!strings.Contains(err.Error(), "train_test.go") || strings.Contains(err.Error(), "(x7)") {
			t.Fatalf("err = %v", err)
		}
	}
	err := eval.EachSentence(toyTreebank("x", 9).Sentences, 3, func(s *syntax.Sentence) error {
		if s.ID == "x7" {
			return errBroken
		}
		return nil
	})
	if !errors.Is(err, errBroken) || !strings.HasPrefix(err.Error(), "sentence 8 (x7): ") {
		t.Errorf("err = %v", err)
	}
}
