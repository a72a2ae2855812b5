package modeltest

import (
	"slices"
	"strings"

	"github.com/treebeam/treebeam/model"
	"github.com/treebeam/treebeam/parser/encode"
	"github.com/treebeam/treebeam/parser/pack"
)

// Encoder returns the sections of a tiny encoder (encode.Tiny) for the tags, FEATS and
// relations of m, and of a Mix with which it changes trees.
func Encoder(m *model.Model) ([]pack.Section, error) {
	upos, xpos := []string{}, []string{}
	for t := range m.Tagger.NumTags() {
		u, x := m.Tagger.TagName(t)
		upos, xpos = append(upos, u), append(xpos, x)
	}
	values := map[string][]string{"upos": upos, "xpos": xpos}
	for f := range m.Tagger.NumFeats() {
		feats, _ := m.Tagger.FeatsName(f)
		for _, item := range strings.Split(feats, "|") {
			if name, value, ok := strings.Cut(item, "="); ok {
				values["feats:"+name] = append(values["feats:"+name], "", value)
			}
		}
	}
	var list []encode.Classifier
	for name, v := range values {
		slices.Sort(v)
		list = append(list, encode.Classifier{Name: name, Values: slices.Compact(v)})
	}
	slices.SortFunc(list, func(a, b encode.Classifier) int { return strings.Compare(a.Name, b.Name) })
	x, err := encode.Quantize(encode.Tiny(1, m.Labeler.Relations(), list...))
	if err != nil {
		return nil, err
	}
	var b pack.Builder
	x.Pack(b.Sub(model.EncodeName))
	mix := model.Mix{Tags: 64, Feats: 64, Prune: 128, Parse: 64, Labels: 128}
	mix.Pack(b.Sub(model.MixName))
	return b.Sections, nil
}

// WithEncoder returns the file of m with an Encoder. If m has a calibrator, it serves
// parses with and without the encoder.
func WithEncoder(m *model.Model) ([]byte, error) {
	sections, err := Encoder(m)
	if err != nil {
		return nil, err
	}
	if m.Calibrator != nil {
		var b pack.Builder
		m.Calibrator.Pack(b.Sub(model.FastCalibrateName))
		sections = append(sections, b.Sections...)
	}
	info := m.Info
	info.Encoder = &model.Encoded{Name: "tiny", Source: "a test", Licence: "MIT", Notice: "Copyright (c) nobody", File: "tiny.tbe", Layers: 2, Pieces: 30}
	return model.Encode(info, slices.Concat(m.Sections, sections))
}
