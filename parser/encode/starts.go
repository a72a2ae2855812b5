package encode

import (
	"math"

	"github.com/treebeam/treebeam/parser/pack"
	"github.com/treebeam/treebeam/parser/syntax"
	"github.com/treebeam/treebeam/parser/vector"
)

// StartUnits is how many hidden units a StartNetwork has.
const StartUnits = 16

// A StartNetwork tells from the vectors of two adjacent words whether the second begins a
// sentence. It has one layer of hidden units, which are LeakyReLU, and sums them.
type StartNetwork struct {
	Hidden []float32 // 2·Width x StartUnits: input by input
	Bias   []float32 // StartUnits
	Sum    []float32 // the weight of each hidden unit, then the bias
}

// NewStartNetwork returns a network of zeros for vectors of a width.
func NewStartNetwork(width int) *StartNetwork {
	return &StartNetwork{make([]float32, 2*width*StartUnits), make([]float32, StartUnits), make([]float32, StartUnits+1)}
}

// Odds appends to dst the log-odds of n pairs. A pair is the vector of a word behind that of
// the word before it; each pair begins stride floats behind the last one. Odds sets units, n x
// StartUnits, to the hidden units. The result is the same on every processor.
func (s *StartNetwork) Odds(dst, units, pairs []float32, stride, n int) []float32 {
	vector.Product(units, StartUnits, pairs, stride, s.Hidden, StartUnits, n, len(s.Hidden)/StartUnits, StartUnits)
	for i := range n {
		row, sum := units[i*StartUnits:(i+1)*StartUnits], s.Sum[StartUnits]
		vector.Add(row, s.Bias)
		vector.LeakyReLU(row)
		for k, v := range row {
			sum += float32(v * s.Sum[k])
		}
		dst = append(dst, sum)
	}
	return dst
}

func (s *StartNetwork) layout(l *pack.Layout, width int) {
	floats(l, "hidden", &s.Hidden, 2*width*StartUnits)
	floats(l, "bias", &s.Bias, StartUnits)
	floats(l, "sum", &s.Sum, StartUnits+1)
}

// Starts appends to dst, for each word of each window, the log-odds that it begins a
// sentence, in units of 1/score.Unit nat, between -30 and 30 nats; 0 for the first word of a
// window, which has none before it. A window has consecutive tokens of a text
// (segment.Windows), at least one, in the forms that the encoder reads. Starts appends nothing to dst
// unless the model HasStarts. Like Encode, it gives the same result on every processor and
// in any batch, and is safe for concurrent use.
func (m *Model) Starts(dst []int32, windows []*syntax.Sentence) []int32 {
	if !m.HasStarts() {
		return dst
	}
	w := m.shape.Width
	var odds, units []float32
	m.Windows(windows, func(vectors []float32) {
		n := len(vectors)/w - 1
		units = resize(units, n*StartUnits)
		odds = m.starts.Odds(odds[:0], units, vectors, w, n)
		odds[0] = 0
		for _, v := range odds {
			dst = append(dst, int32(math.RoundToEven(float64(max(least, min(-least, float32(v*unit)))))))
		}
	})
	return dst
}

// Windows calls read for each window, in their order, with the vectors of the first mark and
// of its words, (n+1) x Width, which are only valid during the call. The windows must have
// words.
func (m *Model) Windows(windows []*syntax.Sentence, read func(vectors []float32)) {
	x := m.get()
	each := func(*Model, *syntax.Sentence) { read(x.vectors) }
	for _, s := range windows {
		x.take(m, s, each)
	}
	x.flush(m, each)
	m.pool.Put(x) // not after a panic, which may leave x in any state
}

// WithStarts returns a copy of m with a network that it shares, of vectors of the width of m.
// nil takes it away.
func (m *Model) WithStarts(s *StartNetwork) *Model {
	c := *m
	c.starts = s
	return &c
}

// WithStartsOf returns a copy of m with the network of another model, such as the one that it
// was adapted from. The models have the same width.
func (m *Model) WithStartsOf(o *Model) *Model { return m.WithStarts(o.starts) }

// Reach is how many pieces on either side of a word its vector depends on, apart from their number:
// one for each layer, if all are local; 0 if it depends on all pieces.
func (m *Model) Reach() int {
	if m.shape.Local < len(m.layers) {
		return 0
	}
	return m.shape.Local
}

// HasStarts reports whether the model knows where sentences begin.
func (m *Model) HasStarts() bool { return m.starts != nil }
