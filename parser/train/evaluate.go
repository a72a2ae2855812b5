package train

import (
	"errors"
	"fmt"
	"math"

	"github.com/treebeam/treebeam/model"
	"github.com/treebeam/treebeam/parser/calibrate"
	"github.com/treebeam/treebeam/parser/eval"
	"github.com/treebeam/treebeam/parser/pack"
	"github.com/treebeam/treebeam/parser/search"
	"github.com/treebeam/treebeam/parser/syntax"
)

// An evaluation is what is learned of a finished model by parsing dev.
type evaluation struct {
	scores []model.Score
	// calibrator is nil if there was too little to fit it to.
	calibrator  *calibrate.Model
	calibration model.Calibration
}

// evaluate parses dev with the finished model under every setting that it
// can, scores it, and fits the calibrator.
func evaluate(info model.Info, sections []pack.Section, dev []syntax.Sentence, o phaseOptions) (e evaluation, err error) {
	info.Templates = pack.Templates
	m, err := model.New(&model.File{Info: info, Sections: sections})
	if err != nil {
		return e, err
	}
	for _, setting := range Settings {
		var blocks []string
		if setting == Raw {
			if o.Blocks == nil {
				continue
			}
			if blocks, err = o.Blocks(dev); err != nil {
				return e, fmt.Errorf("raw text of dev: %w", err)
			}
		}
		system, err := Predict(m, search.Options{Seed: SearchSeed}, dev, blocks, setting, o.Workers)
		if err != nil {
			return e, err
		}
		r, err := eval.Evaluate(dev, system)
		if err != nil {
			return e, fmt.Errorf("scoring dev, %s: %w", setting, err)
		}
		s := ScoreOf(setting, r)
		o.Log("dev, %s: sentences %.2f, words %.2f, UPOS %.2f, UAS %.2f, LAS %.2f", setting, s.Sentences, s.Words, s.UPOS, s.UAS, s.LAS)
		e.scores = append(e.scores, s)
		if setting != CalibrationSetting(info) {
			continue
		}
		e.calibrator, e.calibration, err = fitCalibrator(dev, system, setting)
		if errors.Is(err, calibrate.ErrTooFew) {
			o.Log("not calibrated, so head_conf, deprel_conf and tree_conf will be null: %v", err)
		} else if err != nil {
			return e, err
		}
		for _, r := range e.calibration.Measured {
			o.Log("calibration by halves of dev: %s (%s) ECE %.2f, AURC %.2f", r.Column, r.Of, r.ECE, r.AURC)
		}
	}
	return e, nil
}

// SearchSeed is the run seed of the search on dev, which is also the default
// of a run of the pipeline: both give the same trees.
const SearchSeed = 1

// Predict parses the sentences of a gold file under a setting with so many
// workers (0 is GOMAXPROCS). Raw text comes as blocks, in order. The result is
// in the order of the input, and nothing of gold is changed.
func Predict(m *model.Model, o search.Options, gold []syntax.Sentence, blocks []string, setting Setting, workers int) ([]syntax.Sentence, error) {
	return predict(m, func(s *syntax.Sentence) error { return m.Parse(s, o) }, gold, blocks, setting, workers)
}

// ScoreOf returns the figures of a result that a model's provenance keeps.
func ScoreOf(setting Setting, r *eval.Result) model.Score {
	f1 := func(m eval.Metric) float64 { return math.Round(1e4*r.Scores[m].F1()) / 100 }
	return model.Score{
		Setting: string(setting),
		Tokens:  f1(eval.Tokens), Sentences: f1(eval.Sentences), Words: f1(eval.Words),
		UPOS: f1(eval.UPOS), XPOS: f1(eval.XPOS), Feats: f1(eval.UFeats), Lemmas: f1(eval.Lemmas),
		UAS: f1(eval.UAS), LAS: f1(eval.LAS), CLAS: f1(eval.CLAS),
	}
}
