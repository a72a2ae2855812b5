package search

// enumerate scores every single-root tree over the candidate heads that the
// search may take, if these can be combined in at most limit ways, and leaves
// the best one in x.best, the score of the next best in x.second. It reports
// whether it has found a tree. The result is exact, whatever the model: no
// restart is counted, and no seed matters. Of equal trees the one with the
// lower heads wins, the first word deciding first.
func (x *search) enumerate(limit int) bool {
	t := &x.t
	n := t.N
	ways := 1
	for m := 1; m <= n; m++ {
		lo, hi := t.Arcs.Span(m)
		if ways *= hi - lo; ways > limit {
			return false
		}
	}
	x.start = resize(x.start, n+1)
	x.best = resize(x.best, n+1)
	x.ends, x.closed = x.ends[:0], x.closed[:0]
	x.restarts, x.hits = 0, 0
	x.bestAt, x.second = -1<<62, -1<<62
	found := false
	for way := range ways {
		rest, roots := way, 0
		for m := n; m >= 1; m-- {
			lo, hi := t.Arcs.Span(m)
			h := t.Arcs.Heads[lo+rest%(hi-lo)]
			rest /= hi - lo
			x.start[m] = h
			if h == 0 {
				roots++
			}
		}
		if roots != 1 || x.hasCycle(x.start) {
			continue
		}
		x.y.Set(&t.Arcs, x.start)
		if x.allTangled() {
			continue
		}
		switch s := x.total(); {
		case !found || s > x.bestAt:
			x.second, x.bestAt, found = x.bestAt, s, true
			copy(x.best, x.start)
		case s > x.second:
			x.second = s
		}
	}
	if found {
		t.Count.Exact++
		x.marginals()
	}
	return found
}

// hasCycle reports heads from which 0 is not reached. Few words have a choice
// where candidates are enumerated, so it need not be fast.
func (x *search) hasCycle(head []int32) bool {
	n := x.t.N
	for m := 1; m <= n; m++ {
		u := head[m]
		for steps := 0; u != 0; steps++ {
			if steps > n {
				return true
			}
			u = head[u]
		}
	}
	return false
}
