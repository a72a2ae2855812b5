package tag

import (
	"math/rand/v2"
	"testing"
)

// randomLabels makes labels with a primary, units and a part of their own.
func randomLabels(rng *rand.Rand, n int) *labels {
	ls := &labels{start: []uint32{0}, prims: 3, units: 6, n: 6 + n}
	for i := range n {
		ls.parts = append(ls.parts, uint16(rng.IntN(3)))
		if rng.IntN(2) == 0 {
			ls.parts = append(ls.parts, uint16(3+rng.IntN(3)))
		}
		ls.parts = append(ls.parts, uint16(6+i))
		ls.start = append(ls.start, uint32(len(ls.parts)))
	}
	return ls
}

func randomInts(rng *rand.Rand, n int) []int32 {
	list := make([]int32, n)
	for i := range list {
		list[i] = int32(rng.IntN(41) - 20)
	}
	return list
}

// TestBestIsExact compares the search with all sequences of candidates.
func TestBestIsExact(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		ls := randomLabels(rng, 5)
		pairs, triples := randomInts(rng, 36), randomInts(rng, 64)
		if rng.IntN(2) == 0 {
			triples = nil
		}
		var lat lattice[int32]
		lat.reset()
		n := 1 + rng.IntN(5)
		for range n {
			allowed := []uint16{0, 1, 2, 3, 4}[rng.IntN(4):]
			lat.push(ls, allowed, randomInts(rng, ls.n), 1+rng.IntN(4), 0)
		}
		lat.addUnits(ls, pairs)
		score := func(path []int32) int32 {
			var s int32
			before, before2 := 3, 3
			for i, c := range path {
				s += lat.emit[lat.start[i]+c]
				x := lat.cand[lat.start[i]+c]
				width := lat.start[i+1] - lat.start[i]
				if i > 0 && (width > 1 || lat.start[i]-lat.start[i-1] > 1) {
					s += pairScore(ls, pairs, lat.cand[lat.start[i-1]+path[i-1]], x)
				}
				if triples != nil {
					p := int(ls.of(x)[0])
					s += triples[(before2*4+before)*4+p]
					before2, before = before, p
				}
			}
			return s
		}
		got := score(lat.best(ls, triples))
		path := make([]int32, n)
		want := score(path)
		for next(path, &lat) {
			want = max(want, score(path))
		}
		if got != want {
			t.Fatalf("found %d, the best path has %d", got, want)
		}
	}
}

// next counts path up to the next sequence of candidates.
func next(path []int32, lat *lattice[int32]) bool {
	for i := range path {
		if path[i]++; path[i] < lat.start[i+1]-lat.start[i] {
			return true
		}
		path[i] = 0
	}
	return false
}

func TestPushKeepsTheBest(t *testing.T) {
	ls := &labels{start: []uint32{0, 1, 2, 3, 4}, parts: []uint16{0, 1, 2, 3}, prims: 4, units: 0, n: 4}
	var lat lattice[int32]
	lat.reset()
	lat.push(ls, []uint16{0, 1, 2, 3}, []int32{5, 9, 5, 7}, 3, 0)
	lat.push(ls, []uint16{0, 1, 2, 3}, []int32{5, 9, 5, 7}, 3, 3)
	want := []uint16{1, 3, 0, 1, 3}
	for i, x := range want {
		if lat.cand[i] != x {
			t.Fatalf("candidates %v, want %v", lat.cand, want)
		}
	}
}

// TestTableSums compares the packed table with the rows it was made of.
func TestTableSums(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	var rows []row
	for range 500 {
		r := row{key: rng.Uint64()}
		for part := range uint16(8) {
			if rng.IntN(2) == 0 {
				r.parts = append(r.parts, part)
				r.weights = append(r.weights, float32(rng.NormFloat64()))
			}
		}
		rows = append(rows, r)
	}
	table := newTable(rows, 1<<20)
	unit := float64(int(1) << scoreBits)
	for _, r := range rows {
		acc, room := make([]int32, 8), make([]uint64, 2)
		table.sum([]uint64{r.key, rng.Uint64()}, acc, room)
		for k, part := range r.parts {
			d := float64(acc[part])/unit - float64(r.weights[k])
			if limit := 0.5 * float64(int(1)<<table.shift) / unit * pruneStep * 2; (d > limit || d < -limit) && max(r.weights[k], -r.weights[k]) < 2.5 {
				t.Fatalf("weight %v came back %v off", r.weights[k], d)
			}
		}
	}
}
