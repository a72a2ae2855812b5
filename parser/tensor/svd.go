package tensor

import (
	"cmp"
	"math"
	"slices"

	"github.com/treebeam/treebeam/parser/graph"
)

// A sparse is a matrix of rows x cols: row i holds value[k] in column col[k]
// for k in start[i]..start[i+1]-1.
type sparse struct {
	rows, cols int
	start      []int32
	col        []int32
	value      []float64
}

// A dense is a matrix of rows x cols; element (i,j) is a[i*cols+j].
type dense struct {
	rows, cols int
	a          []float64
}

func newDense(rows, cols int) *dense { return &dense{rows, cols, make([]float64, rows*cols)} }

func (d *dense) row(i int) []float64 { return d.a[i*d.cols:][:d.cols] }

// times returns b x.
func (b *sparse) times(x *dense) *dense {
	y := newDense(b.rows, x.cols)
	for i := range b.rows {
		to := y.row(i)
		for k := b.start[i]; k < b.start[i+1]; k++ {
			axpy(b.value[k], x.row(int(b.col[k])), to)
		}
	}
	return y
}

// transposedTimes returns b' x.
func (b *sparse) transposedTimes(x *dense) *dense {
	y := newDense(b.cols, x.cols)
	for i := range b.rows {
		from := x.row(i)
		for k := b.start[i]; k < b.start[i+1]; k++ {
			axpy(b.value[k], from, y.row(int(b.col[k])))
		}
	}
	return y
}

// topSingular returns the largest singular values of b, at most k and none
// below 1e-9 of the largest, decreasing, with their vectors as columns of u
// and q: randomised subspace iteration (Halko, Martinsson and Tropp 2011,
// algorithm 4.4) with ten more vectors than asked for.
func (b *sparse) topSingular(k int, seed uint64) (sigma []float64, u, q *dense) {
	const rounds = 7
	width := min(k+10, b.rows, b.cols)
	r := graph.Rand(seed)
	y := newDense(b.rows, width)
	fillRandom(y.a, 1, &r)
	orthonormalise(y)
	for range rounds {
		y = b.times(b.transposedTimes(y))
		orthonormalise(y)
	}
	z := b.transposedTimes(y)
	values, vectors := symmetricEigen(gram(z))
	for i := range min(k, width) {
		if values[i] <= 0 || math.Sqrt(values[i]) < 1e-9*math.Sqrt(values[0]) {
			break
		}
		sigma = append(sigma, math.Sqrt(values[i]))
	}
	u, q = product(y, vectors, len(sigma)), product(z, vectors, len(sigma))
	for i := range q.rows {
		for j, s := range sigma {
			q.row(i)[j] /= s
		}
	}
	return sigma, u, q
}

// orthonormalise makes the columns of d orthonormal by Gram-Schmidt, twice
// for accuracy; columns that depend on those before them become zero.
func orthonormalise(d *dense) {
	dots := make([]float64, d.cols)
	for j := range d.cols {
		before := columnNorm(d, j)
		for range 2 {
			clear(dots[:j])
			for i := range d.rows {
				row := d.row(i)
				axpy(row[j], row[:j], dots[:j])
			}
			for i := range d.rows {
				row := d.row(i)
				sum := 0.0
				for k, x := range dots[:j] {
					sum += float64(x * row[k])
				}
				row[j] -= sum
			}
		}
		scale := 0.0
		if norm := columnNorm(d, j); norm > 1e-12*before {
			scale = 1 / norm
		}
		for i := range d.rows {
			d.row(i)[j] *= scale
		}
	}
}

func columnNorm(d *dense, j int) float64 {
	sum := 0.0
	for i := range d.rows {
		x := d.row(i)[j]
		sum += float64(x * x)
	}
	return math.Sqrt(sum)
}

// gram returns d'd.
func gram(d *dense) *dense {
	g := newDense(d.cols, d.cols)
	for i := range d.rows {
		row := d.row(i)
		for j, x := range row {
			axpy(x, row, g.row(j))
		}
	}
	return g
}

// product returns the first k columns of a b.
func product(a, b *dense, k int) *dense {
	c := newDense(a.rows, k)
	for i := range a.rows {
		for j, x := range a.row(i) {
			axpy(x, b.row(j)[:k], c.row(i))
		}
	}
	return c
}

// symmetricEigen returns the eigenvalues of a symmetric matrix, decreasing,
// and its eigenvectors as columns, by cyclic Jacobi rotations. It overwrites
// a.
func symmetricEigen(a *dense) (values []float64, vectors *dense) {
	n := a.cols
	v := newDense(n, n)
	size := 0.0
	for i := range n {
		v.row(i)[i] = 1
	}
	for _, x := range a.a {
		size += float64(x * x)
	}
	for range 60 {
		off := 0.0
		for p := range n {
			for q := p + 1; q < n; q++ {
				off += float64(a.row(p)[q] * a.row(p)[q])
				rotate(a, v, p, q)
			}
		}
		if off <= 1e-30*size {
			break
		}
	}
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(a.row(j)[j], a.row(i)[i]) })
	vectors = newDense(n, n)
	for to, from := range order {
		values = append(values, a.row(from)[from])
		for i := range n {
			vectors.row(i)[to] = v.row(i)[from]
		}
	}
	return values, vectors
}

// rotate makes a(p,q) zero.
func rotate(a, v *dense, p, q int) {
	apq := a.row(p)[q]
	if apq == 0 {
		return
	}
	theta := (a.row(q)[q] - a.row(p)[p]) / (2 * apq)
	t := 1 / (math.Abs(theta) + math.Sqrt(float64(theta*theta)+1))
	if theta < 0 {
		t = -t
	}
	c := 1 / math.Sqrt(float64(t*t)+1)
	s := t * c
	for i := range a.cols {
		x, y := a.row(i)[p], a.row(i)[q]
		a.row(i)[p], a.row(i)[q] = float64(c*x)-float64(s*y), float64(s*x)+float64(c*y)
	}
	for i := range a.cols {
		x, y := a.row(p)[i], a.row(q)[i]
		a.row(p)[i], a.row(q)[i] = float64(c*x)-float64(s*y), float64(s*x)+float64(c*y)
	}
	for i := range v.rows {
		x, y := v.row(i)[p], v.row(i)[q]
		v.row(i)[p], v.row(i)[q] = float64(c*x)-float64(s*y), float64(s*x)+float64(c*y)
	}
}
