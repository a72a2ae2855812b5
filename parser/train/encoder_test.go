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

// tune is a stub of two epochs that keeps its checkpoints.
func (r *rig) tune(train, dev []syntax.Sentence, j job) (*encode.Params, *encode.Heads, error) {
	if err := r.enter("encoder", train); err != nil {
		return nil, nil, err
	}
	e := j.Encoder
	epoch, words := int32(0), slices.Clone(e.Params.Word)
	layout := func(l *pack.Layout) {
		pack.Value(l, "epoch", &epoch)
		pack.Array(l, "words", &words)
	}
	if _, err := j.resume(layout); err != nil {
		return nil, nil, err
	}
	words = slices.Clone(words)
	for epoch++; epoch <= 2; epoch++ {
		words[epoch] += float32(j.Seed)
		r.ran = append(r.ran, fmt.Sprint("encoder.", epoch))
		if err := j.checkpoint(int(epoch), layout); err != nil {
			return nil, nil, err
		}
		if r.breaks == fmt.Sprint("encoder.", epoch) {
			return nil, nil, errBroken
		}
	}
	p := *e.Params
	p.Word = words
	if e.Layers > 0 {
		p.Layers = p.Layers[:e.Layers]
	}
	_, h := encode.Tiny(5, []string{"root", "dep"}, encode.Classifier{Name: "upos", Values: []string{"", "X"}})
	return &p, h, nil
}

// A training with an encoder, interrupted anywhere, gives the same bytes; so do
// its parts one after the other but for what they say of themselves.
func TestEncoderPhases(t *testing.T) {
	options := func() Options {
		return Options{Seed: 3, Store: memory{}, Info: model.Info{Licence: "CC"},
			Encoder: &EncoderOptions{Params: tinyEncoder(), File: "tiny.tbe", SHA256: "sum", Layers: 1}}
	}
	var whole rig
	data, err := trainToy(&whole, options())
	if err != nil {
		t.Fatal(err)
	}
	for _, at := range []string{"encoder", "encoder.1", "mix"} {
		o := options()
		if _, err := trainToy(&rig{breaks: at}, o); !errors.Is(err, errBroken) {
			t.Fatalf("%s: %v", at, err)
		}
		var again rig
		resumed, err := trainToy(&again, o)
		if err != nil || string(resumed) != string(data) {
			t.Errorf("broken off at %s, resumed: other bytes (%v)", at, err)
		}
		if slices.Contains(again.ran, "labels") || at != "encoder" && slices.Contains(again.ran, "encoder.1") {
			t.Errorf("broken off at %s, resumed: ran %v", at, again.ran)
		}
	}
	f, err := model.Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	about := model.Encoded{Name: "tiny", Source: "a test", Licence: "MIT", Notice: "Copyright (c) nobody", File: "tiny.tbe", SHA256: "sum",
		Layers: 1, Seed: 3, Pieces: 30}
	if f.Info.Encoder == nil || !reflect.DeepEqual(*f.Info.Encoder, about) || f.Info.Licence != "CC; MIT (tiny)" {
		t.Errorf("licence %q, encoder %+v, want %+v", f.Info.Licence, f.Info.Encoder, about)
	}
	mix, err := model.OpenMix(pack.NewView(f.Sections), model.MixName)
	if err != nil || mix.Parse != 5+14 {
		t.Errorf("%+v, %v", mix, err)
	}

	o := options()
	o.Encoder = nil
	sparse, err := trainToy(new(rig), o)
	if err != nil {
		t.Fatal(err)
	}
	train, dev := toyTreebank("train", 12), toyTreebank("dev", 5)
	o = options()
	for _, from := range []string{string(sparse), string(data)} { // the encoder of the second is replaced
		base, err := model.Decode([]byte(from))
		if err != nil {
			t.Fatal(err)
		}
		var r rig
		alone, err := encoderAlone(base, "digest", train, dev, o, r.stages())
		if err != nil {
			t.Fatal(err)
		}
		g, err := model.Decode(alone)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(g.Sections, f.Sections) || g.Info.Licence != f.Info.Licence || !reflect.DeepEqual(g.Info.Encoder, f.Info.Encoder) ||
			len(g.Info.Parts) != 1 || g.Info.Parts[0].Name != OnlyEncoder || g.Info.Parts[0].From != "digest" {
			t.Errorf("%+v, want %+v", g.Info, f.Info)
		}
	}
	base, err := model.Decode(sparse)
	if err != nil {
		t.Fatal(err)
	}
	var r rig
	mixed, err := mixAlone(base, "digest", f, train, dev, Options{}, r.stages())
	if err != nil || strings.Join(r.ran, " ") != "mix" {
		t.Fatalf("ran %v: %v", r.ran, err)
	}
	g, err := model.Decode(mixed)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(g.Sections, f.Sections) || !reflect.DeepEqual(g.Info.Encoder, f.Info.Encoder) {
		t.Errorf("%+v, want %+v", g.Info, f.Info)
	}
	if _, err := mixAlone(base, "digest", base, train, dev, Options{}, r.stages()); !errors.Is(err, ErrNoEncoder) {
		t.Errorf("a model without an encoder: %v", err)
	}
}

// With the real phases: an encoder that was tuned for two passes is found in
// the model, which parses with and without it, and any number of workers gives
// the same bytes. Alone, on a finished model, it comes out the same.
func TestTrainWithEncoder(t *testing.T) {
	if testing.Short() {
		t.Skip("trains a whole model")
	}
	train, dev := grammar("train", 30, 1), grammar("dev", 60, 2)
	o := Options{Seed: 1, Folds: 2, Workers: 1, Blocks: blocksOf, Store: memory{},
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
	if m.Encoder == nil || !m.CanChoose() || m.Calibrator == nil || e == nil || e.Layers != 1 || len(e.Fast) != 3 || len(m.Info.Scores) != 3 || e.FastCalibration == nil {
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
	sparse := &model.File{Info: f.Info, Sections: sparseSections(f)}
	o.Workers, o.Store = 3, nil
	again, err := Encoder(sparse, "digest", train, dev, o)
	if err != nil {
		t.Fatal(err)
	}
	g, err := model.Decode(again)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(g.Sections, f.Sections) || !reflect.DeepEqual(g.Info.Scores, f.Info.Scores) || !reflect.DeepEqual(g.Info.Encoder, e) {
		t.Error("an encoder that was trained alone differs")
	}
}

// wordsOf returns sentences of one word each.
func wordsOf(forms ...string) (list []syntax.Sentence) {
	for _, form := range forms {
		list = append(list, syntax.Sentence{Words: []syntax.Word{{Form: form}}})
	}
	return list
}
