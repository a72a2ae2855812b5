package train

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/treebeam/treebeam/model"
	"github.com/treebeam/treebeam/parser/calibrate"
	"github.com/treebeam/treebeam/parser/eval"
	"github.com/treebeam/treebeam/parser/hash"
	"github.com/treebeam/treebeam/parser/pack"
	"github.com/treebeam/treebeam/parser/search"
	"github.com/treebeam/treebeam/parser/syntax"
)

// SearchSeed is the run seed of the search on dev, which is also the default
// of a run of the pipeline: both give the same trees.
const SearchSeed = 1

// An evaluation is what is learned of a finished model by parsing dev.
type evaluation struct {
	measured
	fast *measured // without the encoder; nil if there is none
}

// measured is what is learned of one way to parse dev.
type measured struct {
	scores []model.Score
	// calibrator is nil if there was too little to fit it to.
	calibrator  *calibrate.Model
	calibration model.Calibration
}

// about returns the calibrator's provenance, which dev is part of.
func (e *measured) about(dev Treebank) *model.Calibration {
	about := e.calibration
	about.Gold.File, about.Gold.SHA256 = dev.File, dev.SHA256
	return &about
}

// evaluate parses dev with the finished model under every setting that it
// can, scores it, and fits the calibrator; then all of it without the encoder,
// if there is one.
func evaluate(info model.Info, sections []pack.Section, dev []syntax.Sentence, j job) (e evaluation, err error) {
	info.Templates = pack.Templates
	m, err := model.New(&model.File{Info: info, Sections: sections})
	if err != nil {
		return e, err
	}
	if e.measured, err = measure(m, dev, "dev", j); err != nil || m.Encoder == nil {
		return e, err
	}
	sparse := *m
	sparse.Encoder = nil
	fast, err := measure(&sparse, dev, "dev without the encoder", j)
	e.fast = &fast
	return e, err
}

// measure is evaluate in one way.
func measure(m *model.Model, dev []syntax.Sentence, name string, j job) (e measured, err error) {
	for _, setting := range Settings {
		var blocks []string
		if setting == Raw {
			if j.Blocks == nil {
				continue
			}
			if blocks, err = j.Blocks(dev); err != nil {
				return e, fmt.Errorf("raw text of dev: %w", err)
			}
		}
		system, err := Predict(m, search.Options{Seed: SearchSeed}, dev, blocks, setting, j.Workers)
		if err != nil {
			return e, err
		}
		r, err := eval.Evaluate(dev, system)
		if err != nil {
			return e, fmt.Errorf("scoring %s, %s: %w", name, setting, err)
		}
		s := ScoreOf(setting, r)
		j.Log("%s, %s: sentences %.2f, words %.2f, UPOS %.2f, UAS %.2f, LAS %.2f", name, setting, s.Sentences, s.Words, s.UPOS, s.UAS, s.LAS)
		e.scores = append(e.scores, s)
		if setting != CalibrationSetting(m.Info) {
			continue
		}
		e.calibrator, e.calibration, err = fitCalibrator(dev, system, setting)
		if errors.Is(err, calibrate.ErrTooFew) {
			j.Log("not calibrated, so head_conf, deprel_conf and tree_conf will be null: %v", err)
		} else if err != nil {
			return e, err
		}
		for _, r := range e.calibration.Measured {
			j.Log("calibration by halves of dev: %s (%s) ECE %.2f, AURC %.2f", r.Column, r.Of, r.ECE, r.AURC)
		}
	}
	return e, nil
}

// percent is a share in percent, rounded to 0.01.
func percent(share float64) float64 { return math.Round(1e4*share) / 100 }

// ScoreOf returns the figures of a result that a model's provenance keeps.
func ScoreOf(setting Setting, r *eval.Result) model.Score {
	f1 := func(m eval.Metric) float64 { return percent(r.Scores[m].F1()) }
	return model.Score{
		Setting: string(setting),
		Tokens:  f1(eval.Tokens), Sentences: f1(eval.Sentences), Words: f1(eval.Words),
		UPOS: f1(eval.UPOS), XPOS: f1(eval.XPOS), Feats: f1(eval.UFeats), Lemmas: f1(eval.Lemmas),
		UAS: f1(eval.UAS), LAS: f1(eval.LAS), CLAS: f1(eval.CLAS),
	}
}

// CalibrationSetting returns the setting under which a model of such a
// provenance is calibrated: that which it was trained for.
func CalibrationSetting(info model.Info) Setting {
	if info.Options["gold-tags"] == "true" {
		return GoldTags
	}
	return GoldTokens
}

// Calibrate fits a calibrator to sentences with gold trees that the model has
// not learned from, as it parses their words under a setting, and measures
// what such fits are worth: each half of the sentences by a fit to the other
// half. The calibrator itself is fitted to all of them. workers changes
// nothing; 0 is GOMAXPROCS. It fails with calibrate.ErrTooFew if fewer than
// calibrate.MinSentences have marginals. about lacks what the caller knows of
// the files.
func Calibrate(m *model.Model, gold []syntax.Sentence, setting Setting, workers int) (c *calibrate.Model, about model.Calibration, err error) {
	parsed, err := Predict(m, search.Options{Seed: SearchSeed}, gold, nil, setting, workers)
	if err != nil {
		return nil, about, err
	}
	return fitCalibrator(gold, parsed, setting)
}

// fitCalibrator is Calibrate on sentences that are parsed already.
func fitCalibrator(gold, parsed []syntax.Sentence, setting Setting) (c *calibrate.Model, about model.Calibration, err error) {
	if c, err = calibrate.Fit(gold, parsed); err != nil {
		return nil, about, err
	}
	about = model.Calibration{Setting: string(setting), Gold: dataOf(Treebank{Sentences: gold})}
	about.Measured, err = measureFit(gold, parsed)
	return c, about, err
}

// measureFolds is how many folds are dealt out to the two halves in turn, so
// that genres that stand together come to both.
const measureFolds = 20

// measureFit calibrates each half by a fit to the other half, and measures
// both together. Nothing is measured if a half has too few sentences.
func measureFit(gold, parsed []syntax.Sentence) ([]model.Reliability, error) {
	bounds := hash.Folds(gold, measureFolds)
	work := slices.Clone(parsed)
	for half := range 2 {
		var g, p []syntax.Sentence
		for i := range gold {
			if hash.FoldOf(bounds, i)%2 == half {
				g, p = append(g, gold[i]), append(p, parsed[i])
			}
		}
		c, err := calibrate.Fit(g, p)
		if errors.Is(err, calibrate.ErrTooFew) {
			return nil, nil
		} else if err != nil {
			return nil, err
		}
		for i := range work {
			if hash.FoldOf(bounds, i)%2 != half {
				c.Apply(&work[i])
			}
		}
	}
	list, err := eval.Reliabilities(gold, work)
	if err != nil {
		return nil, fmt.Errorf("measuring the calibrator: %w", err)
	}
	var out []model.Reliability
	for _, r := range list {
		out = append(out, model.Reliability{Column: r.Column, Of: r.Of, Cases: r.Cases,
			Right: percent(float64(r.Right) / float64(r.Cases)), Mean: percent(r.Mean), ECE: percent(r.ECE), AURC: percent(r.AURC)})
	}
	return out, nil
}
