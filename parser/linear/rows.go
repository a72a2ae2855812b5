package linear

import "github.com/treebeam/treebeam/parser/hash"

// Rows holds float weights in training. It has a row for each feature (Index), with a
// cell for each class that an update has touched. Rows learn either by Add or by Climb.
// Readers may run concurrently with each other, but not with Add and Climb.
type Rows struct{ rows [][]cell }

type cell struct {
	class  uint16
	weight float32
	state  float32 // sum over updates of step * increment, or of squared gradients
}

// NewRows returns n rows without cells.
func NewRows(n int) *Rows { return &Rows{make([][]cell, n)} }

// Sum adds a row to acc, which has an element for each class.
func (r *Rows) Sum(id int32, acc []float32) {
	for i := range r.rows[id] {
		c := &r.rows[id][i]
		acc[c.class] += c.weight
	}
}

// Add adds delta to the weight of a class at a step, counted from 1, for the
// average.
func (r *Rows) Add(id int32, class uint16, delta float32, step int) {
	c := r.cell(id, class)
	c.weight += delta
	c.state += float32(float64(step) * float64(delta))
}

// Climb moves the weight of a class by rule.
func (r *Rows) Climb(id int32, class uint16, gradient float32, rule AdaGrad) {
	c := r.cell(id, class)
	c.weight += rule.increment(&c.state, gradient)
}

// cell returns the cell of a class. If there is none, it makes one of weight 0.
func (r *Rows) cell(id int32, class uint16) *cell {
	row := r.rows[id]
	for i := range row {
		if row[i].class == class {
			return &row[i]
		}
	}
	r.rows[id] = append(row, cell{class: class})
	return &r.rows[id][len(row)]
}

// Averaged averages the weights over steps 1..steps in place. Add must not be called
// afterwards.
func (r *Rows) Averaged(steps int) *Rows {
	for _, row := range r.rows {
		for i := range row {
			row[i].weight = average(row[i].weight, float64(row[i].state), steps)
		}
	}
	return r
}

// Each returns the rows that have a weight other than 0 as Features, in the order of
// their numbers. keys are the keys of the Index.
func (r *Rows) Each(keys []hash.Key) Features {
	return func(yield func(key hash.Key, classes []uint16, weights []float32)) {
		var classes []uint16
		var weights []float32
		for id, row := range r.rows {
			classes, weights = classes[:0], weights[:0]
			for _, c := range row {
				if c.weight != 0 {
					classes, weights = append(classes, c.class), append(weights, c.weight)
				}
			}
			if len(classes) > 0 {
				yield(keys[id], classes, weights)
			}
		}
	}
}
