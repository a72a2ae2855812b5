package search

import (
	"math"

	"github.com/treebeam/treebeam/parser/score"
	"github.com/treebeam/treebeam/parser/syntax"
)

// marginCap is the margin of a word without an alternative, and the largest
// that is reported, in units of the loss of one wrong head.
const marginCap = 64

// confidence fills s.Confidence from the last search: marginals of the
// pruner's distribution, the loss of the best single change at every word of
// the best tree, and how the restarts agreed.
func (x *search) confidence(s *syntax.Sentence) {
	n := x.t.N
	c := syntax.Confidence{
		HeadMargin:    make([]float32, n),
		HeadAgreement: make([]float32, n),
		Restarts:      x.restarts,
		NCandidates:   int32(len(x.t.Arcs.Heads)),
		TreeScore:     float32(float64(x.bestAt) / score.Unit),
		TreeAgreement: x.share(x.hits),
	}
	if x.second > -1<<61 {
		c.TreeMargin = float32(math.Min(float64(x.bestAt-x.second)/score.Unit, marginCap))
	}
	x.y.Set(&x.t.Arcs, x.best)
	x.globalAt = x.t.Globals(&x.y)
	if n <= syntax.MaxMarginalWords {
		c.HeadMarginal = make([]float32, n)
		for m := 1; m <= n; m++ {
			c.HeadMarginal[m-1] = Round(x.marginal[x.y.Slot[m]])
		}
	}
	x.agree = resize(x.agree, n+1)
	clear(x.agree)
	for i, h := range x.ends {
		if m := i%n + 1; x.best[m] == h {
			x.agree[m]++
		}
	}
	for m := 1; m <= n; m++ {
		c.HeadAgreement[m-1] = x.share(x.agree[m])
		c.HeadMargin[m-1] = float32(float64(x.margin(int32(m))) / score.Unit)
	}
	s.Confidence = c
}

// share returns a share of the restarts; 1 if there were none, because all
// trees were scored.
func (x *search) share(k int32) float32 {
	if x.restarts == 0 {
		return 1
	}
	return Round(float64(k) / float64(x.restarts))
}

// margin returns the loss of the best tree that differs from the present one
// in the head of m; for the root word, by one re-rooting move. Global parts
// count for the moves that settle would have scored in full. The present tree
// is x.best before and after.
func (x *search) margin(m int32) int64 {
	t, y := &x.t, &x.y
	least := int64(marginCap * score.Unit)
	lo, hi := t.Arcs.Span(int(m))
	if m != y.Root {
		base, known, now := int64(0), false, y.Slot[m]
		for i := int32(lo); i < int32(hi); i++ {
			h := t.Arcs.Heads[i]
			if i == now || h == 0 || y.Below(h, m) || x.excluded(h, m) {
				continue
			}
			if !known {
				base, known = int64(t.Attach(y, int(m), now)), true
			}
			loss := base - int64(t.Attach(y, int(m), i))
			if x.inFull(loss) {
				y.Move(int(m), i)
				loss += x.globalAt - t.Globals(y)
				y.Move(int(m), now)
			}
			least = min(least, loss)
		}
		return max(least, 0)
	}
	for r := int32(1); int(r) <= t.N; r++ {
		if r != m && x.mayReplace(r, m) {
			least = min(least, x.rootLoss(r, m))
		}
	}
	return max(least, 0)
}

// rootLoss returns what making m the root in place of old loses.
func (x *search) rootLoss(m, old int32) int64 {
	t, y := &x.t, &x.y
	before, rootArc := y.Slot[m], y.Slot[old]
	gain, pick := x.openRoot(m, old)
	loss := -gain
	if x.inFull(loss) {
		y.Move(int(old), pick)
		loss += x.globalAt - t.Globals(y)
		y.Move(int(old), rootArc)
	}
	y.Move(int(m), before)
	y.Root = old
	return loss
}

// inFull reports whether settle scores a move of such a local loss in full.
func (x *search) inFull(loss int64) bool {
	return loss < x.delta && x.t.HasGlobals()
}

// Round rounds a probability to a multiple of 1/4096 in [0,1]. NaN is 0.
func Round(p float64) float32 {
	if !(p > 0) {
		return 0
	}
	return float32(math.Round(math.Min(p, 1)*4096) / 4096)
}
