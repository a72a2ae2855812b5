package decode

import "github.com/treebeam/treebeam/parser/feature"

// known looks for an earlier climb that ended on local parts in the present
// tree. If there is one, the tree becomes what settle made of it then. If
// not, the tree is remembered, for finish to add its end.
func (x *search) known() bool {
	n := x.t.n
	heads := x.y.head[1 : n+1]
	for at := 0; at < len(x.closed); at += n {
		if equal(x.closed[at:at+n], heads) {
			x.closed = append(x.closed, heads...)
			copy(x.start[1:], x.ends[at:at+n])
			x.y.set(&x.t, x.start)
			return true
		}
	}
	x.closed = append(x.closed, heads...)
	return false
}

func equal(a, b []int32) bool {
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

// settle is the second level of a climb: at a tree that no
// move improves by its local parts it tries all moves that lose less than
// delta there, and keeps those that gain by the full score, until none does.
// It does nothing if no global family is on or delta is 0: the ends of climbs
// are then only ranked by the full score.
func (x *search) settle() {
	if x.delta <= 0 || !x.t.on.Any(feature.Globals) || x.known() {
		return
	}
	now := x.t.globals(&x.y)
	for range maxSweeps {
		if x.spent() {
			return
		}
		moved := x.fullSweep(&now)
		if !moved {
			moved = x.fullReroot(&now)
		}
		if !moved {
			return
		}
	}
}

// fullSweep visits every word once. now is the score of the global parts of
// the present tree.
func (x *search) fullSweep(now *int64) (moved bool) {
	t, y := &x.t, &x.y
	x.order = y.postorder(x.order[:0])
	for _, m := range x.order {
		lo, hi := t.arcs.Span(int(m))
		if m == y.root || hi-lo < 2 || x.spent() {
			continue
		}
		from := y.slot[m]
		pick, base, best, at := from, int64(0), int64(0), *now
		known := false
		for i := int32(lo); i < int32(hi); i++ {
			h := t.arcs.Heads[i]
			if i == from || h == 0 || y.below(h, m) || x.excluded(h, m) {
				continue
			}
			if !known {
				base, known = int64(y.attach(t, int(m), from)), true
			}
			gain := int64(y.attach(t, int(m), i)) - base
			if gain <= -x.delta {
				continue
			}
			y.move(t, int(m), i)
			global := t.globals(y)
			if gain += global - *now; gain > best {
				pick, best, at = i, gain, global
			}
		}
		if y.slot[m] != pick {
			y.move(t, int(m), pick)
		}
		if pick != from {
			*now, moved = at, true
		}
	}
	return moved
}

// fullReroot is reroot by the full score.
func (x *search) fullReroot(now *int64) bool {
	t, y := &x.t, &x.y
	old := y.root
	rootArc := y.slot[old]
	for m := int32(1); int(m) <= t.n; m++ {
		if m == old || x.spent() || !x.mayReplace(m, old) {
			continue
		}
		before := y.slot[m]
		gain, pick := x.openRoot(m, old)
		if gain > -x.delta {
			y.move(t, int(old), pick)
			y.root = m
			global := t.globals(y)
			if gain+global-*now > 0 {
				*now = global
				return true
			}
			y.move(t, int(old), rootArc)
		}
		y.move(t, int(m), before)
		y.root = old
	}
	return false
}
