package linear

import (
	"math"

	"github.com/treebeam/treebeam/parser/graph"
	"github.com/treebeam/treebeam/parser/hash"
)

// Logistic is a logistic regression over binary features.
type Logistic struct {
	// Examples calls yield once for each example, always in the same order. The keys
	// are valid only during the call.
	Examples func(yield func(keys []hash.Key, positive bool, weight float32))
	Epochs   int
	Rate     float32 // of AdaGrad
	Least    int     // rarer features are dropped
	Floor    float64 // smaller weights, which are most, are dropped
}

// Fitted is the result of a Logistic.
type Fitted struct {
	Examples int
	Keys     []hash.Key // of all features
	weights  []float32
	floor    float64
}

// Each yields the features whose weight is not dropped, all of class 0 (Features).
func (f *Fitted) Each(yield func(key hash.Key, classes []uint16, weights []float32)) {
	for i, k := range f.Keys {
		if math.Abs(float64(f.weights[i])) >= f.floor {
			yield(k, []uint16{0}, f.weights[i:i+1])
		}
	}
}

// Fit learns the weights with steps of AdaGrad.
func (l *Logistic) Fit(seed uint64) *Fitted {
	var index Index
	l.Examples(func(keys []hash.Key, _ bool, _ float32) {
		for _, k := range keys {
			index.Count(k)
		}
	})
	index.Cut(l.Least)
	var ids []int32
	bounds := []int{0}
	var goals []float32 // weight, negative for negative examples
	l.Examples(func(keys []hash.Key, positive bool, weight float32) {
		for _, k := range keys {
			if id := index.ID(k); id >= 0 {
				ids = append(ids, id)
			}
		}
		if !positive {
			weight = -weight
		}
		bounds, goals = append(bounds, len(ids)), append(goals, weight)
	})
	w := NewDense(index.Len())
	row := func(i int) []int32 { return ids[bounds[i]:bounds[i+1]] }
	rule := AdaGrad{Rate: l.Rate, Floor: 1}
	err := Run(Loop{Examples: len(goals), Epochs: l.Epochs, Seed: seed}, Task[float32]{
		Learn: func(_ int, at At, gradient *float32) {
			sum := 0.0
			for _, id := range row(at.Example) {
				sum += float64(w.W[id])
			}
			goal := goals[at.Example]
			if goal < 0 {
				sum = -sum
			}
			*gradient = goal * float32(1/(1+graph.Exp(min(max(sum, -600), 600))))
		},
		Apply: func(at At, gradient *float32) {
			for _, id := range row(at.Example) {
				w.Climb(int(id), *gradient, rule)
			}
		},
		Keep: func(int, int) {},
	})
	if err != nil {
		panic(err) // only checkpoints fail
	}
	return &Fitted{len(goals), index.Keys(), w.W, l.Floor}
}
