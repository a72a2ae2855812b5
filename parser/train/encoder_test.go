package train

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/treebeam/treebeam/model"
	"github.com/treebeam/treebeam/parser/encode"
	"github.com/treebeam/treebeam/parser/pack"
	"github.com/treebeam/treebeam/parser/syntax"
)

// tinyEncoder returns an encoder of random weights.
func tinyEncoder() *encode.Params {
	p, _ := encode.Tiny(7, nil)
	return p
}

// An encoder that was tuned for two passes is found in
// the model, which parses with and without it, and any number of workers gives
// the same bytes. Alone, on a finished model, it comes out the same.
func TestTrainWithEncoder(t *testing.T) {
	if testing.Short() {
		t.Skip("trains a whole model")
	}
	train, dev := grammar("train", 30, 1), grammar("dev", 60, 2)
	o := Options{Seed: 1, Folds: 2, Workers: 1, Blocks: blocksOf, Store: memory{}, Info: model.Info{Licence: "CC"},
		Encoder: &EncoderOptions{Params: tinyEncoder(), SHA256: "sum", Layers: 1, Epochs: 2, Text: wordsOf("quiz")}}
	data, err := Run(train, dev, o)
	if err != nil {
		t.Fatal(err)
	}
	m, err := model.OpenBytes(data)
	if err != nil {
		t.Fatal(err)
	}
	e := m.Info.Encoder
	about := model.Encoded{Name: "tiny", Source: "a test", Licence: "MIT", Notice: "Copyright (c) nobody", SHA256: "sum",
		Layers: 1, Epochs: 2, Seed: 1, Pieces: e.Pieces, Fast: e.Fast, FastCalibration: e.FastCalibration}
	if !reflect.DeepEqual(*e, about) || m.Info.Licence != "CC; MIT (tiny)" {
		t.Errorf("licence %q, encoder %+v, want %+v", m.Info.Licence, e, about)
	}
	if m.Encoder == nil || !m.CanChoose() || m.Calibrator == nil || e == nil || e.Layers != 1 || len(e.Fast) != 3 ||
		len(m.Info.Scores) != 3 || e.FastCalibration == nil {
		t.Errorf("%+v", m.Info)
	}
	same, err := m.WithCalibrators(m.Calibrator, *m.Info.Calibration, m.FastCalibrator, *e.FastCalibration)
	if err != nil || string(same) != string(data) {
		t.Errorf("calibrators in place of themselves: other bytes (%v)", err)
	}
	f, err := model.Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	sparse := &model.File{Info: f.Info, Sections: without(f.Sections, model.EncodeName, model.MixName,
		model.CalibrateName, model.FastCalibrateName)}
	sparse.Info.Encoder, sparse.Info.Licence = nil, "CC"
	overlay, made := *f, *e // as if the encoder came from a file of its own
	made.Sparse, overlay.Info.Encoder = "digest", &made
	o.Workers, o.Store = 3, nil
	for _, c := range []struct {
		part string
		base Base
	}{{OnlyEncoder, Base{File: sparse, Digest: "digest"}}, {OnlyMix, Base{File: sparse, Digest: "digest", Tuned: &overlay}},
		{OnlyMix, Base{File: f, Digest: "digest", Tuned: f}}} {
		again, err := Only(c.part, c.base, train, dev, o)
		if err != nil {
			t.Fatal(err)
		}
		g, err := model.Decode(again)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(g.Sections, f.Sections) || !reflect.DeepEqual(g.Info.Scores, f.Info.Scores) ||
			!reflect.DeepEqual(g.Info.Encoder, e) ||
			g.Info.Licence != "CC; MIT (tiny)" || len(g.Info.Parts) != 1 || g.Info.Parts[0].Name != c.part ||
			g.Info.Parts[0].From != "digest" {
			t.Errorf("the %s that was trained alone differs: %+v", c.part, g.Info)
		}
	}
	if _, err := Only(OnlyMix, Base{File: sparse, Tuned: sparse}, train, dev, o); !errors.Is(err, errNoEncoder) {
		t.Errorf("a model without an encoder: %v", err)
	}
}

// A small network is part of a model without an encoder. Alone, on a finished model, it comes out
// the same, also in place of another; it learns from silver trees, and the rest of the model stays.
func TestTrainSmall(t *testing.T) {
	if testing.Short() {
		t.Skip("trains a whole model")
	}
	train, dev, silver := grammar("train", 20, 1), grammar("dev", 20, 2), grammar("silver", 20, 3)
	silver.SHA256 = "silver"
	o := Options{Seed: 1, Folds: 2, Workers: 2, Blocks: blocksOf, Store: memory{}, Info: model.Info{Licence: "CC"},
		Encoder: &EncoderOptions{Params: tinyEncoder(), SHA256: "sum", Epochs: 1, Small: true}}
	data, err := Run(train, dev, o)
	if err != nil {
		t.Fatal(err)
	}
	m, err := model.OpenBytes(data)
	if err != nil {
		t.Fatal(err)
	}
	if m.Network == nil || m.Encodes() || m.Info.Network == nil || m.Info.Encoder != nil || m.Info.Licence != "CC; MIT (tiny)" {
		t.Errorf("%+v", m.Info)
	}
	f, err := model.Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	sparse := &model.File{Info: f.Info, Sections: without(f.Sections, model.NetworkName, model.NetworkMixName, model.CalibrateName)}
	sparse.Info.Network, sparse.Info.Licence = nil, "CC"
	only := func(from *model.File) *model.File {
		t.Helper()
		again, err := Only(OnlyEncoder, Base{File: from, Digest: "digest"}, train, dev, o)
		if err != nil {
			t.Fatal(err)
		}
		g, err := model.Decode(again)
		if err != nil {
			t.Fatal(err)
		}
		if g.Info.Licence != "CC; MIT (tiny)" {
			t.Errorf("licence %s", g.Info.Licence)
		}
		return g
	}
	o.Store = nil
	for _, from := range []*model.File{sparse, f} {
		if g := only(from); !reflect.DeepEqual(g.Sections, f.Sections) || !reflect.DeepEqual(g.Info.Network, f.Info.Network) {
			t.Errorf("a network that was trained alone differs: %+v", g.Info)
		}
	}
	mixed, err := Only(OnlyMix, Base{File: sparse, Digest: "digest", Tuned: f}, train, dev, o)
	if err != nil {
		t.Fatal(err)
	}
	if g, err := model.Decode(mixed); err != nil || !reflect.DeepEqual(g.Sections, f.Sections) || !reflect.DeepEqual(g.Info.Network, f.Info.Network) {
		t.Errorf("a network that was mixed again differs (%v): %+v", err, g.Info)
	}
	if !m.Network.(*encode.Model).HasStarts() {
		t.Error("the network does not know where sentences begin")
	}
	o.Silver, o.SilverWeight = []Treebank{silver}, 1
	g := only(f)
	kept := func(f *model.File) []pack.Section {
		return without(f.Sections, model.NetworkName, model.NetworkMixName, model.CalibrateName)
	}
	if reflect.DeepEqual(g.Sections, f.Sections) || !reflect.DeepEqual(kept(g), kept(f)) {
		t.Error("silver trees change nothing, or more than the network")
	}
	if list := g.Info.Parts[0].Silver; len(list) != 1 || list[0].SHA256 != "silver" {
		t.Errorf("provenance %+v", g.Info.Parts)
	}
	o.Silver, o.SilverWeight = nil, 0
	mixed, err = Only(OnlyMix, Base{File: sparse, Digest: "digest", Tuned: g}, train, dev, o)
	if err != nil {
		t.Fatal(err)
	}
	x, err := model.Decode(mixed)
	if err != nil {
		t.Fatal(err)
	}
	if p := x.Info.Parts; len(p) != 2 || !reflect.DeepEqual(p[0], g.Info.Parts[0]) || p[1].Name != model.NetworkMixName {
		t.Errorf("provenance of another model's network: %+v", p)
	}
	if p := only(x).Info.Parts; len(p) != 1 || p[0].Name != model.NetworkName {
		t.Errorf("provenance of a network that was trained again: %+v", p)
	}
	both := *sparse
	both.Info.Encoder = f.Info.Network
	if _, err := Only(OnlyMix, Base{File: &both, Tuned: f}, train, dev, o); err == nil || !strings.Contains(err.Error(), "without an encoder") {
		t.Errorf("a small network beside an encoder: %v", err)
	}
}

// The parts of an encoder and those of a small network do not replace each other.
func TestKeptParts(t *testing.T) {
	parts := func(names ...string) *model.File {
		x := &model.File{}
		for _, n := range names {
			x.Info.Parts = append(x.Info.Parts, model.Part{Name: n})
		}
		return x
	}
	f, other := parts("lemmas", "network", "network-mix", "encoder", "mix"), parts("encoder", "network", "mix", "lemmas")
	other.Info.Parts[0].Seed = 7
	for _, c := range []struct {
		made  string
		tuned *model.File
		want  string
	}{
		{"lemmas", nil, "network network-mix encoder mix"},
		{"network", nil, "lemmas encoder mix"},
		{"encoder", nil, "lemmas network network-mix"},
		{"network-mix", f, "lemmas network encoder mix"},
		{"mix", f, "lemmas network network-mix encoder"},
		{"mix", other, "lemmas network network-mix encoder7"},
	} {
		var got []string
		for _, p := range keptParts(Base{File: f, Tuned: c.tuned}, c.made) {
			name := p.Name
			if p.Seed > 0 {
				name += fmt.Sprint(p.Seed)
			}
			got = append(got, name)
		}
		if s := strings.Join(got, " "); s != c.want {
			t.Errorf("%s: %q, want %q", c.made, s, c.want)
		}
	}
}

// An average is the mean of every weight of trainings with seeds in a row, each of which is
// a phase that is not repeated.
func TestAverage(t *testing.T) {
	train, dev := grammar("train", 30, 1), grammar("dev", 20, 2)
	kept := memory{}
	start := func(seed uint64, average int) *trainer {
		x, err := newTrainer(train, dev, Options{Seed: seed, Workers: 2, Blocks: blocksOf, Store: kept,
			Encoder: &EncoderOptions{Params: tinyEncoder(), SHA256: "sum", Epochs: 1, Average: average}})
		if err != nil {
			t.Fatal(err)
		}
		return x
	}
	average, err := start(4, 3).encoder()
	if err != nil {
		t.Fatal(err)
	}
	if average.about.Average != 3 || kept["encoder3"] == nil {
		t.Errorf("%+v, phases %d", average.about, len(kept))
	}
	again := start(4, 3)
	again.progress.out = func(format string, a ...any) {
		if line := fmt.Sprintf(format, a...); !strings.Contains(line, "done already") {
			t.Errorf("repeated: %s", line)
		}
	}
	if same, err := again.encoder(); err != nil || !reflect.DeepEqual(same, average) {
		t.Errorf("from what was kept: another average (%v)", err)
	}
	kept = memory{}
	var weights [][]float32
	var x *encode.Params
	var h *encode.Heads
	data := func() (_, _ []syntax.Sentence) {
		gold := start(1, 1).gold()
		return oneRoot(gold.train), oneRoot(gold.dev)
	}
	for seed := range uint64(3) {
		if x, h, err = start(4+seed, 1).tuneOnce(0, nil, false, data); err != nil {
			t.Fatal(err)
		}
		var all []float32
		for _, w := range append(x.Tensors(), h.Tensors()...) {
			all = append(all, *w.Data...)
		}
		weights = append(weights, all)
	}
	if slices.Equal(weights[0], weights[1]) {
		t.Error("two seeds have the same weights")
	}
	at, mean := 0, float32(0)
	for _, w := range append(x.Tensors(), h.Tensors()...) {
		for i := range *w.Data {
			mean = weights[0][at]
			mean += (weights[1][at] - mean) / 2
			mean += (weights[2][at] - mean) / 3
			(*w.Data)[i] = mean
			at++
		}
	}
	want, err := encode.Quantize(x, h)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(packedAs(model.EncodeName, want), average.sections) {
		t.Error("the average is not the mean")
	}
}

// wordsOf returns sentences of one word each.
func wordsOf(forms ...string) (list []syntax.Sentence) {
	for _, form := range forms {
		list = append(list, syntax.Sentence{Words: []syntax.Word{{Form: form}}})
	}
	return list
}
