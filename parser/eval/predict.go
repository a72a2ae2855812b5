package eval

import (
	"errors"
	"fmt"
	"math"
	"runtime"
	"runtime/debug"
	"slices"

	"github.com/treebeam/treebeam/model"
	"github.com/treebeam/treebeam/parser/linear"
	"github.com/treebeam/treebeam/parser/search"
	"github.com/treebeam/treebeam/parser/syntax"
)

// A Setting says which part of a gold file a prediction may see.
type Setting string

const (
	Raw        Setting = "raw"         // its text
	GoldTokens Setting = "gold-tokens" // its sentences and words
	GoldTags   Setting = "gold-tags"   // its words with UPOS, XPOS, FEATS and lemma
)

// Settings are all settings, in the order of reports.
var Settings = []Setting{Raw, GoldTokens, GoldTags}

// The defaults of the pipeline. With them, a prediction has the same trees as the
// pipeline.
const (
	DefaultMaxWords = 1000 // the length at which raw sentences are cut
	SearchSeed      = 1    // the seed of the search's random choices
)

// Predict parses the sentences of a gold file under a setting, with the given number of
// workers (0: GOMAXPROCS). If the model has an encoder, Predict uses it for all
// sentences. blocks is the raw text for Raw, in order. The result is in the order of
// the input, and gold does not change. Encoded sentences keep the dense scores of their
// arcs, which model.Model.Score reads.
func Predict(m *model.Model, o search.Options, gold []syntax.Sentence, blocks []string, setting Setting,
	workers int) ([]syntax.Sentence, error) {
	out, _, err := PredictAt(m, 1, o, gold, blocks, setting, workers)
	return out, err
}

// PredictAt is Predict at an effort from 0 to 1. A sentence keeps its parse without the
// encoder if the expected LAS is at least the effort. At 0 no sentence is
// encoded, at 1 all are. Efforts in between need a model that can choose
// (model.Model.CanChoose). PredictAt also returns the number of words in encoded
// sentences.
func PredictAt(m *model.Model, effort float64, o search.Options, gold []syntax.Sentence, blocks []string,
	setting Setting, workers int) (out []syntax.Sentence, encoded int, err error) {
	return predict(m, effort, gold, blocks, setting, workers,
		func(_ int, s *syntax.Sentence) error { return m.Parse(s, o) })
}

// predict is PredictAt with what parses a pruned sentence, given its number.
func predict(m *model.Model, effort float64, gold []syntax.Sentence, blocks []string, setting Setting, workers int,
	parse func(i int, s *syntax.Sentence) error) (out []syntax.Sentence, encoded int, err error) {
	switch choose := effort > 0 && effort < 1; {
	case !slices.Contains(Settings, setting):
		return nil, 0, fmt.Errorf("setting %q: want one of %v", setting, Settings)
	case choose && m.Encoder != nil && !m.CanChoose():
		return nil, 0, fmt.Errorf("effort %v: the model has no calibrator for parses without its encoder", effort)
	}
	out = syntax.Clone(gold)
	if setting == Raw {
		parts := make([][]syntax.Sentence, len(blocks))
		err := Each(len(blocks), workers, func(i int) error {
			segment := m.Segment
			if effort < 1 {
				segment = m.SegmentFast
			}
			parts[i] = segment(blocks[i], DefaultMaxWords)
			return nil
		})
		if err != nil {
			return nil, 0, err
		}
		out = slices.Concat(parts...)
	}
	errs, arcs, list := make([]error, len(out)), make([][]int32, len(out)), make([]*syntax.Sentence, len(out))
	for i := range out {
		list[i] = &out[i]
		Forget(list[i], setting != GoldTags)
	}
	e := model.Effort{
		Least: effort, Workers: workers,
		Parse: func(i int, s *syntax.Sentence) bool {
			errs[i] = guarded(func() error {
				if setting != GoldTags {
					m.Tag(s, true)
				}
				s.TagsGiven = setting == GoldTags
				m.Prune(s)
				return parse(i, s)
			})
			arcs[i] = s.Dense.Arcs
			return errs[i] == nil
		},
		Each: func(n int, _ func(i int) int, body func(i int)) {
			err = errors.Join(err, Each(n, workers, func(i int) error { body(i); return nil }))
		},
	}
	if m.Encodes() {
		e.Encode = func(_ []int, sents []*syntax.Sentence) { m.Encode(sents) }
	}
	encoded = e.Run(list)
	for i := range errs {
		out[i].Dense.Arcs = arcs[i]
		if errs[i] != nil {
			return nil, 0, fmt.Errorf("sentence %d (%s): %w", i+1, out[i].ID, errs[i])
		}
	}
	return out, encoded, err
}

// Offers parses a sentence from its words, and returns what each of them may have in its
// tree (model.Model.Offers). s does not change.
func Offers(m *model.Model, s *syntax.Sentence) (offers []model.Offers, err error) {
	_, _, err = predict(m, 1, []syntax.Sentence{*s}, nil, GoldTokens, 1, func(_ int, parsed *syntax.Sentence) (err error) {
		offers, err = m.Offers(parsed, s.Words, search.Options{Seed: SearchSeed})
		return err
	})
	return offers, err
}

// Forget removes the tree of a sentence and all results of the parser. If tags is true,
// it removes tags and lemmas too.
func Forget(s *syntax.Sentence, tags bool) {
	s.Candidates, s.Confidence, s.Dense, s.TagProb = syntax.Candidates{}, syntax.Confidence{}, syntax.Dense{}, nil
	for i := range s.Words {
		w := &s.Words[i]
		w.Head, w.Deprel, w.Deps = syntax.NoHead, "", ""
		if tags {
			w.Lemma, w.UPOS, w.XPOS, w.Feats = "", "", "", ""
		}
	}
}

// EachSentence calls run for every sentence, in place, with the given number of workers
// (0: GOMAXPROCS). It returns the error of the first sentence with one. A panic in run
// becomes an error with its stack.
func EachSentence(list []syntax.Sentence, workers int, run func(*syntax.Sentence) error) error {
	return Each(len(list), workers, func(i int) error {
		if err := guarded(func() error { return run(&list[i]) }); err != nil {
			return fmt.Errorf("sentence %d (%s): %w", i+1, list[i].ID, err)
		}
		return nil
	})
}

// Each calls run for 0..n-1, in any order, with the given number of workers (0:
// GOMAXPROCS), and returns the error of the lowest i with one. A panic in run becomes
// an error with its stack.
func Each(n, workers int, run func(i int) error) error {
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	errs := make([]error, n)
	linear.Parallel(n, workers, func(_, i int) { errs[i] = guarded(func() error { return run(i) }) })
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

func guarded(run func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("internal: %v\n%s", p, debug.Stack())
		}
	}()
	return run()
}

// percent is a share in percent, rounded to 0.01.
func percent(share float64) float64 { return math.Round(1e4*share) / 100 }

// ScoreOf returns the figures of a result for the provenance of a model.
func ScoreOf(setting Setting, r *Result) model.Score {
	f1 := func(m Metric) float64 { return percent(r.Scores[m].F1()) }
	return model.Score{
		Setting: string(setting),
		Tokens:  f1(Tokens), Sentences: f1(Sentences), Words: f1(Words),
		UPOS: f1(UPOS), XPOS: f1(XPOS), Feats: f1(UFeats), Lemmas: f1(Lemmas),
		UAS: f1(UAS), LAS: f1(LAS), CLAS: f1(CLAS),
	}
}
