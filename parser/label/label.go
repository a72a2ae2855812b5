// Package label names the arcs of a finished tree. Its model is a
// conditional random field over the tree: log-linear scores of each arc's
// relation, and a factor for the relations of every arc and the arc above it.
// The best labelling is exact, by dynamic programming bottom-up; so are the
// marginals. RBGParser (Lei et al. 2014) labels each arc alone.
//
// The word whose head is 0 is root, and no other word.
package label

import (
	"sync"

	"github.com/treebeam/treebeam/parser/graph"
	"github.com/treebeam/treebeam/parser/linear"
	"github.com/treebeam/treebeam/parser/pack"
	"github.com/treebeam/treebeam/parser/score"
	"github.com/treebeam/treebeam/parser/syntax"
	"github.com/treebeam/treebeam/parser/word"
)

// A Model labels trees. It is read-only and safe for concurrent use.
type Model struct {
	rel   relations
	table linear.Table
	// pair holds the factor of (relation of the head's arc, relation of the
	// modifier's arc) given the modifier's context, in score units,
	// at [(context*L + head's relation)*L + modifier's relation].
	pair    []int16
	expPair []float32 // e^(pair/unit)
	rules   *rules
	charts  *sync.Pool
}

func newModel(v *word.Vocabulary) *Model {
	return &Model{charts: &sync.Pool{New: func() any { return &chart{encoder: word.NewEncoder(v)} }}}
}

const (
	unit    = 1024      // score units in one nat
	maxPair = 16 * unit // bounds the pair factors
)

// Pack puts the model's arrays under s. The model must not be changed later.
func (m *Model) Pack(s *pack.Sub) { pack.Write(s, m.layout) }

// Open reads a model that Pack put under the component's name. The arrays are
// used in place. A model that Open returns cannot make Label panic, whatever
// its bytes.
func Open(view *pack.View, component string, v *word.Vocabulary) (*Model, error) {
	m := newModel(v)
	if err := pack.Read(view, component, m.layout); err != nil {
		return nil, err
	}
	m.derive()
	return m, nil
}

func (m *Model) layout(l *pack.Layout) {
	m.rel.layout(l)
	m.table.Layout(l, "weights", len(m.rel.names))
	pack.Array(l, "pair", &m.pair)
	n := len(m.rel.names)
	l.Check("pair", len(m.pair) == contexts*n*n, "has another number of factors")
	for _, x := range m.pair {
		l.Check("pair", x >= -maxPair && x <= maxPair, "has a factor out of its range")
	}
}

// derive fills what follows from the arrays of the model.
func (m *Model) derive() {
	m.rules = newRules(m.rel.names)
	m.expPair = make([]float32, len(m.pair))
	for i, x := range m.pair {
		m.expPair[i] = float32(graph.Exp(float64(x) / unit))
	}
}

// Relations returns the relations in the order of syntax.Dense.Labels. The list
// belongs to the model.
func (m *Model) Relations() []string { return m.rel.names }

// Label sets the Deprel of every word, and Confidence.LabelProb to their
// marginals given the tree, multiples of 1/4096 in [0,1]. Heads must be set
// and form a tree; a word without a valid head, or one on a cycle, is labelled
// as the top of a tree of its own, and stays without Deprel (with probability
// 0) if its head is no word. It replaces what was in Deprel and LabelProb and
// reads the encoding of the sentence, Head, and Dense.Labels if there are any.
//
// The labelling is the best one of those that break the fewest rules of Universal
// Dependencies (rules.go). Where the best one of all breaks some, marginals are
// under the rules.
func (m *Model) Label(s *syntax.Sentence) { m.label(s, true) }

// LabelFreely is Label without rules. It reports whether the labelling obeys them
// all; then Label would find the same one. Very long sentences are said to obey.
func (m *Model) LabelFreely(s *syntax.Sentence) (obeys bool) { return m.label(s, false) }

func (m *Model) label(s *syntax.Sentence, strict bool) (obeys bool) {
	n := len(s.Words)
	if n == 0 {
		s.Confidence.LabelProb = nil
		return true
	}
	c := m.charts.Get().(*chart)
	obeys = m.infer(c, s, strict)
	probs := make([]float32, n)
	for i := 1; i <= n; i++ {
		if x := &c.tree.nodes[i]; x.loose && x.head == 0 {
			s.Words[i-1].Deprel = ""
			continue
		}
		j := c.choice[i]
		s.Words[i-1].Deprel = m.rel.names[m.rel.set(c.set[i])[j]]
		probs[i-1] = round4096(c.prob[c.off[i]+int32(j)])
	}
	s.Confidence.LabelProb = probs
	if n <= bigChart {
		m.charts.Put(c)
	}
	return obeys
}

// infer finds the best labelling and the marginals, under the rules if strict. It
// reports whether the best labelling of all obeys them.
func (m *Model) infer(c *chart, s *syntax.Sentence, strict bool) (obeys bool) {
	m.prepare(c, s)
	c.maximise(m.pair)
	obeys = c.n > mostWords || !c.broken(m.rules, s)
	strict = strict && !obeys
	if strict {
		c.readWords(s)
		c.maximiseStrictly(m)
	}
	c.exponentials()
	if strict {
		c.sumStrictly(m)
	} else {
		c.sums()
	}
	return obeys
}

// prepare reads the sentence and its tree, and scores its arcs.
func (m *Model) prepare(c *chart, s *syntax.Sentence) {
	c.read(s)
	c.rel = &m.rel
	c.layout.fill(c.rel, &c.tree)
	c.prepare()
	m.score(c, s.Dense.Labels)
	m.factors(c)
}

// score sums the weights of each arc over its allowed relations, and adds the
// dense scores, if there are any.
func (m *Model) score(c *chart, dense []int32) {
	n := len(m.rel.names)
	c.score, c.acc = resize(c.score, int(c.off[c.n+1])), resize(c.acc, n)
	for i := 1; i <= c.n; i++ {
		set, sums := m.rel.set(c.set[i]), c.score[c.off[i]:c.off[i+1]]
		clear(c.acc)
		if len(set) > 1 {
			c.keys = c.tree.keys(i, c.keys[:0])
			m.table.Sum(c.keys, c.acc, c.rows[:])
		}
		for j, l := range set {
			sums[j] = min(max(c.acc[l], floor), -floor)
			if len(dense) == c.n*n {
				sums[j] += min(max(dense[(i-1)*n+int(l)], floor), -floor) / (score.Unit / unit)
			}
		}
	}
}

// factors gathers the factors of every arc.
func (m *Model) factors(c *chart) {
	for i := int32(1); i <= int32(c.n); i++ {
		if c.head[i] == 0 {
			continue
		}
		set := m.rel.set(c.set[i])
		for a, above := range m.rel.set(c.set[c.head[i]]) {
			row, from := c.row(i, a), rowOf(m.expPair, len(m.rel.names), c.ctx[i], above)
			for b, l := range set {
				row[b] = from[l]
			}
		}
	}
}

// rowOf returns the factors of a relation of the head, by that of the
// modifier, out of pair: Model.pair of n relations, or an array like it.
func rowOf[T any](pair []T, n int, ctx, above uint8) []T {
	return pair[(int(ctx)*n+int(above))*n:][:n]
}

func round4096(p float64) float32 {
	return float32(int(float64(min(max(p, 0), 1)*4096)+0.5)) / 4096
}
