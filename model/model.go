// Package model holds a trained parser. Open takes the name of a built-in model or of a
// model file and returns a Model, which it loads once per process. The methods of a Model
// are the stages of the parser: they turn text into sentences with tags, trees and
// probabilities. Package io/sections defines the layout of a model file byte for byte.
package model

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/treebeam/treebeam/parser/calibrate"
	"github.com/treebeam/treebeam/parser/encode"
	"github.com/treebeam/treebeam/parser/label"
	"github.com/treebeam/treebeam/parser/pack"
	"github.com/treebeam/treebeam/parser/prune"
	"github.com/treebeam/treebeam/parser/search"
	"github.com/treebeam/treebeam/parser/segment"
	"github.com/treebeam/treebeam/parser/sequence"
	"github.com/treebeam/treebeam/parser/syntax"
	"github.com/treebeam/treebeam/parser/tag"
	"github.com/treebeam/treebeam/parser/word"
)

// Names of the components. The names of their sections begin with them.
const (
	WordName    = "word"
	SegmentName = "segment"
	TagName     = "tag"
	PruneName   = "prune"
	ParseName   = "parse"
	LabelName   = "label"

	CalibrateName = "confidence" // a model may be without

	// A model with an encoder also has EncodeName and MixName. Its CalibrateName is for
	// parses with the encoder, and FastCalibrateName for parses without.
	EncodeName        = "encode"
	FastCalibrateName = "confidence-fast"

	// A model with a small network also has both.
	NetworkName    = "network"
	NetworkMixName = "network-mix"
)

// calibrators are the names of both calibrator components.
var calibrators = []string{CalibrateName, FastCalibrateName}

// A Model is a trained parser for one language. It is read-only after Open and safe for
// concurrent use. Its arrays alias the bytes of the file.
type Model struct {
	Info Info
	// Digest is the SHA-256 of the file, or of the concatenated files of an embedded
	// model, in hexadecimal; "" if the model was not opened from a file.
	Digest string
	Size   int // bytes of the file, or of the files

	Sections []pack.Section // of the file, for model info

	Words     *word.Vocabulary // of the stages below
	Segmenter *segment.Model
	Tagger    *tag.Model
	Pruner    *prune.Model
	Decoder   *search.Model
	Labeler   *label.Model

	Calibrator *calibrate.Model // nil: confidence stays raw

	Encoder        Encoder          // nil: there is none
	Mix            Mix              // the weights of its scores; a copy with another Mix is a separate model
	FastCalibrator *calibrate.Model // with an encoder, of parses without it; nil: their confidence stays raw

	// Network is a small network that scores the sentences that Encoder does not; nil:
	// there is none.
	Network    Encoder
	NetworkMix Mix

	extPos bool // the treebank has FEATS ExtPos
	custom Custom
}

// split returns the sections of some components, and the others.
func split(sections []pack.Section, components ...string) (theirs, others []pack.Section) {
	for _, s := range sections {
		if name, _, _ := strings.Cut(s.Name, "."); slices.Contains(components, name) {
			theirs = append(theirs, s)
		} else {
			others = append(others, s)
		}
	}
	return theirs, others
}

// ErrTemplates is in the error for a model of a version that this program cannot read.
var ErrTemplates = errors.New("train it again with this program (docs/training.md), or use the program that trained it")

// New opens the components of a decoded file. Their arrays alias its sections. It fails
// with ErrTemplates for a version that it cannot read, and with ErrMany for a world.
func New(f *File) (*Model, error) {
	if err := readable(f.Info, f.Sections); err != nil {
		return nil, err
	}
	if len(f.Info.Languages) > 0 {
		return nil, fmt.Errorf("%w: name one, as in FILE#de", ErrMany)
	}
	if f.Info.Options["no-pos"] != "" {
		return nil, fmt.Errorf("it was trained with --no-pos, which no longer exists: %w", ErrTemplates)
	}
	if err := f.overlaysNothing(); err != nil {
		return nil, err
	}
	m := &Model{Info: f.Info, Sections: f.Sections}
	v := pack.NewView(f.Sections)
	x, err := m.openTrees(v)
	if err == nil {
		err = m.openWords(v, x)
	}
	if err == nil {
		x, err = openDense(v, NetworkName, NetworkMixName, &m.NetworkMix)
	}
	if err != nil {
		return nil, err
	}
	if x != nil {
		m.Network = m.bound(x, &m.NetworkMix)
	}
	m.Labeler.Obey(m.Info.Language)
	return m, nil
}

// openDense opens an encoder or a small network, and its factors; nil if there is none.
func openDense(v *pack.View, name, mixName string, mix *Mix) (x *encode.Model, err error) {
	if encode.Has(v, name) {
		err = cmp.Or(open(&x, name)(encode.Open(v, name)), open(&mix, mixName)(mix, pack.Read(v, mixName, mix.layout)))
	}
	return x, err
}

// openTrees opens the vocabulary, what finds trees, and the encoder, nil if there is none.
func (m *Model) openTrees(v *pack.View) (x *encode.Model, err error) {
	if err := open(&m.Words, WordName)(word.Open(v, WordName)); err != nil {
		return nil, err
	}
	err = cmp.Or(
		open(&m.Pruner, PruneName)(prune.Open(v, PruneName, m.Words)),
		open(&m.Decoder, ParseName)(search.Open(v, ParseName, m.Words)),
		open(&m.Labeler, LabelName)(label.Open(v, LabelName, m.Words)),
		openCalibrator(&m.Calibrator, v, CalibrateName))
	if err == nil {
		x, err = openDense(v, EncodeName, MixName, &m.Mix)
	}
	if err == nil && x != nil {
		err = openCalibrator(&m.FastCalibrator, v, FastCalibrateName)
	}
	return x, err
}

// openWords opens what makes words with tags of a text, and binds the encoder, if there is
// one, to the tags. Parts that languages share, also in a model adapted from a world, become
// those of the model's language.
func (m *Model) openWords(v *pack.View, x *encode.Model) error {
	err := cmp.Or(
		open(&m.Segmenter, SegmentName)(segment.Open(v, SegmentName)),
		open(&m.Tagger, TagName)(tag.Open(v, TagName)))
	if err != nil {
		return err
	}
	m.Tagger.SetLanguage(m.Info.Language)
	m.extPos = m.knowsExtPos()
	m.Words = m.Words.WithCasing(m.Tagger.Casing())
	for _, c := range []**calibrate.Model{&m.Calibrator, &m.FastCalibrator} {
		if *c != nil {
			*c = (*c).Of(m.Info.Language)
		}
	}
	if x != nil {
		m.Encoder = m.bound(x.Of(m.Info.Language), &m.Mix)
	}
	return nil
}

// readable refuses a file of templates that this program cannot read.
func readable(i Info, sections []pack.Section) error {
	if v := i.Templates; v < pack.Oldest || v > pack.Templates {
		return fmt.Errorf("its templates are of version %d, this program reads %d to %d: %w", v, pack.Oldest, pack.Templates, ErrTemplates)
	}
	return nil
}

// openCalibrator opens a calibrator, if there is one.
func openCalibrator(to **calibrate.Model, v *pack.View, name string) error {
	if !calibrate.Has(v, name) {
		return nil
	}
	if err := open(to, name)(calibrate.Open(v, name)); err != nil {
		return fmt.Errorf("%w: fit it again with treebeam calibrate", err)
	}
	return nil
}

// open returns what keeps a component that was opened, or names it in the
// error.
func open[M any](to **M, name string) func(*M, error) error {
	return func(m *M, err error) error {
		if err != nil {
			return fmt.Errorf("component %s: %w", name, err)
		}
		*to = m
		return nil
	}
}

// Segment cuts a block of raw text into sentences of words, without tags or trees.
// Longer sentences are cut at maxWords words or before. Byte positions are relative to
// block.
func (m *Model) Segment(block string, maxWords int) []syntax.Sentence {
	return m.segment(block, segment.Request{MaxWords: maxWords}, false)
}

// SegmentFast is Segment, but sentences end where the model ends them without its encoder: a small network may be asked.
func (m *Model) SegmentFast(block string, maxWords int) []syntax.Sentence {
	return m.segment(block, segment.Request{MaxWords: maxWords}, true)
}

// SegmentLine is Segment for a block that is one sentence.
func (m *Model) SegmentLine(block string, maxWords int) []syntax.Sentence {
	return m.segment(block, segment.Request{MaxWords: maxWords, Line: true}, false)
}

// segment asks the encoder where the segmenter is unsure, or the small network if the encoder
// knows no sentence ends or if it is to be fast.
func (m *Model) segment(block string, r segment.Request, fast bool) []syntax.Sentence {
	r.Rules, r.Language = m.custom.Rules, m.Info.Language
	if m.Encoder != nil && m.Segmenter.UsesBegins() {
		r.Begins = m.Encoder.Begins
	}
	switch {
	case m.Encoder != nil && m.Mix.Starts.Factor > 0 && !fast:
		m.ask(&r, m.Encoder, m.Mix.Starts)
	case m.Network != nil && m.NetworkMix.Starts.Factor > 0:
		m.ask(&r, m.Network, m.NetworkMix.Starts)
	}
	return m.Segmenter.Segment(block, r)
}

// temperatureOfTags is by how much the temperature of the tagger's probabilities grows
// with the factor of the encoder's tags. With 5 they are likeliest on dev, within
// a tenth, for all of en_ewt and tr_imst, el_gdt and fr_sequoia, whose factors
// are 1/16 to 3/8: the temperatures that fit them best are 1.3 to 3 times that
// without an encoder.
const temperatureOfTags = 5

// temperature is that of the tagger's probabilities with an encoder.
func (x *Mix) temperature() int32 {
	return sequence.TemperatureUnit + temperatureOfTags*x.Tags*sequence.TemperatureUnit/MixOne
}

// plainMarks are the languages whose treebanks write plain characters in the lemmas of
// typographic marks. 38 others among the 48 write the marks themselves.
var plainMarks = map[string]bool{syntax.English: true, "cs": true, "lv": true}

// request returns what the tagger is told of the language and by the caller's lists.
func (m *Model) request(retag bool) tag.Request {
	return tag.Request{Retag: retag, Exceptions: m.custom.Exceptions, PlainMarks: plainMarks[m.Info.Language]}
}

// Tag sets UPOS, XPOS, Feats and Lemma where they are empty, or everywhere if retag is
// true (tag.Model.Tag).
func (m *Model) Tag(s *syntax.Sentence, retag bool) {
	s.ForgetNetwork() // it may be of other words
	r := m.request(retag)
	if _, mix := m.ready(s); mix != nil {
		x := scale(s)
		defer x.restore()
		x.scaleTags(mix)
		r.Temperature = mix.temperature()
	}
	m.Tagger.Tag(s, r)
	m.tagVerb(s, r)
}

// Prune sets Candidates. The sentence must have tags (prune.Model.Prune).
func (m *Model) Prune(s *syntax.Sentence) {
	if _, mix := m.ready(s); mix != nil {
		x := scale(s)
		defer x.restore()
		x.scaleArcs(mix.Prune)
	}
	m.Pruner.Prune(s)
}

// Parse sets Head, Deprel and Confidence. Unless the model's Custom is Unconstrained,
// it may also change tags and lemmas that were not given, if a tag does not suit the
// relation. The sentence must have Candidates as Prune leaves them; otherwise Parse
// returns an error and finds no tree.
func (m *Model) Parse(s *syntax.Sentence, o search.Options) error {
	if err := m.decode(s, o); err != nil {
		return err
	}
	s.Candidates.Gains = nil
	m.Calibrate(s, nil, nil)
	s.ForgetNetwork()
	return nil
}

// decode finds and labels a tree.
func (m *Model) decode(s *syntax.Sentence, o search.Options) error {
	var labels func()
	by, mix := m.ready(s)
	if mix != nil {
		x := scale(s)
		defer x.restore()
		x.scaleArcs(mix.Parse)
		if mix.Labels > 0 {
			labels = func() {
				by.Labels(s)
				x.scaleLabels(mix.Labels)
			}
		}
	}
	if err := m.Decoder.Parse(s, o); err != nil {
		return err
	}
	m.label(s, &o, labels, mix)
	return nil
}

// Calibrate sets the calibrated values of a parsed sentence, if the model has a
// calibrator for parses with or without the encoder, as the case may be. A sentence
// that was parsed with dense scores must still have them. heads and deprels, indexed by
// word minus 1 or nil, say which ones the caller gave; these are certain.
func (m *Model) Calibrate(s *syntax.Sentence, heads, deprels []bool) {
	if c := m.calibrator(s); c != nil {
		c.ApplyGiven(s, heads, deprels)
	}
}

// Score returns the score of one tree of a sentence with Candidates
// (search.Model.Score), with the dense scores that Parse adds.
func (m *Model) Score(s *syntax.Sentence, heads []int32) (score int64, reachable bool) {
	if _, mix := m.ready(s); mix != nil {
		x := scale(s)
		defer x.restore()
		x.scaleArcs(mix.Parse)
	}
	return m.Decoder.Score(s, heads)
}
