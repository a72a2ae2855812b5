package train

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/treebeam/treebeam/model"
	"github.com/treebeam/treebeam/parser/syntax"
)

// names returns the IDs of sentences in one string.
func names(list []syntax.Sentence) string {
	var ids []string
	for i := range list {
		ids = append(ids, list[i].ID)
	}
	return strings.Join(ids, " ")
}

// Every phase learns from further files: the segmenter file after file, the
// others from sentences spread between those of the treebank, copies side by side.
func TestFurtherFilesReachPhases(t *testing.T) {
	train, more := toyTreebank("train", 12), toyTreebank("more", 2)
	train.More = []Treebank{more}
	store := memory{}
	var r rig
	data, err := r.run(train, toyTreebank("dev", 5), Options{treeTags: "jackknifed", Repeat: 2, Store: store})
	if err != nil {
		t.Fatal(err)
	}
	if got := r.seen["segmenter"]; len(got) != 14 || got[12].ID != "more0" || got[12].Comments[0] != "# newdoc" {
		t.Errorf("the segmenter saw %s", names(got))
	}
	if more.Sentences[0].Comments[0] == "# newdoc" {
		t.Error("a treebank was changed")
	}
	order := shuffled(more.Sentences)
	a, b := order[0].ID, order[1].ID
	want := fmt.Sprintf("train0 train1 train2 train3 train4 train5 %s %[1]s train6 train7 train8 train9 train10 train11 %s %[2]s", a, b)
	for _, phase := range []string{"words", "tagger"} {
		if got := names(r.seen[phase]); got != want {
			t.Errorf("%s saw %s, want %s", phase, got, want)
		}
	}
	if got := names(r.seen["parser"]); got != strings.Replace(want, "train2 ", "", 1) {
		t.Errorf("the parser saw %s", got)
	}
	f, err := model.Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	if of := more.Data(); f.Info.Train.Sentences != 12 || !reflect.DeepEqual(f.Info.More, []model.Data{of}) ||
		f.Info.Options["repeat"] != "2" {
		t.Errorf("provenance %+v", f.Info)
	}
	var again rig
	if _, err := again.run(train, toyTreebank("dev", 5), Options{treeTags: "jackknifed", Store: store}); err != nil {
		t.Fatal(err)
	}
	if slices.Contains(again.ran, "segmenter") || !slices.Contains(again.ran, "words") || len(again.seen["words"]) != 14 {
		t.Errorf("learning from them once, %v ran again", again.ran)
	}
	train.More = nil
	var without rig
	if _, err := without.run(train, toyTreebank("dev", 5), Options{treeTags: "jackknifed", Store: store}); err != nil {
		t.Fatal(err)
	}
	if !slices.Contains(without.ran, "segmenter") || !slices.Contains(without.ran, "words") {
		t.Errorf("without them only %v ran again", without.ran)
	}
	for _, n := range []int{-1, MaxRepeat + 1} {
		if _, err := trainToy(&rig{}, Options{Repeat: n}); err == nil {
			t.Errorf("%d times were accepted", n)
		}
	}
}

func TestSpreadLosesNothing(t *testing.T) {
	for n := 1; n < 9; n++ {
		for m := range 20 {
			list, other := toyTreebank("a", n).Sentences, toyTreebank("b", m).Sentences
			got := interleave(list, [][]syntax.Sentence{other, nil})
			if len(got) != n+m {
				t.Fatalf("%d and %d sentences made %d", n, m, len(got))
			}
			of := func(name string) string {
				return names(slices.DeleteFunc(slices.Clone(got),
					func(s syntax.Sentence) bool { return !strings.HasPrefix(s.ID, name) }))
			}
			if of("a") != names(list) || of("b") != names(other) {
				t.Errorf("%d and %d: %s", n, m, names(got))
			}
		}
	}
}

func TestCheckOfFurtherFiles(t *testing.T) {
	train, more, dev := toyTreebank("train", 4), toyTreebank("more", 4), toyTreebank("dev", 4)
	more.Sentences[1].Words[2].XPOS = "new"
	more.Sentences[1].Words[3].Deprel = "dep:new"
	train.More = []Treebank{more}
	dev.Sentences[3] = more.Sentences[3]
	var b strings.Builder
	r := Check(train, dev)
	r.WriteTo(&b)
	for _, want := range []string{"more.conllu: sentences: 4, words: 28",
		"UPOS and XPOS together that train.conllu does not have: 1, more.conllu:15",
		"relations that train.conllu does not have: 1, more.conllu:16",
		"sentences of 5 words or more that are in train too: 1 of 4"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("report lacks %q:\n%s", want, &b)
		}
	}
	if err := r.Fatal(); err != nil {
		t.Error(err)
	}
	more.Sentences[0].Words[0].Head = 1
	if err := Check(train, dev).Fatal(); err == nil || !strings.Contains(err.Error(), "more.conllu:3") {
		t.Errorf("a broken tree of a further file: %v", err)
	}
}
