// Package prune leaves every word the few heads that are worth a search: a
// cascade of a dense scorer over tags, a log-linear first-order model over
// its survivors, and a cut by probability (core-design 3). The best
// single-root tree always survives.
package prune

import (
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

// A Model is a trained pruner. It is read-only and safe for concurrent use.
type Model struct {
	vocabulary  *feature.Vocabulary
	coarse      []int16
	fine        score.Scorer
	weights     *score.Weights // fine, once it is fixed
	margin      int32          // heads this far below the best are cut, in 1/score.Unit nat
	temperature int32          // of the stored log-probabilities, in 1/16
	pool        sync.Pool      // *scratch
}

type scratch struct {
	codes   feature.Codes
	context context
	arcs    graph.Arcs // what the coarse pruner leaves, with fine scores
	keys    []feature.Key
	head    []int32
	spanner graph.Spanner
	heap    []ranked
	lookups int64
}

type ranked struct{ score, head int32 }

func (m *Model) get() *scratch {
	if x, ok := m.pool.Get().(*scratch); ok {
		return x
	}
	return &scratch{}
}

// Prune sets s.Candidates. UPOS, and XPOS, FEATS and lemmas where the
// treebank has them, must be set.
func (m *Model) Prune(s *syntax.Sentence) { m.Count(s) }

// Count is Prune, and returns the number of weights that it looked up, dense
// tables included.
func (m *Model) Count(s *syntax.Sentence) (lookups int64) {
	x := m.get()
	defer m.pool.Put(x)
	x.lookups = 0
	c := syntax.Candidates{Start: make([]int32, 1, len(s.Words)+1)}
	b := s.Windows()
	for i := 0; i+1 < len(b); i++ {
		if len(b) == 2 {
			m.window(s, 0, x, &c)
			continue
		}
		w := s.Window(b[i], b[i+1])
		m.window(&w, int32(b[i]), x, &c)
	}
	s.Candidates = c
	return x.lookups
}

// window appends the candidates of one window whose words follow offset.
func (m *Model) window(s *syntax.Sentence, offset int32, x *scratch, out *syntax.Candidates) {
	n := len(s.Words)
	m.vocabulary.Encode(s, &x.codes)
	x.context.fill(&x.codes)
	m.shortlist(n, x)
	m.scoreFine(n, x)
	if cap(x.head) < n+1 {
		x.head = make([]int32, 2*n+2)
	}
	head := x.head[:n+1]
	if !x.spanner.MaximumTree(&x.arcs, 0, head) {
		m.addChain(n, x)
		x.spanner.MaximumTree(&x.arcs, 0, head)
	}
	for mod := 1; mod <= n; mod++ {
		lo, hi := x.arcs.Span(mod)
		best := x.arcs.Score[lo]
		for a := lo; a < hi; a++ {
			best = max(best, x.arcs.Score[a])
		}
		limit := x.limit(lo, hi, best-m.margin)
		for a := lo; a < hi; a++ {
			h, sc := x.arcs.Heads[a], x.arcs.Score[a]
			if sc < limit && h != head[mod] {
				continue
			}
			if h != 0 {
				h += offset
			}
			out.Heads = append(out.Heads, h)
			out.LogProb = append(out.LogProb, -int32(int64(best-sc)*16*1024/score.Unit/int64(m.temperature)))
		}
		out.Start = append(out.Start, int32(len(out.Heads)))
	}
}

// limit returns the larger of floor and the score of the head that is
// MaxHeads-th among arcs lo..hi-1.
func (x *scratch) limit(lo, hi int, floor int32) int32 {
	if hi-lo <= MaxHeads {
		return floor
	}
	x.heap = x.heap[:0]
	for a := lo; a < hi; a++ {
		x.insert(ranked{x.arcs.Score[a], x.arcs.Heads[a]}, MaxHeads)
	}
	return max(floor, x.heap[MaxHeads-1].score)
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

// shortlist fills x.arcs with the heads that the coarse tables leave.
func (m *Model) shortlist(n int, x *scratch) {
	a := &x.arcs
	a.Start, a.Heads, a.Score = append(a.Start[:0], 0), a.Heads[:0], a.Score[:0]
	for mod := 1; mod <= n; mod++ {
		x.heap = x.heap[:0]
		for h := 0; h <= n; h++ {
			if h == mod {
				continue
			}
			sum := int32(0)
			for _, i := range x.context.cells(&x.codes, h, mod) {
				sum += int32(m.coarse[i])
			}
			x.insert(ranked{sum, int32(h)}, coarseHeads)
		}
		x.lookups += int64(n * coarseParts)
		from := len(a.Heads)
		floor := x.heap[0].score - coarseMargin
		for _, r := range x.heap {
			if r.score < floor {
				break
			}
			i := len(a.Heads)
			a.Heads = append(a.Heads, r.head)
			for ; i > from && a.Heads[i-1] > r.head; i-- {
				a.Heads[i] = a.Heads[i-1]
			}
			a.Heads[i] = r.head
		}
		a.Start = append(a.Start, int32(len(a.Heads)))
	}
}

func (m *Model) scoreFine(n int, x *scratch) {
	for mod := 1; mod <= n; mod++ {
		lo, hi := x.arcs.Span(mod)
		for a := lo; a < hi; a++ {
			x.keys = x.codes.PruneArc(int(x.arcs.Heads[a]), mod, x.keys[:0])
			x.arcs.Score = append(x.arcs.Score, m.fine.Sum(x.keys))
			x.lookups += int64(len(x.keys))
		}
	}
}

// addChain makes a single-root tree possible where the shortlist holds none:
// word 1 may be the root and every word may hang on the one before it.
func (m *Model) addChain(n int, x *scratch) {
	old := graph.Arcs{Start: append([]int32(nil), x.arcs.Start...), Heads: append([]int32(nil), x.arcs.Heads...)}
	a := &x.arcs
	a.Start, a.Heads, a.Score = a.Start[:1], a.Heads[:0], a.Score[:0]
	for mod := 1; mod <= n; mod++ {
		lo, hi := old.Span(mod)
		placed := false
		for i := lo; i < hi; i++ {
			if !placed && old.Heads[i] >= int32(mod-1) {
				if old.Heads[i] > int32(mod-1) {
					a.Heads = append(a.Heads, int32(mod-1))
				}
				placed = true
			}
			a.Heads = append(a.Heads, old.Heads[i])
		}
		if !placed {
			a.Heads = append(a.Heads, int32(mod-1))
		}
		a.Start = append(a.Start, int32(len(a.Heads)))
	}
	m.scoreFine(n, x)
}

// Pack stores the model.
func (m *Model) Pack(s *pack.Sub) {
	m.vocabulary.Pack(s)
	pack.Put(s, "coarse", m.coarse)
	m.weights.Pack(s, "fine")
	pack.Put(s, "cut", []int32{m.margin, m.temperature})
}

// Open is the inverse of Pack.
func Open(v *pack.View, component string) (*Model, error) {
	m := &Model{}
	var err error
	if m.vocabulary, err = feature.OpenVocabulary(v, component); err != nil {
		return nil, err
	}
	if m.coarse, err = pack.Get[int16](v, component, "coarse"); err != nil {
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
	if len(cut) != 2 || cut[1] < 1 || len(m.coarse) != tableSize {
		return nil, feature.ErrDamaged(component + ".cut")
	}
	m.margin, m.temperature = cut[0], cut[1]
	return m, nil
}
