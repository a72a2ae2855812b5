package search

import (
	"math"

	"github.com/treebeam/treebeam/parser/score"
	"github.com/treebeam/treebeam/parser/syntax"
)

// marginCap is the margin of a word without an alternative, and the largest
// that is reported, in units of the loss of one wrong head.
const marginCap = 64

// confidence fills s.Confidence from the last search: the probability of every
// head by the scores around the best tree, and the loss of the best single
// change of each.
func (x *Search) confidence(s *syntax.Sentence) {
	n := x.Scores.N
	lists := make([]float32, 5*n)
	list := func(i int) []float32 { return lists[i*n : (i+1)*n : (i+1)*n] }
	c := syntax.Confidence{
		HeadMarginal: list(0),
		FirstOrder:   list(1),
		HeadDoubt:    list(2),
		FirstDoubt:   list(3),
		HeadMargin:   list(4),
		Restarts:     x.climbs,
		NCandidates:  int32(len(x.Scores.Arcs.Heads)),
		TreeScore:    float32(float64(x.bestAt) / score.Unit),
		Certificate:  x.certificate,
	}
	if x.second > worst {
		c.TreeMargin = float32(math.Min(float64(x.bestAt-x.second)/score.Unit, marginCap))
	}
	x.Tree.Set(&x.Scores.Arcs, x.best)
	x.globalAt = x.Scores.Globals(&x.Tree)
	x.linear = resize(x.linear, len(x.Scores.Arcs.Heads))
	for m := 1; m <= n; m++ {
		x.linearize(int32(m))
		c.HeadMargin[m-1] = float32(float64(x.margin(int32(m))) / score.Unit)
	}
	s.Candidates.Gains = append(s.Candidates.Gains[:0], x.linear...)
	x.marginals(&c, s.Candidates.Lost)
	s.Confidence = c
}

// margin returns the loss of the best tree that differs from the present one
// in the head of m alone; for the root word, by one re-rooting move. Global parts
// count for the moves that climbFull would have scored. The present tree is
// x.best before and after, and m is the word that was weighed last (linearize).
func (x *Search) margin(m int32) int64 {
	y, least := &x.Tree, int64(marginCap*score.Unit)
	if m == y.Root {
		for r := int32(1); int(r) <= x.Scores.N; r++ {
			if x.mayBeRoot(r) {
				least = min(least, x.rootLoss(r))
			}
		}
		return max(least, 0)
	}
	lo, now := x.Scores.Arcs.Start[m-1], y.Arc[m]
	for k, s := range x.worth {
		i, loss := lo+int32(k), int64(x.worth[now-lo])-int64(s)
		if h := x.Scores.Arcs.Heads[i]; i == now || h == 0 || y.Below(h, m) {
			continue
		}
		if loss < x.delta && x.full() {
			y.Move(int(m), i)
			loss += x.globalAt - x.Scores.Globals(y)
			y.Move(int(m), now)
		}
		least = min(least, loss)
	}
	return max(least, 0)
}

// rootLoss returns what making m the root loses.
func (x *Search) rootLoss(m int32) int64 {
	gain, moved := x.makeRoot(m, 1-x.delta)
	if !moved {
		return -gain
	}
	if x.full() {
		gain -= x.globalAt - x.Scores.Globals(&x.Tree)
	}
	x.undo()
	return -gain
}

// round rounds a probability to a multiple of 1/4096 in [0,1]. NaN is 0.
func round(p float64) float32 {
	if !(p > 0) {
		return 0
	}
	return float32(math.Round(math.Min(p, 1)*4096) / 4096)
}
