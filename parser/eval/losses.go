package eval

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/treebeam/treebeam/model"
	"github.com/treebeam/treebeam/parser/prune"
	"github.com/treebeam/treebeam/parser/search"
	"github.com/treebeam/treebeam/parser/syntax"
)

// A Stage is a stage of the parser to which FindLosses attributes errors. Its text is
// its name in tables and JSON.
type Stage string

// The stages, in the order of a parse.
const (
	SegmentationStage Stage = "segmentation" // tokens, words and sentences
	TaggingStage      Stage = "tags"         // UPOS, XPOS, FEATS and lemma
	PruningStage      Stage = "pruning"      // candidate heads
	SearchStage       Stage = "search"       // the tree, where gold scores higher than the tree found
	ModelStage        Stage = "model"        // the tree, where gold does not score higher
	LabelStage        Stage = "labels"       // the relation, of words whose head is right
)

// A Loss counts the words that one stage has lost.
type Loss struct {
	Stage Stage   `json:"stage"`
	LAS   float64 `json:"las_before"` // F1 of the stage's run, in which only the stages before it are gold
	Words int     `json:"words"`      // gold words
	Share float64 `json:"share"`      // of Words in all gold words: points of recall, in [0,1]
}

// A RelationLoss says which stages have lost the words of one gold relation.
type RelationLoss struct {
	Deprel string `json:"deprel"` // without subtype
	Gold   int    `json:"words"`
	Lost   int    `json:"lost"`
	Stages []int  `json:"by_stage"` // lost words, in the order of Losses.Stages
}

// Losses counts the words that a parse gets wrong, by the stage that has lost them.
type Losses struct {
	Gold   int            `json:"words"` // gold words
	Lost   int            `json:"lost"`  // gold words without their head and relation in the first run
	Stages []Loss         `json:"stages"`
	ByGold []RelationLoss `json:"by_relation"` // by descending number of lost words
}

// maxRelations bounds the table by relation.
const maxRelations = 100

// FindLosses says which stage has lost each word that system gets wrong. system is a
// prediction of m at this effort and setting. FindLosses parses the text again, each time with
// gold for one more stage: words and sentences; tags and lemmas; the gold head among the
// candidates of every word; the gold tree where it scores higher than the tree found (there,
// the search missed it); the gold tree everywhere. Words that are still wrong are lost by the
// labels.
//
// Gold trees cannot be given to sentences that are parsed in windows. Wrong heads in these
// sentences count as lost by pruning.
func FindLosses(m *model.Model, effort float64, o search.Options, gold, system []syntax.Sentence, setting Setting,
	workers int) (*Losses, error) {
	again := func(setting Setting, parse func(i int, s *syntax.Sentence) error) ([]syntax.Sentence, error) {
		out, _, err := predict(m, effort, gold, nil, setting, workers, parse)
		return out, err
	}
	once := func(_ int, s *syntax.Sentence) error { return m.Parse(s, o) }
	var runs []run
	var err error
	if setting == Raw {
		runs = append(runs, run{SegmentationStage, system})
		if system, err = again(GoldTokens, once); err != nil {
			return nil, err
		}
	}
	if setting != GoldTags {
		runs = append(runs, run{TaggingStage, system})
		if system, err = again(GoldTags, once); err != nil {
			return nil, err
		}
	}
	missed := make([]bool, len(gold)) // the search found a worse tree than gold
	kept, err := again(GoldTags, func(i int, s *syntax.Sentence) error {
		heads := gold[i].Heads()
		addHeads(s, heads)
		if err := m.Parse(s, o); err != nil {
			return err
		}
		best, reachable := m.Score(s, heads)
		got, _ := m.Score(s, s.Heads())
		missed[i] = reachable && best > got
		return nil
	})
	if err != nil {
		return nil, err
	}
	given, err := again(GoldTags, func(i int, s *syntax.Sentence) error {
		free := o
		if prune.Keep(s, gold[i].Heads()) == nil {
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
	return attribute(gold, append(runs, run{PruningStage, system}, run{SearchStage, kept}, run{ModelStage, found},
		run{LabelStage, given}))
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

// A run is a parse of the gold text in which gold replaces the stages before loses. So the
// stage loses has lost the words that are wrong in this run and right in all later runs.
type run struct {
	loses     Stage
	sentences []syntax.Sentence
}

// attribute finds the stage that has lost each word. The first run is the parse to explain.
// Each later run had gold for one more stage. A word is lost if the first run does not have
// its head and its relation, without subtype (LAS). It is lost by the stage of the last run
// that gets it wrong, because gold for that stage helps.
//
// A word that stays without its head until the end, because its gold tree could not be
// given to the parser, is lost by pruning.
func attribute(gold []syntax.Sentence, runs []run) (*Losses, error) {
	l := &Losses{Stages: make([]Loss, len(runs))}
	var last []int // by gold word: the last run that gets it wrong
	var first []bool
	pruning := slices.IndexFunc(runs, func(r run) bool { return r.loses == PruningStage })
	for k, run := range runs {
		g, s, err := align(gold, run.sentences)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", run.loses, err)
		}
		las, _ := scoreWords(g, s, all, sameArc)
		l.Stages[k] = Loss{Stage: run.loses, LAS: las.F1()}
		headed, right := judgeGold(g, s)
		if k == 0 {
			last, first = make([]int, len(right)), right
		}
		for i := range right {
			switch {
			case k == len(runs)-1 && !headed[i]:
				last[i] = pruning
			case !right[i]:
				last[i] = k
			}
		}
	}
	l.count(gold, first, last)
	return l, nil
}

// judgeGold says for every gold word whether system has its head, and whether it has the
// relation too.
func judgeGold(g, s *corpus) (headed, right []bool) {
	headed, right = make([]bool, len(g.words)), make([]bool, len(g.words))
	index := make(map[*word]int, len(g.words))
	for i := range g.words {
		index[&g.words[i]] = i
	}
	for i := range s.words {
		if w := &s.words[i]; w.gold != nil {
			headed[index[w.gold]], right[index[w.gold]] = sameHead(w.gold, w), sameArc(w.gold, w)
		}
	}
	return headed, right
}

// count adds up the stages of all words that the first run gets wrong.
func (l *Losses) count(gold []syntax.Sentence, right []bool, last []int) {
	by := map[string]*RelationLoss{}
	i := 0
	for k := range gold {
		for _, w := range gold[k].Words {
			name := syntax.Universal(w.Deprel)
			r := by[name]
			if r == nil {
				r = &RelationLoss{Deprel: name, Stages: make([]int, len(l.Stages))}
				by[name] = r
			}
			r.Gold++
			l.Gold++
			if !right[i] {
				l.Lost++
				r.Lost++
				r.Stages[last[i]]++
				l.Stages[last[i]].Words++
			}
			i++
		}
	}
	for k := range l.Stages {
		l.Stages[k].Share = ratio(l.Stages[k].Words, l.Gold)
	}
	for _, r := range by {
		if r.Lost > 0 {
			l.ByGold = append(l.ByGold, *r)
		}
	}
	slices.SortFunc(l.ByGold, func(a, b RelationLoss) int {
		return cmp.Or(cmp.Compare(b.Lost, a.Lost), cmp.Compare(a.Deprel, b.Deprel))
	})
	l.ByGold = l.ByGold[:min(len(l.ByGold), maxRelations)]
}

// Sizes of the tables of losses.
const (
	shownRelations = 10
	barWidth       = 40 // of the longest bar
)

// write writes the losses of each stage, with a bar, and the relations that lose most.
func (l *Losses) write(b *bytes.Buffer) {
	most := 1
	for _, s := range l.Stages {
		most = max(most, s.Words)
	}
	stages := [][]any{{"Points lost by", "Words", "% of all", "LAS before", plain("")}}
	head := []any{"Gold relation", "Words", "Lost"}
	for _, s := range l.Stages {
		stages = append(stages, []any{s.Stage, s.Words, s.Share, s.LAS,
			plain(strings.Repeat("█", (s.Words*barWidth+most/2)/most))})
		head = append(head, string(s.Stage))
	}
	writeTable(b, wide, append(stages, []any{"all", l.Lost, ratio(l.Lost, l.Gold), "", plain("")})...)
	relations := [][]any{head}
	for _, r := range l.ByGold[:min(len(l.ByGold), shownRelations)] {
		row := []any{r.Deprel, r.Gold, r.Lost}
		for _, n := range r.Stages {
			row = append(row, n)
		}
		relations = append(relations, row)
	}
	writeTable(b, wide, relations...)
}
