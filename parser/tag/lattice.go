package tag

// number is the type of scores: int32 where tags are decided, float32 where
// weights are learned.
type number interface{ int32 | float32 }

// labels says which parts each label of a layer is made of. The first part
// is its primary; parts below units take part in edges. A label's score is
// the sum of its parts' scores.
type labels struct {
	start []uint32 // parts of label l are parts[start[l]:start[l+1]]
	parts []uint16
	n     int // parts in all
	units int // parts below this are scored in pairs of neighbours
	prims int // parts below this can be primaries
}

func (l *labels) count() int           { return len(l.start) - 1 }
func (l *labels) of(x uint16) []uint16 { return l.parts[l.start[x]:l.start[x+1]] }

// A lattice holds the candidates of a sentence and their scores. It is
// filled word by word with push and reused between sentences.
type lattice[T number] struct {
	start     []int32  // candidates of word i are start[i]:start[i+1]
	cand      []uint16 // labels
	prim      []uint16
	emit      []T
	edgeStart []int32 // of word i; its scores are [candidate of i-1][of i]
	edge      []T

	score []T // of the best path that ends in (candidate of i-1, of i)
	back  []int32
	base  []int32
	path  []int32
}

func (l *lattice[T]) reset() {
	l.start = append(l.start[:0], 0)
	l.cand, l.prim, l.emit = l.cand[:0], l.prim[:0], l.emit[:0]
	l.edgeStart, l.edge = l.edgeStart[:0], l.edge[:0]
}

// push adds a word with the best of the allowed labels: at most beam, and
// none more than margin below the best if margin > 0. acc holds the scores
// of parts.
func (l *lattice[T]) push(ls *labels, allowed []uint16, acc []T, beam int, margin T) {
	lo := len(l.cand)
	for _, x := range allowed {
		var s T
		for _, p := range ls.of(x) {
			s += acc[p]
		}
		l.insert(lo, x, s, beam)
	}
	if margin > 0 {
		for len(l.emit) > lo+1 && l.emit[len(l.emit)-1] < l.emit[lo]-margin {
			l.cand, l.emit = l.cand[:len(l.cand)-1], l.emit[:len(l.emit)-1]
		}
	}
	l.close(ls)
}

// insert keeps the candidates from lo on sorted by falling score; of equal
// ones the label that came first stays in front.
func (l *lattice[T]) insert(lo int, x uint16, s T, beam int) {
	n := len(l.cand)
	if n-lo < beam {
		l.cand, l.emit = append(l.cand, x), append(l.emit, s)
		n++
	} else if s <= l.emit[n-1] {
		return
	}
	j := n - 1
	for j > lo && l.emit[j-1] < s {
		l.cand[j], l.emit[j] = l.cand[j-1], l.emit[j-1]
		j--
	}
	l.cand[j], l.emit[j] = x, s
}

// close ends the candidates of a word and makes room for its edges.
func (l *lattice[T]) close(ls *labels) {
	lo := int(l.start[len(l.start)-1])
	for _, x := range l.cand[lo:] {
		l.prim = append(l.prim, ls.of(x)[0])
	}
	l.edgeStart = append(l.edgeStart, int32(len(l.edge)))
	if i := len(l.start) - 1; i > 0 {
		n := (lo - int(l.start[i-1])) * (len(l.cand) - lo)
		for range n {
			l.edge = append(l.edge, 0)
		}
	}
	l.start = append(l.start, int32(len(l.cand)))
}

func (l *lattice[T]) words() int { return len(l.start) - 1 }

// addUnits adds pairs, the scores of units of neighbours, to all edges.
func (l *lattice[T]) addUnits(ls *labels, pairs []T) {
	for i := 1; i < l.words(); i++ {
		a0, b0, b1 := l.start[i-1], l.start[i], l.start[i+1]
		if b0-a0 == 1 && b1-b0 == 1 {
			continue // nothing to decide
		}
		e := l.edgeStart[i]
		for _, a := range l.cand[a0:b0] {
			for _, b := range l.cand[b0:b1] {
				l.edge[e] += pairScore(ls, pairs, a, b)
				e++
			}
		}
	}
}

func pairScore[T number](ls *labels, pairs []T, a, b uint16) T {
	var s T
	for _, p := range ls.of(a) {
		if int(p) >= ls.units {
			break
		}
		row := pairs[int(p)*ls.units : (int(p)+1)*ls.units]
		for _, q := range ls.of(b) {
			if int(q) >= ls.units {
				break
			}
			s += row[q]
		}
	}
	return s
}

// best returns the label of each word on the best path, of the words'
// candidates by index. triples scores three primaries in a row, prims+1
// standing for none; nil leaves them out, and decoding is of first order.
// The result is valid until the next call.
func (l *lattice[T]) best(ls *labels, triples []T) []int32 {
	if triples == nil {
		return l.bestFirst()
	}
	return l.bestSecond(ls.prims+1, triples)
}

func (l *lattice[T]) bestFirst() []int32 {
	n := l.words()
	l.score = append(l.score[:0], l.emit...)
	l.back = resize(l.back, len(l.cand))
	for i := 1; i < n; i++ {
		a0, b0, b1 := l.start[i-1], l.start[i], l.start[i+1]
		nb := b1 - b0
		for b := range nb {
			e := l.edgeStart[i] + b
			arg, top := int32(0), l.score[a0]+l.edge[e]
			for a := int32(1); a < b0-a0; a++ {
				e += nb
				if s := l.score[a0+a] + l.edge[e]; s > top {
					arg, top = a, s
				}
			}
			l.score[b0+b] = top + l.emit[b0+b]
			l.back[b0+b] = arg
		}
	}
	l.path = resize(l.path, n)
	if n == 0 {
		return l.path
	}
	at := argmax(l.score[l.start[n-1]:l.start[n]])
	for i := n - 1; i >= 0; i-- {
		l.path[i] = at
		at = l.back[l.start[i]+at]
	}
	return l.path
}

func (l *lattice[T]) bestSecond(dim int, triples []T) []int32 {
	n := l.words()
	l.path = resize(l.path, n)
	if n == 0 {
		return l.path
	}
	none := dim - 1
	l.base = resize(l.base, n)
	l.score, l.back = l.score[:0], l.back[:0]
	for i := range n {
		b0, c0, c1 := int32(0), l.start[i], l.start[i+1]
		nb := int32(1)
		if i > 0 {
			b0 = l.start[i-1]
			nb = c0 - b0
		}
		l.base[i] = int32(len(l.score))
		for b := range nb {
			pb := none
			if i > 0 {
				pb = int(l.prim[b0+b])
			}
			for c := range c1 - c0 {
				pc := int(l.prim[c0+c])
				var top T
				arg := int32(0)
				if i < 2 {
					top = triples[(none*dim+pb)*dim+pc]
					if i == 1 {
						top += l.score[l.base[0]+b]
					}
				} else {
					a0 := l.start[i-2]
					for a := range b0 - a0 {
						s := l.score[l.base[i-1]+a*nb+b] + triples[(int(l.prim[a0+a])*dim+pb)*dim+pc]
						if a == 0 || s > top {
							arg, top = a, s
						}
					}
				}
				top += l.emit[c0+c]
				if i > 0 {
					top += l.edge[l.edgeStart[i]+b*(c1-c0)+c]
				}
				l.score, l.back = append(l.score, top), append(l.back, arg)
			}
		}
	}
	l.traceSecond()
	return l.path
}

func (l *lattice[T]) traceSecond() {
	n := l.words()
	at := argmax(l.score[l.base[n-1]:])
	for i := n - 1; i >= 0; i-- {
		nc := l.start[i+1] - l.start[i]
		b, c := at/nc, at%nc
		l.path[i] = c
		if i > 0 {
			nb := l.start[i] - l.start[i-1]
			at = l.back[l.base[i]+at]*nb + b
			if i == 1 {
				at = b
			}
		}
	}
}

func argmax[T number](s []T) int32 {
	arg := 0
	for i := range s {
		if s[i] > s[arg] {
			arg = i
		}
	}
	return int32(arg)
}

func resize[E any](s []E, n int) []E {
	if cap(s) < n {
		return make([]E, n, n+n/2+8)
	}
	return s[:n]
}
