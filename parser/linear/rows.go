package linear

import (
	"math/bits"

	"github.com/treebeam/treebeam/parser/hash"
)

// Rows holds float weights while they are learned: a row for each feature
// (Index), with a cell for each class that an update touched. Rows learn by
// Add or by Climb, not by both. Readers may run concurrently with each other,
// but not with Add and Climb.
type Rows struct {
	spans []span
	// Blocks of blockSize cells and what belongs to each: total (Add) or
	// the sum of squares (Climb). A row lies in one block.
	cells [][]Cell
	state [][]float64
	used  int                       // cells of the last block
	free  [logBlock + 1][]cellIndex // spans of 1<<k cells that rows have left
}

// A Cell is the weight of a feature for a class.
type Cell struct {
	Class  uint16
	Weight float32
}

// A cellIndex is block*blockSize + place.
type cellIndex = uint32

// A span is a row of n cells, in room for the next power of two.
type span struct {
	at cellIndex
	n  uint32
}

const (
	logBlock  = 16
	blockSize = 1 << logBlock
)

// NewRows returns n rows without cells.
func NewRows(n int) *Rows { return &Rows{spans: make([]span, n)} }

// Row returns the cells of a row in the order in which they were first
// touched, to be read until the next Add or Climb.
func (r *Rows) Row(id int32) []Cell {
	s := &r.spans[id]
	if s.n == 0 {
		return nil
	}
	at := s.at % blockSize
	return r.cells[s.at>>logBlock][at : at+s.n]
}

// Sum adds a row to acc, which has an element for each class.
func (r *Rows) Sum(id int32, acc []float32) {
	for _, c := range r.Row(id) {
		acc[c.Class] += c.Weight
	}
}

// Add adds delta to the weight of a class at a step, counted from 1, for the
// average.
func (r *Rows) Add(id int32, class uint16, delta float32, step int) {
	c, total := r.cell(id, class)
	c.Weight += delta
	*total += float64(step) * float64(delta)
}

// Climb moves the weight of a class by rule.
func (r *Rows) Climb(id int32, class uint16, gradient float32, rule AdaGrad) {
	c, state := r.cell(id, class)
	square := float32(*state)
	c.Weight += rule.increment(&square, gradient)
	*state = float64(square)
}

// cell returns the cell of a class, making one of weight 0 if there is none.
func (r *Rows) cell(id int32, class uint16) (*Cell, *float64) {
	s := &r.spans[id]
	row := r.Row(id)
	for i := range row {
		if row[i].Class == class {
			return &row[i], &r.state[s.at>>logBlock][s.at%blockSize+uint32(i)]
		}
	}
	if s.n&(s.n-1) == 0 { // 0, or all its room
		r.move(s)
	}
	block, i := s.at>>logBlock, s.at%blockSize+s.n
	s.n++
	r.cells[block][i], r.state[block][i] = Cell{Class: class}, 0
	return &r.cells[block][i], &r.state[block][i]
}

// move gives a full row room for twice its cells.
func (r *Rows) move(s *span) {
	old := *s
	s.at = r.room(bits.Len32(s.n))
	if old.n > 0 {
		from, to := old.at%blockSize, s.at%blockSize
		copy(r.cells[s.at>>logBlock][to:], r.cells[old.at>>logBlock][from:from+old.n])
		copy(r.state[s.at>>logBlock][to:], r.state[old.at>>logBlock][from:from+old.n])
		k := bits.Len32(old.n) - 1
		r.free[k] = append(r.free[k], old.at)
	}
}

// room returns a free span of 1<<logSize cells.
func (r *Rows) room(logSize int) cellIndex {
	if k := len(r.free[logSize]); k > 0 {
		at := r.free[logSize][k-1]
		r.free[logSize] = r.free[logSize][:k-1]
		return at
	}
	if len(r.cells) == 0 || r.used+1<<logSize > blockSize {
		r.cells = append(r.cells, make([]Cell, blockSize))
		r.state = append(r.state, make([]float64, blockSize))
		r.used = 0
	}
	at := cellIndex((len(r.cells)-1)<<logBlock + r.used)
	r.used += 1 << logSize
	return at
}

// Averaged averages the weights over steps 1..steps in place. It ends their
// learning by Add.
func (r *Rows) Averaged(steps int) *Rows {
	for b := range r.cells {
		for i := range r.cells[b] {
			c := &r.cells[b][i]
			c.Weight = Average(c.Weight, r.state[b][i], steps)
		}
	}
	return r
}

// Each calls yield with every row that has a weight other than 0, in the order
// of numbers, under the keys of an Index. The slices are valid during the
// call only.
func (r *Rows) Each(keys []hash.Key) Features {
	return func(yield func(key hash.Key, classes []uint16, weights []float32)) {
		var classes []uint16
		var weights []float32
		for id := range r.spans {
			classes, weights = classes[:0], weights[:0]
			for _, c := range r.Row(int32(id)) {
				if c.Weight != 0 {
					classes, weights = append(classes, c.Class), append(weights, c.Weight)
				}
			}
			if len(classes) > 0 {
				yield(keys[id], classes, weights)
			}
		}
	}
}
