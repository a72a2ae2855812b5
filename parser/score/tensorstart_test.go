package score

import (
	"cmp"
	"math"
	"slices"
	"testing"

	"github.com/treebeam/treebeam/parser/hash"
	"github.com/treebeam/treebeam/parser/word"
	"gonum.org/v1/gonum/mat"
)

// arrays makes an array of the given number of components, orthogonal by
// blocks: component c has head and modifier rows of its own.
func arrays(components, block int) (list []cell, rows int) {
	r := hash.Rand(9)
	rows = components * block
	for c := range components {
		u, v, w := make([]float64, block), make([]float64, block), make([]float64, bins)
		for _, a := range [][]float64{u, v, w} {
			fillRandom(a, 1, &r)
		}
		for i, x := range u {
			for j, y := range v {
				for b, z := range w {
					list = append(list, cell{int32(c*block + i), int32((c*block+j)*bins + b), x * y * z * float64(c+1)})
				}
			}
		}
	}
	slices.SortFunc(list, func(a, b cell) int {
		return cmp.Or(cmp.Compare(a.head, b.head), cmp.Compare(a.column, b.column))
	})
	return list, rows
}

// An array of at most R orthogonal components is reproduced, and components that
// it lacks are not dead.
func TestStartReproducesALowRankArray(t *testing.T) {
	const components, rank = 4, 6
	list, rows := arrays(components, 5)
	features, _ := hash.NewSet(make([]hash.Key, rows), false) // has more places
	l := &TensorLearner{rank: rank, features: features}
	l.now = make([]float64, l.size())
	if found := l.decompose(list); found != components {
		t.Fatalf("%d components found, want %d", found, components)
	}
	for _, c := range list {
		sum := 0.0
		for r := range components {
			sum += l.line(2 * int(c.head))[r] * l.line(2*int(c.column/bins) + 1)[r] * l.bin(int(c.column % bins))[r]
		}
		if math.Abs(sum-c.value) > 1e-9 {
			t.Fatalf("cell (%d,%d) is %g, reproduced as %g", c.head, c.column, c.value, sum)
		}
	}
	for r := range rank {
		var u, v, w float64
		for f := range rows {
			u, v = max(u, math.Abs(l.line(2 * f)[r])), max(v, math.Abs(l.line(2*f + 1)[r]))
		}
		for b := range bins {
			w = max(w, math.Abs(l.bin(b)[r]))
		}
		if u == 0 || v == 0 || w == 0 {
			t.Errorf("component %d has a side of nothing but zeros: it can never move", r)
		}
	}
}

// The first singular values and vectors of a random sparse matrix agree with
// those of the dense Gram matrix.
func TestTopSingular(t *testing.T) {
	r := hash.Rand(4)
	a, d := &sparse{rows: 30, columns: 23}, mat.NewDense(30, 23, nil)
	for i := range a.rows {
		for j := range a.columns {
			if r.Below(3) == 0 {
				x := float64(r.Below(1000))/500 - 1
				a.cells = append(a.cells, cell{int32(i), int32(j), x})
				d.Set(i, j, x)
			}
		}
	}
	var svd mat.SVD
	factorize(&svd, d)
	want := svd.Values(nil)
	sigma, u, q := a.topSingular(5, 1)
	if len(sigma) != 5 {
		t.Fatalf("%d singular values, want 5", len(sigma))
	}
	aq := a.times(q, false)
	for k, s := range sigma {
		if math.Abs(s-want[k]) > 1e-6*s {
			t.Errorf("singular value %d is %g, want %g", k, s, want[k])
		}
		for i := range a.rows {
			if math.Abs(aq.At(i, k)-s*u.At(i, k)) > 1e-3 {
				t.Errorf("A q differs from sigma u in triplet %d", k)
				break
			}
		}
	}
}

// On training arcs t correlates with the sparse score that it starts from.
func TestStartCorrelatesWithTheFirstOrderModel(t *testing.T) {
	train := sentences(150, 5)
	v := word.Learn(train)
	l := NewTensorLearner(train, v, 12, 0, t.Logf)
	x := l.pretrain(train, v)
	var p Projection
	var ids []int32
	var sx, sy, sxx, syy, sxy, n float64
	for i := range train[:50] {
		x.encode(&train[i])
		l.Project(x.codes, &p)
		for m := 1; m <= x.codes.Len(); m++ {
			for h := 0; h <= x.codes.Len(); h++ {
				if h == m {
					continue
				}
				ids = x.find(h, m, ids[:0])
				a, b := x.sum(ids), l.score(&p, h, m)
				sx, sy, sxx, syy, sxy, n = sx+a, sy+b, sxx+a*a, syy+b*b, sxy+a*b, n+1
			}
		}
	}
	r := (sxy - sx*sy/n) / math.Sqrt((sxx-sx*sx/n)*(syy-sy*sy/n))
	if !(r > 0.7) {
		t.Errorf("correlation %.3f", r)
	}
}
