// Package model holds what a trained parser is: the model file, whose layout
// package sections gives byte for byte, the cache that loads each model once per
// process, and Model, whose methods are the stages of the pipeline.
package model

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/treebeam/treebeam/parser/calibrate"
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

// Names of the components, which begin the names of their sections.
const (
	WordName    = "word"
	SegmentName = "segment"
	TagName     = "tag"
	PruneName   = "prune"
	ParseName   = "parse"
	LabelName   = "label"

	CalibrateName = "confidence" // a model may be without

	// A model with an encoder has these and MixName; CalibrateName is then for parses
	// with the encoder, FastCalibrateName for parses without.
	EncodeName        = "encode"
	FastCalibrateName = "confidence-fast"
)

// Calibrators are the names of components that are calibrators: the two above, and the
// ones of an earlier layout, which are ignored.
var Calibrators = []string{CalibrateName, FastCalibrateName, "calibrate", "calibrate-fast"}

// A Model is everything that training made of one treebank. It is read-only
// after Open and safe for concurrent use; its arrays alias the model's bytes.
type Model struct {
	Info Info
	// Digest is the SHA-256 of the file in hexadecimal; of an embedded model,
	// of its files, one after the other; "" if it was not opened from one.
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

	extPos bool // the treebank has FEATS ExtPos
	custom Custom
}

// Outdated reports whether the model has a calibrator of another version of this
// program, and none of this one: its confidence stays raw until one is fitted
// again.
func (m *Model) Outdated() bool {
	calibrators, _ := split(m.Sections, Calibrators...)
	return m.Calibrator == nil && len(calibrators) > 0
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

// ErrTemplates is in the error of a model that another version of the program
// trained.
var ErrTemplates = errors.New("train it again with this program (docs/training.md), or use the program that trained it")

// New opens the components of a decoded file. Their arrays alias its
// sections. It refuses a model of templates that it cannot read (ErrTemplates).
func New(f *File) (*Model, error) {
	if v := f.Info.Templates; v < pack.Oldest || v > pack.Templates && v != templatesOf(f.Sections) {
		return nil, fmt.Errorf("its templates are of version %d, this program reads %d to %d: %w", v, pack.Oldest, pack.Templates, ErrTemplates)
	}
	if f.Info.Options["no-pos"] != "" {
		return nil, fmt.Errorf("it was trained with --no-pos, which has left the program: %w", ErrTemplates)
	}
	if err := f.overlaysNothing(); err != nil {
		return nil, err
	}
	m := &Model{Info: f.Info, Sections: f.Sections}
	v := pack.NewView(f.Sections)
	if err := open(&m.Words, WordName)(word.Open(v, WordName)); err != nil {
		return nil, err
	}
	clusters := m.Words.Clusters()
	for _, err := range []error{
		open(&m.Segmenter, SegmentName)(segment.Open(v, SegmentName)),
		open(&m.Tagger, TagName)(tag.Open(v, TagName, clusters)),
		open(&m.Pruner, PruneName)(prune.Open(v, PruneName, m.Words)),
		open(&m.Decoder, ParseName)(search.Open(v, ParseName, m.Words)),
		open(&m.Labeler, LabelName)(label.Open(v, LabelName, m.Words)),
	} {
		if err != nil {
			return nil, err
		}
	}
	m.extPos = m.knowsExtPos()
	var err error
	if m.Calibrator, err = openCalibrator(v, CalibrateName); err != nil {
		return nil, err
	}
	if m.Calibrator == nil {
		m.Info.Calibration = nil // of an earlier layout
	}
	return m, m.openEncoder(v)
}

// openCalibrator opens a calibrator; nil if there is none.
func openCalibrator(v *pack.View, name string) (c *calibrate.Model, err error) {
	if !calibrate.Has(v, name) {
		return nil, nil
	}
	if err := open(&c, name)(calibrate.Open(v, name)); err != nil {
		return nil, fmt.Errorf("%w: fit it again with treebeam calibrate", err)
	}
	return c, nil
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

// Segment cuts a block of raw text into sentences of words without tags or
// trees; those over maxWords words are cut. Byte positions are relative to
// block.
func (m *Model) Segment(block string, maxWords int) []syntax.Sentence {
	return m.Segmenter.Segment(block, segment.Request{MaxWords: maxWords, Rules: m.custom.Rules})
}

// SegmentLine is Segment for a block that is known to be one sentence.
func (m *Model) SegmentLine(block string, maxWords int) []syntax.Sentence {
	return m.Segmenter.Segment(block, segment.Request{MaxWords: maxWords, Line: true, Rules: m.custom.Rules})
}

// temperatureOfTags is by how much the temperature of the tagger's probabilities grows
// with the factor of the encoder's tags. With 5 they are likeliest on dev, within
// a tenth, for all of en_ewt and tr_imst, el_gdt and fr_sequoia, whose factors
// are 1/16 to 3/8: the temperatures that fit them best are 1.3 to 3 times that
// without an encoder.
const temperatureOfTags = 5

// Tag sets UPOS, XPOS, Feats and Lemma where they are empty, or all of them
// if retag.
func (m *Model) Tag(s *syntax.Sentence, retag bool) {
	r := tag.Request{Retag: retag, Exceptions: m.custom.Exceptions}
	if m.dense(s) {
		x := scale(s)
		defer x.restore()
		x.scaleTags(m.Mix)
		r.Temperature = sequence.TemperatureUnit + temperatureOfTags*m.Mix.Tags*sequence.TemperatureUnit/MixOne
	}
	m.Tagger.Tag(s, r)
}

// WithoutTags returns a copy of s whose words have neither tags nor lemmas.
func WithoutTags(s *syntax.Sentence) syntax.Sentence {
	c := *s
	c.Words = slices.Clone(s.Words)
	for i := range c.Words {
		w := &c.Words[i]
		w.UPOS, w.XPOS, w.Feats, w.Lemma = "", "", "", ""
	}
	return c
}

// Prune sets Candidates. The sentence must have tags.
func (m *Model) Prune(s *syntax.Sentence) {
	pruner := m.Pruner
	if m.dense(s) {
		x := scale(s)
		defer x.restore()
		x.scaleArcs(m.Mix.Prune)
		if m.Mix.Cut > 0 {
			pruner = pruner.WithCut(float64(m.Mix.Cut) / 1024)
		}
	}
	pruner.Prune(s)
}

// Parse sets Head, Deprel and Confidence. The sentence must have Candidates as
// Prune leaves them; otherwise it returns an error and changes nothing.
func (m *Model) Parse(s *syntax.Sentence, o search.Options) error {
	if o.Projective {
		if err := prune.Project(s, nil); err != nil {
			return err
		}
	}
	if err := m.decode(s, o); err != nil {
		return err
	}
	s.Candidates.Gains = nil
	m.Calibrate(s, nil, nil)
	return nil
}

// decode finds and labels a tree.
func (m *Model) decode(s *syntax.Sentence, o search.Options) error {
	var labels func()
	if m.dense(s) {
		x := scale(s)
		defer x.restore()
		x.scaleArcs(m.Mix.Parse)
		if m.Mix.Labels > 0 {
			labels = func() {
				m.Encoder.Labels(s)
				x.scaleLabels(m.Mix.Labels)
			}
		}
	}
	if err := m.Decoder.Parse(s, o); err != nil {
		return err
	}
	m.label(s, &o, labels)
	return nil
}

// Calibrate sets the calibrated values of a parsed sentence, if the model has a
// calibrator for the way in which it was parsed: with dense scores, which it must still
// have, or without. heads and deprels, by word minus 1 or nil, say which ones the
// caller gave: these are certain.
func (m *Model) Calibrate(s *syntax.Sentence, heads, deprels []bool) {
	if c := m.calibrator(s); c != nil {
		c.ApplyGiven(s, heads, deprels)
	}
}

// Score returns the score of one tree of a sentence with Candidates, as
// search.Model.Score does, of what Parse shows the parser.
func (m *Model) Score(s *syntax.Sentence, heads []int32) (score int64, reachable bool) {
	if m.dense(s) {
		x := scale(s)
		defer x.restore()
		x.scaleArcs(m.Mix.Parse)
	}
	return m.Decoder.Score(s, heads)
}
