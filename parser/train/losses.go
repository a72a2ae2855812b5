package train

import (
	"slices"

	"github.com/treebeam/treebeam/model"
	"github.com/treebeam/treebeam/parser/eval"
	"github.com/treebeam/treebeam/parser/prune"
	"github.com/treebeam/treebeam/parser/search"
	"github.com/treebeam/treebeam/parser/syntax"
)

// Losses says which stage has lost each word that system, a prediction of m at this
// effort and setting, gets wrong. It parses the text again with gold for one stage more
// each time: words and sentences; tags and lemmas; the gold head among the candidates of
// every word; the gold tree where it scores higher than the tree found (there, the search
// missed it); the gold tree everywhere. What is wrong then is for the labels to answer.
//
// Gold trees cannot be given to sentences that are parsed in windows: heads that are wrong in
// these count as lost by pruning, as do crossing arcs under o.Projective.
func Losses(m *model.Model, effort float64, o search.Options, gold, system []syntax.Sentence, setting Setting, workers int) (*eval.Losses, error) {
	run := func(setting Setting, parse func(i int, s *syntax.Sentence) error) ([]syntax.Sentence, error) {
		out, _, err := predict(m, effort, gold, nil, setting, workers, parse)
		return out, err
	}
	plain := func(_ int, s *syntax.Sentence) error { return m.Parse(s, o) }
	var runs []eval.Run
	if setting == Raw {
		runs = append(runs, eval.Run{Loses: eval.SegmentationStage, Sentences: system})
		var err error
		if system, err = run(GoldTokens, plain); err != nil {
			return nil, err
		}
	}
	if setting != GoldTags {
		runs = append(runs, eval.Run{Loses: eval.TaggingStage, Sentences: system})
		var err error
		if system, err = run(GoldTags, plain); err != nil {
			return nil, err
		}
	}
	runs = append(runs, eval.Run{Loses: eval.PruningStage, Sentences: system})

	heads := make([][]int32, len(gold))
	for i := range gold {
		for _, w := range gold[i].Words {
			heads[i] = append(heads[i], w.Head)
		}
	}
	missed := make([]bool, len(gold)) // the search has found a worse tree than gold
	kept, err := run(GoldTags, func(i int, s *syntax.Sentence) error {
		addHeads(s, heads[i])
		free := o
		free.Projective = o.Projective && !eval.Crosses(heads[i])
		if err := m.Parse(s, free); err != nil {
			return err
		}
		best, reachable := m.Score(s, heads[i])
		found := make([]int32, len(s.Words))
		for k := range found {
			found[k] = s.Words[k].Head
		}
		got, _ := m.Score(s, found)
		missed[i] = reachable && best > got
		return nil
	})
	if err != nil {
		return nil, err
	}
	runs = append(runs, eval.Run{Loses: eval.SearchStage, Sentences: kept})

	given, err := run(GoldTags, func(i int, s *syntax.Sentence) error {
		free := o
		if prune.Keep(s, heads[i]) == nil {
			free.Projective = false
		}
		return m.Parse(s, free)
	})
	if err != nil {
		return nil, err
	}
	found := slices.Clone(kept)
	for i, missed := range missed {
		if missed {
			found[i] = given[i]
		}
	}
	runs = append(runs, eval.Run{Loses: eval.ModelStage, Sentences: found}, eval.Run{Loses: eval.LabelStage, Sentences: given})
	return eval.Attribute(gold, runs)
}

// addHeads makes the heads candidates of their words (prune.AddGold).
func addHeads(s *syntax.Sentence, heads []int32) {
	c := *s
	c.Words = slices.Clone(s.Words)
	for i, h := range heads {
		c.Words[i].Head = h
	}
	prune.AddGold(&c)
	s.Candidates = c.Candidates
}
