// Package label names the arcs of a finished tree. Its model is a
// conditional random field over the tree: log-linear scores of each arc's
// relation, and a factor for the relations of every arc and the arc above it.
// The best labelling is exact, by dynamic programming bottom-up; so are the
// marginals. RBGParser (Lei et al. 2014) labels each arc alone.
//
// The word whose head is 0 is root, and no other word.
package label

import (
	"github.com/treebeam/treebeam/parser/syntax"
)

// A Model labels trees. It is read-only and safe for concurrent use.
type Model struct {
	rel   relations
	table rowTable
	// pair holds the factor of (relation of the head's arc, relation of the
	// modifier's arc) given the modifier's tag and direction, in score units,
	// at [((tag*2+side)*L + head's relation)*L + modifier's relation].
	pair []int16
	// expPair is e^(pair/unit).
	expPair []float32
}

// maxPair bounds the pair factors, in units.
const maxPair = 16 * unit

func (m *Model) pairRow(w *word, headRelation uint8) []int16 {
	n := len(m.rel.names)
	at := ((int(w.pos)*2+int(w.side))*n + int(headRelation)) * n
	return m.pair[at : at+n]
}

func (m *Model) expPairRow(w *word, headRelation uint8) []float32 {
	n := len(m.rel.names)
	at := ((int(w.pos)*2+int(w.side))*n + int(headRelation)) * n
	return m.expPair[at : at+n]
}

// Relations returns the deprels that the model knows, with subtypes,
// commonest in training first. The caller must not change the slice.
func (m *Model) Relations() []string { return m.rel.names }

// Label sets the Deprel of every word, and Confidence.LabelProb to their
// marginals given the tree, multiples of 1/4096 in [0,1]. Heads must be set
// and form a tree; a word without a valid head, or one on a cycle, is labelled
// as the top of a tree of its own, and stays without Deprel (with probability
// 0) if its head is no word. It replaces what was in Deprel and LabelProb and
// reads only Form, Lemma, UPOS, XPOS, Feats and Head.
func (m *Model) Label(s *syntax.Sentence) {
	n := len(s.Words)
	if n == 0 {
		s.Confidence.LabelProb = nil
		return
	}
	c := charts.Get().(*chart)
	m.fill(c, s)
	probs := make([]float32, n)
	for i := 1; i <= n; i++ {
		if c.words[i].loose && c.words[i].head == 0 {
			s.Words[i-1].Deprel = ""
			continue
		}
		j := c.choice[i]
		s.Words[i-1].Deprel = m.rel.names[m.rel.set(c.sets[i])[j]]
		probs[i-1] = round4096(c.prob[c.off[i]+int32(j)])
	}
	s.Confidence.LabelProb = probs
	if n <= bigChart {
		charts.Put(c)
	}
}

// fill runs the whole inference into c.
func (m *Model) fill(c *chart, s *syntax.Sentence) {
	n := len(s.Words)
	c.words = resize(c.words, n+1)
	c.order = resize(c.order, n)
	readSentence(s, c.words, c.order)
	c.layout(&m.rel)
	c.localScores(m)
	c.maximise(m)
	c.marginals(m)
}

func round4096(p float64) float32 {
	return float32(int(float64(min(max(p, 0), 1)*4096)+0.5)) / 4096
}
