// Package label chooses the relations of a tree (Model.Label). With Help it may change
// tags and heads that do not fit any. Its model is a conditional random field over the
// tree. It has a log-linear score for the relation of each arc, and a factor for the
// relations of every arc and the arc above it. The best labelling and the marginals are
// exact, by dynamic programming bottom-up. RBGParser (Lei et al. 2014) instead labels
// each arc independently.
//
// The word whose head is 0, and no other word, has the relation root.
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

	vocabulary *word.Vocabulary
}

func newModel(v *word.Vocabulary) *Model {
	return &Model{vocabulary: v, charts: &sync.Pool{New: func() any { return &chart{encoder: word.NewEncoder(v)} }}}
}

const (
	unit    = 1024      // score units in one nat
	maxPair = 16 * unit // bounds the pair factors
)

// Pack stores the model in s. The model must not change afterwards.
func (m *Model) Pack(s *pack.Sub) { pack.Write(s, m.layout) }

// Open is the inverse of Pack. The arrays alias the bytes of the view. v must be the
// Vocabulary that the model was trained with. Open checks all numbers, so damaged bytes
// are an error here and never a panic in Label.
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

// derive fills the fields that follow from the arrays of the model.
func (m *Model) derive() {
	m.rules = newRules(&m.rel, "")
	m.expPair = make([]float32, len(m.pair))
	for i, x := range m.pair {
		m.expPair[i] = float32(graph.Exp(float64(x) / unit))
	}
}

// Obey makes Label obey the rules of a language, a code such as "en", beside those of all
// languages, if there are any (english.go). It must be called before the model is shared.
func (m *Model) Obey(language string) { m.rules = newRules(&m.rel, language) }

// Relations returns the relations, in the order of syntax.Dense.Labels. The caller must
// not change the list.
func (m *Model) Relations() []string { return m.rel.names }

// Help says what Label may change besides the relations if the best labelling breaks
// rules. The zero value allows nothing.
type Help struct {
	// Dense sets Dense.Labels for the current heads. Label calls it before each
	// labelling. It is nil if there are no dense scores.
	Dense func()
	// Retag may change the tags of words if they do not suit the Deprel of the best
	// labelling, and reports whether it has. It may be nil.
	Retag func() bool
	// Mend lets heads change (mend.go). Candidates must have Gains.
	Mend bool
}

// Label sets the Deprel of every word, and Confidence.LabelProb to its marginal
// probability given the tree, a multiple of 1/4096 in [0,1]. Heads must form a tree. A
// word without a valid head, or on a cycle, is labelled as the root of a separate tree;
// if its head is not a word, it gets no Deprel and probability 0. Label reads the
// words, their heads, and Dense.Labels if set.
//
// The labelling is the best of those that break the fewest rules of Universal
// Dependencies (rules.go). If the best labelling of all breaks a rule, the marginals
// are computed under the rules.
//
// Label reports whether it has changed a head, if h allows this. Confidence then
// describes the new head, except for TreeScore, TreeMargin and Certificate.
func (m *Model) Label(s *syntax.Sentence, h Help) (moved bool) {
	m.label(s, func(c *chart) { moved = m.inferStrictly(c, s, &h) })
	return moved
}

// LabelFreely is Label without rules and without Help.
func (m *Model) LabelFreely(s *syntax.Sentence) {
	m.label(s, func(c *chart) {
		m.prepare(c, s)
		m.infer(c)
	})
}

// Marginals is Label without Help, and returns the probabilities of all relations by word,
// in the order of Relations.
func (m *Model) Marginals(s *syntax.Sentence) [][]float32 {
	all := make([][]float32, len(s.Words))
	m.label(s, func(c *chart) {
		m.inferStrictly(c, s, &Help{})
		for i := range all {
			all[i] = make([]float32, len(m.rel.names))
			for k, l := range m.rel.set(c.set[i+1]) {
				all[i][l] = round4096(c.prob[int(c.off[i+1])+k])
			}
		}
	})
	return all
}

// infer finds the best labelling and the marginals of the prepared sentence.
func (m *Model) infer(c *chart) {
	c.maximise(m.pair)
	c.exponentials()
	c.sums()
}

// label writes the labels and probabilities that infer finds.
func (m *Model) label(s *syntax.Sentence, infer func(c *chart)) {
	if len(s.Words) == 0 {
		s.Confidence.LabelProb = nil
		return
	}
	c := m.charts.Get().(*chart)
	infer(c)
	s.Confidence.LabelProb = make([]float32, len(s.Words))
	m.write(c, s)
	if len(s.Words) <= bigChart {
		m.charts.Put(c)
	}
}

// write sets the labels that were chosen, and their probabilities.
func (m *Model) write(c *chart, s *syntax.Sentence) {
	for i := range s.Words {
		if x := &c.tree.nodes[i+1]; x.detached && x.head == 0 {
			s.Words[i].Deprel, s.Confidence.LabelProb[i] = "", 0
			continue
		}
		s.Words[i].Deprel = m.rel.names[c.relation(i+1)]
		s.Confidence.LabelProb[i] = round4096(c.prob[c.off[i+1]+int32(c.choice[i+1])])
	}
}

// inferStrictly prepares a sentence, and finds the best labelling and the marginals
// under the rules, with help. It reports whether heads have changed.
func (m *Model) inferStrictly(c *chart, s *syntax.Sentence, h *Help) (moved bool) {
	refresh := func() {
		if h.Dense != nil {
			h.Dense()
		}
		m.prepare(c, s)
	}
	refresh()
	c.maximise(m.pair)
	obeys := c.n > mostWords || !c.broken(m.rules, s)
	if !obeys && h.Retag != nil {
		for i := range s.Words {
			s.Words[i].Deprel = m.rel.names[c.relation(i+1)]
		}
		if h.Retag() {
			refresh()
			c.maximise(m.pair)
			obeys = !c.broken(m.rules, s)
		}
	}
	if !obeys {
		c.readWords(m.rules, s)
		if h.Mend && len(s.Candidates.Gains) == len(s.Candidates.Heads) && len(c.tree.order) == len(s.Words) {
			moved, obeys = m.mend(c, s, refresh)
		}
	}
	if !obeys {
		c.maximiseStrictly(m)
	}
	c.exponentials()
	if obeys {
		c.sums()
	} else {
		c.sumStrictly(m)
	}
	return moved
}

// prepare reads the sentence and its tree, and scores its arcs.
func (m *Model) prepare(c *chart, s *syntax.Sentence) {
	c.read(s)
	c.rel = &m.rel
	c.layout.fill(c.rel, &c.tree)
	c.prepare()
	m.score(c, &s.Dense)
	m.factors(c)
}

// denseLead is the lead of a relation by dense scores for which the features of the arc are
// not looked up: on dev, labels are as good as with them.
const denseLead = 3 * score.Unit

// score sums the weights of each arc over its allowed relations, and adds the
// dense scores, if there are any.
func (m *Model) score(c *chart, d *syntax.Dense) {
	n, dense := len(m.rel.names), d.Labels
	if len(dense) != c.n*n {
		dense = nil
	}
	c.score, c.acc = resize(c.score, int(c.off[c.n+1])), resize(c.acc, n)
	for i := 1; i <= c.n; i++ {
		set, sums := m.rel.set(c.set[i]), c.score[c.off[i]:c.off[i+1]]
		clear(c.acc)
		if len(set) > 1 && (dense == nil || syntax.Lead(set, dense[(i-1)*n:]) < denseLead) {
			c.keys = c.tree.keys(i, c.keys[:0])
			m.table.Sum(c.keys, c.acc, c.rows[:])
		}
		for j, l := range set {
			sums[j] = min(max(c.acc[l], floor), -floor)
			if dense != nil {
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

// rowOf returns the factors of a relation of the head, by the relation of the
// modifier, from pair: Model.pair of n relations, or an array like it.
func rowOf[T any](pair []T, n int, ctx, above uint8) []T {
	return pair[(int(ctx)*n+int(above))*n:][:n]
}

func round4096(p float64) float32 {
	return float32(int(float64(min(max(p, 0), 1)*4096)+0.5)) / 4096
}
