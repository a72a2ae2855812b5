// Package prune reduces the possible heads of every word to a few candidates
// (Model.Prune), in three steps. First, dense tables over tags, common words and
// distances score all pairs of words. Second, a log-linear first-order model over trees
// (Koo, Globerson, Carreras and Collins 2007) adds to the scores of the best pairs. Third,
// heads with a low marginal probability are cut. The best single-root tree always survives.
package prune

import (
	"math"
	"slices"
	"sync"

	"github.com/treebeam/treebeam/parser/graph"
	"github.com/treebeam/treebeam/parser/hash"
	"github.com/treebeam/treebeam/parser/pack"
	"github.com/treebeam/treebeam/parser/prune/dense"
	"github.com/treebeam/treebeam/parser/score"
	"github.com/treebeam/treebeam/parser/syntax"
	"github.com/treebeam/treebeam/parser/word"
)

// maxHeads is the largest number of heads that the probability cut leaves a
// word; the best tree may add one.
const maxHeads = 8

// marginalWords is the length up to which a window's heads are cut by
// marginals; above it, by the probabilities of each word's heads alone.
const marginalWords = 200

// A Model is a trained pruner. It is read-only and safe for concurrent use.
type Model struct {
	vocabulary  *word.Vocabulary
	first       dense.Tables
	sparse      *score.Weights
	cut         int32      // heads of a probability under exp(-cut/1024) are dropped
	trainCut    int32      // likewise, where the parser learns (Jackknife)
	temperature int32      // of the marginals and of Candidates.LogOdds, in 1/16
	pool        *sync.Pool // *scratch
}

// scratch is of one sentence at a time.
type scratch struct {
	model   *Model
	encoder *word.Encoder
	words   *word.Sentence
	first   dense.Scorer
	row     []int32 // scores of the arcs into one word
	guess   guess
	arcs    graph.Arcs // the arcs that the first stage leaves, with the scores of both stages in 1/score.Unit
	odds    graph.Arcs // the same with scores in 1/1024 nat
	p       []float64  // by arc: its probability
	keys    []hash.Key // of all arcs
	ends    []int32    // of the keys of each arc
	sums    []int32
	q       []float64 // in learning, by arc: the probabilities given the known heads
	head    []int32   // best tree
	lost    []float64 // per word: probability, by the first stage, of the heads that it drops
	spanner graph.Spanner
	margins graph.Marginals
	lookups int64
}

func newModel(v *word.Vocabulary) *Model {
	return &Model{vocabulary: v, sparse: new(score.Weights), cut: inParts(6), trainCut: inParts(6), temperature: 16,
		pool: new(sync.Pool)}
}

func (m *Model) get() *scratch {
	x, ok := m.pool.Get().(*scratch)
	if !ok {
		x = &scratch{encoder: word.NewEncoder(m.vocabulary)}
	}
	x.model = m
	return x
}

// inParts converts nats to 1/1024 nat.
func inParts(nats float64) int32 { return int32(math.Round(nats * 1024)) }

// Cut returns the cut of m in nats. A head is dropped if its probability is under
// exp(-cut), or if the word has eight likelier heads. The likeliest head of a word, and
// its head in the best tree, always stay.
func (m *Model) Cut() float64 { return float64(m.cut) / 1024 }

// TrainCut returns the cut, in nats, of the candidates that the parser learns from.
func (m *Model) TrainCut() float64 { return float64(m.trainCut) / 1024 }

// WithCut returns a model with another Cut, in nats, that is otherwise equal to m and
// shares its weights.
func (m *Model) WithCut(nats float64) *Model {
	c := *m
	c.cut = inParts(nats)
	return &c
}

// Prune sets s.Candidates and, if s is searched whole, stores the encoding of s as its
// memo. UPOS must be set, and so must XPOS, FEATS and lemmas if the treebank has them.
// Prune adds s.Dense.Arcs to the scores of the first stage. Candidates of a sentence that
// is not searched whole come from the windows around its words, and need not hold a tree.
func (m *Model) Prune(s *syntax.Sentence) { m.Count(s) }

// Count is Prune, and also returns the number of weights that it looked up, where a row
// of a dense table counts as one.
func (m *Model) Count(s *syntax.Sentence) (lookups int64) {
	x := m.get()
	x.lookups = 0
	c := noCandidates(len(s.Words))
	if s.Whole() {
		x.candidates(s)
		x.keep(m.cut, syntax.Window{To: len(s.Words)}, &c)
	} else {
		for _, w := range s.Windows() {
			part := s.Window(w.Lo, w.Hi)
			x.candidates(&part)
			x.keep(m.cut, w, &c)
		}
	}
	s.Candidates = c
	lookups = x.lookups
	m.pool.Put(x) // not after a panic, which may leave x in any state
	return lookups
}

func noCandidates(words int) syntax.Candidates {
	const expected = 4 // heads a word; more cost another allocation
	return syntax.Candidates{
		Start:   make([]int32, 1, words+1),
		Heads:   make([]int32, 0, expected*words),
		LogOdds: make([]int32, 0, expected*words),
		Lost:    make([]float32, 0, words),
	}
}

// keep appends the candidates that stay under a cut in 1/1024 nat, of the words
// in the middle of the window, to those of the words before.
func (x *scratch) keep(cut int32, w syntax.Window, out *syntax.Candidates) {
	for m := w.From - w.Lo + 1; m <= w.To-w.Lo; m++ {
		lo, hi := x.arcs.Span(m)
		limit := x.limit(lo, hi, cut)
		from, best, lost := len(out.Heads), int32(math.MinInt32), 0.0
		for a := lo; a < hi; a++ {
			h := x.arcs.Heads[a]
			if x.p[a] < limit && h != x.head[m] {
				lost += x.p[a]
				continue
			}
			if h != 0 {
				h += int32(w.Lo)
			}
			best = max(best, x.arcs.Score[a])
			out.Heads, out.LogOdds = append(out.Heads, h), append(out.LogOdds, x.arcs.Score[a])
		}
		for i, sc := range out.LogOdds[from:] {
			out.LogOdds[from+i] = -int32((int64(best) - int64(sc)) * 16 * 1024 / score.Unit / int64(x.model.temperature))
		}
		out.Start = append(out.Start, int32(len(out.Heads)))
		first := x.lost[m] // share of all heads that the first stage saw; the second stage sees only the rest
		out.Lost = append(out.Lost, float32(min(first+float64((1-first)*lost), 1)))
	}
}

// candidates fills x.arcs with the arcs that the first stage leaves and the scores of both
// stages, x.p with probabilities, and x.head with the best tree.
func (x *scratch) candidates(s *syntax.Sentence) {
	x.encode(s)
	x.shortlist(s)
	x.addSparse()
	x.head = resize(x.head, len(s.Words)+1)
	if !x.spanner.MaximumTree(&x.arcs, 0, x.head) {
		// Word 1 may be the root, and every word may hang on the one before it.
		x.shortlist(s)
		x.include(s, func(m int) int32 { return int32(m - 1) })
		x.addSparse()
		x.spanner.MaximumTree(&x.arcs, 0, x.head)
	}
	x.probabilities()
}

// encode prepares the sentence for both stages.
func (x *scratch) encode(s *syntax.Sentence) {
	x.words = x.encoder.Encode(s)
	x.first.Read(x.words, &x.model.first)
}

// findKeys fills x.keys with the keys of all arcs, and x.ends.
func (x *scratch) findKeys() {
	x.keys, x.ends = x.keys[:0], x.ends[:0]
	for m := 1; m <= x.arcs.N(); m++ {
		lo, hi := x.arcs.Span(m)
		for _, h := range x.arcs.Heads[lo:hi] {
			x.keys = x.keysOf(int(h), m, x.keys)
			x.ends = append(x.ends, int32(len(x.keys)))
		}
	}
}

// addSparse adds the scores of the second stage to the scores of the arcs.
func (x *scratch) addSparse() {
	x.findKeys()
	x.lookups += int64(len(x.keys))
	x.sums = resize(x.sums, len(x.ends))
	x.model.sparse.SumParts(x.keys, x.ends, x.sums)
	for a, sum := range x.sums {
		x.arcs.Score[a] += sum
	}
}

// probabilities fills x.p.
func (x *scratch) probabilities() {
	x.p = resize(x.p, len(x.arcs.Heads))
	a := &x.odds
	a.Start, a.Heads, a.Score = x.arcs.Start, x.arcs.Heads, a.Score[:0]
	for _, sc := range x.arcs.Score {
		a.Score = append(a.Score, sc/(score.Unit/1024))
	}
	if a.N() > marginalWords || !x.margins.Compute(a, x.p) {
		a.Softmax(x.p)
	}
}

// limit returns the least probability of the heads that stay among arcs
// lo..hi-1 under a cut in 1/1024 nat.
func (x *scratch) limit(lo, hi int, cut int32) float64 {
	var top [maxHeads]float64
	for _, p := range x.p[lo:hi] {
		insert(top[:], p)
	}
	return max(min(top[0], graph.ExpOdds(cut)), top[maxHeads-1])
}

// include makes head(m) a candidate of every word m, with its score by the
// first stage, unless it is syntax.NoHead.
func (x *scratch) include(s *syntax.Sentence, head func(m int) int32) {
	c := syntax.Candidates{Start: x.arcs.Start, Heads: x.arcs.Heads, LogOdds: x.arcs.Score}
	for m := 1; m <= len(s.Words); m++ {
		if h := head(m); h != syntax.NoHead && !slices.Contains(c.Of(m), h) {
			x.scoresOf(s, m)
			add(&c, m, h, x.row[h])
		}
	}
	x.arcs = graph.Of(&c)
}

// maxTemperature bounds what a model may claim.
const maxTemperature = 1 << 16

// Pack stores the model in s, without its Vocabulary.
func (m *Model) Pack(s *pack.Sub) { pack.Write(s, m.layout) }

// Open is the inverse of Pack. vocabulary must be the one that the model was trained
// with.
func Open(v *pack.View, component string, vocabulary *word.Vocabulary) (*Model, error) {
	m := newModel(vocabulary)
	return m, pack.Read(v, component, m.layout)
}

func (m *Model) layout(l *pack.Layout) {
	m.first.Layout(l)
	m.sparse.Layout(l, "sparse")
	pack.Value(l, "cut", &m.cut)
	pack.Value(l, "train-cut", &m.trainCut)
	pack.Value(l, "temperature", &m.temperature)
	l.Check("temperature", m.temperature >= 1 && m.temperature <= maxTemperature, "is out of range")
}
