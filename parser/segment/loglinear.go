package segment

import "math"

// weightScale is the number of units of a quantised weight in one nat of
// log-odds.
const weightScale = 512

// A classifier is learned by logistic regression with FTRL-proximal steps
// (McMahan et al. 2013, "Ad Click Prediction", algorithm 1): AdaGrad step
// sizes per feature and an L1 term that keeps the model small.
type classifier struct {
	keys    []uint64
	weights []uint16 // int16 bits, in 1/weightScale nat
}

type learnOptions struct {
	epochs   int
	step     float64 // alpha
	l1, l2   float64
	minCount int // rarer features are dropped
	seed     uint64
}

// A source calls yield once per training instance, with the same instances in
// the same order each time. The features slice is only valid during the call.
type source func(yield func(features []uint64, positive bool, weight float32))

// learn fits a classifier. It runs the source twice: to count the features
// and to number those that are kept. The result depends on the arguments
// alone.
func learn(from source, o learnOptions) classifier {
	const sketch = 1 << 24
	counts := make([]uint8, sketch)
	total := 0
	from(func(features []uint64, _ bool, _ float32) {
		for _, f := range features {
			if c := &counts[f>>40]; *c < 255 {
				*c++
			}
		}
		total++
	})
	ids := make(map[uint64]int32)
	var c classifier
	var flat []int32
	ends := make([]int, 0, total)
	signs := make([]float32, 0, total) // weight, negative for negative instances
	from(func(features []uint64, positive bool, weight float32) {
		for _, f := range features {
			if int(counts[f>>40]) < o.minCount {
				continue
			}
			id, ok := ids[f]
			if !ok {
				id = int32(len(c.keys))
				ids[f] = id
				c.keys = append(c.keys, f)
			}
			flat = append(flat, id)
		}
		ends = append(ends, len(flat))
		if !positive {
			weight = -weight
		}
		signs = append(signs, weight)
	})
	w := ftrl(flat, ends, signs, len(c.keys), o)
	c.weights = quantise(w)
	return c
}

// coordinate is the state of one feature: sum of adjusted gradients and sum
// of squared gradients.
type coordinate struct{ z, n float32 }

func (c *coordinate) weight(o *learnOptions) float64 {
	z := float64(c.z)
	if math.Abs(z) <= o.l1 {
		return 0
	}
	if z > 0 {
		z -= o.l1
	} else {
		z += o.l1
	}
	return -z / ((1+math.Sqrt(float64(c.n)))/o.step + o.l2)
}

func ftrl(flat []int32, ends []int, signs []float32, features int, o learnOptions) []float64 {
	state := make([]coordinate, features)
	order := make([]int32, len(ends))
	for i := range order {
		order[i] = int32(i)
	}
	r := random{o.seed}
	weights := make([]float64, 0, 256)
	for range o.epochs {
		shuffle(&r, order)
		for _, i := range order {
			start := 0
			if i > 0 {
				start = ends[i-1]
			}
			row := flat[start:ends[i]]
			weights = weights[:0]
			sum := 0.0
			for _, f := range row {
				w := state[f].weight(&o)
				weights = append(weights, w)
				sum += w
			}
			gradient := 1 / (1 + math.Exp(-sum))
			scale := float64(signs[i])
			if scale > 0 {
				gradient--
			} else {
				scale = -scale
			}
			gradient *= scale
			square := gradient * gradient
			for k, f := range row {
				s := &state[f]
				n := float64(s.n)
				sigma := (math.Sqrt(n+square) - math.Sqrt(n)) / o.step
				s.z += float32(gradient - float64(sigma*weights[k]))
				s.n += float32(square)
			}
		}
	}
	out := make([]float64, features)
	for f := range out {
		out[f] = state[f].weight(&o)
	}
	return out
}

// quantise rounds weights to int16 in units of 1/weightScale.
func quantise(w []float64) []uint16 {
	q := make([]uint16, len(w))
	for i, x := range w {
		x = math.Round(x * weightScale)
		q[i] = uint16(int16(max(-32767, min(32767, x))))
	}
	return q
}
