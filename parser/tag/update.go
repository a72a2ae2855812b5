package tag

// norm counts the weights that an update changes.
func (l *learner) norm(lo int, path []int32) float64 {
	lat, p := &l.lat, l.p
	n := 0
	for i := range path {
		x, g := lat.cand[lat.start[i]+path[i]], p.gold[lo+i]
		if x == g {
			continue
		}
		k := differing(p.labels.of(x), p.labels.of(g)) + differing(p.labels.of(g), p.labels.of(x))
		n += k * (int(l.keep[i+1]-l.keep[i]) + 2*p.nEdge + 4)
		if p.second {
			n += 6
		}
	}
	return float64(n)
}

// differing counts the parts of a that b has not.
func differing(a, b []uint16) int {
	n := 0
	for _, x := range a {
		if indexOf(b, x) < 0 {
			n++
		}
	}
	return n
}

// update moves the weights by tau from the path to the gold labels.
func (l *learner) update(lo int, path []int32, tau float32) {
	lat, p := &l.lat, l.p
	d := p.labels.prims + 1
	none := uint16(d - 1)
	label := func(i int) (x, g uint16) { return lat.cand[lat.start[i]+path[i]], p.gold[lo+i] }
	prims := func(i int) (x, g uint16) {
		if i < 0 {
			return none, none
		}
		a, b := label(i)
		return p.labels.of(a)[0], p.labels.of(b)[0]
	}
	for i := range path {
		x, g := label(i)
		if x != g {
			for _, id := range l.kept[l.keep[i]:l.keep[i+1]] {
				l.change(id, p.labels.of(g), p.labels.of(x), tau)
			}
		}
		px, pg := prims(i - 1)
		if i > 0 && (x != g || px != pg) {
			for k := range p.nEdge {
				if id := p.edgeID(lo+i, k, pg); id >= 0 {
					l.change(id, p.labels.of(g), nil, tau)
				}
				if id := p.edgeID(lo+i, k, px); id >= 0 {
					l.change(id, nil, p.labels.of(x), tau)
				}
			}
		}
		if i > 0 {
			x0, g0 := label(i - 1)
			if x0 != x || g0 != g {
				l.changePairs(g0, g, tau)
				l.changePairs(x0, x, -tau)
			}
		}
		if p.second {
			qx, qg := prims(i - 2)
			rx, rg := prims(i)
			if qx != qg || px != pg || rx != rg {
				l.changeDense(1, l.triples, (int(qg)*d+int(pg))*d+int(rg), tau)
				l.changeDense(1, l.triples, (int(qx)*d+int(px))*d+int(rx), -tau)
			}
		}
	}
}

func (l *learner) changePairs(a, b uint16, delta float32) {
	ls := l.p.labels
	for _, x := range ls.of(a) {
		for _, y := range ls.of(b) {
			if int(x) < ls.units && int(y) < ls.units {
				l.changeDense(0, l.pairs, int(x)*ls.units+int(y), delta)
			}
		}
	}
}

func (l *learner) changeDense(which int, w []float32, i int, delta float32) {
	w[i] += delta
	l.totals[which][i] += l.step * float64(delta)
}

// change adds tau to the parts that only up has and takes it from those that
// only down has.
func (l *learner) change(id int32, up, down []uint16, tau float32) {
	for _, x := range up {
		if indexOf(down, x) < 0 {
			l.changeCell(id, x, tau)
		}
	}
	for _, x := range down {
		if indexOf(up, x) < 0 {
			l.changeCell(id, x, -tau)
		}
	}
}

func (l *learner) changeCell(id int32, part uint16, delta float32) {
	r := &l.rows[id]
	cells := l.cells[r.off : r.off+uint32(r.n)]
	for i := range cells {
		if cells[i].part == part {
			cells[i].w += delta
			l.sums[int(r.off)+i] += l.step * float64(delta)
			return
		}
	}
	if r.n == r.cap {
		r.cap = max(2, 2*r.cap)
		off := uint32(len(l.cells))
		l.cells = append(l.cells, l.cells[r.off:r.off+uint32(r.n)]...)
		l.cells = append(l.cells, make([]cell, r.cap-r.n)...)
		l.sums = append(l.sums, l.sums[r.off:r.off+uint32(r.n)]...)
		l.sums = append(l.sums, make([]float64, r.cap-r.n)...)
		r.off = off
	}
	l.cells[r.off+uint32(r.n)] = cell{part, delta}
	l.sums[r.off+uint32(r.n)] = l.step * float64(delta)
	r.n++
}
