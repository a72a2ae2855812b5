package train

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"golang.org/x/text/cases"
	"golang.org/x/text/language"

	"github.com/treebeam/treebeam/model"
	"github.com/treebeam/treebeam/parser/calibrate"
	"github.com/treebeam/treebeam/parser/eval"
	"github.com/treebeam/treebeam/parser/hash"
	"github.com/treebeam/treebeam/parser/search"
	"github.com/treebeam/treebeam/parser/syntax"
	"github.com/treebeam/treebeam/parser/word"
)

// ways are the ways to parse gold sentences that a calibrator learns from, so
// that it knows what to make of words and tags that were given, and of text
// in one case. Those that nobody would call usual count little.
var ways = []struct {
	name    string // of a Setting, or of what is done to the text
	setting Setting
	change  func(language.Tag, ...cases.Option) cases.Caser // of forms; nil leaves them
	weight  int32                                           // in sixteenths
}{
	{string(Raw), Raw, nil, 16},
	{string(GoldTokens), GoldTokens, nil, 16},
	{string(GoldTags), GoldTags, nil, 5},
	{"lower-case", Raw, cases.Lower, 3},
	{"upper-case", Raw, cases.Upper, 3},
}

// A parsedWay holds gold sentences that were parsed in one way.
type parsedWay struct {
	name   string
	weight int32
	gold   []syntax.Sentence // with the forms of the way
	system []syntax.Sentence
	judged []syntax.Judgement
}

// CalibrateOptions say how gold sentences are parsed for a calibrator.
type CalibrateOptions struct {
	Blocks  func([]syntax.Sentence) ([]string, error) // as in Options; nil: gold words only
	Workers int                                       // 0 is GOMAXPROCS; changes nothing
	From    *calibrate.Model                          // if set, it is adapted (calibrate.Model.Adapt), and none fitted anew
}

// Calibrate fits a calibrator to sentences with gold trees that the model has
// not learned from, as it parses them from raw text, from their words, from
// their words and tags, and in small and in capital letters. It measures what such fits
// are worth: each half of the sentences by a fit to the other half. The
// calibrator itself is fitted to all of them. It fails with
// calibrate.ErrTooFew if fewer than calibrate.MinSentences have signals.
// about lacks what the caller knows of the files.
func Calibrate(m *model.Model, gold []syntax.Sentence, o CalibrateOptions) (c *calibrate.Model, about model.Calibration, err error) {
	if len(gold) < calibrate.MinSentences { // before they are parsed five times
		return nil, about, calibrate.TooFew(len(gold))
	}
	parsed, err := parseWays(m, gold, o)
	if err != nil {
		return nil, about, err
	}
	return fitCalibrator(gold, parsed, o.From)
}

// parseWays parses gold sentences in all ways.
func parseWays(m *model.Model, gold []syntax.Sentence, o CalibrateOptions) (list []parsedWay, err error) {
	for _, w := range ways {
		p := parsedWay{name: w.name, weight: w.weight, gold: gold}
		if w.change != nil {
			p.gold = changed(gold, w.change(languageOf(gold)).String)
		}
		setting := w.setting
		var blocks []string
		if setting == Raw && o.Blocks == nil {
			if w.change == nil {
				continue
			}
			setting = GoldTokens
		} else if setting == Raw {
			if blocks, err = o.Blocks(p.gold); err != nil {
				return nil, fmt.Errorf("raw text of dev: %w", err)
			}
		}
		if p.system, err = Predict(m, search.Options{Seed: SearchSeed}, p.gold, blocks, setting, o.Workers); err != nil {
			return nil, err
		}
		for i := range p.system {
			p.system[i].Dense = syntax.Dense{} // much, and not needed any more
		}
		if p.judged, err = eval.Judge(p.gold, p.system); err != nil {
			return nil, fmt.Errorf("judging %s: %w", w.name, err)
		}
		list = append(list, p)
	}
	return list, nil
}

// languageOf returns the language by whose rules letters change their case: that
// of Turkish if dotless ı is one, else that of Greek, whose rule that capitals
// have no accents is for Greek letters only.
func languageOf(gold []syntax.Sentence) language.Tag {
	if word.LearnCasing(gold) {
		return language.Turkish
	}
	return language.Greek
}

// changed returns gold sentences with other forms.
func changed(gold []syntax.Sentence, change func(string) string) []syntax.Sentence {
	out := syntax.Clone(gold)
	for i := range out {
		s := &out[i]
		for k := range s.Words {
			s.Words[k].Form = change(s.Words[k].Form)
		}
		s.MWTs = slices.Clone(s.MWTs)
		for k := range s.MWTs {
			s.MWTs[k].Form = change(s.MWTs[k].Form)
		}
	}
	return out
}

// fitCalibrator is Calibrate on sentences that are parsed already.
func fitCalibrator(gold []syntax.Sentence, parsed []parsedWay, from *calibrate.Model) (c *calibrate.Model, about model.Calibration, err error) {
	fit := calibrate.Fit
	if from != nil {
		fit = from.Adapt
	}
	bounds := hash.Folds(gold, measureFolds)
	all := func(int) bool { return true }
	if c, err = fit(examplesOf(parsed, bounds, all)); err != nil {
		return nil, about, err
	}
	about = model.Calibration{Gold: dataOf(Treebank{Sentences: gold})}
	err = measureFit(&about, parsed, bounds, fit)
	return c, about, err
}

// measureFolds is how many folds are dealt out to the two halves in turn, so
// that genres that stand together come to both.
const measureFolds = 20

// examplesOf returns the sentences whose gold sentence is in a fold that keep
// accepts.
func examplesOf(parsed []parsedWay, bounds []int, keep func(fold int) bool) (list []calibrate.Example) {
	for k := range parsed {
		p := &parsed[k]
		for i := range p.system {
			if fold := hash.FoldOf(bounds, p.judged[i].Sentence); keep(fold) {
				list = append(list, calibrate.Example{Sentence: &p.system[i], Right: &p.judged[i], Group: fold, Weight: p.weight})
			}
		}
	}
	return list
}

// measureFit calibrates each half by a fit to the other half, and measures
// both together, way by way. Nothing is measured if a half has too few
// sentences.
func measureFit(about *model.Calibration, parsed []parsedWay, bounds []int, fit func([]calibrate.Example) (*calibrate.Model, error)) error {
	for half := range 2 {
		c, err := fit(examplesOf(parsed, bounds, func(fold int) bool { return fold%2 == half }))
		if errors.Is(err, calibrate.ErrTooFew) {
			return nil
		} else if err != nil {
			return err
		}
		for _, e := range examplesOf(parsed, bounds, func(fold int) bool { return fold%2 != half }) {
			c.Apply(e.Sentence)
		}
	}
	for k := range parsed {
		p := &parsed[k]
		list, err := eval.Reliabilities(p.gold, p.system)
		if err != nil {
			return fmt.Errorf("measuring the calibrator: %w", err)
		}
		for _, r := range list {
			given := p.name == string(GoldTags) && r.Column == "upos_conf"
			if !given && slices.Contains(measuredColumns, [2]string{r.Column, r.Of}) {
				about.Measured = append(about.Measured, model.Reliability{Setting: p.name, Column: r.Column, Of: r.Of, Cases: r.Cases,
					Right: percent(float64(r.Right) / float64(r.Cases)), Mean: percent(r.Mean), ECE: percent(r.ECE), AURC: percent(r.AURC)})
			}
		}
		about.Expected = append(about.Expected, expectation(p)...)
	}
	return nil
}

// measuredColumns are those that a provenance has figures of, with what
// they are of.
var measuredColumns = [][2]string{{"head_conf", "head"}, {"deprel_conf", "head+deprel"}, {"upos_conf", "UPOS"}, {"tree_conf", "tree"}}

// expectation compares what is expected of all words together with what is true.
func expectation(p *parsedWay) (out []model.Expectation) {
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
	n := float64(e.Words)
	for k, x := range [...]syntax.Estimate{e.UPOS, e.UAS, e.LAS} {
		if n > 0 {
			out = append(out, model.Expectation{Setting: p.name, Of: [...]string{"UPOS", "UAS", "LAS"}[k], Right: percent(float64(right[k]) / n),
				Expected: percent(float64(x.Right) / 4096 / n), Deviation: percent(math.Sqrt(float64(x.Variance)/4096) / n)})
		}
	}
	return out
}
