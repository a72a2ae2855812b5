package tagger

import (
	"math"
	"slices"
	"testing"

	"github.com/treebeam/treebeam/parser/hash"
)

func toy() (*network, []*sentence) {
	heads := [2]labels{
		{parts: [][]uint16{{0, 2}, {0, 3}, {1, 4}}, n: 5, among: [][]uint16{{0, 1, 2}}},
		{parts: [][]uint16{{0}, {1}, {0, 1}}, n: 2, among: [][]uint16{{0, 1}, {1, 2}, {0, 1, 2}}},
	}
	n := newNetwork(50, 16, 2, heads, 3)
	n.drop, n.wordDrop = 0, 0
	rng := hash.Rand(5)
	var list []*sentence
	for _, words := range []int{1, 4, 3} {
		s := &sentence{weight: 0.5 + float32(words)/4}
		for range words {
			t := uint16(rng.Below(3))
			s.atoms = append(s.atoms, []int32{int32(rng.Below(50)), int32(rng.Below(50)), int32(rng.Below(50))})
			s.gold[0], s.within[0] = append(s.gold[0], t), append(s.within[0], 0)
			among := heads[1].among[t]
			s.gold[1], s.within[1] = append(s.gold[1], among[rng.Below(uint32(len(among)))]), append(s.within[1], t)
		}
		list = append(list, s)
	}
	return n, list
}

// The gradient is the slope of the loss, by central differences.
func TestGradient(t *testing.T) {
	n, list := toy()
	var p pass
	n.learn(&p, list, 1)
	grad := slices.Clone(p.grad)
	table := make([]float32, len(n.table))
	for r := range p.rows {
		for _, id := range p.atoms[r] {
			for i := range n.width {
				table[int(id)*n.width+i] += p.dx[r*n.width+i]
			}
		}
	}
	loss := func() float64 {
		var q pass
		n.learn(&q, list, 1)
		return q.loss
	}
	rng := hash.Rand(9)
	for name, x := range map[string][2][]float32{"dense": {n.dense, grad}, "table": {n.table, table}} {
		for range 300 {
			i := rng.Below(uint32(len(x[0])))
			const h = 2e-3
			at := x[0][i]
			x[0][i] = at + h
			up := loss()
			x[0][i] = at - h
			down := loss()
			x[0][i] = at
			if want := (up - down) / (2 * h); math.Abs(want-float64(x[1][i])) > 0.02*math.Max(0.2, math.Abs(want)) {
				t.Errorf("%s %d: gradient %g, slope %g", name, i, x[1][i], want)
			}
		}
	}
}

// Sentences of a batch are alone: their scores are those without the others.
func TestSentencesAreAlone(t *testing.T) {
	n, list := toy()
	var p pass
	n.forward(&p, list, 0)
	row := 1
	for i, s := range list {
		alone := n.logits(s)
		for h, k := range n.padded {
			for j, want := range alone[h][:len(s.atoms)*k] {
				if got := p.logits[h][row*k+j]; math.Abs(float64(got-want)) > 1e-5 {
					t.Fatalf("sentence %d, head %d, score %d: %g, alone %g", i, h, j, got, want)
				}
			}
		}
		row += len(s.atoms) + 1
	}
}

// It learns a toy by heart, with the same weights for any number of workers, and 8 bits
// change scores little.
func TestLearns(t *testing.T) {
	n, list := toy()
	first := 0.0
	last := 0.0
	report := func(epoch int, loss float64) {
		if epoch == 1 {
			first = loss
		}
		last = loss
	}
	n.train(list, 400, 8, 0.01, 1, 1, report)
	if first < 0.5 || last > 0.01 {
		t.Errorf("loss from %g to %g", first, last)
	}
	other, _ := toy()
	other.train(list, 400, 8, 0.01, 3, 1, report)
	if !slices.Equal(n.dense, other.dense) || !slices.Equal(n.table, other.table) {
		t.Error("the number of workers changes the weights")
	}
	q := newQuantized(n)
	for _, s := range list {
		exact, rounded := n.logits(s), q.logits(s)
		for h, k := range n.padded {
			for j := range s.atoms {
				gold := s.gold[h][j]
				if got := n.heads[h].best(rounded[h][j*k:], s.within[h][j]); got != gold {
					t.Errorf("head %d: label %d in 8 bits, want %d", h, got, gold)
				}
			}
			for j, want := range exact[h][:len(s.atoms)*k] {
				if got := rounded[h][j]; math.Abs(float64(got-want)) > 0.5 {
					t.Errorf("head %d: score %g in 8 bits, %g in floats", h, got, want)
				}
			}
		}
	}
}
