package sequence

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/treebeam/treebeam/parser/score"
)

// TestPosteriorIsThatOfAllPaths compares the probabilities of candidates with
// sums over all paths, also where paths are far apart.
func TestPosteriorIsThatOfAllPaths(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	var p Posterior
	for trial := range 600 {
		spread := int32(1) << (trial % 5 * 4)
		temperature := []int32{TemperatureUnit / 2, TemperatureUnit, 3 * TemperatureUnit}[trial%3]
		ls := randomLabels(rng, 5)
		pairs := randomInts(rng, 36)
		for i := range pairs {
			pairs[i] *= spread
		}
		var lat Lattice[int32]
		lat.Reset()
		n := 1 + rng.IntN(5)
		for range n {
			allowed := []uint16{0, 1, 2, 3, 4}[rng.IntN(5):]
			emit := randomInts(rng, len(allowed))
			for i := range emit {
				emit[i] *= spread
			}
			lat.Push(allowed, emit, 1+rng.IntN(4), 0)
		}
		want, total := make([]float64, len(lat.Emit)), 0.0
		found := lat.score(ls, pairs, slices.Clone(lat.Search(ls, pairs)))
		path := make([]int32, n)
		for more := true; more; more = next(path, &lat) {
			var labels []uint16
			for i, c := range path {
				labels = append(labels, lat.Label[lat.Start[i]+c])
			}
			w := math.Exp(2 * float64(lat.score(ls, pairs, labels)-found) / score.Unit * TemperatureUnit / float64(temperature))
			total += w
			for i, c := range path {
				want[lat.Start[i]+c] += w
			}
		}
		p.Compute(&lat, ls, pairs, temperature)
		for i := range n {
			for k, got := range p.Of(&lat, i) {
				// Scores are rounded to 1/1024 nat, those of a path word by word.
				if w := want[int(lat.Start[i])+k] / total; math.Abs(got-w) > 0.01*min(w, 1-w)+1e-9 {
					t.Fatalf("trial %d: word %d, candidate %d has probability %v, want %v", trial, i, k, got, w)
				}
			}
		}
	}
}

// A long sentence whose paths all have the same score, or scores as far apart as
// they can be, has probabilities nevertheless.
func TestPosteriorOfLongSentences(t *testing.T) {
	ls := &Labels{}
	for i := range uint16(5) {
		ls.Add(i)
	}
	ls.N, ls.Units = 5, 5
	pairs := make([]int32, 25)
	for _, far := range []int32{0, 1 << 18} {
		var lat Lattice[int32]
		lat.Reset()
		for range 2000 {
			lat.Push([]uint16{0, 1, 2, 3, 4}, []int32{0, -far, -far, -far, -far}, 5, 0)
		}
		lat.Search(ls, pairs)
		var p Posterior
		p.Compute(&lat, ls, pairs, TemperatureUnit)
		want := []float64{1, 0, 0, 0, 0}
		if far == 0 {
			want = []float64{0.2, 0.2, 0.2, 0.2, 0.2}
		}
		for i := range 2000 {
			for k, got := range p.Of(&lat, i) {
				if math.Abs(got-want[k]) > 1e-12 {
					t.Fatalf("scores %d apart: word %d, candidate %d has probability %v, want %v", far, i, k, got, want[k])
				}
			}
		}
	}
}
