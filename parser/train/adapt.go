package train

import (
	"cmp"
	"errors"
	"fmt"
	"runtime"
	"slices"

	"github.com/treebeam/treebeam/model"
	"github.com/treebeam/treebeam/parser/calibrate"
	"github.com/treebeam/treebeam/parser/encode"
	"github.com/treebeam/treebeam/parser/eval"
	"github.com/treebeam/treebeam/parser/finetune"
	"github.com/treebeam/treebeam/parser/label"
	"github.com/treebeam/treebeam/parser/linear"
	"github.com/treebeam/treebeam/parser/pack"
	"github.com/treebeam/treebeam/parser/prune"
	"github.com/treebeam/treebeam/parser/search"
	"github.com/treebeam/treebeam/parser/syntax"
	"github.com/treebeam/treebeam/parser/tag"
)

// AdaptOptions are the options of Adapt.
type AdaptOptions struct {
	Seed    uint64
	Workers int // 0 is GOMAXPROCS; results do not depend on it

	// Replay are trees on which the model should stay right; it learns from them too.
	// Home are trees of the kind that the model was made for, on which it should not
	// become worse. It must not have learned from Home. Both may be empty.
	Replay, Home []syntax.Sentence

	Code, Created string                        // as in model.Info
	Log           func(format string, a ...any) // nil is silent
}

const (
	adaptFolds    = 5   // parts of the trees, each parsed by a model that is adapted to the others
	encoderFolds  = 3   // the same, with an encoder
	adaptEpochs   = 5   // passes of parser and labels over trees and replay
	encoderEpochs = 3   // passes of the encoder
	encoderShare  = 1.5 // of what the encoder learned that is added, as a multiple of a share
	mostLost      = 0.2 // points of LAS that Home may lose
	mostUnsure    = 0.2 // points that the ECE of deprel_conf may rise by on Home
)

// shares are how much of what was learned is added to the old weights, the first one
// with which Home does not lose more than mostLost. Between old and new weights, most of
// the gain on new text comes early and most of the loss on old text late (Wortsman and
// others 2022).
var shares = []float64{0.5, 0.25, 0.125}

// Adapted is the result of Adapt.
type Adapted struct {
	Data  []byte // of the model's file
	About model.Adaptation
}

// Worse returns an error that says why the adapted model should not replace the old
// one, or nil.
func (a *Adapted) Worse() error {
	switch x := &a.About; {
	case x.After.LAS < x.Before.LAS:
		return fmt.Errorf("on your trees, the adapted model has a LAS of %.2f where the old one has %.2f: "+
			"check that they follow the conventions of the model, or correct more of them", x.After.LAS, x.Before.LAS)
	case x.HomeAfter != nil && x.HomeAfter.LAS < x.HomeBefore.LAS-mostLost:
		return fmt.Errorf("on the text that the model was made for, LAS falls from %.2f to %.2f, by more than %.1f: "+
			"your trees contradict what it has learned; check their conventions", x.HomeBefore.LAS, x.HomeAfter.LAS, mostLost)
	}
	return nil
}

// Adapt returns a model that has also learned from trees of another kind of text. It
// does not need the treebank of the model. Pruner, parser and labels go on learning, with
// tags by the model, and so does the encoder, with tags and FEATS of the trees; segmenter,
// tagger, lemmas, a small network and the factors stay. The calibrator is adapted if that
// makes probabilities better on the trees, measured as the gain is, and no worse on Home.
// There must be at least two trees, all complete, from files that the model has not learned
// from. The gain is measured by cross-validation: each fifth of the trees, or each third
// with an encoder, is parsed by a model adapted to the rest. The same model, trees and
// options give the same bytes; with an encoder, they may differ between kinds of processors.
func Adapt(from *model.Model, trees Treebank, o AdaptOptions) (*Adapted, error) {
	if o.Log == nil {
		o.Log = func(string, ...any) {}
	}
	o.Workers = cmp.Or(o.Workers, runtime.GOMAXPROCS(0))
	a := &adapter{AdaptOptions: o, from: from}
	if err := a.check(trees); err != nil {
		return nil, err
	}
	list, err := a.withFeats(trees.All())
	if err != nil {
		return nil, err
	}
	if v := pack.NewView(from.Sections); encode.Has(v, model.EncodeName) {
		if a.encoder, err = encode.Open(v, model.EncodeName); err != nil {
			return nil, err
		}
	}
	tuned, err := a.tune(list)
	if err != nil {
		return nil, err
	}
	about := model.Adaptation{From: from.Digest, Seed: o.Seed, Code: o.Code, Created: o.Created,
		Trees: append([]model.Data{trees.Data()}, moreOf(trees)...)}
	sections, home, err := a.learn(list, tuned, &about)
	if err != nil {
		return nil, err
	}
	var parsed []syntax.Sentence
	if about.Before, about.After, parsed, err = a.crossed(list, about.Share); err != nil {
		return nil, err
	}
	calibrator, err := a.calibrate(&about, list, parsed, home)
	if err != nil {
		return nil, err
	}
	if calibrator != nil && from.Info.Calibration != nil {
		sections = replaced(sections, model.CalibrateName+".", packedAs(model.CalibrateName, calibrator))
	}
	data, err := model.Encode(a.info(about, calibrator != nil), sections)
	return &Adapted{data, about}, err
}

// An adapter adapts a model.
type adapter struct {
	AdaptOptions
	from    *model.Model
	encoder *encode.Model // of from; nil if there is none
}

// info is the provenance of the adapted model.
func (a *adapter) info(about model.Adaptation, recalibrated bool) model.Info {
	info := a.from.Info
	info.Scores = nil // on dev, of the model without these trees
	info.Adapted = append(slices.Clone(info.Adapted), about)
	if c := info.Calibration; c != nil {
		fitted := *c
		fitted.Model = ""
		if recalibrated {
			fitted.Adapted = &about.Trees[0]
			fitted.Measured, fitted.Expected = nil, nil // of the old one
		}
		info.Calibration = &fitted
	}
	if e := info.Encoder; e != nil {
		alone := *e
		alone.Sparse, alone.Fast = "", nil
		info.Encoder = &alone
	}
	return info
}

// check refuses trees from which nothing can be learned, and says which relations cannot.
func (a *adapter) check(trees Treebank) error {
	if len(trees.All()) < 2 {
		return errors.New("at least 2 trees are needed: some to learn from, some to measure by")
	}
	words, unknown, such := 0, 0, ""
	for _, t := range append([]Treebank{trees}, trees.More...) {
		for i := range t.Sentences {
			s := &t.Sentences[i]
			if word, fault := syntax.CheckHeads(s.Words, false, false); word > 0 {
				return fmt.Errorf("%s: %w: correct the tree, or leave it out", place(t, s, word), fault)
			}
			for k := range s.Words {
				if w := &s.Words[k]; w.OpenRelation() || w.UPOS == "" {
					return fmt.Errorf("%s: word %d has no UPOS or no relation: complete the tree, or leave it out", place(t, s, k+1), k+1)
				} else if words++; !slices.Contains(a.from.Labeler.Relations(), w.GoldRelation()) {
					unknown, such = unknown+1, cmp.Or(such, w.GoldRelation())
				}
			}
		}
	}
	if unknown > 0 {
		a.Log("words with a relation that the model does not give, such as %s: %d of %d; it learns their heads alone", such, unknown, words)
	}
	return nil
}

// withFeats returns trees with the FEATS of the model if they have none: the encoder must
// not learn that there are none.
func (a *adapter) withFeats(trees []syntax.Sentence) ([]syntax.Sentence, error) {
	for w := range syntax.Words(trees) {
		if w.Feats != "" {
			return trees, nil
		}
	}
	parsed, err := a.parse(a.from, trees)
	if err != nil {
		return nil, err
	}
	trees = syntax.Clone(trees)
	for i := range trees {
		for k := range trees[i].Words {
			trees[i].Words[k].Feats = parsed[i].Words[k].Feats
		}
	}
	return trees, nil
}

// A tuned is an encoder that has learned from trees, and its heads.
type tuned struct {
	*encode.Params
	heads *encode.Heads
}

// tune lets the encoder learn from trees, with their tags. It returns nil if there is no
// encoder, or no sentence that is short enough for it. Replay would make it slower and home
// no better.
func (a *adapter) tune(trees []syntax.Sentence) (*tuned, error) {
	if a.encoder == nil {
		return nil, nil
	}
	list := encodable(oneRoot(trees), a.from.Words.Casing())
	for i := range list {
		list[i].Language = a.from.Info.Language
	}
	p, h := a.encoder.Floats()
	p, h, err := finetune.Adapt(p, h, list, finetune.Options{Seed: a.Seed, Epochs: encoderEpochs, Workers: a.Workers, Log: a.Log})
	if errors.Is(err, finetune.ErrNoSentence) {
		return nil, nil
	}
	return &tuned{p, h}, err
}

// share returns the encoder with a share of what it has learned, times encoderShare.
func (a *adapter) share(t *tuned, share float64) (*encode.Model, error) {
	p, h := a.encoder.Floats()
	learned := append(t.Tensors(), t.heads.Tensors()...)
	for i, x := range append(p.Tensors(), h.Tensors()...) {
		to := *x.Data
		for k, w := range *learned[i].Data {
			to[k] += float32(float32(share*encoderShare) * (w - to[k]))
		}
	}
	m, err := encode.Quantize(p, h)
	if err != nil {
		return nil, err
	}
	return m.WithStartsOf(a.encoder), nil
}

// learn returns the sections of the model adapted to trees, with the first share by which
// it does not lose too much on Home, or the last one; and Home as the old model and the
// adapted one parse it. It notes share and scores.
func (a *adapter) learn(trees []syntax.Sentence, tuned *tuned, about *model.Adaptation) (sections []pack.Section, home [2][]syntax.Sentence, err error) {
	for _, about.Share = range shares {
		var m *model.Model
		if m, sections, err = a.to(trees, tuned, about.Share); err != nil || len(a.Home) == 0 {
			break
		}
		if about.HomeBefore, about.HomeAfter, home, err = a.compare(a.Home, m); err != nil {
			break
		}
		a.Log("with a share of %g: LAS %.2f before and %.2f after at home", about.Share, about.HomeBefore.LAS, about.HomeAfter.LAS)
		if about.HomeAfter.LAS >= about.HomeBefore.LAS-mostLost {
			break
		}
	}
	return sections, home, err
}

// to returns the model adapted to trees, from which the encoder has learned unless tuned
// is nil, and its sections.
func (a *adapter) to(trees []syntax.Sentence, tuned *tuned, share float64) (*model.Model, []pack.Section, error) {
	list := oneRoot(slices.Concat(trees, a.Replay))
	list = slices.DeleteFunc(list, func(s syntax.Sentence) bool { return len(s.Words) > syntax.MaxWholeWords })
	err := eval.EachSentence(list, a.Workers, func(s *syntax.Sentence) error {
		a.from.Tagger.Tag(s, tag.Request{Retag: true})
		a.from.Pruner.Prune(s)
		prune.AddGold(s)
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	pruner := a.from.Pruner.Adapt(list, prune.Options{Seed: a.Seed, Workers: a.Workers, Share: share})
	parser, err := search.Train(a.from.Words, list, nil, search.TrainOptions{Seed: a.Seed, Workers: a.Workers,
		Epochs: adaptEpochs, From: a.from.Decoder, Share: share})
	if err != nil {
		return nil, nil, err
	}
	labels, err := label.Train(a.from.Words, list, nil, label.Options{Seed: a.Seed, Workers: a.Workers,
		Epochs: adaptEpochs, From: a.from.Labeler, Share: share})
	if err != nil {
		return nil, nil, err
	}
	sections := replaced(a.from.Sections, model.PruneName+".", packedAs(model.PruneName, pruner))
	sections = replaced(sections, model.ParseName+".", packedAs(model.ParseName, parser))
	sections = replaced(sections, model.LabelName+".", packedAs(model.LabelName, labels))
	c := *a.from
	c.Pruner, c.Decoder, c.Labeler = pruner, parser, labels
	if tuned == nil {
		return &c, sections, nil
	}
	encoder, err := a.share(tuned, share)
	if err != nil {
		return nil, nil, err
	}
	sections = replaced(sections, model.EncodeName+".", packedAs(model.EncodeName, encoder))
	return c.WithEncoder(encoder), sections, nil
}

// crossed measures the old model, and models adapted to all but one part of the trees, on
// the trees. Sentences that are next to each other stay together.
func (a *adapter) crossed(list []syntax.Sentence, share float64) (before, after model.Score, parsed []syntax.Sentence, err error) {
	folds := adaptFolds
	if a.encoder != nil {
		folds = encoderFolds
	}
	bounds := linear.Folds(list, min(folds, len(list)))
	if len(bounds) == 2 { // the last tree has most of the words
		bounds = []int{0, len(list) / 2, len(list)}
	}
	for f, lo := range bounds[:len(bounds)-1] {
		others := slices.Concat(list[:lo], list[bounds[f+1]:])
		tuned, err := a.tune(others)
		if err != nil {
			return before, after, nil, err
		}
		m, _, err := a.to(others, tuned, share)
		if err != nil {
			return before, after, nil, err
		}
		part, err := a.parse(m, list[lo:bounds[f+1]])
		if err != nil {
			return before, after, nil, err
		}
		parsed = append(parsed, part...)
		a.Log("part %d of %d is measured", f+1, len(bounds)-1)
	}
	old, err := a.parse(a.from, list)
	if err != nil {
		return before, after, nil, err
	}
	if before, err = scoreOf(list, old); err == nil {
		after, err = scoreOf(list, parsed)
	}
	return before, after, parsed, err
}

// compare measures the old model and a new one.
func (a *adapter) compare(gold []syntax.Sentence, m *model.Model) (before, after *model.Score, parsed [2][]syntax.Sentence, err error) {
	var scores [2]model.Score
	for k, m := range []*model.Model{a.from, m} {
		if parsed[k], err = a.parse(m, gold); err == nil {
			scores[k], err = scoreOf(gold, parsed[k])
		}
		if err != nil {
			return nil, nil, parsed, err
		}
	}
	return &scores[0], &scores[1], parsed, nil
}

// calibrate returns the calibrator adapted to the trees, which models that have not learned
// from them have parsed; nil if the old one is as good there, or the new one is worse on
// home, which the old model and the new one have parsed.
func (a *adapter) calibrate(about *model.Adaptation, gold, parsed []syntax.Sentence, home [2][]syntax.Sentence) (*calibrate.Model, error) {
	if a.from.Calibrator == nil {
		return nil, nil
	}
	c, before, after, err := eval.AdaptCalibrator(a.from.Calibrator, gold, parsed)
	if err != nil || c == nil {
		return nil, err
	}
	made := model.Recalibrated{Before: before, After: after}
	if home[0] != nil {
		if made.HomeBefore, err = eval.CalibratedECE(nil, a.Home, home[0]); err == nil {
			made.HomeAfter, err = eval.CalibratedECE(c, a.Home, home[1])
		}
		if err != nil {
			return nil, err
		}
	}
	a.Log("ECE of deprel_conf with an adapted calibrator: %.2f before and %.2f after, at home %.2f and %.2f", made.Before, made.After, made.HomeBefore, made.HomeAfter)
	if made.After >= made.Before || made.HomeAfter > made.HomeBefore+mostUnsure {
		return nil, nil
	}
	about.Calibrated = &made
	return c, nil
}

func (a *adapter) parse(m *model.Model, gold []syntax.Sentence) ([]syntax.Sentence, error) {
	return eval.Predict(m, search.Options{Seed: eval.SearchSeed}, gold, nil, eval.GoldTokens, a.Workers)
}

func scoreOf(gold, parsed []syntax.Sentence) (model.Score, error) {
	r, err := eval.Evaluate(gold, parsed)
	if err != nil {
		return model.Score{}, err
	}
	return eval.ScoreOf(eval.GoldTokens, r), nil
}
