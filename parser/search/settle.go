package search

// known looks for an earlier climb that ended on local parts in the present
// tree. If there is one, the tree becomes what settle made of it then. If
// not, the tree is remembered, for finish to add its end.
func (x *search) known() bool {
	n := x.t.N
	heads := x.y.Head[1 : n+1]
	for at := 0; at < len(x.closed); at += n {
		if equal(x.closed[at:at+n], heads) {
			x.closed = append(x.closed, heads...)
			copy(x.start[1:], x.ends[at:at+n])
			x.y.Set(&x.t.Arcs, x.start)
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
	if x.delta <= 0 || !x.t.HasGlobals() || x.known() {
		return
	}
	now := x.t.Globals(&x.y)
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
	x.order = y.Postorder(x.order[:0])
	for _, m := range x.order {
		lo, hi := t.Arcs.Span(int(m))
		if m == y.Root || hi-lo < 2 || x.spent() {
			continue
		}
		from := y.Slot[m]
		pick, base, best, at := from, int64(0), int64(0), *now
		known := false
		for i := int32(lo); i < int32(hi); i++ {
			h := t.Arcs.Heads[i]
			if i == from || h == 0 || y.Below(h, m) || x.excluded(h, m) {
				continue
			}
			if !known {
				base, known = int64(t.Attach(y, int(m), from)), true
			}
			gain := int64(t.Attach(y, int(m), i)) - base
			if gain <= -x.delta {
				continue
			}
			y.Move(int(m), i)
			global := t.Globals(y)
			if gain += global - *now; gain > best {
				pick, best, at = i, gain, global
			}
		}
		if y.Slot[m] != pick {
			y.Move(int(m), pick)
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
	old := y.Root
	rootArc := y.Slot[old]
	for m := int32(1); int(m) <= t.N; m++ {
		if m == old || x.spent() || !x.mayReplace(m, old) {
			continue
		}
		before := y.Slot[m]
		gain, pick := x.openRoot(m, old)
		if gain > -x.delta {
			y.Move(int(old), pick)
			y.Root = m
			global := t.Globals(y)
			if gain+global-*now > 0 {
				*now = global
				return true
			}
			y.Move(int(old), rootArc)
		}
		y.Move(int(m), before)
		y.Root = old
	}
	return false
}
