// Package score turns the feature keys of a part of a tree into its score (Scorer). The
// weights are Learned during training and Weights in a finished model. Scores are
// integers, so a gain equals the difference of two scores from scratch exactly. Arcs also
// have a score by a low-rank Tensor (Lei, Xin, Zhang, Barzilay and Jaakkola 2014).
package score

import (
	"math"

	"github.com/treebeam/treebeam/parser/hash"
	"github.com/treebeam/treebeam/parser/linear"
)

// Unit is the integer for a score of 1, which is the loss of one wrong head.
const Unit = 1 << unitBits

const unitBits = 12

// MaxDense bounds the dense scores of arcs (syntax.Dense), so that no sum overflows.
const MaxDense = 1 << 26

// A Scorer sums the weights of features, in units of 1/Unit. The weight of an unknown
// key is 0. Implementations are safe for concurrent readers.
type Scorer interface {
	Sum(keys []hash.Key) int32

	// SumParts sums the keys of many parts at once, which is faster. The keys of part i
	// are keys[ends[i-1]:ends[i]], from 0 for the first part, and sums[i] is their sum.
	SumParts(keys []hash.Key, ends, sums []int32)
}

// Learned is a Scorer with weights in training. If Base is not nil, they are changes of
// Base, and Fixed keeps a Share of each change.
type Learned struct {
	*linear.Weights
	Base  *Weights
	Share float64
}

// Sum implements Scorer.
func (l Learned) Sum(keys []hash.Key) int32 {
	sum := int32(math.Round(l.Weights.Sum(keys) * Unit))
	if l.Base != nil {
		sum += l.Base.Sum(keys)
	}
	return sum
}

// Fixed returns the weights averaged over steps 1..steps: the largest ones, at most
// limit, or Base with its changes if Base is not nil.
func (l Learned) Fixed(steps, limit int) *Weights {
	averaged := func(yield func(hash.Key, float32)) { l.Averaged(steps, yield) }
	if l.Base != nil {
		return l.Base.with(averaged, l.Share)
	}
	return Compact(averaged, limit)
}

// SumParts implements Scorer.
func (l Learned) SumParts(keys []hash.Key, ends, sums []int32) {
	from := int32(0)
	for i, end := range ends {
		sums[i], from = l.Sum(keys[from:end]), end
	}
}
