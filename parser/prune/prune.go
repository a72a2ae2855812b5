// Package prune leaves every word the few heads that are worth a search: a
// cascade of a dense scorer over tags and common words, a log-linear
// first-order model over its survivors, and a cut by the marginals of the
// distribution over trees that both define. The best
// single-root tree always survives.
package prune

import (
	"math"
	"sync"

	"github.com/treebeam/treebeam/parser/feature"
	"github.com/treebeam/treebeam/parser/graph"
	"github.com/treebeam/treebeam/parser/pack"
	"github.com/treebeam/treebeam/parser/score"
	"github.com/treebeam/treebeam/parser/syntax"
)

// MaxHeads is the largest number of heads that the probability cut leaves a
// word; the best tree may add one.
const MaxHeads = 8

// marginalWords is the length up to which a window's heads are cut by
// marginals; above it, by the probabilities of each word's heads alone.
const marginalWords = 200

// A Model is a trained pruner. It is read-only and safe for concurrent use.
type Model struct {
	vocabulary  *feature.Vocabulary
	words       []uint32 // lexicon of the coarse pruner
	coarse      []int8
	fine        score.Scorer
	weights     *score.Weights // fine, once it is fixed
	cut         int32          // heads of a probability under exp(-cut/1024) are dropped
	temperature int32          // of the stored log-probabilities, in 1/16
	pool        *sync.Pool     // *scratch
}

type scratch struct {
	model   *Model
	codes   feature.Codes
	context context
	guess   feature.Guess // best heads of the coarse stage
	arcs    graph.Arcs    // what the coarse pruner leaves, with scores in 1/score.Unit
	milli   graph.Arcs    // the same with scores in 1/1024 nat
	p       []float64     // by arc
	keys    []feature.Key
	head    []int32
	spanner graph.Spanner
	margins graph.Marginals
	heap    []ranked
	lookups int64
}

type ranked struct{ score, head int32 }

func (m *Model) get() *scratch {
	if x, ok := m.pool.Get().(*scratch); ok {
		x.model = m
		return x
	}
	return &scratch{model: m}
}

// Cut returns the cut of m in nats: heads of a probability under exp(-cut)
// are dropped, but for a word's likeliest.
func (m *Model) Cut() float64 { return float64(m.cut) / 1024 }

// WithCut returns a model that differs from m in its Cut only and shares its
// weights.
func (m *Model) WithCut(nats float64) *Model {
	c := *m
	c.cut = milli(nats)
	return &c
}

// Prune sets s.Candidates. UPOS, and XPOS, FEATS and lemmas where the
// treebank has them, must be set.
func (m *Model) Prune(s *syntax.Sentence) { m.Count(s) }

// Count is Prune, and returns the number of weights that it looked up; a row
// of a dense table counts as one.
func (m *Model) Count(s *syntax.Sentence) (lookups int64) {
	x := m.get()
	x.lookups = 0
	const expected = 4 // heads a word; more cost another allocation
	c := syntax.Candidates{
		Start:   make([]int32, 1, len(s.Words)+1),
		Heads:   make([]int32, 0, expected*len(s.Words)),
		LogOdds: make([]int32, 0, expected*len(s.Words)),
	}
	b := s.Windows()
	for i := 0; i+1 < len(b); i++ {
		if len(b) == 2 {
			x.window(s, 0, &c)
			continue
		}
		w := s.Window(b[i], b[i+1])
		x.window(&w, int32(b[i]), &c)
	}
	s.Candidates = c
	lookups = x.lookups
	m.pool.Put(x) // but not after a panic, which leaves it as it is
	return lookups
}

// window appends the candidates of one window whose words follow offset.
func (x *scratch) window(s *syntax.Sentence, offset int32, out *syntax.Candidates) {
	n := len(s.Words)
	x.candidates(s)
	for mod := 1; mod <= n; mod++ {
		lo, hi := x.arcs.Span(mod)
		limit := x.limit(lo, hi, x.model.cut)
		from, best := len(out.Heads), int32(math.MinInt32)
		for a := lo; a < hi; a++ {
			h := x.arcs.Heads[a]
			if x.p[a] < limit && h != x.head[mod] {
				continue
			}
			if h != 0 {
				h += offset
			}
			best = max(best, x.arcs.Score[a])
			out.Heads = append(out.Heads, h)
			out.LogOdds = append(out.LogOdds, x.arcs.Score[a])
		}
		for i, sc := range out.LogOdds[from:] {
			out.LogOdds[from+i] = -int32((int64(best) - int64(sc)) * 16 * 1024 / score.Unit / int64(x.model.temperature))
		}
		out.Start = append(out.Start, int32(len(out.Heads)))
	}
}

// candidates fills x.arcs with what the coarse stage leaves and both stages'
// scores, x.p with probabilities and x.head with the best tree.
func (x *scratch) candidates(s *syntax.Sentence) {
	n := len(s.Words)
	x.encode(s)
	x.shortlist(n)
	x.scoreFine(n)
	x.head = resize(x.head, n+1)
	if !x.spanner.MaximumTree(&x.arcs, 0, x.head) {
		x.addChain(n)
		x.spanner.MaximumTree(&x.arcs, 0, x.head)
	}
	x.probabilities(n)
}

// encode prepares the sentence for both stages.
func (x *scratch) encode(s *syntax.Sentence) {
	x.model.vocabulary.Encode(s, &x.codes)
	x.context.fill(&x.codes, x.model.words)
	x.context.addUp(x.codes.N, x.model.coarse)
}

// probabilities fills x.p.
func (x *scratch) probabilities(n int) {
	x.p = resize(x.p, len(x.arcs.Heads))
	a := &x.milli
	a.Start, a.Heads, a.Score = x.arcs.Start, x.arcs.Heads, a.Score[:0]
	for _, sc := range x.arcs.Score {
		a.Score = append(a.Score, sc/(score.Unit/1024))
	}
	if n > marginalWords || !x.margins.Compute(a, 16, x.p) {
		softmax(a, x.p)
	}
}

// limit returns the least probability of the heads that stay among arcs
// lo..hi-1 under a cut in 1/1024 nat.
func (x *scratch) limit(lo, hi int, cut int32) float64 {
	var top [MaxHeads]float64 // decreasing
	for _, p := range x.p[lo:hi] {
		if p <= top[MaxHeads-1] {
			continue
		}
		i := MaxHeads - 1
		for ; i > 0 && top[i-1] < p; i-- {
			top[i] = top[i-1]
		}
		top[i] = p
	}
	return max(min(top[0], graph.ExpMilli(cut)), top[MaxHeads-1])
}

// insert keeps heap the size best entries, best first, ties by lower head.
func (x *scratch) insert(r ranked, size int) {
	if len(x.heap) == size {
		if x.heap[size-1].score >= r.score {
			return
		}
		x.heap = x.heap[:size-1]
	}
	i := len(x.heap)
	x.heap = append(x.heap, r)
	for ; i > 0 && x.heap[i-1].score < r.score; i-- {
		x.heap[i] = x.heap[i-1]
	}
	x.heap[i] = r
}

// shortlist fills x.arcs with the heads that the coarse tables leave and
// their scores.
func (x *scratch) shortlist(n int) {
	a := &x.arcs
	a.Start, a.Heads, a.Score = append(a.Start[:0], 0), a.Heads[:0], a.Score[:0]
	x.lookups += int64(n * (lookupsPerWord + n*lookupsPerPair))
	x.guess.Head = resize(x.guess.Head, n+1)
	for mod := 1; mod <= n; mod++ {
		x.heap = x.heap[:0]
		for h := 0; h <= n; h++ {
			if h == mod {
				continue
			}
			x.insert(ranked{x.context.score(&x.codes, x.model.coarse, h, mod), int32(h)}, coarseHeads)
		}
		x.guess.Head[mod] = x.heap[0].head
		from := len(a.Heads)
		floor := x.heap[0].score - coarseMargin
		for _, r := range x.heap {
			if r.score < floor {
				break
			}
			i := len(a.Heads)
			a.Heads, a.Score = append(a.Heads, 0), append(a.Score, 0)
			for ; i > from && a.Heads[i-1] > r.head; i-- {
				a.Heads[i], a.Score[i] = a.Heads[i-1], a.Score[i-1]
			}
			a.Heads[i], a.Score[i] = r.head, r.score*(score.Unit/coarseUnit)
		}
		a.Start = append(a.Start, int32(len(a.Heads)))
	}
	x.guess.Set(&x.codes)
}

// coarseScore returns the coarse score of an arc in 1/score.Unit.
func (x *scratch) coarseScore(h, m int) int32 {
	return x.context.score(&x.codes, x.model.coarse, h, m) * (score.Unit / coarseUnit)
}

// scoreFine adds the fine scores to the coarse ones.
func (x *scratch) scoreFine(n int) {
	for mod := 1; mod <= n; mod++ {
		lo, hi := x.arcs.Span(mod)
		for a := lo; a < hi; a++ {
			x.arcs.Score[a] += x.fineScore(int(x.arcs.Heads[a]), mod)
		}
	}
}

func (x *scratch) fineScore(h, m int) int32 {
	x.keys = x.codes.PruneArc(h, m, &x.guess, x.keys[:0])
	x.lookups += int64(len(x.keys))
	return x.model.fine.Sum(x.keys)
}

// addChain makes a single-root tree possible where the shortlist holds none:
// word 1 may be the root and every word may hang on the one before it.
func (x *scratch) addChain(n int) {
	old := graph.Arcs{
		Start: append([]int32(nil), x.arcs.Start...),
		Heads: append([]int32(nil), x.arcs.Heads...),
		Score: append([]int32(nil), x.arcs.Score...),
	}
	a := &x.arcs
	a.Start, a.Heads, a.Score = a.Start[:1], a.Heads[:0], a.Score[:0]
	for mod := 1; mod <= n; mod++ {
		lo, hi := old.Span(mod)
		placed := false
		place := func(next int) {
			if !placed && next > mod-1 {
				a.Heads = append(a.Heads, int32(mod-1))
				a.Score = append(a.Score, x.coarseScore(mod-1, mod)+x.fineScore(mod-1, mod))
			}
			placed = placed || next >= mod-1
		}
		for i := lo; i < hi; i++ {
			place(int(old.Heads[i]))
			a.Heads, a.Score = append(a.Heads, old.Heads[i]), append(a.Score, old.Score[i])
		}
		place(n + 1)
		a.Start = append(a.Start, int32(len(a.Heads)))
	}
}

// Pack stores the model.
func (m *Model) Pack(s *pack.Sub) {
	m.vocabulary.Pack(s)
	pack.Put(s, "words", m.words)
	pack.Put(s, "coarse", m.coarse)
	m.weights.Pack(s, "fine")
	pack.Put(s, "cut", []int32{m.cut, m.temperature})
}

// Open is the inverse of Pack.
func Open(v *pack.View, component string) (*Model, error) {
	m := &Model{pool: new(sync.Pool)}
	var err error
	if m.vocabulary, err = feature.OpenVocabulary(v, component); err != nil {
		return nil, err
	}
	if m.words, err = pack.Get[uint32](v, component, "words"); err != nil {
		return nil, err
	}
	if m.coarse, err = pack.Get[int8](v, component, "coarse"); err != nil {
		return nil, err
	}
	if m.weights, err = score.Open(v, component, "fine"); err != nil {
		return nil, err
	}
	m.fine = m.weights
	cut, err := pack.Get[int32](v, component, "cut")
	if err != nil {
		return nil, err
	}
	if len(cut) != 2 || cut[1] < 1 || cut[1] > maxTemperature || len(m.coarse) != tableSize || len(m.words) != lexicon || !hasEmpty(m.words) {
		return nil, feature.ErrDamaged(component + ".cut")
	}
	m.cut, m.temperature = cut[0], cut[1]
	return m, nil
}

// maxTemperature bounds what a model may claim, in 1/16: Nat must not overflow.
const maxTemperature = 1 << 16

func hasEmpty(words []uint32) bool {
	for _, w := range words {
		if w == 0 {
			return true
		}
	}
	return false
}
