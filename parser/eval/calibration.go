package eval

import (
	"errors"
	"fmt"
	"slices"

	"golang.org/x/text/cases"
	"golang.org/x/text/language"

	"github.com/treebeam/treebeam/model"
	"github.com/treebeam/treebeam/parser/calibrate"
	"github.com/treebeam/treebeam/parser/linear"
	"github.com/treebeam/treebeam/parser/search"
	"github.com/treebeam/treebeam/parser/syntax"
	forms "github.com/treebeam/treebeam/parser/word"
)

// ways are the ways to parse the gold sentences from which a calibrator learns. So it learns
// the effect of given words and tags, and of text in a single case. Unusual ways have low
// weights.
var ways = []struct {
	name    string // of a Setting, or of the change of the text
	setting Setting
	recase  func(language.Tag, ...cases.Option) cases.Caser // nil leaves the forms
	weight  int32                                           // in sixteenths
}{
	{string(Raw), Raw, nil, 16},
	{string(GoldTokens), GoldTokens, nil, 16},
	{string(GoldTags), GoldTags, nil, 5},
	{"lower-case", Raw, cases.Lower, 3},
	{"upper-case", Raw, cases.Upper, 3},
}

// A parse holds gold sentences that were parsed in one way.
type parse struct {
	name   string
	weight int32
	gold   []syntax.Sentence // with the forms of the way
	system []syntax.Sentence
	judged []calibrate.Judgement
	parts  []part // of each sentence of system
}

// A part is a part of the treebank of a language.
type part struct {
	language string
	fold     int
}

// judge fills in judged and parts, which folds with the given bounds make of a treebank.
func (p *parse) judge(language string, bounds []int) (err error) {
	if p.judged, err = Judge(p.gold, p.system); err != nil {
		return fmt.Errorf("judging %s: %w", p.name, err)
	}
	for i := range p.judged {
		p.parts = append(p.parts, part{language, linear.FoldOf(bounds, p.judged[i].Sentence)})
	}
	return nil
}

// ParseOptions say how Measure and Recalibrate parse gold sentences.
type ParseOptions struct {
	Blocks  func([]syntax.Sentence) ([]string, error) // cuts them into blocks of raw text; nil: gold words only
	Workers int                                       // 0: GOMAXPROCS; the result does not depend on it
}

// A Bank is a treebank and the model that is to parse it.
type Bank struct {
	Name  string // for messages; the code of the language if there are several
	Model *model.Model
	Gold  []syntax.Sentence
}

// parsesOf parses the treebanks in all ways. The sentences of a way are those of the
// first treebank, then of the next.
func (o ParseOptions) parsesOf(banks []Bank) (all []parse, err error) {
	first := 0
	for _, b := range banks {
		list, err := o.parses(b)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", b.Name, err)
		}
		for k, p := range list {
			for i := range p.judged {
				p.judged[i].Sentence += first
			}
			if len(all) == k {
				all = append(all, p)
				continue
			}
			all[k].gold, all[k].system = append(all[k].gold, p.gold...), append(all[k].system, p.system...)
			all[k].judged, all[k].parts = append(all[k].judged, p.judged...), append(all[k].parts, p.parts...)
		}
		first += len(b.Gold)
	}
	return all, nil
}

// parses parses a treebank in all ways.
func (o ParseOptions) parses(b Bank) (list []parse, err error) {
	bounds := linear.Folds(b.Gold, measureFolds)
	for _, w := range ways {
		p := parse{name: w.name, weight: w.weight, gold: b.Gold}
		if w.recase != nil {
			p.gold = Recased(b.Gold, w.recase(LanguageOf(b.Gold)))
		}
		setting := w.setting
		var blocks []string
		if setting == Raw && o.Blocks == nil {
			if w.recase == nil {
				continue
			}
			setting = GoldTokens
		} else if setting == Raw {
			if blocks, err = o.Blocks(p.gold); err != nil {
				return nil, fmt.Errorf("raw text of dev: %w", err)
			}
		}
		if p.system, err = Predict(b.Model, search.Options{Seed: SearchSeed}, p.gold, blocks, setting, o.Workers); err != nil {
			return nil, err
		}
		for i := range p.system {
			p.system[i].Dense = syntax.Dense{} // it is large, and no longer needed
		}
		if err = p.judge(b.Name, bounds); err != nil {
			return nil, err
		}
		list = append(list, p)
	}
	return list, nil
}

// LanguageOf returns the language whose case rules fit a treebank: Turkish if it has
// the letter dotless ı, else Greek. The one special rule of Greek, capitals without
// accents, applies only to Greek letters.
func LanguageOf(gold []syntax.Sentence) language.Tag {
	if forms.LearnCasing(gold) {
		return language.Turkish
	}
	return language.Greek
}

// Recased returns copies of the sentences with their forms changed by to.
func Recased(list []syntax.Sentence, to cases.Caser) []syntax.Sentence {
	out := syntax.Clone(list)
	for i := range out {
		s := &out[i]
		for k := range s.Words {
			s.Words[k].Form = to.String(s.Words[k].Form)
		}
		s.MWTs = slices.Clone(s.MWTs)
		for k := range s.MWTs {
			s.MWTs[k].Form = to.String(s.MWTs[k].Form)
		}
	}
	return out
}

// Measured holds the results of parsing gold sentences with a model.
type Measured struct {
	Scores      [][]model.Score   // of each treebank
	Calibrator  *calibrate.Model  // nil if there were too few sentences to fit it to
	Calibration model.Calibration // lacks what the caller knows of the file
}

// Measure parses each treebank with its model, from raw text, words, and words with
// tags, and in lower and upper case. It scores the Settings, fits one calibrator to all
// parses, and logs the figures.
func Measure(banks []Bank, o ParseOptions, log func(format string, a ...any)) (e Measured, err error) {
	parses, err := o.parsesOf(banks)
	if err != nil {
		return e, err
	}
	var gold []syntax.Sentence
	at := make([]int, len(parses)) // the next sentence of each way
	for _, b := range banks {
		first := len(gold)
		gold = append(gold, b.Gold...)
		var scores []model.Score
		for k, p := range parses {
			from := at[k]
			for at[k] < len(p.judged) && p.judged[at[k]].Sentence < len(gold) {
				at[k]++
			}
			setting := Setting(p.name)
			if !slices.Contains(Settings, setting) {
				continue
			}
			r, err := Evaluate(gold[first:], p.system[from:at[k]])
			if err != nil {
				return e, fmt.Errorf("scoring %s, %s: %w", b.Name, setting, err)
			}
			s := ScoreOf(setting, r)
			log("%s, %s: sentences %.2f, words %.2f, UPOS %.2f, UAS %.2f, LAS %.2f", b.Name, setting, s.Sentences, s.Words,
				s.UPOS, s.UAS, s.LAS)
			scores = append(scores, s)
		}
		e.Scores = append(e.Scores, scores)
	}
	e.Calibrator, e.Calibration, err = fit(parses, calibrate.Fit)
	if errors.Is(err, calibrate.ErrTooFew) {
		log("not calibrated, so head_conf, deprel_conf, upos_conf and tree_conf will be null: %v", err)
		err = nil
	}
	for _, r := range e.Calibration.Measured {
		log("calibration by halves of dev, %s: %s (%s) ECE %.2f, AURC %.2f", r.Setting, r.Column, r.Of, r.ECE, r.AURC)
	}
	return e, err
}

// RecalibrateOptions are the options of Recalibrate.
type RecalibrateOptions struct {
	ParseOptions
	// Anew fits the calibrators to the sentences alone. Without it, a calibrator that
	// was fitted to more sentences is adapted.
	Anew bool
	// Alone makes a separate file for the calibrator, and leaves the calibrator for
	// parses without the encoder as it is.
	Alone bool
}

// Recalibrate fits the calibrators of a model to sentences with gold trees, or adapts
// the calibrators that it has. The model must not have learned from these sentences.
// They are parsed as by Measure. from describes their file.
//
// Recalibrate returns the file of the model with its new calibrators or, with Alone,
// the file of the calibrator. It also describes each new calibrator: first the one of
// the model, then the one for parses without the encoder, if it is new too. The figures
// are by cross-fitting: each half of the sentences is measured by a fit to the other
// half. The calibrators themselves are fitted to all sentences. Recalibrate fails with
// calibrate.ErrTooFew if fewer than calibrate.MinSentences sentences have signals.
func Recalibrate(m *model.Model, gold []syntax.Sentence, from model.Data, o RecalibrateOptions) (file []byte,
	about []model.Calibration, err error) {
	c, first, err := o.fit(m, gold, from)
	switch {
	case err != nil:
		return nil, nil, err
	case o.Alone:
		first.Model = m.Digest
		file, err = model.EncodeCalibrator(c, first)
		return file, []model.Calibration{first}, err
	case m.Encoder == nil:
		file, err = m.WithCalibrators(c, first, nil, model.Calibration{})
		return file, []model.Calibration{first}, err
	}
	sparse := *m
	sparse.Encoder, sparse.Calibrator, sparse.Info.Calibration = nil, m.FastCalibrator, m.Info.Encoder.FastCalibration
	fast, second, err := o.fit(&sparse, gold, from)
	if err != nil {
		return nil, nil, err
	}
	file, err = m.WithCalibrators(c, first, fast, second)
	return file, []model.Calibration{first, second}, err
}

// RecalibrateWorld fits one calibrator to treebanks of the languages of a world, whose models
// must not have learned from them, and returns its file. digest is the world's.
func RecalibrateWorld(banks []Bank, digest string, o ParseOptions) (file []byte, about model.Calibration, err error) {
	parses, err := o.parsesOf(banks)
	if err != nil {
		return nil, about, err
	}
	c, about, err := fit(parses, calibrate.Fit)
	if err != nil {
		return nil, about, err
	}
	about.Model, about.Gold = digest, DataOf(banks)
	file, err = model.EncodeCalibrator(c, about)
	return file, about, err
}

// DataOf counts what is in treebanks.
func DataOf(banks []Bank) (d model.Data) {
	for _, b := range banks {
		d.Sentences += len(b.Gold)
		d.Words += syntax.CountWords(b.Gold)
	}
	return d
}

// AdaptCalibrator adapts a calibrator to sentences that a model with it has parsed from
// their words. before is the ECE of deprel_conf with the calibrator, in percent, and after
// with fits to the half of the sentences that a sentence is not in. It is nil if the
// sentences are too few. parsed has the probabilities of these fits then.
func AdaptCalibrator(c *calibrate.Model, gold, parsed []syntax.Sentence) (adapted *calibrate.Model, before, after float64, err error) {
	if before, err = arcECE(gold, parsed); err != nil {
		return nil, 0, 0, err
	}
	p := parse{name: string(GoldTokens), weight: 16, gold: gold, system: parsed}
	if err = p.judge("", linear.Folds(gold, measureFolds)); err != nil {
		return nil, 0, 0, err
	}
	adapted, about, err := fit([]parse{p}, c.Adapt)
	if errors.Is(err, calibrate.ErrTooFew) || err == nil && len(about.Measured) == 0 {
		return nil, 0, 0, nil
	} else if err != nil {
		return nil, 0, 0, err
	}
	after, err = arcECE(gold, parsed)
	return adapted, before, after, err
}

// CalibratedECE is the ECE of deprel_conf of parsed sentences with another calibrator, in
// percent; nil leaves the probabilities that they have.
func CalibratedECE(c *calibrate.Model, gold, parsed []syntax.Sentence) (float64, error) {
	if c != nil {
		for i := range parsed {
			c.Apply(&parsed[i])
		}
	}
	return arcECE(gold, parsed)
}

// arcECE is the ECE of deprel_conf, in percent.
func arcECE(gold, parsed []syntax.Sentence) (float64, error) {
	list, err := Reliabilities(gold, parsed)
	if err != nil {
		return 0, err
	}
	for _, r := range list {
		if r.Column == "deprel_conf" {
			return percent(r.ECE), nil
		}
	}
	return 0, nil
}

// fit fits a calibrator to gold trees, or adapts the calibrator of the model.
func (o RecalibrateOptions) fit(m *model.Model, gold []syntax.Sentence, from model.Data) (c *calibrate.Model,
	about model.Calibration, err error) {
	if len(gold) < calibrate.MinSentences { // before they are parsed five times
		return nil, about, calibrate.TooFew(len(gold))
	}
	parses, err := o.parses(Bank{Model: m, Gold: gold})
	if err != nil {
		return nil, about, err
	}
	had := m.Info.Calibration
	if o.Anew || m.Calibrator == nil || had == nil || had.Gold.Sentences <= from.Sentences ||
		had.Gold.SHA256 == from.SHA256 {
		c, about, err = fit(parses, calibrate.Fit)
		about.Gold = from
		return c, about, err
	}
	c, about, err = fit(parses, m.Calibrator.Adapt)
	about.Gold, about.Adapted = had.Gold, &from
	return c, about, err
}

// fit fits a calibrator to gold sentences that are already parsed, and measures the quality
// of such fits.
func fit(parses []parse, by func([]calibrate.Example) (*calibrate.Model, error)) (c *calibrate.Model,
	about model.Calibration, err error) {
	all := func(int) bool { return true }
	if c, err = by(examplesOf(parses, all)); err == nil {
		err = measureHalves(&about, parses, by)
	}
	return c, about, err
}

// measureFolds is the number of folds that are dealt out to the two halves of a treebank in
// turn. So both halves get a part of each genre, even if a genre is in one place.
const measureFolds = 20

// examplesOf returns the sentences whose gold sentence is in a fold that keep
// accepts.
func examplesOf(parses []parse, keep func(fold int) bool) (list []calibrate.Example) {
	for _, p := range parses {
		for i, part := range p.parts {
			if keep(part.fold) {
				list = append(list, calibrate.Example{Sentence: &p.system[i], Right: &p.judged[i], Group: part.fold,
					Language: part.language, Weight: p.weight})
			}
		}
	}
	return list
}

// measureHalves calibrates each half by a fit to the other half, and measures
// both together, way by way. It measures nothing if a half has too few sentences.
func measureHalves(about *model.Calibration, parses []parse,
	by func([]calibrate.Example) (*calibrate.Model, error)) error {
	for half := range 2 {
		c, err := by(examplesOf(parses, func(fold int) bool { return fold%2 == half }))
		if errors.Is(err, calibrate.ErrTooFew) {
			return nil
		} else if err != nil {
			return err
		}
		of := map[string]*calibrate.Model{}
		for _, e := range examplesOf(parses, func(fold int) bool { return fold%2 != half }) {
			if of[e.Language] == nil {
				of[e.Language] = c.Of(e.Language)
			}
			of[e.Language].Apply(e.Sentence)
		}
	}
	for k := range parses {
		p := &parses[k]
		list, err := Reliabilities(p.gold, p.system)
		if err != nil {
			return fmt.Errorf("measuring the calibrator: %w", err)
		}
		for _, r := range list {
			given := p.name == string(GoldTags) && r.Column == "upos_conf"
			if !given && slices.Contains(measuredColumns, [2]string{r.Column, r.Of}) {
				about.Measured = append(about.Measured, model.Reliability{Setting: p.name, Column: r.Column, Of: r.Of, Cases: r.Cases,
					Right: percent(ratio(r.Right, r.Cases)), Mean: percent(r.Mean), ECE: percent(r.ECE), AURC: percent(r.AURC)})
			}
		}
		about.Expected = append(about.Expected, p.expectation()...)
	}
	return nil
}

// measuredColumns are the columns with figures in a provenance, each with its subject.
var measuredColumns = [][2]string{{"head_conf", "head"}, {"deprel_conf", "head+deprel"}, {"upos_conf", "UPOS"},
	{"tree_conf", "tree"}}

// expectation compares the expected number of right words with the true one.
func (p *parse) expectation() (out []model.Expectation) {
	var e syntax.Expected
	var right [3]int
	for i := range p.system {
		c, j := &p.system[i].Confidence, &p.judged[i]
		if c.Expected.Words == 0 {
			continue
		}
		e.Add(&c.Expected)
		for k, list := range [...][]bool{j.UPOS, j.Head, j.LAS} {
			for _, ok := range list {
				if ok {
					right[k]++
				}
			}
		}
	}
	if e.Words == 0 {
		return nil
	}
	for k, of := range e.Estimates() {
		share, deviation := of.Share(e.Words)
		out = append(out, model.Expectation{Setting: p.name, Of: string(expected[k]),
			Right:    percent(ratio(right[k], int(e.Words))),
			Expected: percent(share), Deviation: percent(deviation)})
	}
	return out
}
