package train

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"

	"github.com/treebeam/treebeam/model"
	"github.com/treebeam/treebeam/parser/linear"
	"github.com/treebeam/treebeam/parser/search"
	"github.com/treebeam/treebeam/parser/syntax"
)

// A Setting says what of a gold file a prediction may see.
type Setting string

const (
	Raw        Setting = "raw"         // its text
	GoldTokens Setting = "gold-tokens" // its sentences and words
	GoldTags   Setting = "gold-tags"   // its words with UPOS, XPOS, FEATS and lemma
)

// Settings are all of them, in the order of reports.
var Settings = []Setting{Raw, GoldTokens, GoldTags}

// DefaultMaxWords is the length at which raw sentences are cut, as in a run
// of the pipeline.
const DefaultMaxWords = 1000

// Predict parses the sentences of a gold file under a setting with so many
// workers (0 is GOMAXPROCS). Raw text comes as blocks, in order. The result is
// in the order of the input, and nothing of gold is changed.
func Predict(m *model.Model, o search.Options, gold []syntax.Sentence, blocks []string, setting Setting, workers int) ([]syntax.Sentence, error) {
	if !slices.Contains(Settings, setting) {
		return nil, fmt.Errorf("setting %q: want one of %v", setting, Settings)
	}
	out := syntax.Clone(gold)
	if setting == Raw {
		parts := make([][]syntax.Sentence, len(blocks))
		if err := parallel(len(blocks), workers, func(i int) error {
			parts[i] = m.Segment(blocks[i], DefaultMaxWords)
			return nil
		}); err != nil {
			return nil, err
		}
		out = slices.Concat(parts...)
	}
	return out, forEach(out, workers, func(s *syntax.Sentence) error {
		forget(s, setting != GoldTags)
		if setting != GoldTags {
			m.Tag(s, true)
		}
		m.Prune(s)
		return m.Parse(s, o)
	})
}

// forget removes the tree, and the tags and lemmas too if asked.
func forget(s *syntax.Sentence, tags bool) {
	s.Candidates, s.Confidence = syntax.Candidates{}, syntax.Confidence{}
	for i := range s.Words {
		w := &s.Words[i]
		w.Head, w.Deprel, w.Deps = syntax.NoHead, "", ""
		if tags {
			w.Lemma, w.UPOS, w.XPOS, w.Feats = "", "", "", ""
		}
	}
}

// forEach runs a stage over all sentences in place with so many workers (0 is
// GOMAXPROCS). The error is that of the first sentence that has one; a panic
// of the stage is one too.
func forEach(sents []syntax.Sentence, workers int, run stage) error {
	return parallel(len(sents), workers, func(i int) error {
		if err := guarded(func() error { return run(&sents[i]) }); err != nil {
			return fmt.Errorf("sentence %d (%s): %w", i+1, sents[i].ID, err)
		}
		return nil
	})
}

// parallel calls run for 0..n-1, in any order, and returns the error of the
// lowest i.
func parallel(n, workers int, run func(i int) error) error {
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

// guarded returns the error of run; a panic is one, with its stack.
func guarded(run func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("internal: %v\n%s", p, debug.Stack())
		}
	}()
	return run()
}
