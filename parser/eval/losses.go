package eval

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/treebeam/treebeam/parser/syntax"
)

// A Stage is a stage of parsing that can lose a word's point. Its text is its name in
// tables and JSON.
type Stage string

// The stages, in the order of a parse.
const (
	SegmentationStage Stage = "segmentation" // tokens, words and sentences
	TaggingStage      Stage = "tags"         // UPOS, XPOS, FEATS and lemma
	PruningStage      Stage = "pruning"      // candidate heads
	SearchStage       Stage = "search"       // the tree, where gold scores higher than what was found
	ModelStage        Stage = "model"        // the tree, where it does not
	LabelStage        Stage = "labels"       // the relation, of words whose head is right
)

// A Run is a parse of the gold text in which the stages before Loses were replaced by
// gold. So what is wrong in it, and right in all runs after it, is what Loses lost.
type Run struct {
	Loses     Stage
	Sentences []syntax.Sentence
}

// A Loss is what one stage has lost.
type Loss struct {
	Stage Stage   `json:"stage"`
	LAS   float64 `json:"las_before"` // F1 of the stage's run: all stages before it are gold, it is not
	Words int     `json:"words"`      // gold words
	Share float64 `json:"share"`      // Words of all gold words: points of recall, in [0,1]
}

// A RelationLoss says which stages have lost the words of one gold relation.
type RelationLoss struct {
	Deprel string `json:"deprel"` // without subtype
	Gold   int    `json:"words"`
	Lost   int    `json:"lost"`
	Stages []int  `json:"by_stage"` // lost words, in the order of Losses.Stages
}

// Losses divides the words that a parse gets wrong by the stage that has lost them.
type Losses struct {
	Gold   int            `json:"words"` // gold words
	Lost   int            `json:"lost"`  // those without their head and relation in the first run
	Stages []Loss         `json:"stages"`
	ByGold []RelationLoss `json:"by_relation"` // most lost words first
}

// maxRelations bounds the table by relation.
const maxRelations = 100

// Attribute finds the stage that has lost each word. The first run is the parse to be
// explained; each later one had gold for one stage more. A word is lost if the first run
// has not its head and its relation, without subtype (LAS). It is lost by the stage of the last
// run that gets it wrong: from there on, gold for the stages before helps.
//
// A word that stays without its head until the end, because its gold tree could not be
// given to the parser, is lost by pruning if that is a stage, else by the last one.
func Attribute(gold []syntax.Sentence, runs []Run) (*Losses, error) {
	if len(runs) == 0 {
		return nil, fmt.Errorf("no runs")
	}
	l := &Losses{Stages: make([]Loss, len(runs))}
	var last []int // by gold word: the last run that gets it wrong
	var first []bool
	pruning := slices.IndexFunc(runs, func(r Run) bool { return r.Loses == PruningStage })
	for k, run := range runs {
		g, s, err := align(gold, run.Sentences)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", run.Loses, err)
		}
		las, _ := scoreWords(g, s, all, sameArc)
		l.Stages[k] = Loss{Stage: run.Loses, LAS: las.F1()}
		headed, right := judgeGold(g, s)
		if k == 0 {
			last, first = make([]int, len(right)), right
		}
		for i := range right {
			switch {
			case k == len(runs)-1 && !headed[i] && pruning >= 0:
				last[i] = pruning
			case !right[i]:
				last[i] = k
			}
		}
	}
	l.count(gold, first, last)
	return l, nil
}

// judgeGold says of every gold word whether system has its head, and its relation too.
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

// write writes what each stage has lost, with a bar, and the relations that lose most.
func (l *Losses) write(b *bytes.Buffer) {
	most := 1
	for _, s := range l.Stages {
		most = max(most, s.Words)
	}
	fmt.Fprintf(b, "\n%-*s|%10s |%10s |%11s |\n", wide, "Points lost by", "Words", "% of all", "LAS before")
	fmt.Fprintf(b, "%s+-----------+-----------+------------+%s\n", strings.Repeat("-", wide), strings.Repeat("-", barWidth))
	for _, s := range l.Stages {
		fmt.Fprintf(b, "%-*s|%10d |%10.2f |%11.2f |%s\n", wide, s.Stage, s.Words, 100*s.Share, 100*s.LAS, strings.Repeat("█", (s.Words*barWidth+most/2)/most))
	}
	fmt.Fprintf(b, "%-*s|%10d |%10.2f |%11s |\n", wide, "all", l.Lost, 100*ratio(l.Lost, l.Gold), "")
	fmt.Fprintf(b, "\n%-*s|%8s |%8s |", wide, "Gold relation", "Words", "Lost")
	for _, s := range l.Stages {
		fmt.Fprintf(b, "%13s", s.Stage)
	}
	b.WriteByte('\n')
	for _, r := range l.ByGold[:min(len(l.ByGold), shownRelations)] {
		fmt.Fprintf(b, "%-*s|%8d |%8d |", wide, r.Deprel, r.Gold, r.Lost)
		for _, n := range r.Stages {
			fmt.Fprintf(b, "%13d", n)
		}
		b.WriteByte('\n')
	}
}
