package sequence

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/treebeam/treebeam/parser/syntax"
)

// randomLabels makes labels with units and a part of their own.
func randomLabels(rng *rand.Rand, n int) *Labels {
	ls := &Labels{Units: 6, N: 6 + n}
	for i := range n {
		parts := []uint16{uint16(rng.IntN(3))}
		if rng.IntN(2) == 0 {
			parts = append(parts, uint16(3+rng.IntN(3)))
		}
		ls.Add(append(parts, uint16(6+i))...)
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
		pairs := randomInts(rng, 36)
		var lat Lattice[int32]
		lat.Reset()
		n := 1 + rng.IntN(5)
		for range n {
			allowed := []uint16{0, 1, 2, 3, 4}[rng.IntN(4):]
			lat.Push(allowed, randomInts(rng, len(allowed)), 1+rng.IntN(4), 0)
		}
		score := func(path []int32) int32 { // by index of candidate
			var labels []uint16
			for i, c := range path {
				labels = append(labels, lat.Label[lat.Start[i]+c])
			}
			return lat.score(ls, pairs, labels)
		}
		found := lat.Search(ls, pairs)
		got := lat.score(ls, pairs, found)
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

// A path of as many words as a sentence may have is searched right, however far
// its score is beyond the range of its type, and tags have the probabilities that
// they have in a short sentence.
func TestLongestPathDoesNotOverflow(t *testing.T) {
	const likely, unlikely = 40_000, 0
	ls := &Labels{}
	ls.Add()
	ls.Add()
	for _, sign := range []int32{1, -1} { // sums overflow upwards, or downwards
		var lat Lattice[int32]
		var post Posterior
		lat.Reset()
		for range syntax.MaxWords {
			emit := []int32{likely, unlikely}
			if sign < 0 {
				emit = []int32{unlikely - 2*likely, likely - 4*likely}
			}
			lat.Push([]uint16{0, 1}, emit, 2, 0)
		}
		if wrong := slices.IndexFunc(lat.Search(ls, nil), func(l uint16) bool { return l != 0 }); wrong >= 0 {
			t.Errorf("the best path leaves the best labels at word %d", wrong+1)
		}
		post.Compute(&lat, ls, nil, TemperatureUnit)
		want := slices.Clone(post.Of(&lat, 0))
		for i := range syntax.MaxWords {
			if got := post.Of(&lat, i); !slices.Equal(got, want) || !(got[0] > got[1]) {
				t.Fatalf("word %d: probabilities %v, those of word 1 are %v", i+1, got, want)
			}
		}
	}
}

// next counts path up to the next sequence of candidates.
func next(path []int32, lat *Lattice[int32]) bool {
	for i := range path {
		if path[i]++; path[i] < lat.Start[i+1]-lat.Start[i] {
			return true
		}
		path[i] = 0
	}
	return false
}

func TestPushKeepsTheBest(t *testing.T) {
	var lat Lattice[int32]
	lat.Reset()
	lat.Push([]uint16{0, 1, 2, 3}, []int32{5, 9, 5, 7}, 3, 0)
	lat.Push([]uint16{0, 1, 2, 3}, []int32{5, 9, 5, 7}, 3, 3)
	want := []uint16{1, 3, 0, 1, 3}
	for i, x := range want {
		if lat.Label[i] != x {
			t.Fatalf("candidates %v, want %v", lat.Label, want)
		}
	}
}
