package tensor

import (
	"cmp"
	"math"
	"slices"

	"github.com/treebeam/treebeam/parser/feature"
	"github.com/treebeam/treebeam/parser/graph"
	"github.com/treebeam/treebeam/parser/syntax"
)

// maxCells bounds the sparse array that is decomposed.
const maxCells = 1_500_000

// startSVD starts U, V and W from a first-order model of the same training
// data.
func (l *Learner) startSVD(train []syntax.Sentence, v *feature.Vocabulary) {
	list := l.pretrain(train, v).list(maxCells)
	found := l.decompose(list)
	l.o.Log("tensor: start from %d cells, %d components", len(list), found)
}

// decompose sets U, V and W such that they come close to the sparse array
// (Lei et al. 2014): the unfolding of head rows against pairs of
// modifier row and bin has singular triplets (sigma, u, q); q, as an array of
// modifier rows and bins, has a largest one (s, v, w); a component is u, v
// and w, and its scale sigma*s is spread evenly over the three. Components
// that the array does not have, and all rows of vectors, get small seeded
// values: with all three zero they could never move. It returns the number of
// components found.
func (l *Learner) decompose(list []cell) int {
	R := l.rank
	r := graph.Rand(l.o.Seed + 0x51D)
	fillRandom(l.U, 0.02, &r)
	fillRandom(l.V, 0.02, &r)
	fillRandom(l.W, 0.02, &r)
	if len(list) == 0 {
		return 0
	}
	b, columns := unfold(list, l.dict.n)
	sigma, u, q := b.topSingular(R, l.o.Seed+0x51E)
	v := make([]float64, l.dict.n)
	for c, s := range sigma {
		scale, w := topPair(q, c, columns, v)
		share := math.Cbrt(s * scale)
		for i := range l.dict.n {
			l.U[i*R+c] = u.row(i)[c] * share
			l.V[i*R+c] = v[i] * share
		}
		for bin := range Bins {
			l.W[bin*R+c] = w[bin] * share
		}
	}
	return len(sigma)
}

// A column of the unfolding.
type column struct{ modifier, bin int32 }

// unfold returns the array as a matrix of head rows against the columns that
// are not empty, which it lists in the order of (modifier, bin). The cells
// are ordered by head row.
func unfold(list []cell, rows int) (*sparse, []column) {
	columns := make([]column, len(list))
	for i, c := range list {
		columns[i] = column{c.modifier, c.bin}
	}
	order := func(a, b column) int {
		return cmp.Or(cmp.Compare(a.modifier, b.modifier), cmp.Compare(a.bin, b.bin))
	}
	slices.SortFunc(columns, order)
	columns = slices.Compact(columns)
	b := &sparse{rows: rows, cols: len(columns), start: make([]int32, rows+1)}
	for _, c := range list {
		b.start[c.head+1]++
		at, _ := slices.BinarySearchFunc(columns, column{c.modifier, c.bin}, order)
		b.col = append(b.col, int32(at))
		b.value = append(b.value, c.value)
	}
	for i := range rows {
		b.start[i+1] += b.start[i]
	}
	return b, columns
}

// topPair writes the left vector of the largest singular triplet of column c
// of q, as an array of modifier rows and bins, into v, and returns the
// singular value and the right vector.
func topPair(q *dense, c int, columns []column, v []float64) (float64, []float64) {
	g := newDense(Bins, Bins)
	row := make([]float64, Bins)
	for i := 0; i < len(columns); { // columns of one modifier row stand together
		clear(row)
		j := i
		for ; j < len(columns) && columns[j].modifier == columns[i].modifier; j++ {
			row[columns[j].bin] = q.row(j)[c]
		}
		i = j
		for k, x := range row {
			axpy(x, row, g.row(k))
		}
	}
	values, vectors := symmetricEigen(g)
	scale := math.Sqrt(max(values[0], 0))
	w := make([]float64, Bins)
	for k := range w {
		w[k] = vectors.row(k)[0]
	}
	clear(v)
	if scale > 0 {
		for i, col := range columns {
			v[col.modifier] += float64(q.row(i)[c]*w[col.bin]) / scale
		}
	}
	return scale, w
}
