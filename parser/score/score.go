// Package score holds the weights of hashed features: Learned while they are
// learned, Weights once they are fixed. Both sum the keys of a part to an
// integer, so that the search compares integers only and a gain equals the
// difference of from-scratch scores exactly. A low-rank tensor scores arcs in
// addition to them.
package score

import (
	"math"

	"github.com/treebeam/treebeam/parser/hash"
	"github.com/treebeam/treebeam/parser/linear"
)

// Unit is the integer value of a score of 1.0, the loss of one wrong head.
const Unit = 1 << unitBits

const unitBits = 12

// A Scorer sums the weights of features, in units of 1/Unit. Keys it has
// never seen count 0. Implementations are safe for concurrent readers.
type Scorer interface {
	Sum(keys []hash.Key) int32

	// SumParts is Sum for many parts at once, which is faster. The keys of part i end
	// before keys[ends[i]], and its sum goes to sums[i].
	SumParts(keys []hash.Key, ends, sums []int32)
}

// Learned is a Scorer by weights that are being learned.
type Learned struct{ *linear.Weights }

// Sum implements Scorer.
func (l Learned) Sum(keys []hash.Key) int32 { return int32(math.Round(l.Weights.Sum(keys) * Unit)) }

// SumParts implements Scorer.
func (l Learned) SumParts(keys []hash.Key, ends, sums []int32) {
	from := int32(0)
	for i, end := range ends {
		sums[i], from = l.Sum(keys[from:end]), end
	}
}
