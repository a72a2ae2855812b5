package matrix

import (
	"math/bits"
	"sync"
	"unsafe"
)

// An Int8 is a matrix of weights in [-127, 127], outputs x inputs, laid out
// for Multiply. It is read-only and safe for concurrent use.
type Int8 struct {
	Outputs, Inputs int

	weights []int8 // row by row
	kernel  *integerKernel
	panels  []int8  // of the kernel: panels of columns; each step has word bytes of every column
	start   []int32 // of each output: -128 times the sum of its weights
}

// An integerKernel is a way to multiply int8: a micro-kernel and the panels
// that it reads.
type integerKernel struct {
	name     string
	multiply func(*tile)
	heights  []int                         // of tiles, the highest first and 1 last
	lanes    int                           // outputs of a vector; a panel has two
	word     int                           // inputs of a step
	inputs   int                           // what inputs are filled up to a multiple of, with zeros
	masked   bool                          // the micro-kernel writes only the lanes of a tile, not whole vectors
	many     bool                          // the micro-kernel multiplies several panels (tile.panels)
	widen    func(dst []int16, src []int8) // if A is read as int16
}

// tokenBlock is how many rows of A pass by the panels of weights at once, so that
// they stay in the second cache.
const tokenBlock = 192

// NewInt8 lays out weights, outputs x inputs row by row. It aliases them or keeps a copy
// in the order in which this processor reads them. inputs must be at most 1<<15, so that
// sums fit into 32 bits.
func NewInt8(weights []int8, outputs, inputs int) *Int8 {
	var k *integerKernel
	if len(integers) > 0 && inputs > 0 {
		k = integers[0]
	}
	return newInt8(k, weights, outputs, inputs)
}

func newInt8(k *integerKernel, weights []int8, outputs, inputs int) *Int8 {
	m := &Int8{Outputs: outputs, Inputs: inputs, weights: weights, kernel: k}
	if k == nil {
		return m
	}
	m.weights = nil
	width := 2 * k.lanes
	m.panels = make([]int8, ceil(outputs, k.lanes)*k.lanes*m.depth())
	m.start = make([]int32, ceil(outputs, width)*width)
	for o := range outputs {
		panel, column, columns := m.panel(o / width)
		column = o - column
		for i, x := range weights[o*inputs : (o+1)*inputs] {
			panel[(i/k.word*columns+column)*k.word+i%k.word] = x
			m.start[o] -= 128 * int32(x)
		}
	}
	return m
}

// panel returns panel p, its first output, and the number of outputs for which it has
// room: two vectors of them, or one at the end.
func (m *Int8) panel(p int) (panel []int8, first, columns int) {
	k := m.kernel
	first = p * 2 * k.lanes
	columns = min(2*k.lanes, ceil(m.Outputs-first, k.lanes)*k.lanes)
	return m.panels[first*m.depth():][:columns*m.depth()], first, columns
}

// depth returns the number of inputs, filled up for the kernel.
func (m *Int8) depth() int { return ceil(m.Inputs, m.kernel.inputs) * m.kernel.inputs }

// Multiply sets dst, tokens x Outputs, to the products of the rows of a and the rows of
// the weights. a is tokens x Inputs, with values in [-127, 127]. Sums are exact, so the
// result is the same on every processor.
func (m *Int8) Multiply(dst []int32, a []int8, tokens int) {
	if tokens <= 0 || m.Outputs <= 0 {
		return
	}
	if m.Inputs <= 0 {
		clear(dst[:tokens*m.Outputs])
		return
	}
	dst, a = dst[:tokens*m.Outputs], a[:tokens*m.Inputs]
	s := integerScratches.Get().(*integerScratch)
	for lo := 0; lo < tokens; lo += tokenBlock {
		hi := min(lo+tokenBlock, tokens)
		if m.kernel != nil {
			m.block(s, dst[lo*m.Outputs:hi*m.Outputs], a[lo*m.Inputs:hi*m.Inputs], hi-lo)
		} else {
			m.plain(s, dst[lo*m.Outputs:hi*m.Outputs], a[lo*m.Inputs:hi*m.Inputs], hi-lo)
		}
	}
	integerScratches.Put(s)
}

// An integerScratch is what one product needs.
type integerScratch struct {
	tile  tile
	edge  [32 * 32]int32 // a tile that reaches beyond the edge of dst
	wide  []int16        // rows of a, or with padding
	pairs []int64        // of plain
}

var integerScratches = sync.Pool{New: func() any { return new(integerScratch) }}

// operand returns where the rows of a block are read, and the bytes from one row to the
// next. The rows stay as they are if the kernel can read them. Otherwise they are widened,
// or padded with zeros to whole steps.
func (m *Int8) operand(s *integerScratch, a []int8, tokens int) (unsafe.Pointer, int) {
	k := m.kernel
	if k.widen != nil {
		row := ceil(m.Inputs, 16) * 16
		s.wide = room(s.wide, tokens*row)
		for t := range tokens {
			to := s.wide[t*row:][:row]
			to[ceil(m.Inputs, 2)*2-1] = 0
			k.widen(to, a[t*m.Inputs:][:m.Inputs])
		}
		return unsafe.Pointer(&s.wide[0]), 2 * row
	}
	row := m.depth()
	if m.Inputs == row {
		return unsafe.Pointer(&a[0]), row
	}
	s.wide = room(s.wide, ceil(tokens*row, 2))
	to := unsafe.Slice((*int8)(unsafe.Pointer(&s.wide[0])), tokens*row)
	for t := range tokens {
		n := copy(to[t*row:], a[t*m.Inputs:][:m.Inputs])
		clear(to[t*row+n : (t+1)*row])
	}
	return unsafe.Pointer(&s.wide[0]), row
}

// block multiplies a block of tokens.
func (m *Int8) block(s *integerScratch, dst []int32, a []int8, tokens int) {
	k, t := m.kernel, &s.tile
	rows, bytes := m.operand(s, a, tokens)
	t.aRow, t.aStep, t.steps = bytes, 4, m.depth()/k.word
	for p := 0; p < ceil(m.Outputs, 2*k.lanes); p += t.panels {
		panel, first, room := m.panel(p)
		t.panels = 1
		if k.many {
			t.panels = max(1, m.Outputs/(2*k.lanes)-p)
		}
		columns := min(room, m.Outputs-first)
		t.b, t.start, t.vectors = unsafe.Pointer(&panel[0]), unsafe.Pointer(&m.start[first]), room/k.lanes
		t.lanes = 1<<(columns-(t.vectors-1)*k.lanes) - 1
		for row := 0; row < tokens; row += t.rows {
			t.rows = tallest(k.heights, tokens-row)
			t.a = unsafe.Add(rows, row*bytes)
			to := dst[row*m.Outputs+first:]
			if k.masked || columns == room {
				t.c, t.cRow = unsafe.Pointer(&to[0]), 4*m.Outputs
				k.multiply(t)
				continue
			}
			t.c, t.cRow = unsafe.Pointer(&s.edge), 4*room
			k.multiply(t)
			for i := range t.rows {
				copy(to[i*m.Outputs:][:columns], s.edge[i*room:])
			}
		}
	}
	s.tile = tile{}
}

// plain multiplies a block of tokens in plain Go: two outputs at once, in the
// halves of 64 bits.
func (m *Int8) plain(s *integerScratch, dst []int32, a []int8, tokens int) {
	n := m.Inputs
	s.pairs = room(s.pairs, 2*n)
	p, q := s.pairs[:n], s.pairs[n:2*n]
	o := 0
	for ; o+4 <= m.Outputs; o += 4 {
		m.pair(p, o, o+1)
		m.pair(q, o+2, o+3)
		for t := range tokens {
			var x, y int64
			row := a[t*n:][:n]
			p, q := p[:len(row)], q[:len(row)]
			for i, v := range row {
				x += int64(v) * p[i]
				y += int64(v) * q[i]
			}
			to := (*[4]int32)(dst[t*m.Outputs+o:])
			to[0], to[1] = halves64(x)
			to[2], to[3] = halves64(y)
		}
	}
	for ; o < m.Outputs; o++ {
		weights := m.weights[o*n:][:n]
		for t := range tokens {
			var sum int32
			for i, v := range a[t*n:][:n] {
				sum += int32(v) * int32(weights[i])
			}
			dst[t*m.Outputs+o] = sum
		}
	}
}

// pair sets to to the weights of two outputs: low plus 2^32 times high.
func (m *Int8) pair(to []int64, low, high int) {
	l, h := m.weights[low*m.Inputs:][:len(to)], m.weights[high*m.Inputs:][:len(to)]
	for i := range to {
		to[i] = int64(l[i]) + int64(h[i])<<32
	}
}

// halves64 returns the two sums of a sum of pairs.
func halves64(x int64) (low, high int32) {
	low = int32(x)
	return low, int32((x - int64(low)) >> 32)
}

// room returns room for n elements, in s if s is large enough.
func room[T any](s []T, n int) []T {
	if n > cap(s) {
		return make([]T, n, 1<<bits.Len(uint(n-1)))
	}
	return s[:n]
}
