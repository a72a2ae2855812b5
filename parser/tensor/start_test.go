package tensor

import (
	"cmp"
	"math"
	"slices"
	"testing"

	"github.com/treebeam/treebeam/parser/feature"
	"github.com/treebeam/treebeam/parser/graph"
)

// arrays makes an array of the given number of components, orthogonal by
// blocks: component c has head and modifier rows of its own.
func arrays(components, block int) (list []cell, rows int) {
	r := graph.Rand(9)
	rows = components * block
	for c := range components {
		u, v, w := make([]float64, block), make([]float64, block), make([]float64, Bins)
		for _, a := range [][]float64{u, v, w} {
			fillRandom(a, 1, &r)
		}
		for i, x := range u {
			for j, y := range v {
				for b, z := range w {
					list = append(list, cell{int32(c*block + i), int32(c*block + j), int32(b), x * y * z * float64(c+1)})
				}
			}
		}
	}
	slices.SortFunc(list, func(a, b cell) int {
		return cmp.Or(cmp.Compare(a.head, b.head), cmp.Compare(a.modifier, b.modifier), cmp.Compare(a.bin, b.bin))
	})
	return list, rows
}

// An array of at most R orthogonal components is reproduced, and components that
// it lacks are not dead.
func TestStartReproducesALowRankArray(t *testing.T) {
	const components, rank = 4, 6
	list, rows := arrays(components, 5)
	l := &Learner{o: Options{Rank: rank}, factors: newFactors(rank, rows), dict: dictionary{n: rows}}
	if found := l.decompose(list); found != components {
		t.Fatalf("%d components found, want %d", found, components)
	}
	for _, c := range list {
		sum := 0.0
		for r := range components {
			sum += l.U[int(c.head)*rank+r] * l.V[int(c.modifier)*rank+r] * l.W[int(c.bin)*rank+r]
		}
		if math.Abs(sum-c.value) > 1e-9 {
			t.Fatalf("cell (%d,%d,%d) is %g, reproduced as %g", c.head, c.modifier, c.bin, c.value, sum)
		}
	}
	for r := range rank {
		for name, a := range map[string][]float64{"U": l.U, "V": l.V, "W": l.W} {
			norm := 0.0
			for i := r; i < len(a); i += rank {
				norm += a[i] * a[i]
			}
			if norm == 0 {
				t.Errorf("component %d has no %s: it can never move", r, name)
			}
		}
	}
}

// The first singular values and vectors of a random sparse matrix agree with
// those of the dense Gram matrix.
func TestTopSingular(t *testing.T) {
	r := graph.Rand(4)
	b := &sparse{rows: 30, cols: 23, start: []int32{0}}
	d := newDense(30, 23)
	for i := range b.rows {
		for j := range b.cols {
			if r.Below(3) == 0 {
				x := float64(r.Below(1000))/500 - 1
				b.col, b.value = append(b.col, int32(j)), append(b.value, x)
				d.row(i)[j] = x
			}
		}
		b.start = append(b.start, int32(len(b.col)))
	}
	want, _ := symmetricEigen(gram(d))
	sigma, u, q := b.topSingular(5, 1)
	if len(sigma) != 5 {
		t.Fatalf("%d singular values, want 5", len(sigma))
	}
	bq := b.times(q)
	for k, s := range sigma {
		if math.Abs(s-math.Sqrt(want[k])) > 1e-6*s {
			t.Errorf("singular value %d is %g, want %g", k, s, math.Sqrt(want[k]))
		}
		for i := range b.rows {
			if math.Abs(bq.row(i)[k]-s*u.row(i)[k]) > 1e-3 {
				t.Errorf("B q differs from sigma u in triplet %d", k)
				break
			}
		}
	}
}

// On training arcs t correlates with the sparse score that it starts from.
func TestStartCorrelatesWithTheFirstOrderModel(t *testing.T) {
	train := sentences(150, 5)
	v := feature.Learn(train)
	l, err := NewLearner(train, v, Options{Rank: 12})
	if err != nil {
		t.Fatal(err)
	}
	x := &firstOrder{l: l, cells: l.pretrain(train, v)}
	var p Projection
	var ids []uint64
	var sx, sy, sxx, syy, sxy, n float64
	for i := range train[:50] {
		v.Encode(&train[i], &x.codes)
		x.encode()
		l.Project(&x.codes, &train[i], &p)
		for m := 1; m <= x.codes.N; m++ {
			for h := 0; h <= x.codes.N; h++ {
				if h == m {
					continue
				}
				ids = x.arc(h, m, ids[:0])
				a, b := x.cells.sum(ids), l.score(&p, h, m)
				sx, sy, sxx, syy, sxy, n = sx+a, sy+b, sxx+a*a, syy+b*b, sxy+a*b, n+1
			}
		}
	}
	r := (sxy - sx*sy/n) / math.Sqrt((sxx-sx*sx/n)*(syy-sy*sy/n))
	if !(r > 0.7) {
		t.Errorf("correlation %.3f", r)
	}
}
