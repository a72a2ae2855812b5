package tag

import (
	"slices"

	"github.com/treebeam/treebeam/parser/linear"
	"github.com/treebeam/treebeam/parser/pack"
)

// number is the type of scores: int32 where tags are decided, float32 where
// weights are learned.
type number interface{ int32 | float32 }

// labels says which parts each label of a layer is made of. A label's score is
// the sum of its parts' scores.
type labels struct {
	start []uint32 // parts of label l are parts[start[l]:start[l+1]], rising
	parts []uint16
	n     int // parts in all
	units int // parts below this are also scored in pairs of neighbours
}

func (l *labels) count() int           { return len(l.start) - 1 }
func (l *labels) of(x uint16) []uint16 { return l.parts[l.start[x]:l.start[x+1]] }

// add appends a label made of parts.
func (l *labels) add(parts ...uint16) {
	if l.start == nil {
		l.start = []uint32{0}
	}
	l.parts = append(l.parts, parts...)
	l.start = append(l.start, uint32(len(l.parts)))
}

// A layer is a linear model over labels that are made of parts. It is
// read-only.
type layer struct {
	labels labels
	table  linear.Table // scores of parts
	pairs  []int32      // units x units: left neighbour, word
}

func (m *layer) layout(l *pack.Layout) {
	ls := &m.labels
	pack.Array(l, "start", &ls.start)
	pack.Array(l, "parts", &ls.parts)
	pack.Bounds(l, "start", ls.start, len(ls.parts))
	l.Check("start", len(ls.start) <= maxLabels+1, "has too many labels")
	sizes := []uint32{uint32(ls.n), uint32(ls.units)}
	pack.Array(l, "sizes", &sizes)
	l.Check("sizes", len(sizes) == 2 && sizes[0] <= maxLabels && sizes[1] <= min(sizes[0], maxUnits), "is out of range")
	if l.Reading() {
		ls.n, ls.units = int(sizes[0]), int(sizes[1])
	}
	pack.Below(l, "parts", ls.parts, ls.n)
	m.table.Layout(l, "table", ls.n)
	pack.Array(l, "pairs", &m.pairs)
	l.Check("pairs", len(m.pairs) == ls.units*ls.units, "does not fit the labels")
}

// sumOf returns the score of label x, given those of parts.
func sumOf[T number](ls *labels, acc []T, x uint16) T {
	var s T
	for _, p := range ls.of(x) {
		s += acc[p]
	}
	return s
}

// pairScore returns what label b scores behind label a. pairs is units x
// units: part of a, part of b.
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

// A lattice holds the candidates of a sentence and their scores. It is
// filled word by word with push and reused between sentences.
type lattice[T number] struct {
	start []int32  // candidates of word i are start[i]:start[i+1]
	label []uint16 // of each candidate
	emit  []T      // its score without neighbours

	// The score of the best path that ends in the candidate. Integers wrap
	// around in very long sentences: within a word, only differences mean anything.
	best []T
	back []int32 // the candidate before it there
	path []uint16
}

func (l *lattice[T]) reset() {
	l.start = append(l.start[:0], 0)
	l.label, l.emit = l.label[:0], l.emit[:0]
}

// push adds a word with the best of the allowed labels, whose scores emit
// gives in the same order: at most beam, and none more than margin below the
// best if margin > 0. Candidates stand in the order of falling score; of
// equal ones that which came first is in front.
func (l *lattice[T]) push(allowed []uint16, emit []T, beam int, margin T) {
	lo := len(l.label)
	for k, x := range allowed {
		s, n := emit[k], len(l.label)
		if n-lo < beam {
			l.label, l.emit = append(l.label, x), append(l.emit, s)
			n++
		} else if s <= l.emit[n-1] {
			continue
		}
		j := n - 1
		for ; j > lo && l.emit[j-1] < s; j-- {
			l.label[j], l.emit[j] = l.label[j-1], l.emit[j-1]
		}
		l.label[j], l.emit[j] = x, s
	}
	for margin > 0 && len(l.emit) > lo+1 && l.emit[len(l.emit)-1] < l.emit[lo]-margin {
		l.label, l.emit = l.label[:len(l.label)-1], l.emit[:len(l.emit)-1]
	}
	l.start = append(l.start, int32(len(l.label)))
}

// last returns the candidates of the last word.
func (l *lattice[T]) last() []uint16 { return l.label[l.start[len(l.start)-2]:] }

// score returns the score of a path of candidates.
func (l *lattice[T]) score(ls *labels, pairs []T, path []uint16) T {
	var s T
	for i, x := range path {
		lo := l.start[i]
		s += l.emit[int(lo)+slices.Index(l.label[lo:l.start[i+1]], x)]
		if i > 0 {
			s += pairScore(ls, pairs, path[i-1], x)
		}
	}
	return s
}

// search returns the labels of the best path by an exact Viterbi search over
// the candidates. Of equal ones it takes the first. The result is valid until
// the next call.
func (l *lattice[T]) search(ls *labels, pairs []T) []uint16 {
	n := len(l.start) - 1
	l.path = slices.Grow(l.path[:0], n)[:n]
	if n == 0 {
		return l.path
	}
	for i := range n {
		l.reach(i, ls, pairs)
	}
	at := l.top(n - 1)
	for i := n - 1; i >= 0; i-- {
		l.path[i] = l.label[at]
		at = l.back[at]
	}
	return l.path
}

// reach finds the best paths to the candidates of word i, given those to the
// candidates of the word before.
func (l *lattice[T]) reach(i int, ls *labels, pairs []T) {
	b0, b1 := l.start[i], l.start[i+1]
	l.best = append(l.best[:b0], l.emit[b0:b1]...)
	l.back = slices.Grow(l.back[:b0], int(b1-b0))[:b1]
	if i == 0 {
		return
	}
	a0 := l.start[i-1]
	decided := b0-a0 == 1 && b1-b0 == 1
	for b := b0; b < b1; b++ {
		var top T
		for a := a0; a < b0; a++ {
			s := l.best[a]
			if !decided {
				s += pairScore(ls, pairs, l.label[a], l.label[b])
			}
			if a == a0 || s-top > 0 {
				top, l.back[b] = s, a
			}
		}
		l.best[b] += top
	}
}

// top returns the candidate of word i in which the best path ends, the first of
// equal ones.
func (l *lattice[T]) top(i int) int32 {
	at := l.start[i]
	for c := at + 1; c < l.start[i+1]; c++ {
		if l.best[c]-l.best[at] > 0 {
			at = c
		}
	}
	return at
}
