package train

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/treebeam/treebeam/model"
)

// toyLanguages are the toy treebank in two languages, and a third one that only the
// identifier learns from.
func toyLanguages() []Language {
	list := []Language{{Code: "yb", Name: "Second"}, {Code: "ya", Name: "First"}, {Code: "yc"}}
	for i := range list {
		l := &list[i]
		l.Train, l.Dev = toyTreebank(l.Code+"train", 12), toyTreebank(l.Code+"dev", 5)
		l.Sources = []model.Source{{Name: l.Name + "-Toy", Licence: "CC0"}}
	}
	list[0].Train.Sentences[0].Words[1].Deprel = "only:yb"
	return list
}

// A world has the same bytes however many workers there are and whatever was interrupted.
func TestRunWorld(t *testing.T) {
	store := memory{}
	var rig rig
	run := func(o Options) []byte {
		t.Helper()
		o.Seed = 1
		data, err := RunWorld(toyLanguages(), WorldOptions{Options: rig.watch(o)})
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	data := run(Options{Workers: 1, Store: store})
	ran := len(rig.ran)
	if !bytes.Equal(data, run(Options{Workers: 3})) {
		t.Error("other workers, other bytes")
	}
	delete(store, "ya.tagger")
	delete(store, "parser")
	rig.ran = nil
	if !bytes.Equal(data, run(Options{Store: store})) {
		t.Error("a continued training has other bytes")
	}
	if got := strings.Join(rig.ran, " "); got != "ya tagger parser evaluation" {
		t.Errorf("after the loss of two phases of %d ran: %s", ran, got)
	}

	w, err := model.OpenWorldBytes(data)
	if err != nil {
		t.Fatal(err)
	}
	var about []string
	for _, l := range w.Languages() {
		about = append(about, fmt.Sprint(l.Code, l.Name, l.Treebanks))
	}
	if got, want := about, []string{"yaFirst[{First-Toy CC0}]", "ybSecond[{Second-Toy CC0}]"}; !slices.Equal(got, want) {
		t.Errorf("languages %v, want %v", got, want)
	}
	names, err := w.Identifier()
	if err != nil || !slices.Contains(names.Codes(), "yc") {
		t.Errorf("the identifier does not know yc: %v", err)
	}
	// Relations are those of all languages, of which each gives its own.
	for code, own := range map[string]bool{"ya": false, "yb": true} {
		m, err := w.Language(code)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Contains(m.Labeler.Relations(), "only:yb") || m.Labeler.Gives("only:yb") != own {
			t.Errorf("%s gives the relation of yb: %t", code, !own)
		}
	}
}

// Languages that have too many relations together are refused before anything is trained.
func TestWorldOfManyRelations(t *testing.T) {
	list := toyLanguages()
	for i := range list {
		list[i].Train = toyTreebank(list[i].Code, 40)
		for j, s := range list[i].Train.Sentences {
			for k := range s.Words[1:] {
				if w := &s.Words[1+k]; w.Head != 0 {
					w.Deprel = fmt.Sprintf("dep:%s%d", list[i].Code, (5*j+k)%140)
				}
			}
		}
	}
	var rig rig
	if _, err := RunWorld(list, WorldOptions{Options: rig.watch(Options{})}); err == nil || !strings.Contains(err.Error(), "282 relations") || len(rig.ran) > 0 {
		t.Errorf("%v, after %v", err, rig.ran)
	}
}
