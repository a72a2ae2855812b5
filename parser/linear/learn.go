package linear

import "math"

// PassiveAggressive returns the size of a step of PA-I (Crammer et al. 2006, figure 1):
// loss/norm, at most c, where norm is the squared length of the step. It returns 0 if
// loss or norm is 0.
func PassiveAggressive(loss, norm, c float64) float64 {
	if !(loss > 0) || !(norm > 0) {
		return 0
	}
	return min(c, loss/norm)
}

// average returns a weight averaged over steps 1..steps, given its value now
// and total, the sum over its updates of step * increment.
func average(w float32, total float64, steps int) float32 {
	if steps <= 0 {
		return w
	}
	return float32((float64(float64(w)*float64(steps+1)) - total) / float64(steps))
}

// AdaGrad moves a weight by Rate*g / (Floor + the square root of the sum of all g² so
// far), where g is the gradient to climb (Duchi, Hazan and Singer 2011). Floor bounds
// the first steps.
type AdaGrad struct{ Rate, Floor float32 }

// increment adds g² to square and returns the increment of the weight.
func (a AdaGrad) increment(square *float32, g float32) float32 {
	*square += float32(g * g)
	return float32(a.Rate*g) / (float32(math.Sqrt(float64(*square))) + a.Floor)
}

// Dense holds weights by index while they are learned. Readers of W may run
// concurrently with each other, but not with Add and Climb.
type Dense struct {
	W      []float32
	total  []float64 // nil before the first Add
	square []float32 // nil before the first Climb
}

// NewDense returns n weights of 0.
func NewDense(n int) *Dense { return &Dense{W: make([]float32, n)} }

// Add adds delta to weight i at a step, counted from 1, for the average.
func (d *Dense) Add(i int, delta float32, step int) {
	if d.total == nil {
		d.total = make([]float64, len(d.W))
	}
	d.W[i] += delta
	d.total[i] += float64(step) * float64(delta)
}

// Climb moves weight i by rule. The result is not averaged.
func (d *Dense) Climb(i int, gradient float32, rule AdaGrad) {
	if d.square == nil {
		d.square = make([]float32, len(d.W))
	}
	d.W[i] += rule.increment(&d.square[i], gradient)
}

// Averaged returns the weights averaged over steps 1..steps.
func (d *Dense) Averaged(steps int) []float32 {
	out := make([]float32, len(d.W))
	copy(out, d.W)
	for i, total := range d.total {
		out[i] = average(d.W[i], total, steps)
	}
	return out
}
