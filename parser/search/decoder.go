package search

import (
	"math"
	"slices"

	"github.com/treebeam/treebeam/parser/certify"
	"github.com/treebeam/treebeam/parser/graph"
	"github.com/treebeam/treebeam/parser/part"
	"github.com/treebeam/treebeam/parser/projective"
	"github.com/treebeam/treebeam/parser/syntax"
)

// A Decoder finds a tree of a sentence. It must be safe for concurrent use
// and must depend on nothing but the Search that it is given.
type Decoder interface {
	// Decode makes trees the present one and offers them (Search.Offer). It
	// reports whether it has offered one; the best of them is the result.
	Decode(x *Search) (found bool)
}

// A Search is what is known of one sentence, or of a window of one, while
// trees are looked for, and the scratch of the decoders of this package. It is
// reused from sentence to sentence and belongs to one goroutine at a time.
// Trees are heads by word, entry 0 unused.
type Search struct {
	Scores     part.Scores // of the parts of trees
	Tree       part.Tree   // the present one
	Pruned     graph.Arcs  // the candidates as the pruner scores them
	Seed       uint64      // of the sentence
	Projective bool        // no arc may cross another

	delta int64 // largest local loss of a move that is scored in full, exclusive
	limit int64 // of work: the search ends there
	cut   bool  // it has ended there
	used  int64 // work of the last search, without that of confidence

	best        []int32
	bestAt      int64 // score of best
	globalAt    int64 // of its global parts, set by confidence
	second      int64 // best score of a different tree that was offered
	climbs      int32
	certificate syntax.Certificate // of best
	closed      []int32            // trees, one after another: ends of climbs by local parts
	ends        []int32            // likewise by the full score

	start      []int32 // tree to climb from
	order      []int32
	trail      []step  // of the present chain
	queue      []int32 // words that a move concerns
	queued     []bool
	worth      []int32 // per candidate of the word that was weighed last
	chainWorth []int32 // likewise, of the word whose chains are tried

	prover   certify.Prover
	solver   projective.Chart
	sampler  graph.Sampler
	spanner  graph.Spanner
	margins  graph.Marginals
	marginal []float64 // see prunerMarginals

	linear    []int32   // per arc: score by what the best tree says of its neighbours
	posterior []float64 // per arc: marginals of these

	redraw []bool
	shaken []int32 // per arc: score with noise
	gold   []int32 // in training
	forced *Search // likewise, of partial trees: over the candidates with the known heads
	parts  [2][]part.Part
}

const worst = -1 << 62 // below all scores of trees

// prepare loads a sentence whose candidates are set.
func (x *Search) prepare(m *Model, s *syntax.Sentence) {
	x.Scores.Prepare(&m.source, s)
	x.Pruned = graph.Of(&s.Candidates)
	x.Projective, x.delta = false, int64(m.delta)
	x.limit, x.cut = math.MaxInt64, false
	n := x.Scores.N
	x.best, x.start = resize(x.best, n+1), resize(x.start, n+1)
	x.bestAt, x.second, x.certificate = worst, worst, syntax.Uncertain
	x.climbs, x.closed, x.ends = 0, x.closed[:0], x.ends[:0]
	x.queue, x.queued = x.queue[:0], resize(x.queued, n+1)
	clear(x.queued)
	x.marginal = x.marginal[:0]
}

// First makes the pruner's best tree the present one, the best projective one
// if the tree must be that, and reports whether there is one. The chart of the
// best projective tree grows with the square of the words: beyond
// MaxMarginalWords it is the chain in which every word hangs on the one before
// it (prune.Project makes sure of that).
func (x *Search) First() bool {
	n := x.Scores.N
	found := true
	switch {
	case !x.Projective:
		found = x.spanner.MaximumTree(&x.Pruned, 0, x.start)
	case n <= syntax.MaxMarginalWords:
		found = x.spanner.ProjectiveTree(&x.Pruned, x.start) == 0
	default:
		for m := 1; m <= n && found; m++ {
			x.start[m] = int32(m - 1)
			found = x.Scores.Arc(x.start[m], m) >= 0
		}
	}
	if found {
		x.Tree.Set(&x.Scores.Arcs, x.start)
	}
	return found
}

// Offer lets the present tree be the result if it scores higher than all that
// were offered before, and reports whether it does. Of equal trees the first
// stays.
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

// Spent reports whether the search has used up its budget: a decoder must
// come to an end then.
func (x *Search) Spent() bool {
	x.cut = x.cut || x.work() >= x.limit
	return x.cut
}

// work returns that of all searches so far.
func (x *Search) work() int64 {
	x.Scores.Count.Walked = x.Tree.Walked
	return x.Scores.Count.Work()
}

// total returns the full score of the present tree.
func (x *Search) total() int64 { return x.Scores.Total(&x.Tree) }

// excluded reports whether the search may not hang m on h because of
// crossing arcs, the arc from 0, left of the first word, among them.
func (x *Search) excluded(h, m int32) bool { return x.Projective && x.Tree.Crossed(h, m) }

// crossed reports whether the arcs of a or b in the present tree may not be.
func (x *Search) crossed(a, b int32) bool {
	return x.excluded(x.Tree.Head[a], a) || x.excluded(x.Tree.Head[b], b)
}

func resize[T any](a []T, n int) []T { return slices.Grow(a[:0], n)[:n] }
