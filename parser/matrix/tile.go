package matrix

import "unsafe"

// A tile is one call of a micro-kernel: rows x vectors of C, over some steps
// of the inner dimension. A step is a word of 32 bits of each row of A and of
// each column of B: a float32, a pair of bfloat16 or int16, or four int8.
type tile struct {
	c, a, b unsafe.Pointer
	start   unsafe.Pointer // for intVNNI: the start values of the sums, one or two vectors
	cRow    int            // bytes from a row of C to the next
	aRow    int            // bytes from a row of A to the next
	aStep   int            // bytes from a step of a row of A to the next
	steps   int            // at least 1
	rows    int            // one of the heights of the kernel
	vectors int            // of columns of B, side by side
	lanes   int            // of the last vector, as bits
	add     int            // 1 if C is added to, not set
	panels  int            // of intAMX: how many panels of B are multiplied, one after another
}

// A kernel is a way to multiply: a micro-kernel and the panels that it reads.
// Panels hold words, one of every column in each step.
type kernel struct {
	name     string
	multiply func(*tile)
	heights  []int // of tiles, the highest first and 1 last; each divides the highest or the rest that is left
	lanes    int   // columns of a vector
	vectors  int   // of a whole tile
	half     bool  // words are pairs of bfloat16
	rows     bool  // A always has rows of words, of whole blocks of 16
	masked   bool  // the micro-kernel writes only the lanes of a tile, not whole vectors

	// straight brings src, elements x columns, into a panel with step words
	// from a step to the next; transposed does so with src, columns x elements.
	straight, transposed func(panel []uint32, src Matrix, step int)
	// row rounds a row to pairs, where half.
	row func(words []uint32, src []float32)
	// turn transposes floats, where rows: column i of src, elements x columns, becomes row i
	// with step words from a row to the next.
	turn func(to []uint32, src Matrix, step int)
}

// width is the number of columns of a whole tile and a panel of B.
func (k *kernel) width() int { return k.lanes * k.vectors }

// words returns how many words hold n elements.
func (k *kernel) words(n int) int {
	if k.half {
		return (n + 1) / 2
	}
	return n
}

// depth returns how many steps a panel has room for: packing writes whole
// blocks.
func (k *kernel) depth(n int) int { return (k.words(n) + 15) &^ 15 }

// plain is the kernel for every processor.
var plain = kernel{
	name: "plain", multiply: multiplyPlain, heights: []int{1}, lanes: 4, vectors: 1,
	straight: straight, transposed: transposed,
}

// straight is packing in plain Go.
func straight(panel []uint32, src Matrix, step int) {
	floats := unsafe.Slice((*float32)(unsafe.Pointer(unsafe.SliceData(panel))), len(panel))
	for i := range src.Rows {
		copy(floats[i*step:], src.Data[i*src.Stride:][:src.Cols])
	}
}

// transposed is packing in plain Go.
func transposed(panel []uint32, src Matrix, step int) {
	floats := unsafe.Slice((*float32)(unsafe.Pointer(unsafe.SliceData(panel))), len(panel))
	for j := range src.Rows {
		at := j
		for _, x := range src.Data[j*src.Stride:][:src.Cols] {
			floats[at] = x
			at += step
		}
	}
}

// multiplyPlain is the micro-kernel in plain Go: a row of a tile.
func multiplyPlain(t *tile) {
	b := unsafe.Slice((*[4]float32)(t.b), t.steps)
	var c0, c1, c2, c3 float32
	for k := range b {
		a, b := *floatAt(t.a, k*t.aStep), &b[k]
		c0 += a * b[0]
		c1 += a * b[1]
		c2 += a * b[2]
		c3 += a * b[3]
	}
	c := (*[4]float32)(t.c)
	if t.add != 0 {
		c0, c1, c2, c3 = c[0]+c0, c[1]+c1, c[2]+c2, c[3]+c3
	}
	*c = [4]float32{c0, c1, c2, c3}
}

func floatAt(p unsafe.Pointer, bytes int) *float32 { return (*float32)(unsafe.Add(p, bytes)) }
