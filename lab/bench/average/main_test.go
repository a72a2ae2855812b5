package average

import (
	"slices"
	"testing"

	"github.com/treebeam/treebeam/model"
	"github.com/treebeam/treebeam/parser/encode"
	"github.com/treebeam/treebeam/parser/pack"
)

// tiny returns a file that has only an encoder.
func tiny(t *testing.T, seed uint64, labels []string, values ...string) []byte {
	t.Helper()
	p, h := encode.Tiny(seed, labels, encode.Classifier{Name: "upos", Values: values})
	return file(t, p, h)
}

// file returns a file that has only this encoder.
func file(t *testing.T, p *encode.Params, h *encode.Heads) []byte {
	t.Helper()
	m, err := encode.Quantize(p, h)
	if err != nil {
		t.Fatal(err)
	}
	var b pack.Builder
	m.Pack(b.Sub(model.EncodeName))
	data, err := model.Encode(model.Info{}, b.Sections)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func opened(t *testing.T, data []byte) tuned {
	t.Helper()
	x, err := open(data)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

func TestModels(t *testing.T) {
	data, err := models(tiny(t, 1, []string{"root", "det"}, "NOUN"), tiny(t, 2, []string{"det", "obj"}, "NOUN"))
	if err != nil {
		t.Fatal(err)
	}
	if x := opened(t, data); !slices.Equal(x.heads.Labels, []string{"det", "obj"}) {
		t.Errorf("labels are %q", x.heads.Labels)
	}
	if _, err := models(data, []byte("no model")); err == nil {
		t.Error("what is no model was averaged")
	}
}

// TestRows averages encoders whose labels and values have another order.
func TestRows(t *testing.T) {
	a := opened(t, tiny(t, 1, []string{"root", "det"}, "NOUN", "VERB"))
	b := opened(t, tiny(t, 2, []string{"obj", "det", "root"}, "VERB", "NOUN"))
	before := opened(t, tiny(t, 2, []string{"obj", "det", "root"}, "VERB", "NOUN"))
	if err := b.add(a); err != nil {
		t.Fatal(err)
	}
	row := func(list []float32, names []string, name string) []float32 {
		n := len(list) / len(names)
		k := slices.Index(names, name)
		return list[k*n : (k+1)*n]
	}
	check := func(what string, got, old, other []float32) {
		for i := range got {
			want := old[i]
			if other != nil {
				want += (other[i] - want) / 2
			}
			if got[i] != want {
				t.Fatalf("%s, %d: %v, want %v", what, i, got[i], want)
			}
		}
	}
	for _, name := range b.heads.Labels {
		var other []float32
		if name != "obj" {
			other = row(a.heads.Label, a.heads.Labels, name)
		}
		check(name, row(b.heads.Label, b.heads.Labels, name), row(before.heads.Label, before.heads.Labels, name), other)
	}
	x, y, z := b.heads.Classifiers[0], before.heads.Classifiers[0], a.heads.Classifiers[0]
	for _, name := range x.Values {
		check(name, row(x.Weight, x.Values, name), row(y.Weight, y.Values, name), row(z.Weight, z.Values, name))
		check(name, row(x.Bias, x.Values, name), row(y.Bias, y.Values, name), row(z.Bias, z.Values, name))
	}
	check("layer", b.params.Layers[1].Up.Weight, before.params.Layers[1].Up.Weight, a.params.Layers[1].Up.Weight)
	check("word", b.params.Word, before.params.Word, a.params.Word)
}

// TestWorlds averages encoders of many treebanks.
func TestWorlds(t *testing.T) {
	world := func(seed, words uint64) []byte {
		p, h := encode.Tiny(seed, []string{"root"})
		of, _ := encode.Tiny(words, nil)
		p.Banks, p.Bank = []string{"xa", encode.Anywhere}, slices.Repeat([]float32{float32(seed)}, 2*p.Width)
		p.Coarse, p.Word = encode.NewCodes(of.Word, p.Width, 20), nil
		return file(t, p, h)
	}
	data, err := models(world(1, 1), world(2, 1))
	if err != nil {
		t.Fatal(err)
	}
	if x := opened(t, data).params; x.Coarse == nil || x.Bank[0] != 1.5 {
		t.Errorf("the vector of a treebank is %v, want 1.5", x.Bank[0])
	}
	if _, err := models(world(1, 1), world(2, 2)); err == nil {
		t.Error("averaged encoders with other vectors of pieces")
	}
}
