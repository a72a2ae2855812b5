package train

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/treebeam/treebeam/model"
	"github.com/treebeam/treebeam/parser/calibrate"
	"github.com/treebeam/treebeam/parser/eval"
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

// measured is what is learned of one model that parses dev.
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

// measure is evaluate with or without the encoder.
func measure(m *model.Model, dev []syntax.Sentence, name string, j job) (e measured, err error) {
	parsed, err := parseWays(m, dev, CalibrateOptions{Blocks: j.Blocks, Workers: j.Workers})
	if err != nil {
		return e, err
	}
	for _, setting := range Settings {
		at := slices.IndexFunc(parsed, func(p parsedWay) bool { return p.name == string(setting) })
		if at < 0 {
			continue
		}
		r, err := eval.Evaluate(dev, parsed[at].system)
		if err != nil {
			return e, fmt.Errorf("scoring %s, %s: %w", name, setting, err)
		}
		s := ScoreOf(setting, r)
		j.Log("%s, %s: sentences %.2f, words %.2f, UPOS %.2f, UAS %.2f, LAS %.2f", name, setting, s.Sentences, s.Words, s.UPOS, s.UAS, s.LAS)
		e.scores = append(e.scores, s)
	}
	e.calibrator, e.calibration, err = fitCalibrator(dev, parsed, nil)
	if errors.Is(err, calibrate.ErrTooFew) {
		j.Log("not calibrated, so head_conf, deprel_conf, upos_conf and tree_conf will be null: %v", err)
		err = nil
	}
	for _, r := range e.calibration.Measured {
		j.Log("calibration by halves of dev, %s: %s (%s) ECE %.2f, AURC %.2f", r.Setting, r.Column, r.Of, r.ECE, r.AURC)
	}
	return e, err
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

// OwnSetting returns the setting that a model of such a provenance was trained
// for: GoldTags or GoldTokens.
func OwnSetting(info model.Info) Setting {
	if info.Options["gold-tags"] == "true" {
		return GoldTags
	}
	return GoldTokens
}

// Blame says what the errors of system come from: trees that the model has found for
// the gold words with these options (eval.Blame).
func Blame(m *model.Model, o search.Options, gold, system []syntax.Sentence) (*eval.TreeErrors, error) {
	score := m.Score
	if o.Projective { // trees with crossing arcs are none that the search can find
		score = func(s *syntax.Sentence, heads []int32) (int64, bool) {
			value, reachable := m.Score(s, heads)
			return value, reachable && !eval.Crosses(heads)
		}
	}
	return eval.Blame(gold, system, score)
}
