package further

import (
	"bytes"
	"slices"
	"testing"

	"github.com/treebeam/treebeam/model"
	"github.com/treebeam/treebeam/parser/encode"
	"github.com/treebeam/treebeam/parser/finetune"
	"github.com/treebeam/treebeam/parser/pack"
	"github.com/treebeam/treebeam/parser/syntax"
	"github.com/treebeam/treebeam/parser/train"
)

func TestTuned(t *testing.T) {
	p, h := encode.Tiny(1, []string{"root", "det"}, encode.Classifier{Name: "upos", Values: []string{"DET", "NOUN"}})
	p.Banks, p.Bank = []string{"xa", "xb", encode.Anywhere}, make([]float32, 3*p.Width)
	p.Coarse, p.Word = encode.NewCodes(p.Word, p.Width, 20), nil
	m, err := encode.Quantize(p, h)
	if err != nil {
		t.Fatal(err)
	}
	var b pack.Builder
	m.Pack(b.Sub(model.EncodeName))
	other := pack.Section{Name: "other", Kind: pack.Bytes, Data: []byte("stays")}
	before, err := model.Encode(model.Info{Language: "mul"}, append(b.Sections, other))
	if err != nil {
		t.Fatal(err)
	}
	tree := syntax.Sentence{Words: []syntax.Word{{Form: "a", UPOS: "DET", Head: 2, Deprel: "det"}, {Form: "b", UPOS: "NOUN", Deprel: "root"}}}
	list := []train.Language{{Code: "xb", Train: train.Treebank{Sentences: []syntax.Sentence{tree, tree}}}}
	after, err := tuned(before, list, finetune.Options{Epochs: 2, Many: true})
	if err != nil {
		t.Fatal(err)
	}
	banks := func(data []byte) ([]float32, *model.File) {
		f, err := model.Decode(data)
		if err != nil {
			t.Fatal(err)
		}
		m, err := encode.Open(pack.NewView(f.Sections), model.EncodeName)
		if err != nil {
			t.Fatal(err)
		}
		p, _ := m.Floats()
		return p.Bank, f
	}
	x, _ := banks(before)
	y, f := banks(after)
	if w := p.Width; !slices.Equal(x[:w], y[:w]) || slices.Equal(x[w:2*w], y[w:2*w]) {
		t.Error("the treebank xb alone should have learned")
	}
	at := slices.IndexFunc(f.Sections, func(s pack.Section) bool { return s.Name == "other" })
	if at < 0 || !bytes.Equal(f.Sections[at].Data, other.Data) || f.Info.Language != "mul" {
		t.Error("what is no encoder has changed")
	}
}
