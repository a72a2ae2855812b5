package train

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/treebeam/treebeam/model"
	"github.com/treebeam/treebeam/parser/calibrate"
	"github.com/treebeam/treebeam/parser/eval"
	"github.com/treebeam/treebeam/parser/search"
	"github.com/treebeam/treebeam/parser/syntax"
)

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
// what such fits are worth: each half of the sentences, cut between documents,
// by a fit to the other half. The calibrator itself is fitted to all of them.
// workers changes nothing; 0 is GOMAXPROCS. It fails with calibrate.ErrTooFew if
// fewer than calibrate.MinSentences have marginals. about lacks what the caller knows of
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

// measureFit calibrates each half by a fit to the other half, and measures
// both together. Nothing is measured if a half has too few sentences.
func measureFit(gold, parsed []syntax.Sentence) ([]model.Reliability, error) {
	side := halves(gold)
	work := append([]syntax.Sentence(nil), parsed...)
	for s := range 2 {
		var g, p []syntax.Sentence
		for i := range gold {
			if side[i] == s {
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
			if side[i] != s {
				c.Apply(&work[i])
			}
		}
	}
	list, err := eval.Reliabilities(gold, work)
	if err != nil {
		return nil, fmt.Errorf("measuring the calibrator: %w", err)
	}
	percent := func(x float64) float64 { return math.Round(1e4*x) / 100 }
	var out []model.Reliability
	for _, r := range list {
		out = append(out, model.Reliability{Column: r.Column, Of: r.Of, Cases: r.Cases,
			Right: percent(float64(r.Right) / float64(r.Cases)), Mean: percent(r.Mean), ECE: percent(r.ECE), AURC: percent(r.AURC)})
	}
	return out, nil
}

// halves says of every sentence to which half it belongs, 0 or 1. A document
// (# newdoc) goes whole to the half with fewer words so far; where one holds
// most of the words, the treebank is cut in its middle.
func halves(sents []syntax.Sentence) []int {
	side := make([]int, len(sents))
	var docs []int // where each begins
	total := 0
	for i := range sents {
		if i == 0 || beginsDocument(&sents[i]) {
			docs = append(docs, i)
		}
		total += len(sents[i].Words)
	}
	docs = append(docs, len(sents))
	var words [2]int
	for d := 0; d+1 < len(docs); d++ {
		s, n := 0, 0
		if words[1] < words[0] {
			s = 1
		}
		for i := docs[d]; i < docs[d+1]; i++ {
			side[i] = s
			n += len(sents[i].Words)
		}
		words[s] += n
	}
	if 3*min(words[0], words[1]) >= total {
		return side
	}
	before := 0
	for i := range sents {
		n := len(sents[i].Words)
		side[i] = 0
		if 2*before+n > total {
			side[i] = 1
		}
		before += n
	}
	return side
}

func beginsDocument(s *syntax.Sentence) bool {
	for _, c := range s.Comments {
		if c == "# newdoc" || strings.HasPrefix(c, "# newdoc ") {
			return true
		}
	}
	return false
}
