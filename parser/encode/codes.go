package encode

import (
	"math"

	"github.com/treebeam/treebeam/parser/pack"
)

// Codes is a matrix with a few bits for each element, row by row. An element is a level
// times the scale of its row. Rows before Fine have 16 levels, in nibbles, the low one
// first. The other rows have 4 levels, in pairs of bits from the lowest. The levels are
// those of the optimal quantizer of a normal distribution (Max 1960, table I).
//
// The pieces of a vocabulary are in descending order of frequency, so the frequent ones
// are fine.
type Codes struct {
	Rows, Width, Fine int // Width is a multiple of 4
	bits              []uint8
	scales            []float32 // of rows: the root of the mean square
}

var (
	fineLevels = [16]float32{-2.733, -2.069, -1.618, -1.256, -0.9423, -0.6568, -0.3880, -0.1284,
		0.1284, 0.3880, 0.6568, 0.9423, 1.256, 1.618, 2.069, 2.733}
	coarseLevels = [4]float32{-1.510, -0.4528, 0.4528, 1.510}
)

// NewCodes quantises a matrix with rows of the given width, which must be a multiple of
// 4. The first fine rows get 16 levels.
func NewCodes(floats []float32, width, fine int) *Codes {
	c := &Codes{Rows: len(floats) / width, Width: width}
	c.Fine = min(fine, c.Rows)
	c.bits, c.scales = make([]uint8, c.size()), make([]float32, c.Rows)
	for r := range c.Rows {
		row := floats[r*width : (r+1)*width]
		squares := 0.0
		for _, x := range row {
			squares += float64(x) * float64(x)
		}
		scale := float32(math.Sqrt(squares / float64(width)))
		c.scales[r] = scale
		data, levels, each := c.row(r)
		for i, x := range row {
			data[i/each] |= nearest(levels, x, scale) << (i % each * 8 / each)
		}
	}
	return c
}

// Coarse returns a copy of m whose vectors of pieces, except the first ones, are Codes with so many
// fine rows.
func (m *Model) Coarse(exact, fine int) *Model {
	c := *m
	if w := m.shape.Width; c.coarse == nil && exact < m.word.rows {
		c.word = table{exact, w, m.word.weights[:exact*w], m.word.scales[:exact]}
		c.coarse = NewCodes(m.word.floats()[exact*w:], w, fine)
	}
	return &c
}

// nearest returns the level nearest to x. The levels ascend.
func nearest(levels []float32, x, scale float32) (code uint8) {
	for int(code)+1 < len(levels) && x > (levels[code]+levels[code+1])/2*scale {
		code++
	}
	return code
}

// size is the number of bytes of all rows.
func (c *Codes) size() int { return c.Fine*c.Width/2 + (c.Rows-c.Fine)*c.Width/4 }

// row returns the bytes of a row, its levels, and the number of elements in a byte.
func (c *Codes) row(r int) (data []uint8, levels []float32, each int) {
	if r < c.Fine {
		n := c.Width / 2
		return c.bits[r*n : (r+1)*n], fineLevels[:], 2
	}
	n := c.Width / 4
	at := c.Fine*c.Width/2 + (r-c.Fine)*n
	return c.bits[at : at+n], coarseLevels[:], 4
}

// expand sets dst to row r.
func (c *Codes) expand(dst []float32, r int) {
	data, _, each := c.row(r)
	scale := c.scales[r]
	if each == 2 {
		for i, x := range data {
			dst[2*i], dst[2*i+1] = fineLevels[x&15]*scale, fineLevels[x>>4]*scale
		}
		return
	}
	for i, x := range data {
		d := (*[4]float32)(dst[4*i:])
		d[0], d[1] = coarseLevels[x&3]*scale, coarseLevels[x>>2&3]*scale
		d[2], d[3] = coarseLevels[x>>4&3]*scale, coarseLevels[x>>6]*scale
	}
}

// Floats returns the matrix as floats, row by row.
func (c *Codes) Floats() []float32 {
	out := make([]float32, c.Rows*c.Width)
	for r := range c.Rows {
		c.expand(out[r*c.Width:(r+1)*c.Width], r)
	}
	return out
}

// layoutCodes names the sections of codes, if there are any, whose numbers of rows and
// columns are known.
func layoutCodes(l *pack.Layout, c **Codes, rows, width int) {
	if !l.Optional("codes", *c != nil) {
		return
	}
	if l.Reading() {
		*c = &Codes{Rows: rows, Width: width}
	}
	x := *c
	if x == nil {
		return
	}
	fine := uint32(x.Fine)
	pack.Value(l, "codes.fine", &fine)
	l.Check("codes.fine", int(fine) <= rows && width%4 == 0, "is beyond the pieces")
	pack.Array(l, "codes", &x.bits)
	x.Fine = int(fine)
	l.Check("codes", !l.Reading() || len(x.bits) == x.size(), "does not fit the shape")
	floats(l, "codes.scales", &x.scales, rows)
}
