package model

import (
	"fmt"
	"slices"
	"sync"
	"unicode"

	"github.com/treebeam/treebeam/parser/calibrate"
	"github.com/treebeam/treebeam/parser/encode"
	"github.com/treebeam/treebeam/parser/pack"
	"github.com/treebeam/treebeam/parser/segment"
	"github.com/treebeam/treebeam/parser/syntax"
	"github.com/treebeam/treebeam/parser/word"
)

// An encoder is optional (docs/encoder.md). It scores arcs, labels and tags of a
// sentence, and the stages add that to what they know: the dense scores stay on
// the sentence as the encoder gave them, and Mix says what they count.

// An Encoder scores sentences. It is an encode.Model that is bound to the tags, FEATS
// and relations of the model. It is safe for concurrent use.
type Encoder interface {
	// Encode sets Dense except Dense.Labels, and empties Dense of sentences that it
	// skips.
	Encode(sents []*syntax.Sentence)
	// Labels sets Dense.Labels of an encoded sentence with heads.
	Labels(s *syntax.Sentence)
	// Begins appends the log-odds that each code point begins a word (segment.Begins).
	Begins(dst []int32, text string) []int32
	// Starts appends the log-odds that each token of windows begins a sentence
	// (segment.Starts).
	Starts(dst []int32, windows []*syntax.Sentence) []int32
	// Reach is how many pieces on either side of a word the encoder reads with it; 0: all.
	Reach() int
}

// MixName is the component of the factors of an encoder's scores. A model has
// it if and only if it has an encoder.
const MixName = "mix"

// A Mix has the weights of the dense scores of an encoder. Every decision uses sparse +
// factor * dense, a product of experts (Hinton 2002). Where factor * dense leads clearly, tagger
// and labels leave the features of the context out of the sparse score. Factors are in units of 1/MixOne;
// 0 adds nothing.
type Mix struct {
	Tags   int32 // of UPOS and XPOS, in the tagger's first layer
	Feats  int32 // of FEATS, in its second
	Prune  int32 // of arcs, in the pruner
	Parse  int32 // of arcs, in the parser, in addition to the pruner's log-odds of them
	Labels int32 // of deprels

	Starts segment.Portion // of sentence ends, in the segmenter
}

// MixOne stands for the factor 1. maxMix is the largest factor, 16.
const (
	MixOne = 256
	maxMix = 16 * MixOne
)

// Pack stores the factors in s.
func (x *Mix) Pack(s *pack.Sub) { pack.Write(s, x.layout) }

func (x *Mix) layout(l *pack.Layout) {
	for _, f := range []struct {
		name string
		to   *int32
	}{{"tags", &x.Tags}, {"feats", &x.Feats}, {"prune", &x.Prune}, {"parse", &x.Parse}, {"labels", &x.Labels}} {
		pack.Value(l, f.name, f.to)
		l.Check(f.name, *f.to >= 0 && *f.to <= maxMix, fmt.Sprintf("is not between 0 and %d", maxMix))
	}
	if l.Optional("starts", x.Starts != segment.Portion{}) {
		list := []int32{x.Starts.Factor, x.Starts.Bias}
		pack.Array(l, "starts", &list)
		if l.Check("starts", len(list) == 2 && list[0] >= 0 && list[0] <= maxMix, "is no factor and bias"); l.Reading() && len(list) == 2 {
			x.Starts = segment.Portion{Factor: list[0], Bias: list[1]}
		}
	}
}

// bound returns x with scores in the order of the model's stages, without those of tags or
// FEATS that the mix does not count.
func (m *Model) bound(x *encode.Model, mix *Mix) *encode.Model {
	var tags [][2]string
	var feats []string
	if mix.Tags > 0 {
		tags = make([][2]string, m.Tagger.NumTags())
	}
	if mix.Feats > 0 {
		feats = make([]string, m.Tagger.NumFeats())
	}
	for t := range tags {
		tags[t][0], tags[t][1] = m.Tagger.TagName(t)
	}
	for f := range feats {
		feats[f], _ = m.Tagger.FeatsName(f)
	}
	return x.Bind(m.Labeler.Relations(), tags, feats)
}

// WithEncoder returns a copy of m with another encoder, which keeps the mix of the old one.
func (m *Model) WithEncoder(x *encode.Model) *Model {
	c := *m
	c.Encoder = m.bound(x.Of(m.Info.Language), &c.Mix)
	return &c
}

// Encode sets the dense scores of sentences, which Tag, Prune and Parse then add.
// Without an encoder it does nothing. It skips sentences of more than
// syntax.MaxWholeWords words, which are parsed without the encoder. The scores of n
// words take (n+1)² numbers for arcs, and one for each word and each of its possible
// tags and FEATS; Effort therefore encodes a few sentences at a time. The scores of a
// sentence do not depend on the other sentences, on typographic variants of characters
// (word.Plain), or on whether all of it is in capitals. Encode is safe for concurrent
// use.
func (m *Model) Encode(sents []*syntax.Sentence) {
	if m.Encoder != nil {
		m.encode(m.Encoder, sents)
	}
}

func (m *Model) encode(by Encoder, sents []*syntax.Sentence) {
	plain, casing := sents, m.Words.Casing()
	for i, s := range sents {
		if p := Encodable(s, casing); p != s {
			if &plain[0] == &sents[0] {
				plain = slices.Clone(sents)
			}
			plain[i] = p
		}
	}
	by.Encode(plain)
	for i, p := range plain {
		sents[i].Dense = p.Dense
	}
}

// Encodable returns s as an encoder reads it: s itself, or a copy with plain forms
// (word.Plain), in lower case if the sentence is in capitals. A pretrained encoder has
// seen little text in capitals, and cuts its words into small pieces.
func Encodable(s *syntax.Sentence, casing word.Casing) *syntax.Sentence {
	capitals := inCapitals(s)
	if !capitals && !slices.ContainsFunc(s.Words, func(w syntax.Word) bool { return word.Plain(w.Form) != w.Form }) {
		return s
	}
	c := *s
	c.Words = slices.Clone(s.Words)
	for i := range c.Words {
		w := &c.Words[i]
		w.Form = word.Plain(w.Form)
		if capitals {
			w.Form = casing.LowerForm(w.Form)
		}
	}
	return &c
}

// leastCapitals is how many words with letters tell that a sentence is in
// capitals: fewer may be names.
const leastCapitals = 3

// inCapitals reports whether s has words with letters, and no small letter.
func inCapitals(s *syntax.Sentence) bool {
	words := 0
	for i := range s.Words {
		letters := false
		for _, r := range s.Words[i].Form {
			if unicode.IsLower(r) {
				return false
			}
			letters = letters || unicode.IsUpper(r)
		}
		if letters {
			words++
		}
	}
	return words >= leastCapitals
}

// ready returns whose dense scores the stages add to s, and what these count: nil if they
// add none. If the encoder has not set any, the small network does.
func (m *Model) ready(s *syntax.Sentence) (by Encoder, mix *Mix) {
	switch n := len(s.Words); {
	case s.Dense.Network:
	case len(s.Dense.Arcs) > 0 && m.Encoder != nil:
		return m.Encoder, &m.Mix
	case len(s.Dense.Arcs) > 0, m.Network == nil, n == 0, n > syntax.MaxWholeWords:
		return nil, nil
	default:
		m.encode(m.Network, []*syntax.Sentence{s})
		s.Dense.Network = true
	}
	return m.Network, &m.NetworkMix
}

// encoded reports whether s has scores of the model's encoder.
func (m *Model) encoded(s *syntax.Sentence) bool {
	return m.Encoder != nil && len(s.Dense.Arcs) > 0 && !s.Dense.Network
}

// Encodes reports whether the model has an encoder.
func (m *Model) Encodes() bool { return m.Encoder != nil }

// CanChoose reports whether the model can tell which sentences need its encoder. It
// must have an encoder and a calibrator for parses without it.
func (m *Model) CanChoose() bool { return m.Encoder != nil && m.FastCalibrator != nil }

// calibrator returns the calibrator for the way in which s is parsed.
func (m *Model) calibrator(s *syntax.Sentence) *calibrate.Model {
	if m.Encoder != nil && !m.encoded(s) {
		return m.FastCalibrator
	}
	return m.Calibrator
}

// A scaling multiplies the dense scores of a sentence by their weights for the stages.
// restore puts the original scores back.
type scaling struct {
	s     *syntax.Sentence
	given syntax.Dense

	arcs, tags, feats, labels []int32 // scaled
}

var scalings = sync.Pool{New: func() any { return new(scaling) }}

func scale(s *syntax.Sentence) *scaling {
	x := scalings.Get().(*scaling)
	x.s, x.given = s, s.Dense
	return x
}

func (x *scaling) restore() {
	x.s.Dense = x.given
	x.s, x.given = nil, syntax.Dense{}
	scalings.Put(x)
}

func (x *scaling) scaleArcs(factor int32) { x.s.Dense.Arcs = scaled(&x.arcs, x.given.Arcs, factor) }

func (x *scaling) scaleTags(m *Mix) {
	x.s.Dense.Tags = scaled(&x.tags, x.given.Tags, m.Tags)
	x.s.Dense.Feats = scaled(&x.feats, x.given.Feats, m.Feats)
}

func (x *scaling) scaleLabels(factor int32) {
	x.s.Dense.Labels = scaled(&x.labels, x.s.Dense.Labels, factor)
}

// ask lets an encoder say where sentences begin.
func (m *Model) ask(r *segment.Request, by Encoder, portion segment.Portion) {
	r.Reach, r.Portion = by.Reach(), portion
	r.Starts = func(dst []int32, windows []*syntax.Sentence) []int32 {
		plain := make([]*syntax.Sentence, len(windows))
		for i, s := range windows {
			plain[i] = Encodable(s, m.Words.Casing())
		}
		return by.Starts(dst, plain)
	}
}

// Dev returns gold sentences for segment.FitStarts, which finds Mix.Starts.
func (m *Model) Dev(gold []syntax.Sentence) segment.Dev {
	r := segment.Request{Language: m.Info.Language}
	m.ask(&r, m.Encoder, segment.Portion{})
	return segment.Dev{Model: m.Segmenter, Sentences: gold, Request: r}
}

// largest bounds scaled scores.
const largest = 1 << 26

// scaled puts factor times the scores into dst; nil if that adds nothing.
func scaled(dst *[]int32, scores []int32, factor int32) []int32 {
	if factor == 0 || len(scores) == 0 {
		return nil
	}
	*dst = slices.Grow((*dst)[:0], len(scores))[:len(scores)]
	for i, x := range scores {
		(*dst)[i] = int32(min(max(int64(x)*int64(factor)/MixOne, -largest), largest))
	}
	return *dst
}
