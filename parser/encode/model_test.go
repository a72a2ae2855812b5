package encode

import (
	"bytes"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/treebeam/treebeam/parser/hash"
	"github.com/treebeam/treebeam/parser/pack"
	"github.com/treebeam/treebeam/parser/syntax"
)

// packed returns copies of the sections of m, aligned as in a file.
func packed(m *Model) []pack.Section {
	var b pack.Builder
	m.Pack(b.Sub("encode"))
	for i := range b.Sections {
		b.Sections[i].Data = bytes.Clone(b.Sections[i].Data)
	}
	return b.Sections
}

func TestSaveAndLoad(t *testing.T) {
	p, h := random(small, 11)
	fresh := quantized(t, p, h)
	view := pack.NewView(packed(fresh))
	if !Has(view, "encode") || Has(view, "other") {
		t.Error("Has is wrong")
	}
	loaded, err := Open(view, "encode")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Open(view, "other"); err == nil {
		t.Error("a component that is not there was opened")
	}
	if name, source, licence, notice := loaded.Provenance(); name != "random" || source != "a test" ||
		licence != "none" || notice != "(c) nobody" {
		t.Errorf("the provenance is %q, %q, %q, %q", name, source, licence, notice)
	}
	r := hash.Rand(3)
	for range 3 {
		a := sentence(&r, 8, small.pieces, 3)
		b := &syntax.Sentence{Words: a.Words}
		for m, s := range map[*Model]*syntax.Sentence{fresh: a, loaded: b} {
			m = m.Bind(h.Labels, [][2]string{{"NOUN", "NN"}}, []string{"Case=Nom"})
			m.Encode([]*syntax.Sentence{s})
			m.Labels(s)
		}
		if !reflect.DeepEqual(a.Dense, b.Dense) || len(a.Dense.Labels) == 0 || len(a.Dense.Feats) == 0 {
			t.Error("what was loaded scores differently")
		}
	}
}

// Whatever section is missing, cut or wrong, it is an error that names it.
func TestDamagedFiles(t *testing.T) {
	p, h := random(small, 12)
	damage(t, packed(quantized(t, p, h)))
	p, h = many(12)
	damage(t, packed(quantized(t, p, h)))
}

func damage(t *testing.T, good []pack.Section) {
	refuse := func(name, what string, list []pack.Section) {
		t.Helper()
		_, err := Open(pack.NewView(list), "encode")
		if err == nil || !strings.Contains(err.Error(), "encode.") || !strings.Contains(err.Error(), "again") {
			t.Errorf("%s %s: error %v", name, what, err)
		}
	}
	for i, s := range good {
		without := slices.Delete(slices.Clone(good), i, i+1)
		if s.Name != "encode.banks" { // which models of one treebank lack
			refuse(s.Name, "is missing", without)
		}
		if len(s.Data) == 0 || strings.HasSuffix(s.Name, "provenance") {
			continue
		}
		change := func(what string, data []byte) {
			list := slices.Clone(good)
			list[i].Data = data
			refuse(s.Name, what, list)
		}
		if !strings.HasSuffix(s.Name, "scores") { // the vocabulary's own
			change("is cut", s.Data[:len(s.Data)-s.Kind.Size()])
		}
		wrong := bytes.Clone(s.Data)
		switch {
		case s.Kind == pack.Float32 && !strings.HasSuffix(s.Name, "pieces.scores"):
			for k, bits := range []uint32{math.Float32bits(float32(math.Inf(1))), math.Float32bits(float32(math.NaN())),
				math.Float32bits(1e6)} {
				at := len(wrong) / 4 / 3 * k * 4
				copy(wrong[at:], []byte{byte(bits), byte(bits >> 8), byte(bits >> 16), byte(bits >> 24)})
				change("has a wrong number", wrong)
				copy(wrong, s.Data)
			}
		case s.Kind == pack.Int8:
			wrong[0] = 0x80
			change("has -128", wrong)
		case s.Kind == pack.Uint32:
			for at := 0; at+4 <= len(wrong); at += 4 {
				copy(wrong[at:], []byte{255, 255, 255, 255})
				change("has a large number", wrong)
				copy(wrong, s.Data)
			}
		}
	}
}

// Parameters that do not fit are errors, too.
func TestQuantizeRefuses(t *testing.T) {
	for name, change := range map[string]func(p *Params, h *Heads){
		"no vocabulary":     func(p *Params, h *Heads) { p.Pieces = nil },
		"heads do not fit":  func(p *Params, h *Heads) { p.Shape.Heads = 5 },
		"no positions":      func(p *Params, h *Heads) { p.Positions = 3 },
		"epsilon":           func(p *Params, h *Heads) { p.Epsilon = 0 },
		"short embedding":   func(p *Params, h *Heads) { p.Word = p.Word[1:] },
		"no bias":           func(p *Params, h *Heads) { p.Layers[1].Up.Bias = nil },
		"short key":         func(p *Params, h *Heads) { p.Layers[1].Key.Weight = p.Layers[1].Key.Weight[1:] },
		"norm":              func(p *Params, h *Heads) { p.Layers[0].AttentionNorm.Gain = nil },
		"not a number":      func(p *Params, h *Heads) { p.Layers[0].Down.Weight[7] = float32(math.NaN()) },
		"infinite gain":     func(p *Params, h *Heads) { p.Norm.Gain[7] = float32(math.Inf(-1)) },
		"mix":               func(p *Params, h *Heads) { h.Mix = h.Mix[1:] },
		"scale":             func(p *Params, h *Heads) { h.Scale = nil },
		"arcs":              func(p *Params, h *Heads) { h.Arc = h.Arc[1:] },
		"labels":            func(p *Params, h *Heads) { h.Labels = h.Labels[1:] },
		"classifier":        func(p *Params, h *Heads) { h.Classifiers[0].Values = nil },
		"classifier's bias": func(p *Params, h *Heads) { h.Classifiers[0].Bias = h.Classifiers[0].Bias[1:] },
	} {
		p, h := random(small, 13)
		change(p, h)
		if _, err := Quantize(p, h); err == nil || !strings.HasPrefix(err.Error(), "encode: ") {
			t.Errorf("%s: error %v", name, err)
		}
	}
	p, h := random(small, 13)
	if _, err := Quantize(p, h); err != nil {
		t.Error(err)
	}
	m, err := Quantize(p, nil)
	if err != nil || len(m.Hidden([]int32{0, 1})) != 2*small.Width {
		t.Errorf("without heads: error %v", err)
	}
	s := sentence(new(hash.Rand), 3, small.pieces, 2)
	m.Encode([]*syntax.Sentence{s})
	m.Labels(s)
	if !reflect.DeepEqual(s.Dense, syntax.Dense{}) {
		t.Errorf("without heads: %+v", s.Dense)
	}
}
