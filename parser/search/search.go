package search

import (
	"math"

	"github.com/treebeam/treebeam/parser/graph"
	"github.com/treebeam/treebeam/parser/part"
	"github.com/treebeam/treebeam/parser/syntax"
)

// A search is the scratch of one sentence's decoding. It is reused from
// sentence to sentence and belongs to one goroutine at a time.
type search struct {
	t          part.Scores
	y          part.Tree
	order      []int32
	delta      int64 // largest local loss of a move that settle looks at, exclusive
	projective bool  // no arc may cross another
	limit      int64 // of t.Count.Gains: the search ends there
	cut        bool  // it has ended there

	trail  []step  // of the present chain
	queue  []int32 // words that the chain concerns
	queued []bool
	worth  []int32 // per candidate of the word that was weighed last
	held   []int32 // likewise, of the word whose chains are tried

	sampler  graph.Sampler
	spanner  graph.Spanner
	margins  graph.Marginals
	marginal []float64 // per arc
	draw     graph.Arcs
	redraw   []bool
	shaken   []int32 // per arc: score with noise, for projective starts

	start    []int32 // heads of the tree to climb from
	gold     []int32 // in training: heads of the gold tree
	best     []int32 // heads of the best tree so far, entry 0 unused
	bestAt   int64
	globalAt int64 // score of best's global parts, set by confidence
	second   int64 // best score of a different local optimum
	hits     int32 // restarts that ended in best
	restarts int32
	agree    []int32 // per word: restarts that ended with the head of best
	ends     []int32 // heads of every restart, one after another
	closed   []int32 // likewise, at the ends of the climbs on local parts
	parts    [2][]part.Part
}

// prepare loads a sentence whose candidates are set and encodes it.
func (x *search) prepare(m *Model, s *syntax.Sentence) {
	x.delta = int64(m.delta)
	x.projective = false
	x.limit, x.cut = math.MaxInt64, false
	x.t.Prepare(&m.source, s)
	x.draw = graph.Of(&s.Candidates)
	x.queue = x.queue[:0]
	x.queued = resize(x.queued, x.t.N+1)
	clear(x.queued)
}

// total scores the present tree.
func (x *search) total() int64 { return x.t.Total(&x.y) }

// run searches for the best tree: from the pruner's best tree, then from
// random ones, then from the best tree with some heads redrawn, until
// patience restarts in a row have brought nothing better or limit is met
// (Zhang et al. 2014; restarts from a disturbed tree are ours). Restart j depends on seed and j
// and on the best tree of those before it, so the result depends on the
// sentence and the seed only. It reports whether the candidates hold a
// single-root tree.
func (x *search) run(seed uint64, limit, patience int) bool {
	n := x.t.N
	x.best = resize(x.best, n+1)
	x.start = resize(x.start, n+1)
	x.ends, x.closed = x.ends[:0], x.closed[:0]
	x.restarts, x.hits = 0, 0
	x.bestAt, x.second = -1<<62, -1<<62
	known := x.marginals()
	free := x.freeWords()
	prepared := false
	for j, idle := 0, 0; j < limit && idle < patience && !x.spent(); j++ {
		switch {
		case j == 0:
			if !x.firstTree() {
				return false
			}
		default:
			if free == 0 {
				return true
			}
			if x.projective {
				x.scatter(seed, j)
				break
			}
			if !prepared {
				x.sampler.Prepare(&x.draw)
				prepared = true
			}
			x.restart(seed, j, known)
		}
		if x.ascend(x.start) {
			idle = 0
		} else {
			idle++
		}
	}
	return true
}

// spent reports whether the search has used up its budget.
func (x *search) spent() bool {
	x.cut = x.cut || x.t.Count.Gains >= x.limit
	return x.cut
}

// marginals fills x.marginal, with 0 if they are not known.
func (x *search) marginals() (known bool) {
	x.marginal = resize(x.marginal, len(x.draw.Heads))
	known = x.t.N <= syntax.MaxMarginalWords && x.margins.Compute(&x.draw, 16, x.marginal)
	if !known {
		clear(x.marginal)
	}
	return known
}

// ascend climbs from a tree and reports whether it ends higher than all
// before.
func (x *search) ascend(from []int32) bool {
	x.y.Set(&x.t.Arcs, from)
	x.climb()
	// Chains lead most climbs to one tree; where global parts are still to be
	// scored, half of the climbs go without them, for the sake of variety.
	switch varied := x.t.HasGlobals() && x.restarts%4 > 1; {
	case varied:
		x.close()
	case !x.isBest():
		for x.chains() > 0 {
			x.climb()
		}
	}
	x.settle()
	return x.finish()
}

// isBest reports whether the present tree is the best one so far.
func (x *search) isBest() bool {
	for m := 1; m <= x.t.N; m++ {
		if x.best[m] != x.y.Head[m] {
			return false
		}
	}
	return x.restarts > 0
}

// freeWords counts the words that have a choice.
func (x *search) freeWords() int {
	free := 0
	for m := 1; m <= x.t.N; m++ {
		if lo, hi := x.t.Arcs.Span(m); hi-lo > 1 {
			free++
		}
	}
	return free
}

// restart leaves in x.start the tree that restart j climbs from: every other
// time a random tree, root by its marginal, else the best tree with about a
// third of its words redrawn.
func (x *search) restart(seed uint64, j int, known bool) {
	r := graph.Rand(seed + uint64(j)*0xD1B54A32D192ED03)
	n := x.t.N
	copy(x.start, x.best)
	if j%2 == 1 {
		x.redraw = resize(x.redraw, n+1)
		for m := 1; m <= n; m++ {
			x.redraw[m] = r.Below(3) == 0
		}
		x.sampler.Sample(&x.draw, int(x.root(x.best)), x.redraw, x.start, &r)
		return
	}
	root := x.root(x.best)
	if known {
		root = x.drawRoot(&r)
	}
	if !x.sampler.Sample(&x.draw, int(root), nil, x.start, &r) {
		copy(x.start, x.best)
	}
}

func (x *search) root(head []int32) int32 {
	for m := 1; m <= x.t.N; m++ {
		if head[m] == 0 {
			return int32(m)
		}
	}
	return 0
}

// drawRoot draws a root word by the marginals, as integers of 1/65536.
func (x *search) drawRoot(r *graph.Rand) int32 {
	weight := func(m int) uint32 {
		lo, hi := x.draw.Span(m)
		if lo == hi || x.draw.Heads[lo] != 0 {
			return 0
		}
		return uint32(x.marginal[lo]*65536 + 0.5)
	}
	total := uint32(0)
	for m := 1; m <= x.t.N; m++ {
		total += weight(m)
	}
	if total == 0 {
		return x.root(x.best)
	}
	at := r.Below(total)
	for m := 1; m <= x.t.N; m++ {
		if w := weight(m); at < w {
			return int32(m)
		} else {
			at -= w
		}
	}
	return x.root(x.best)
}

// finish records where a climb ended and reports whether it is better than
// all before. Of equal trees the first stays.
func (x *search) finish() bool {
	n, y := x.t.N, &x.y
	x.restarts++
	x.t.Count.Climbs++
	x.ends = append(x.ends, y.Head[1:n+1]...)
	s := x.total()
	same := s == x.bestAt
	for m := 1; m <= n && same; m++ {
		same = x.best[m] == y.Head[m]
	}
	switch {
	case same:
		x.hits++
	case s > x.bestAt:
		if x.restarts > 1 {
			x.t.Count.Improved++
		}
		x.second, x.bestAt, x.hits = x.bestAt, s, 1
		copy(x.best, y.Head[:n+1])
		return true
	case s > x.second:
		x.second = s
	}
	return false
}

func resize[T any](a []T, n int) []T {
	if cap(a) < n {
		return make([]T, n, n+n/2)
	}
	return a[:n]
}
