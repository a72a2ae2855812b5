// Package sequence labels the words of a sentence jointly by a linear model (Layer). A
// label is made of parts. Lattice finds the best sequence by an exact Viterbi search
// over the best labels of each word, Posterior sums over all its paths, and Problem
// learns the weights by structured PA-I (Crammer, Dekel, Keshet, Shalev-Shwartz and
// Singer 2006).
package sequence

import (
	"slices"

	"github.com/treebeam/treebeam/parser/hash"
	"github.com/treebeam/treebeam/parser/linear"
	"github.com/treebeam/treebeam/parser/pack"
)

// number is the type of scores: int32 where tags are decided, float32 where
// weights are learned.
type number interface{ int32 | float32 }

// Bounds of a Layer.
const (
	MaxLabels = 1<<16 - 1 // what 16-bit numbers can count

	// MaxUnits is the largest Labels.Units. The size of a model grows with its square.
	MaxUnits = 1000
)

// Labels say of which parts the labels of a layer are made. The score of a label is the
// sum of the scores of its parts.
type Labels struct {
	Start []uint32 // parts of label l are Parts[Start[l]:Start[l+1]], ascending
	Parts []uint16
	N     int // parts in all
	Units int // parts below this are also scored in pairs of neighbours
}

// Count returns the number of labels.
func (l *Labels) Count() int { return len(l.Start) - 1 }

// Of returns the parts of a label.
func (l *Labels) Of(x uint16) []uint16 { return l.Parts[l.Start[x]:l.Start[x+1]] }

// Add appends a label made of parts.
func (l *Labels) Add(parts ...uint16) {
	if l.Start == nil {
		l.Start = []uint32{0}
	}
	l.Parts = append(l.Parts, parts...)
	l.Start = append(l.Start, uint32(len(l.Parts)))
}

// A Layer is a linear model over Labels. It is read-only.
type Layer struct {
	Labels Labels
	Table  linear.Table // scores of parts
	Pairs  []int32      // units x units: left neighbour, word
}

// Layout names the sections of the layer.
func (m *Layer) Layout(l *pack.Layout) {
	ls := &m.Labels
	pack.Array(l, "start", &ls.Start)
	pack.Array(l, "parts", &ls.Parts)
	pack.Bounds(l, "start", ls.Start, len(ls.Parts))
	l.Check("start", len(ls.Start) <= MaxLabels+1, "has too many labels")
	sizes := []uint32{uint32(ls.N), uint32(ls.Units)}
	pack.Array(l, "sizes", &sizes)
	l.Check("sizes", len(sizes) == 2 && sizes[0] <= MaxLabels && sizes[1] <= min(sizes[0], MaxUnits), "is out of range")
	if l.Reading() {
		ls.N, ls.Units = int(sizes[0]), int(sizes[1])
	}
	pack.Below(l, "parts", ls.Parts, ls.N)
	m.Table.Layout(l, "table", ls.N)
	pack.Array(l, "pairs", &m.Pairs)
	l.Check("pairs", len(m.Pairs) == ls.Units*ls.Units, "does not fit the labels")
}

// Sums is scratch for the scores of parts.
type Sums struct {
	acc  []int32
	rows []uint64 // see linear.Table.Sum
}

// Of returns the scores of all parts for a word with these keys, indexed by part. They
// are valid until the next call.
func (x *Sums) Of(m *Layer, keys []hash.Key) []int32 {
	n := m.Labels.N
	x.acc, x.rows = slices.Grow(x.acc[:0], n)[:n], slices.Grow(x.rows[:0], len(keys))
	clear(x.acc)
	m.Table.Sum(keys, x.acc, x.rows)
	return x.acc
}

// SumOf returns the score of label x, given the scores of parts.
func SumOf[T number](ls *Labels, acc []T, x uint16) T {
	var s T
	for _, p := range ls.Of(x) {
		s += acc[p]
	}
	return s
}

// PairScore returns the score of label b after label a. pairs is units x units: part of
// a, part of b.
func PairScore[T number](ls *Labels, pairs []T, a, b uint16) T {
	var s T
	for _, p := range ls.Of(a) {
		if int(p) >= ls.Units {
			break
		}
		row := pairs[int(p)*ls.Units : (int(p)+1)*ls.Units]
		for _, q := range ls.Of(b) {
			if int(q) >= ls.Units {
				break
			}
			s += row[q]
		}
	}
	return s
}

// A Lattice holds the candidate labels of the words of a sentence and their scores.
// Push fills it word by word. It is scratch for one goroutine, reused between
// sentences.
type Lattice[T number] struct {
	Start []int32  // candidates of word i are Start[i]:Start[i+1]
	Label []uint16 // of each candidate
	Emit  []T      // its score without neighbours

	// The score of the best path that ends in the candidate. Integers wrap
	// around in very long sentences: within a word, only differences mean anything.
	Best []T
	back []int32 // the candidate before it there
	path []uint16
}

// Reset empties the lattice.
func (l *Lattice[T]) Reset() {
	l.Start = append(l.Start[:0], 0)
	l.Label, l.Emit = l.Label[:0], l.Emit[:0]
}

// Push adds a word whose candidates are the best of the allowed labels: at most beam
// and, if margin is above 0, none more than margin below the best. emit[i] is the score
// of allowed[i]. Candidates are in descending order of score; those of equal score keep
// the order of allowed.
func (l *Lattice[T]) Push(allowed []uint16, emit []T, beam int, margin T) {
	lo := len(l.Label)
	for k, x := range allowed {
		s, n := emit[k], len(l.Label)
		if n-lo < beam {
			l.Label, l.Emit = append(l.Label, x), append(l.Emit, s)
			n++
		} else if s <= l.Emit[n-1] {
			continue
		}
		j := n - 1
		for ; j > lo && l.Emit[j-1] < s; j-- {
			l.Label[j], l.Emit[j] = l.Label[j-1], l.Emit[j-1]
		}
		l.Label[j], l.Emit[j] = x, s
	}
	for margin > 0 && len(l.Emit) > lo+1 && l.Emit[len(l.Emit)-1] < l.Emit[lo]-margin {
		l.Label, l.Emit = l.Label[:len(l.Label)-1], l.Emit[:len(l.Emit)-1]
	}
	l.Start = append(l.Start, int32(len(l.Label)))
}

// Last returns the candidates of the last word.
func (l *Lattice[T]) Last() []uint16 { return l.Label[l.Start[len(l.Start)-2]:] }

// score returns the score of a path of candidates.
func (l *Lattice[T]) score(ls *Labels, pairs []T, path []uint16) T {
	var s T
	for i, x := range path {
		lo := l.Start[i]
		s += l.Emit[int(lo)+slices.Index(l.Label[lo:l.Start[i+1]], x)]
		if i > 0 {
			s += PairScore(ls, pairs, path[i-1], x)
		}
	}
	return s
}

// Search returns the labels of the best path by an exact Viterbi search over
// the candidates. Among equal paths it takes the first. The result is valid
// until the next call.
func (l *Lattice[T]) Search(ls *Labels, pairs []T) []uint16 {
	n := len(l.Start) - 1
	l.path = slices.Grow(l.path[:0], n)[:n]
	if n == 0 {
		return l.path
	}
	for i := range n {
		l.extend(i, ls, pairs)
	}
	at := l.top(n - 1)
	for i := n - 1; i >= 0; i-- {
		l.path[i] = l.Label[at]
		at = l.back[at]
	}
	return l.path
}

// extend finds the best paths to the candidates of word i, given the best paths
// to the candidates of the word before.
func (l *Lattice[T]) extend(i int, ls *Labels, pairs []T) {
	b0, b1 := l.Start[i], l.Start[i+1]
	l.Best = append(l.Best[:b0], l.Emit[b0:b1]...)
	l.back = slices.Grow(l.back[:b0], int(b1-b0))[:b1]
	if i == 0 {
		return
	}
	a0 := l.Start[i-1]
	decided := b0-a0 == 1 && b1-b0 == 1
	for b := b0; b < b1; b++ {
		var top T
		for a := a0; a < b0; a++ {
			s := l.Best[a]
			if !decided {
				s += PairScore(ls, pairs, l.Label[a], l.Label[b])
			}
			if a == a0 || s-top > 0 {
				top, l.back[b] = s, a
			}
		}
		l.Best[b] += top
	}
}

// top returns the candidate of word i in which the best path ends, the first
// one among equals.
func (l *Lattice[T]) top(i int) int32 {
	at := l.Start[i]
	for c := at + 1; c < l.Start[i+1]; c++ {
		if l.Best[c]-l.Best[at] > 0 {
			at = c
		}
	}
	return at
}
