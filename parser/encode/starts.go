package encode

import (
	"fmt"
	"math"
	"slices"

	"github.com/treebeam/treebeam/parser/syntax"
)

// Starts appends to dst, for each word of each window, the log-odds that it begins a
// sentence, in units of 1/score.Unit nat, between -30 and 30 nats; 0 for the first word of a
// window, which has none before it. A window has consecutive tokens of a text
// (segment.Windows), in the forms that the encoder reads. Starts appends nothing to dst
// unless the model HasStarts. Like Encode, it gives the same result on every processor and
// in any batch, and is safe for concurrent use.
func (m *Model) Starts(dst []int32, windows []*syntax.Sentence) []int32 {
	if !m.HasStarts() {
		return dst
	}
	n := len(m.starts) - 1
	m.Pairs(windows, func(first bool, pair []float32) {
		// The products are exact, so it does not matter whether the processor fuses
		// them with the sum.
		sum := float64(m.starts[n])
		for i, w := range m.starts[:n] {
			sum += float64(w) * float64(pair[i])
		}
		if first {
			sum = 0
		}
		dst = append(dst, int32(math.RoundToEven(max(least, min(-least, sum*unit)))))
	})
	return dst
}

// Pairs calls read for each word of each window, in their order, with the vector of the word
// before it, or of the first mark, and its own vector, side by side: 2·Width numbers, which
// are only valid during the call. The windows must have words.
func (m *Model) Pairs(windows []*syntax.Sentence, read func(first bool, pair []float32)) {
	x, w := m.get(), m.shape.Width
	each := func(_ *Model, s *syntax.Sentence) {
		for i := range s.Words {
			read(i == 0, x.vectors[i*w:(i+2)*w])
		}
	}
	for _, s := range windows {
		x.take(m, s, each)
	}
	x.flush(m, each)
	m.pool.Put(x) // not after a panic, which may leave x in any state
}

// WithStarts returns a copy of m that HasStarts. The log-odds that a word begins a sentence
// are the product of the weights and a pair (Pairs), plus the last weight. nil takes them
// away.
func (m *Model) WithStarts(weights []float32) (*Model, error) {
	if n := 2*m.shape.Width + 1; len(weights) > 0 && len(weights) != n {
		return nil, fmt.Errorf("encode: %d weights of starts, want %d", len(weights), n)
	}
	c := *m
	c.starts = slices.Clone(weights)
	return &c, nil
}

// WithStartsOf returns a copy of m with the weights of another model, such as the one that
// it was adapted from. The models have the same width.
func (m *Model) WithStartsOf(o *Model) *Model {
	c := *m
	c.starts = o.starts
	return &c
}

// HasStarts reports whether the model knows where sentences begin.
func (m *Model) HasStarts() bool { return len(m.starts) > 0 }
