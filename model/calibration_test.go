package model

import (
	"slices"
	"strings"
	"testing"

	"github.com/treebeam/treebeam/parser/calibrate"
	"github.com/treebeam/treebeam/parser/search"
	"github.com/treebeam/treebeam/parser/syntax"
)

// smallCalibrator is fitted to parses by the small model, over and over.
func smallCalibrator(t *testing.T, m *Model) *calibrate.Model {
	t.Helper()
	var list []calibrate.Example
	for len(list) < calibrate.MinSentences {
		for _, gold := range toySentences() {
			s := gold
			s.Words = slices.Clone(s.Words)
			parseWith(t, m, &s)
			right := &calibrate.Judgement{Sentence: len(list), Tree: true}
			for i, w := range s.Words {
				head := w.Head == gold.Words[i].Head
				full := head && w.Deprel == gold.Words[i].Deprel
				right.UPOS, right.Head = append(right.UPOS, true), append(right.Head, head)
				right.LAS, right.Deprel = append(right.LAS, full), append(right.Deprel, full)
				right.Tree = right.Tree && full
			}
			list = append(list, calibrate.Example{Sentence: &s, Right: right, Group: len(list), Weight: 16})
		}
	}
	c := must(calibrate.Fit(list))
	return c
}

func parseWith(t *testing.T, m *Model, s *syntax.Sentence) {
	t.Helper()
	m.Prune(s)
	if err := m.Parse(s, search.Options{Seed: 1}); err != nil {
		t.Fatal(err)
	}
}

// openExtra opens a model and what belongs to it.
func openExtra(data []byte, more extra) (*Model, error) {
	shared.Lock()
	defer shared.Unlock()
	return cached(aligned(data), more)
}

// A calibrator in a model file and one in a file of its own give the same
// values and the same trees; the digest of the model covers both.
func TestCalibrator(t *testing.T) {
	bare := must(Encode(Info{Treebank: t.Name()}, smallModel(t)))
	raw, err := OpenBytes(bare)
	if err != nil || raw.Calibrator != nil {
		t.Fatalf("%v, %v", raw, err)
	}
	c := smallCalibrator(t, raw)
	about := Calibration{Model: Digest(bare), Gold: Data{File: "gold.conllu"}}
	beside := must(EncodeCalibrator(c, about))
	inside := must(raw.WithCalibrators(c, about, nil, Calibration{}))
	a := must(openExtra(bare, extra{calibrator: beside}))
	b := must(OpenBytes(inside))
	if a.Digest == raw.Digest || a.Digest != Digest(append(slices.Clone(bare), beside...)) || b.Digest != Digest(inside) {
		t.Errorf("digests %s, %s, without calibrator %s", a.Digest, b.Digest, raw.Digest)
	}
	if a.Size != len(bare)+len(beside) || a.Info.Calibration.Gold.File != "gold.conllu" || b.Info.Calibration.Model != "" {
		t.Errorf("size %d, %+v, %+v", a.Size, a.Info.Calibration, b.Info.Calibration)
	}
	for _, s := range toySentences() {
		var got [3]syntax.Sentence
		for i, m := range []*Model{raw, a, b} {
			got[i] = s
			got[i].Words = slices.Clone(s.Words)
			parseWith(t, m, &got[i])
		}
		if !slices.Equal(got[0].Words, got[1].Words) {
			t.Error("a calibrator changed a tree")
		}
		x, y := &got[1].Confidence, &got[2].Confidence
		if !x.HasTreeConf || x.TreeConf != y.TreeConf || len(x.HeadConf) != len(s.Words) || !slices.Equal(x.HeadConf, y.HeadConf) || !slices.Equal(x.DeprelConf, y.DeprelConf) {
			t.Errorf("%+v, %+v", x, y)
		}
		if z := &got[0].Confidence; z.HeadConf != nil || z.DeprelConf != nil || z.HasTreeConf {
			t.Errorf("without a calibrator: %+v", z)
		}
	}
	again, err := b.WithCalibrators(c, about, nil, Calibration{})
	if err != nil || string(again) != string(inside) {
		t.Errorf("a calibrator was not replaced by the same one (%v)", err)
	}
}

// A calibrator of another model, or a damaged one, is an error with a remedy.
func TestCalibratorOfAnotherModel(t *testing.T) {
	bare := must(Encode(Info{Treebank: t.Name()}, smallModel(t)))
	m := must(OpenBytes(bare))
	c := smallCalibrator(t, m)
	good := must(EncodeCalibrator(c, Calibration{Model: m.Digest}))
	other := must(EncodeCalibrator(c, Calibration{Model: Digest(nil)}))
	damaged := slices.Clone(good)
	damaged[len(damaged)-1] ^= 1
	for name, data := range map[string][]byte{"another model": other, "damaged": damaged, "cut": good[:len(good)/2], "a model": bare} {
		if _, err := openExtra(bare, extra{calibrator: data}); err == nil || !strings.Contains(err.Error(), "make calibrate") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := openExtra(bare, extra{calibrator: good}); err != nil {
		t.Error(err)
	}
}

// The embedded calibrator, if there is one, belongs to the embedded model.
func TestEmbeddedCalibrator(t *testing.T) {
	if english == "" || calibrator == "" {
		t.Skip("no model, or none with a calibrator, is embedded")
	}
	m := must(Open(Embedded))
	if m.Calibrator == nil || m.Digest != Digest([]byte(english+calibrator)) {
		t.Errorf("calibrator %v, digest %s", m.Calibrator, m.Digest)
	}
}
