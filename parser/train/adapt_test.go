package train

import (
	"bytes"
	"slices"
	"testing"

	"github.com/treebeam/treebeam/model"
	"github.com/treebeam/treebeam/parser/encode"
	"github.com/treebeam/treebeam/parser/pack"
	"github.com/treebeam/treebeam/parser/syntax"
)

// withTiny returns a model of a toy grammar with a random encoder, and a model without it.
func withTiny(t *testing.T) (encoded, sparse *model.Model) {
	t.Helper()
	data, err := Run(grammar("train", 30, 1), grammar("dev", 10, 2), Options{Seed: 1, Folds: 2})
	if err != nil {
		t.Fatal(err)
	}
	f, err := model.Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	open := func(sections []pack.Section) *model.Model {
		data, err := model.Encode(f.Info, sections)
		if err != nil {
			t.Fatal(err)
		}
		m, err := model.OpenBytes(data)
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	sparse = open(f.Sections)
	encoder, err := encode.Quantize(encode.Tiny(7, sparse.Labeler.Relations(),
		encode.Classifier{Name: "upos", Values: []string{"NOUN", "DET", "VERB", "ADP", "ADJ", "PUNCT"}},
		encode.Classifier{Name: "feats:Number", Values: []string{"", "Sing"}}))
	if err != nil {
		t.Fatal(err)
	}
	mix := FirstMix
	return open(slices.Concat(f.Sections, packedAs(model.EncodeName, encoder), packedAs(model.MixName, &mix))), sparse
}

// The encoder learns from the trees, and all else as in a model without it. Any number of
// workers gives the same bytes.
func TestAdaptEncoder(t *testing.T) {
	m, sparse := withTiny(t)
	trees := grammar("mine", 24, 3)
	for i := range trees.Sentences {
		for k := range trees.Sentences[i].Words {
			if w := &trees.Sentences[i].Words[k]; w.Deprel == "obj" {
				w.Deprel = "obl"
			}
		}
	}
	adapt := func(m *model.Model, workers int) ([]byte, *model.Model) {
		t.Helper()
		a, err := Adapt(m, trees, AdaptOptions{Seed: 1, Workers: workers})
		if err != nil {
			t.Fatal(err)
		}
		m, err = model.OpenBytes(a.Data)
		if err != nil {
			t.Fatal(err)
		}
		return a.Data, m
	}
	data, adapted := adapt(m, 1)
	if again, _ := adapt(m, 2); !bytes.Equal(data, again) {
		t.Error("other workers, other bytes")
	}
	_, alone := adapt(sparse, 2)
	of := func(m *model.Model) map[string][]byte {
		sections := map[string][]byte{}
		for _, s := range m.Sections {
			sections[s.Name] = s.Data
		}
		return sections
	}
	before, after, without := of(m), of(adapted), of(alone)
	changed := 0
	for name, data := range after {
		if want, ok := without[name]; ok && !bytes.Equal(data, want) {
			t.Errorf("%s is not as without an encoder", name)
		} else if !ok && !bytes.Equal(data, before[name]) {
			changed++
		}
	}
	for _, kept := range []string{"encode.pieces.names", "encode.word.weights", "encode.heads.labels", "encode.heads.values", "mix.tags"} {
		if len(before[kept]) == 0 || !bytes.Equal(before[kept], after[kept]) {
			t.Errorf("%s changes", kept)
		}
	}
	if len(after) != len(before) || changed < 20 {
		t.Errorf("%d of %d sections changed", changed, len(after))
	}
	x, err := encode.Open(pack.NewView(m.Sections), model.EncodeName)
	if err != nil {
		t.Fatal(err)
	}
	// What it has learned is in what it says of other trees.
	loss := func(m *model.Model) (sum int64) {
		list := syntax.Clone(grammar("other", 20, 4).Sentences)
		for i := range list {
			s := &list[i]
			m.Encode([]*syntax.Sentence{s})
			for k := range s.Words {
				sum -= int64(s.Dense.Arcs[int(s.Words[k].Head)*(len(s.Words)+1)+k+1])
			}
		}
		return sum
	}
	if was, is := loss(m), loss(adapted); is >= was {
		t.Errorf("loss of heads %d before, %d after", was, is)
	}

	// A share of nothing leaves the integers as they are.
	a := &adapter{AdaptOptions: AdaptOptions{Seed: 1, Workers: 2}, from: m, encoder: x}
	learned, err := a.tune(trees.Sentences)
	if err != nil {
		t.Fatal(err)
	}
	none, err := a.share(learned, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range packedAs(model.EncodeName, none) {
		if s.Kind == pack.Int8 && !bytes.Equal(s.Data, before[s.Name]) {
			t.Errorf("%s changes with a share of 0", s.Name)
		}
	}
}

// A sentence that is too long for the encoder teaches all else, even if the other part of
// the trees has no more than that.
func TestAdaptToTooLongSentence(t *testing.T) {
	m, _ := withTiny(t)
	trees := grammar("mine", 2, 3)
	long := &trees.Sentences[1]
	root := slices.IndexFunc(long.Words, func(w syntax.Word) bool { return w.Head == syntax.Root })
	for len(long.Words) < 80 {
		w := long.Words[0]
		w.Head = int32(root + 1)
		long.Words = append(long.Words, w)
	}
	if _, err := Adapt(m, trees, AdaptOptions{Seed: 1, Workers: 2}); err != nil {
		t.Error(err)
	}
}
