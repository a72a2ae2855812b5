package train

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/treebeam/treebeam/model"
	"github.com/treebeam/treebeam/parser/syntax"
)

// holed opens about a share of the heads, and of the relations of the others.
func holed(t Treebank, share float64) Treebank {
	r := rand.New(rand.NewPCG(3, 3))
	t.Sentences = syntax.Clone(t.Sentences)
	for i := range t.Sentences {
		for j := range t.Sentences[i].Words {
			w := &t.Sentences[i].Words[j]
			if r.Float64() < share {
				w.Head = syntax.NoHead // some keep a relation
			}
			if r.Float64() < share {
				w.Deprel = ""
			}
		}
	}
	t.SHA256 = hashKey(t.SHA256, fmt.Sprint(share))
	return t
}

// A model learns the grammar from partial trees, the same on 1 and 4 workers and
// whichever tags its trees have; output and provenance say how much is open.
func TestWholeTrainingFromPartialTrees(t *testing.T) {
	if testing.Short() {
		t.Skip("trains whole models")
	}
	train, dev := holed(grammar("train", 120, 1), 0.4), grammar("dev", 60, 2)
	first := map[string][]byte{}
	for _, o := range []Options{
		{Seed: 5, Folds: 2, Workers: 1, Cased: 5},
		{Seed: 5, Folds: 2, Workers: 4, Cased: 5},
		{Seed: 5, Folds: 2, Workers: 2, GoldTags: true, Tensor: 4},
	} {
		data, err := Run(train, dev, o)
		if err != nil {
			t.Fatal(err)
		}
		f, err := model.Decode(data)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range f.Info.Scores {
			if s.LAS < 90 {
				t.Errorf("%s: LAS %.2f on a toy grammar", s.Setting, s.LAS)
			}
		}
		open := train.open()
		if open.heads == 0 || f.Info.Options["open"] != open.String() {
			t.Errorf("provenance says %q, want %q", f.Info.Options["open"], open)
		}
		key := fmt.Sprint(o.GoldTags)
		if first[key] == nil {
			first[key] = data
		} else if !bytes.Equal(data, first[key]) {
			t.Error("1 and 4 workers give different models")
		}
	}
}

// Whole trees go to every phase as they are; provenance does not mention gaps.
func TestWholeTreesAreNotTouched(t *testing.T) {
	data, err := trainToy(&rig{}, Options{Seed: 1, Folds: 2})
	if err != nil {
		t.Fatal(err)
	}
	f, err := model.Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	if open, ok := f.Info.Options["open"]; ok {
		t.Errorf("provenance says that %q are open", open)
	}
	trees := dataset{train: grammar("x", 3, 1).Sentences, key: "trees"}
	if got := completed(trees, dataset{key: "candidates"}); got.key != trees.key || &got.train[0] != &trees.train[0] {
		t.Error("labels learn from copies of whole trees")
	}
}

// Only the sentences that a tree can be made of are learned from.
func TestPartialSentencesThatTeachTrees(t *testing.T) {
	for _, c := range []struct {
		heads []int32
		want  bool
	}{
		{[]int32{0, 1, 1}, true}, {[]int32{0, 0, 1}, false}, {[]int32{0, -1, 1}, true}, {[]int32{-1, 1, 1}, true},
		{[]int32{-1, -1, 1}, true}, {[]int32{-1, -1, -1}, false}, {[]int32{0, 0, -1}, false}, {[]int32{-1}, false},
	} {
		s := syntax.Sentence{Words: make([]syntax.Word, len(c.heads))}
		for i, h := range c.heads {
			s.Words[i].Head = h
		}
		if got := hasTree(&s); got != c.want {
			t.Errorf("%v: %v", c.heads, got)
		}
	}
	long := syntax.Sentence{Words: make([]syntax.Word, syntax.MaxWholeWords+1)}
	long.Words[5].Head = syntax.NoHead
	for i := range long.Words[1:] {
		if i != 4 {
			long.Words[i+1].Head = 1
		}
	}
	if hasTree(&long) {
		t.Error("a partial tree that is parsed in windows")
	}
}

// A word whose relation is root is the root, unless there are two or another root.
func TestSettled(t *testing.T) {
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
		whole := withRoot(&s)
		if got := strings.Trim(fmt.Sprint(whole.Heads()), "[]"); got != c.want {
			t.Errorf("%s: heads %s, want %s", c.words, got, c.want)
		}
	}
}
