package train

import (
	"slices"
	"strings"
	"testing"

	"github.com/treebeam/treebeam/model"
	"github.com/treebeam/treebeam/parser/encode"
	"github.com/treebeam/treebeam/parser/pack"
	"github.com/treebeam/treebeam/parser/segment"
	"github.com/treebeam/treebeam/parser/syntax"
)

// A trained encoder has a network for its treebank's paragraphs, the same for any number of
// workers, and none without paragraphs of several sentences.
func TestStarts(t *testing.T) {
	train, dev := grammar("train", 30, 1), grammar("dev", 20, 2)
	learned := func(train Treebank, workers int) *encode.Model {
		x, err := newTrainer(train, dev, Options{Seed: 4, Workers: workers, Blocks: blocksOf, Log: func(format string, a ...any) {},
			Encoder: &EncoderOptions{Params: tinyEncoder(), SHA256: "sum", Epochs: 1}})
		if err != nil {
			t.Fatal(err)
		}
		e, err := x.encoder()
		if err != nil {
			t.Fatal(err)
		}
		if e, err = x.starts(e, nil, []Language{{Train: train}}); err != nil {
			t.Fatal(err)
		}
		m, err := encode.Open(pack.NewView(e.sections), model.EncodeName)
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	var windows []*syntax.Sentence
	for i, s := range segment.Windows(train.Sentences) {
		if i < 5 {
			windows = append(windows, &s)
		}
	}
	m := learned(train, 1)
	odds := m.Starts(nil, windows)
	if len(windows) == 0 || !m.HasStarts() || !slices.Equal(odds, learned(train, 3).Starts(nil, windows)) {
		t.Fatalf("%d windows, log-odds %v", len(windows), odds)
	}
	at, right, all := 0, 0, 0
	for _, s := range windows {
		for i := range s.Words {
			if i > 0 {
				if all++; odds[at] > 0 == segment.IsStart(&s.Words[i]) {
					right++
				}
			}
			at++
		}
	}
	if right < all*9/10 {
		t.Errorf("%d of %d gaps of what it learned from are right", right, all)
	}
	alone := train
	alone.Sentences = syntax.Clone(train.Sentences)
	for i := range alone.Sentences {
		if !slices.ContainsFunc(alone.Sentences[i].Comments, func(c string) bool { return strings.Contains(c, "newpar") }) {
			alone.Sentences[i].Comments = append(alone.Sentences[i].Comments, "# newpar")
		}
	}
	if learned(alone, 1).HasStarts() {
		t.Error("weights without paragraphs of several sentences")
	}
}
