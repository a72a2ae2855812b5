package train

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/treebeam/treebeam/model"
	"github.com/treebeam/treebeam/parser/pack"
	"github.com/treebeam/treebeam/parser/syntax"
)

// beheaded takes the heads of every third word away, from the first one on, and of
// every fifth one the relation, too.
func beheaded(t Treebank) Treebank {
	t.Sentences = syntax.Clone(t.Sentences)
	k := 0
	for i := range t.Sentences {
		for j := range t.Sentences[i].Words {
			w := &t.Sentences[i].Words[j]
			if k%3 == 0 {
				w.Head = syntax.NoHead
			}
			if k%15 == 0 {
				w.Deprel = ""
			}
			k++
		}
	}
	t.SHA256 = hashKey(t.SHA256, "beheaded")
	return t
}

// Words with a relation alone get the heads that gold has, as the grammar of the
// toy leaves few others; the others stay open, and the input as it is.
func TestHeadsOfWordsWithARelation(t *testing.T) {
	if testing.Short() {
		t.Skip("trains whole models")
	}
	gold, dev := grammar("train", 150, 1), grammar("dev", 40, 2)
	open := beheaded(gold)
	tr, err := newTrainer(open, dev, Options{Seed: 5, Folds: 2, Workers: 2, GoldTags: true}, theStages)
	if err != nil {
		t.Fatal(err)
	}
	before := fmt.Sprint(open)
	b := tr.gold()
	words, err := tr.component("words", b)
	if err == nil {
		tr.words, err = tr.openWords(pack.NewView(words.sections))
	}
	if err != nil {
		t.Fatal(err)
	}
	trees := bank{oneRoot(b.train), oneRoot(b.dev), b.key}
	headed, err := tr.headed(trees)
	if err != nil {
		t.Fatal(err)
	}
	if headed.key == trees.key || fmt.Sprint(open) != before || !lacksHeads(trees.train) {
		t.Error("the key is the same, or the input was changed")
	}
	found, right, left := 0, 0, 0
	for i := range headed.train {
		for j := range headed.train[i].Words {
			was, is, want := &trees.train[i].Words[j], &headed.train[i].Words[j], &gold.Sentences[i].Words[j]
			switch {
			case headless(was):
				if found++; is.Head == want.Head {
					right++
				}
			case was.Head != is.Head:
				t.Fatalf("word %d of sentence %d: head %d, was %d", j+1, i+1, is.Head, was.Head)
			case is.Head == syntax.NoHead:
				left++
			}
			if was.Deprel != is.Deprel {
				t.Fatalf("word %d of sentence %d is %q, was %q", j+1, i+1, is.Deprel, was.Deprel)
			}
		}
	}
	if found < 250 || right*100 < found*97 || left < 60 {
		t.Errorf("%d of %d heads are right, %d are open", right, found, left)
	}
}

// A training whose words lack heads has a first pass; it ends with the same bytes
// after an interruption in any phase. One whose words have all heads has none.
func TestFirstPassIsContinued(t *testing.T) {
	train, dev := beheaded(toyTreebank("train", 12)), toyTreebank("dev", 5)
	var all *rig
	fresh := func(breaks string, store Store) ([]byte, *rig, error) {
		r := &rig{breaks: breaks}
		s := r.stages()
		s.findHeads = func(list []syntax.Sentence, _ *pack.View, _ job) error {
			for i := range list {
				for j := range list[i].Words {
					if w := &list[i].Words[j]; headless(w) {
						w.Head = int32(j)
					}
				}
			}
			return r.enter("heads", list)
		}
		data, err := run(train, dev, Options{Seed: 1, Folds: 2, Store: store}, s)
		return data, r, err
	}
	want, all, err := fresh("", nil)
	if err != nil {
		t.Fatal(err)
	}
	phases := strings.Join(all.ran, " ")
	if !strings.Contains(phases, "pruner candidates parser parser.1 parser.2 parser.3 heads pruner candidates parser") {
		t.Errorf("phases: %s", phases)
	}
	if lacksHeads(all.seen["parser"]) || !slices.ContainsFunc(all.seen["parser"], func(s syntax.Sentence) bool { return s.Partial() }) {
		t.Error("the final parser learns from words that lack heads, or from heads of words without a relation")
	}
	for _, phase := range []string{"pruner", "candidates", "parser.2", "heads", "labels"} {
		store := memory{}
		if _, _, err := fresh(phase, store); err == nil {
			t.Fatalf("%s: no interruption", phase)
		}
		got, again, err := fresh("", store)
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("interrupted in %s: %v, other bytes", phase, err)
		}
		if phase == "labels" && slices.Contains(again.ran, "pruner") {
			t.Errorf("interrupted in %s: %v ran again", phase, again.ran)
		}
	}
	if data, err := model.Decode(want); err != nil || data.Info.Options["open"] == "" {
		t.Errorf("%v: provenance does not say what was open", err)
	}
	r := &rig{}
	if _, err := trainToy(r, Options{Seed: 1, Folds: 2}); err != nil || strings.Count(strings.Join(r.ran, " "), "pruner") != 1 {
		t.Errorf("%v, phases %v", err, r.ran)
	}
}

// Relation root of a word whose head stays open lets no parser find it another head.
func TestOpenRootsAreNotHeadless(t *testing.T) {
	for deprel, want := range map[string]bool{"": false, "root": false, "root:x": false, "obj": true} {
		w := syntax.Word{Head: syntax.NoHead, Deprel: deprel}
		if headless(&w) != want {
			t.Errorf("%q: %v", deprel, !want)
		}
	}
}

// A word whose relation is root is the root, unless there are two or another root.
func TestSettleRoot(t *testing.T) {
	for _, c := range []struct{ words, want string }{
		{"-1:root 1:obj", "0 1"}, {"-1:root -1:root", "-1 -1"}, {"0:root -1:root", "0 -1"}, {"-1:root 0:", "-1 0"},
		{"-1:obj -1:root", "-1 0"}, {"-1: 1:obj", "-1 1"}, {"2:nsubj 0:root", "2 0"},
	} {
		var s syntax.Sentence
		for f := range strings.FieldsSeq(c.words) {
			var w syntax.Word
			head, deprel, _ := strings.Cut(f, ":")
			fmt.Sscan(head, &w.Head)
			w.Deprel = deprel
			s.Words = append(s.Words, w)
		}
		settleRoot(&s)
		if got := strings.Trim(fmt.Sprint(s.Heads()), "[]"); got != c.want {
			t.Errorf("%s: heads %s, want %s", c.words, got, c.want)
		}
	}
}

// Heads that were kept by another treebank are refused.
func TestDamagedHeads(t *testing.T) {
	list := toyTreebank("train", 3).Sentences
	r := &result{sections: packed("heads", headColumn(list))}
	again := syntax.Clone(list)
	again[0].Words[2].Head = 5
	if err := readColumns(r, "heads", headColumn(again)); err != nil || again[0].Words[2].Head != 2 {
		t.Errorf("%v: head %d", err, again[0].Words[2].Head)
	}
	if err := readColumns(r, "heads", headColumn(list[:2])); err == nil {
		t.Error("heads of more words: no error")
	}
	list[1].Words[1].Head = 77
	r = &result{sections: packed("heads", headColumn(list))}
	if err := readColumns(r, "heads", headColumn(again)); err == nil {
		t.Error("a head outside its sentence: no error")
	}
}
