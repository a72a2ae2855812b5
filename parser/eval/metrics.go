package eval

import (
	"slices"

	"github.com/treebeam/treebeam/parser/syntax"
)

// sameHead reports whether a system word has the head of its gold word.
func sameHead(g, s *word) bool {
	return g.parent != nil && s.parent != nil && s.parent.gold == g.parent
}

func sameArc(g, s *word) bool { return sameHead(g, s) && g.deprel == s.deprel }

func sameFull(g, s *word) bool { return sameHead(g, s) && g.Deprel == s.Deprel }

func sameTags(g, s *word) bool { return g.UPOS == s.UPOS && g.feats == s.feats }

func sameLemma(g, s *word) bool { return g.Lemma == "" || g.Lemma == "_" || g.Lemma == s.Lemma }

// sameChildren compares the functional modifiers, in order: the words, their deprels and
// their tags.
func sameChildren(g, s *word) bool {
	return slices.EqualFunc(g.children, s.children, func(g, s *word) bool {
		return s.gold == g && g.deprel == s.deprel && sameTags(g, s)
	})
}

func all(*word) bool { return true }

func content(w *word) bool { return slices.Contains(contentDeprels, w.deprel) }

func punct(w *word) bool { return isPunctuation(w.Form) }

func noPunct(w *word) bool { return !punct(w) }

// wordMetrics are the metrics over aligned words. A metric counts the words that over accepts;
// for a pair, over looks at the gold word. A pair is correct if same says so.
var wordMetrics = []struct {
	metric Metric
	over   func(*word) bool
	same   func(g, s *word) bool
}{
	{Words, all, func(g, s *word) bool { return true }},
	{UPOS, all, func(g, s *word) bool { return g.UPOS == s.UPOS }},
	{XPOS, all, func(g, s *word) bool { return g.XPOS == s.XPOS }},
	{UFeats, all, func(g, s *word) bool { return g.feats == s.feats }},
	{AllTags, all, func(g, s *word) bool { return sameTags(g, s) && g.XPOS == s.XPOS }},
	{Lemmas, all, sameLemma},
	{UAS, all, sameHead},
	{LAS, all, sameArc},
	{CLAS, content, sameArc},
	{MLAS, content, func(g, s *word) bool { return sameArc(g, s) && sameTags(g, s) && sameChildren(g, s) }},
	{BLEX, content, func(g, s *word) bool { return sameArc(g, s) && sameLemma(g, s) }},
	{LASFull, all, sameFull},
	{UASNoPunct, noPunct, sameHead},
	{LASNoPunct, noPunct, sameArc},
	{LASFullNoPunct, noPunct, sameFull},
	{UASPunct, punct, sameHead},
	{LASPunct, punct, sameArc},
}

// scoreWords counts one metric, in all and by gold sentence.
func scoreWords(gold, system *corpus, over func(*word) bool, same func(g, s *word) bool) (total Score, by []Score) {
	by = make([]Score, len(gold.sentences))
	for i := range gold.words {
		if g := &gold.words[i]; over(g) {
			by[g.sentence].Gold++
		}
	}
	for i := range system.words {
		s := &system.words[i]
		if over(s) {
			by[s.sentence].System++
		}
		if s.gold == nil || !over(s.gold) {
			continue
		}
		by[s.gold.sentence].Aligned++
		if same(s.gold, s) {
			by[s.gold.sentence].Correct++
		}
	}
	for _, s := range by {
		total.add(s)
	}
	return total, by
}

// A LengthBin holds the attachment scores of gold sentences of Min to Max words.
type LengthBin struct {
	Min       int     `json:"min"`
	Max       *int    `json:"max"` // nil means no limit
	Sentences int     `json:"sentences"`
	Words     int     `json:"words"` // gold words
	UAS       float64 `json:"uas"`   // share of these that are aligned and correctly attached
	LAS       float64 `json:"las"`
}

var lengthBounds = []int{1, 6, 11, 16, 21, 31, 41, 51}

// byLength sums UAS and LAS by the length of the gold sentence.
func (r *Result) byLength(gold []syntax.Sentence) []LengthBin {
	bins := make([]LengthBin, len(lengthBounds))
	for b := range bins {
		bin, heads, arcs := &bins[b], 0, 0
		bin.Min = lengthBounds[b]
		if b+1 < len(bins) {
			last := lengthBounds[b+1] - 1
			bin.Max = &last
		}
		for k := range gold {
			n := len(gold[k].Words)
			if n < bin.Min || bin.Max != nil && n > *bin.Max {
				continue
			}
			bin.Sentences++
			bin.Words += n
			heads += r.sentences[UAS][k].Correct
			arcs += r.sentences[LAS][k].Correct
		}
		bin.UAS, bin.LAS = ratio(heads, bin.Words), ratio(arcs, bin.Words)
	}
	return bins
}

// Crossing counts the arcs that cross another arc of their sentence. This includes the arc
// from the root, which is left of the first word.
type Crossing struct {
	Gold        int `json:"gold"`
	GoldFound   int `json:"gold_found"` // gold crossing arcs that the system has
	System      int `json:"system"`
	SystemRight int `json:"system_right"` // system crossing arcs that gold has
}

func scoreCrossing(gold, system *corpus) Crossing {
	crossing := func(w *word) bool { return w.crossing }
	found, _ := scoreWords(gold, system, crossing, sameHead)
	right, _ := scoreWords(gold, system, all, func(g, s *word) bool { return s.crossing && sameHead(g, s) })
	return Crossing{Gold: found.Gold, GoldFound: found.Correct, System: found.System, SystemRight: right.Correct}
}
