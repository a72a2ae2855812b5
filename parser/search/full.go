package search

import "github.com/treebeam/treebeam/parser/part"

// full reports whether moves are scored with global parts at all. If not, the
// ends of climbs are only ranked by the full score.
func (x *Search) full() bool { return x.delta > 0 && x.Scores.HasGlobals() }

// climbFull is the second level of a climb: at a tree that no move improves
// by its local parts it tries all moves that lose less than delta there, and
// keeps those that gain by the full score, until none does.
func (x *Search) climbFull() {
	now := x.Scores.Globals(&x.Tree)
	for range maxSweeps {
		if x.Spent() || !x.sweepFull(&now) && !x.rerootFull(&now) {
			return
		}
	}
}

// sweepFull visits every word once. now is the score of the present tree's
// global parts.
func (x *Search) sweepFull(now *int64) (moved bool) {
	y := &x.Tree
	x.order = y.Postorder(x.order[:0])
	for _, m := range x.order {
		if x.Spent() || !x.weigh(m) {
			continue
		}
		from, lo := y.Arc[m], x.Scores.Arcs.Start[m-1]
		pick, best, at := from, int64(0), *now
		for k, s := range x.worth {
			i, gain := lo+int32(k), int64(s)-int64(x.worth[from-lo])
			if i == from || s == part.Barred || gain <= -x.delta {
				continue
			}
			y.Move(int(m), i)
			global := x.Scores.Globals(y)
			if gain += global - *now; gain > best {
				pick, best, at = i, gain, global
			}
		}
		if y.Arc[m] != pick {
			y.Move(int(m), pick)
		}
		*now, moved = at, moved || pick != from
	}
	return moved
}

// rerootFull is reroot with the full score.
func (x *Search) rerootFull(now *int64) bool {
	for m := int32(1); int(m) <= x.Scores.N && !x.Spent(); m++ {
		if !x.mayBeRoot(m) {
			continue
		}
		if gain, moved := x.makeRoot(m, 1-x.delta); moved {
			global := x.Scores.Globals(&x.Tree)
			if gain+global-*now > 0 {
				*now = global
				return true
			}
			x.undo()
		}
	}
	return false
}
