package search

import (
	"math"
	"slices"

	"github.com/treebeam/treebeam/parser/certify"
	"github.com/treebeam/treebeam/parser/graph"
	"github.com/treebeam/treebeam/parser/part"
	"github.com/treebeam/treebeam/parser/syntax"
)

// A Decoder finds a tree of a sentence. It must be safe for concurrent use, and
// may depend only on the Search that it receives.
type Decoder interface {
	// Decode builds trees in Search.Tree and offers them (Search.Offer). The best of
	// them is the result. Decode reports whether it has offered any.
	Decode(x *Search) (found bool)
}

// A Search is the state of the search for the tree of a sentence or of a window, with
// the scratch of the decoders of this package. It is reused from sentence to sentence
// and belongs to one goroutine at a time.
type Search struct {
	Scores part.Scores // scores of the parts of trees
	Tree   part.Tree   // the present one
	Pruned graph.Arcs  // the candidates, with the pruner's scores
	Seed   uint64      // the sentence's seed

	delta int64 // largest local loss of a move that is scored in full, exclusive
	limit int64 // most work, after which the search ends
	cut   bool  // the search has ended at the limit
	used  int64 // work of the last search, without the work of confidence

	best        []int32
	bestAt      int64 // score of best
	globalAt    int64 // score of the global parts of best, set by confidence
	second      int64 // best score of a different tree that was offered
	climbs      int32
	certificate syntax.Certificate // of best
	closed      []int32            // trees, one after another: ends of climbs by local parts
	ends        []int32            // the same by the full score

	start      []int32 // tree to climb from
	order      []int32
	trail      []step  // of the present chain
	queue      []int32 // words that a move concerns
	queued     []bool
	worth      []int32 // per candidate of the word that was weighed last
	chainWorth []int32 // the same for the word whose chains are tried

	prover   certify.Prover
	sampler  graph.Sampler
	spanner  graph.Spanner
	margins  graph.Marginals
	marginal []float64 // see prunerMarginals

	linear    []int32   // per arc: score in the first-order model (linearize)
	posterior []float64 // per arc: marginal in the first-order model

	redraw []bool
	gold   []int32 // in training
	forced *Search // in training on partial trees: the search over the candidates with the known heads
	parts  [2][]part.Part
}

const worst = -1 << 62 // below all scores of trees

// prepare loads a sentence that has candidates.
func (x *Search) prepare(m *Model, s *syntax.Sentence) {
	x.Scores.Prepare(&m.source, s)
	x.Pruned = graph.Of(&s.Candidates)
	x.delta = int64(m.delta)
	x.limit, x.cut = math.MaxInt64, false
	n := x.Scores.N
	x.best, x.start = resize(x.best, n+1), resize(x.start, n+1)
	x.bestAt, x.second, x.certificate = worst, worst, syntax.Uncertain
	x.climbs, x.closed, x.ends = 0, x.closed[:0], x.ends[:0]
	x.queue, x.queued = x.queue[:0], resize(x.queued, n+1)
	clear(x.queued)
	x.marginal = x.marginal[:0]
}

// First makes the pruner's best tree the present one, and reports whether there is one.
func (x *Search) First() bool {
	found := x.spanner.MaximumTree(&x.Pruned, 0, x.start)
	if found {
		x.Tree.Set(&x.Scores.Arcs, x.start)
	}
	return found
}

// Offer makes the present tree the result if it scores higher than all trees offered
// before, and reports whether it does. Among trees of equal score the first stays.
func (x *Search) Offer() bool {
	n := x.Scores.N
	switch s := x.total(); {
	case s > x.bestAt:
		x.second, x.bestAt = x.bestAt, s
		copy(x.best, x.Tree.Head[:n+1])
		return true
	case s == x.bestAt && slices.Equal(x.best[1:n+1], x.Tree.Head[1:n+1]):
	case s > x.second:
		x.second = s
	}
	return false
}

// Spent reports whether the search has used up its budget. A decoder must then
// return.
func (x *Search) Spent() bool {
	x.cut = x.cut || x.work() >= x.limit
	return x.cut
}

// work returns the work of all searches so far.
func (x *Search) work() int64 {
	x.Scores.Count.Walked = x.Tree.Walked
	return x.Scores.Count.Work()
}

// total returns the full score of the present tree.
func (x *Search) total() int64 { return x.Scores.Total(&x.Tree) }

func resize[T any](a []T, n int) []T { return slices.Grow(a[:0], n)[:n] }
