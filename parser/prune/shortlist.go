package prune

import (
	"math"
	"slices"

	"github.com/treebeam/treebeam/parser/graph"
	"github.com/treebeam/treebeam/parser/prune/dense"
	"github.com/treebeam/treebeam/parser/score"
	"github.com/treebeam/treebeam/parser/syntax"
)

// The first stage scores every pair of words (dense.Tables), and leaves a word
// a short list of heads.
const (
	denseHeads  = 8              // at most
	denseMargin = 5 * score.Unit // largest difference from the best
)

// scoresOf sets x.row to the scores of the arcs into m, in 1/score.Unit: the scores by the
// tables plus the dense scores of s.
func (x *scratch) scoresOf(s *syntax.Sentence, m int) {
	n := len(s.Words)
	x.row = resize(x.row, n+1)
	x.first.Scores(m, x.row)
	if len(s.Dense.Arcs) > 0 {
		for h := range x.row {
			x.row[h] += max(-score.MaxDense, min(score.MaxDense, s.Dense.Arcs[h*(n+1)+m]))
		}
	}
}

// shortlist fills x.arcs with the heads that the tables leave, and their
// scores in 1/score.Unit, and x.lost with the probability of the others.
func (x *scratch) shortlist(s *syntax.Sentence) {
	n := len(s.Words)
	a := &x.arcs
	a.Start, a.Heads, a.Score = append(a.Start[:0], 0), a.Heads[:0], a.Score[:0]
	x.lookups += int64(n * (dense.LookupsPerWord + n*dense.LookupsPerPair))
	x.guess.head, x.lost = resize(x.guess.head, n+1), resize(x.lost, n+1)
	for m := 1; m <= n; m++ {
		x.scoresOf(s, m)
		var top [denseHeads]int64
		for i := range top {
			top[i] = math.MinInt64
		}
		for h, score := range x.row {
			if h != m {
				insert(top[:], rank(score, h))
			}
		}
		x.guess.head[m] = int32(-top[0])
		best, kept, lost := x.row[x.guess.head[m]], 0.0, 0.0
		for h, sc := range x.row {
			switch p := likelihood(best - sc); {
			case h == m:
			case sc >= best-denseMargin && rank(sc, h) >= top[denseHeads-1]:
				a.Heads, a.Score = append(a.Heads, int32(h)), append(a.Score, sc)
				kept += p
			default:
				lost += p
			}
		}
		x.lost[m] = lost / (lost + kept)
		a.Start = append(a.Start, int32(len(a.Heads)))
	}
	x.guess.set(x.words)
}

// likelihood returns exp(-loss) for a loss of at least 0 in 1/score.Unit.
func likelihood(loss int32) float64 { return graph.ExpOdds(loss / (score.Unit / 1024)) }

// rank orders heads by score; among equals the first is the best.
func rank(score int32, h int) int64 { return int64(score)<<32 - int64(h) }

// insert puts x into the largest values so far, which decrease.
func insert[T int64 | float64](top []T, x T) {
	i := len(top) - 1
	if x <= top[i] {
		return
	}
	for ; i > 0 && top[i-1] < x; i-- {
		top[i] = top[i-1]
	}
	top[i] = x
}

func resize[T any](a []T, n int) []T { return slices.Grow(a[:0], n)[:n] }
