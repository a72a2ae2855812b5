package tag

import (
	"fmt"

	"github.com/treebeam/treebeam/parser/syntax"
)

// An Accuracy is the share of words with the right tags, in percent.
type Accuracy struct {
	UPOS, XPOS, Feats, Lemma float64
	All                      float64 // UPOS, XPOS and FEATS right
}

// String formats a for a log.
func (a Accuracy) String() string {
	return fmt.Sprintf("UPOS %.2f, XPOS %.2f, FEATS %.2f, lemmas %.2f, all tags %.2f", a.UPOS, a.XPOS, a.Feats, a.Lemma, a.All)
}

// Measure tags copies of sents, which hold gold tags, and compares.
func (m *Model) Measure(sents []syntax.Sentence) Accuracy {
	var a Accuracy
	var s syntax.Sentence
	n := 0.0
	for i := range sents {
		s.Words, s.MWTs = append(s.Words[:0], sents[i].Words...), sents[i].MWTs
		m.Tag(&s, true)
		a.count(sents[i].Words, s.Words)
		n += float64(len(s.Words))
	}
	a.scale(n)
	return a
}

// Compare returns the accuracy of tagged against the same sentences with
// gold tags.
func Compare(gold, tagged []syntax.Sentence) Accuracy {
	var a Accuracy
	n := 0.0
	for i := range gold {
		a.count(gold[i].Words, tagged[i].Words)
		n += float64(len(gold[i].Words))
	}
	a.scale(n)
	return a
}

func (a *Accuracy) count(gold, tagged []syntax.Word) {
	for j := range gold {
		g, w := &gold[j], &tagged[j]
		u, x, f := g.UPOS == w.UPOS, g.XPOS == w.XPOS, g.Feats == w.Feats
		a.UPOS += one(u)
		a.XPOS += one(x)
		a.Feats += one(f)
		a.Lemma += one(g.Lemma == w.Lemma)
		a.All += one(u && x && f)
	}
}

func one(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

func (a *Accuracy) scale(n float64) {
	if n == 0 {
		return
	}
	for _, x := range []*float64{&a.UPOS, &a.XPOS, &a.Feats, &a.Lemma, &a.All} {
		*x *= 100 / n
	}
}
