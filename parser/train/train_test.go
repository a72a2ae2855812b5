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
	"github.com/treebeam/treebeam/parser/score"
	"github.com/treebeam/treebeam/parser/syntax"
	"github.com/treebeam/treebeam/parser/word"
)

func TestRunPacksEveryPhase(t *testing.T) {
	var r rig
	var lines []string
	data, err := trainToy(&r, Options{Seed: 7, Log: func(f string, a ...any) { lines = append(lines, fmt.Sprintf(f, a...)) }})
	if err != nil {
		t.Fatal(err)
	}
	f, err := model.Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, s := range f.Sections {
		names = append(names, s.Name)
	}
	want := "word.sum word.sum.off segment.sum segment.sum.off tag.sum tag.sum.off prune.sum prune.sum.off parse.sum parse.sum.off label.sum label.sum.off"
	if got := strings.Join(names, " "); got != want {
		t.Errorf("sections %s, want %s", got, want)
	}
	if f.Info.Seed != 7 || f.Info.Train.Sentences != 12 || f.Info.Train.Words != 84 || f.Info.Scores[0].LAS != 60 {
		t.Errorf("provenance %+v", f.Info)
	}
	if len(lines) == 0 || !slices.ContainsFunc(lines, func(l string) bool { return strings.Contains(l, "epoch 1 of 1") }) {
		t.Errorf("log %q", lines)
	}
}

func TestPhasesSeeTagsAsAtRunTime(t *testing.T) {
	for _, gold := range []bool{false, true} {
		var r rig
		if _, err := trainToy(&r, Options{GoldTags: gold, TreeTags: TreeTagsJackknifed}); err != nil {
			t.Fatal(err)
		}
		for _, phase := range []string{"pruner", "candidates", "parser", "labels"} {
			train := r.seen[phase]
			if len(train) != 11 {
				t.Fatalf("%s saw %d sentences, want the 11 with one root", phase, len(train))
			}
			w := train[0].Words[1]
			if want := map[bool]string{false: "J1", true: "X"}[gold]; w.UPOS != want || w.Head != 1 {
				t.Errorf("gold tags %t: %s saw tag %s and head %d, want %s and 1", gold, phase, w.UPOS, w.Head, want)
			}
		}
		if s := r.seen["segmenter"]; len(s) != 12 || s[0].Words[1].UPOS != "X" {
			t.Error("the segmenter did not see the whole gold treebank")
		}
		if slices.Contains(r.ran, "tags") == gold {
			t.Errorf("gold tags %t: ran %v", gold, r.ran)
		}
	}
}

func TestTreeTags(t *testing.T) {
	keys := map[string]string{}
	for which, want := range map[string][]string{
		TreeTagsJackknifed: {"J1", "J1"}, TreeTagsGold: {"X", "X"}, TreeTagsBoth: {"X", "J1"},
	} {
		var r rig
		data, err := trainToy(&r, Options{TreeTags: which})
		if err != nil {
			t.Fatal(err)
		}
		for _, phase := range []string{"pruner", "candidates", "parser", "labels"} {
			train := r.seen[phase]
			if got := []string{train[0].Words[1].UPOS, train[1].Words[1].UPOS}; !slices.Equal(got, want) {
				t.Errorf("%s: %s saw tags %v, want %v", which, phase, got, want)
			}
			if twice := which == TreeTagsBoth; len(train) != map[bool]int{false: 11, true: 22}[twice] || twice != (train[0].ID == train[1].ID) {
				t.Errorf("%s: %s saw %d sentences, the first two %s and %s", which, phase, len(train), train[0].ID, train[1].ID)
			}
		}
		if slices.Contains(r.ran, "tags") != (which != TreeTagsGold) {
			t.Errorf("%s: ran %v", which, r.ran)
		}
		if other, ok := keys[string(data)]; ok {
			t.Errorf("%s and %s give the same model", which, other)
		}
		keys[string(data)] = which
	}
	if _, err := trainToy(&rig{}, Options{TreeTags: "some"}); err == nil {
		t.Error("unknown tags were accepted")
	}
}

// The parser is trained again if its tensor changes, and nothing before it.
func TestTensorIsPartOfTheParsersKey(t *testing.T) {
	store := memory{}
	for i, o := range []Options{{}, {Tensor: &score.TensorOptions{Rank: 4}}, {Tensor: &score.TensorOptions{Rank: 8}}} {
		var r rig
		o.Store = store
		if _, err := trainToy(&r, o); err != nil {
			t.Fatal(err)
		}
		if !slices.Contains(r.ran, "parser") || i > 0 && slices.Contains(r.ran, "pruner") {
			t.Errorf("training %d ran %v", i, r.ran)
		}
	}
}

func TestResumeGivesTheSameBytes(t *testing.T) {
	var whole rig
	want, err := trainToy(&whole, Options{Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	for _, at := range []string{"words", "segmenter", "tagger", "tags", "pruner", "candidates", "parser", "parser.2", "parser.3", "labels"} {
		store := memory{}
		first := rig{breaks: at}
		if _, err := trainToy(&first, Options{Seed: 3, Store: store}); !errors.Is(err, errBroken) {
			t.Fatalf("%s: broke off with %v", at, err)
		}
		var second rig
		got, err := trainToy(&second, Options{Seed: 3, Store: store})
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("resumed at %s: other bytes than in one run", at)
		}
		for _, phase := range first.ran {
			if phase != "parser" && phase != at && slices.Contains(second.ran, phase) {
				t.Errorf("resumed at %s: %s was done again", at, phase)
			}
		}
	}
}

func TestStaleAndDamagedEntriesAreDoneAgain(t *testing.T) {
	store := memory{}
	var r rig
	want, err := trainToy(&r, Options{Seed: 3, Store: store})
	if err != nil {
		t.Fatal(err)
	}
	for name := range store {
		for _, bad := range [][]byte{nil, store[name][:len(store[name])/2], bytes.Replace(store[name], []byte("a"), []byte("b"), 1)} {
			kept := store[name]
			store[name] = bad
			var r rig
			if got, err := trainToy(&r, Options{Seed: 3, Store: store}); err != nil || !bytes.Equal(got, want) {
				t.Errorf("with a damaged %s: other bytes (%v)", name, err)
			}
			store[name] = kept
		}
	}
	var again rig
	if _, err := trainToy(&again, Options{Seed: 3, Store: store}); err != nil || len(again.ran) != 0 {
		t.Errorf("a finished training did %v again (%v)", again.ran, err)
	}
	for _, o := range []Options{{Seed: 4}, {Seed: 3, GoldTags: true}, {Seed: 3, Folds: 5}} {
		fresh := rig{}
		want, err := trainToy(&fresh, o)
		if err != nil {
			t.Fatal(err)
		}
		o.Store = maps.Clone(store)
		var r rig
		got, err := trainToy(&r, o)
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("seed %d, gold tags %t, folds %d over another training's entries: other bytes (%v)",
				o.Seed, o.GoldTags, o.Folds, err)
		}
	}
}

// TestReuse checks that trainings share what does not depend on their other
// options, and nothing else.
func TestReuse(t *testing.T) {
	shared := memory{}
	var first rig
	if _, err := trainToy(&first, Options{Seed: 3, TagSeed: 9, Reuse: shared}); err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct {
		o    Options
		kept []string // phases that are not done again, beside the words
	}{
		{Options{Seed: 3, TagSeed: 9}, []string{"segmenter", "tagger", "tags", "pruner", "candidates", "parser", "labels"}},
		{Options{Seed: 4, TagSeed: 9}, []string{"segmenter", "tagger", "tags"}},
		{Options{Seed: 3, TagSeed: 9, Delta: 1}, []string{"segmenter", "tagger", "tags", "pruner", "candidates", "labels"}},
		{Options{Seed: 3, TagSeed: 9, GoldTags: true}, []string{"segmenter", "tagger"}},
		{Options{Seed: 3, TagSeed: 9, Folds: 3}, []string{"segmenter", "tagger"}},
		{Options{Seed: 9}, []string{"segmenter", "tagger", "tags"}},
		{Options{Seed: 3}, nil},
	} {
		var fresh, r rig
		want, err := trainToy(&fresh, x.o)
		if err != nil {
			t.Fatal(err)
		}
		x.o.Reuse = maps.Clone(shared)
		got, err := trainToy(&r, x.o)
		if err != nil {
			t.Fatal(err)
		}
		x.o.Reuse = nil
		if !bytes.Equal(got, want) {
			t.Errorf("%+v: other bytes than without shared phases", x.o)
		}
		for _, phase := range []string{"segmenter", "tagger", "tags", "pruner", "candidates", "parser", "labels"} {
			if done, kept := slices.Contains(r.ran, phase), slices.Contains(x.kept, phase); done == kept && slices.Contains(fresh.ran, phase) {
				t.Errorf("%+v: %s done %t, want %t", x.o, phase, done, !kept)
			}
		}
	}
}

// TestReuseFillsTheStore checks that --resume can go on without the shared
// phases.
func TestReuseFillsTheStore(t *testing.T) {
	shared, store := memory{}, memory{}
	if _, err := trainToy(&rig{}, Options{Seed: 3, Reuse: shared}); err != nil {
		t.Fatal(err)
	}
	if _, err := trainToy(&rig{breaks: "parser"}, Options{Seed: 3, Delta: 1, Reuse: shared, Store: store}); !errors.Is(err, errBroken) {
		t.Fatalf("broke off with %v", err)
	}
	var r rig
	if _, err := trainToy(&r, Options{Seed: 3, Delta: 1, Store: store}); err != nil {
		t.Fatal(err)
	}
	if slices.Contains(r.ran, "tagger") {
		t.Errorf("a resumed training did %v", r.ran)
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
	_, err := run(bad, toyTreebank("dev", 3), Options{}, r.stages())
	if err == nil || !strings.Contains(err.Error(), "cycle") || !strings.Contains(err.Error(), "train.conllu:") || len(r.ran) != 0 {
		t.Errorf("cyclic tree: %v after %v", err, r.ran)
	}
}

// A panic of a stage is an error of its sentence, with the place in the code,
// and of several errors the first sentence's is returned, whatever the order
// in which workers meet them.
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

// Classes of words are part of the key of all that may see them, which is all but
// the segmenter, and of the provenance.
func TestClustersArePartOfTheKeys(t *testing.T) {
	c, err := word.NewClusters([]word.ClusterWord{{Bits: "0", Form: "we", Count: 2}, {Bits: "1", Form: "saw", Count: 1}}, false)
	if err != nil {
		t.Fatal(err)
	}
	shared := memory{}
	var r rig
	if _, err := trainToy(&r, Options{Reuse: shared}); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{"a.tsv", "b.tsv"} {
		var r rig
		data, err := trainToy(&r, Options{Reuse: shared, Clusters: c, ClustersFile: file, ClustersSHA256: "12ab"})
		if err != nil {
			t.Fatal(err)
		}
		if slices.Contains(r.ran, "segmenter") || !slices.Contains(r.ran, "words") || !slices.Contains(r.ran, "tagger") || !slices.Contains(r.ran, "labels") {
			t.Errorf("%s: ran %v", file, r.ran)
		}
		f, err := model.Decode(data)
		if want := "2 classes of " + file + " 12ab"; err != nil || f.Info.Options["clusters"] != want {
			t.Errorf("%v, %v, want %s", f.Info.Options, err, want)
		}
	}
}
