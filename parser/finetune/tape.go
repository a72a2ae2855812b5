package finetune

import (
	"math"
	"slices"

	"github.com/treebeam/treebeam/parser/encode"
	"github.com/treebeam/treebeam/parser/hash"
	"github.com/treebeam/treebeam/parser/linear"
	"github.com/treebeam/treebeam/parser/matrix"
	"github.com/treebeam/treebeam/parser/vector"
)

// A tape runs the operations of a network and, if it learns, keeps the way back of each:
// a function that turns the gradient of the result into the gradients of operands and
// weights. An operation is a method that computes, and then records its way back. A tape
// belongs to one goroutine, and starts other goroutines to help it.
type tape struct {
	workers int      // goroutines, with the same bits for any number; 0 and 1: the caller alone
	seed    uint64   // of dropout; 0 for none
	shares  *dropout // of dropout; nil: usualDropout
	learns  bool
	half    bool // linear rounds the factors of its products to bfloat16 if the processor is faster with it
	chunk   int  // rows of a partial sum of a gradient over rows

	ways    []way
	memory  [][]float32 // of floats, in the order of the calls
	next    int         // in memory
	free    [][]float32 // of gradients that are no longer needed
	partial []float32
	work    [][2][]float32 // of each worker
}

// A way is the way back of the operation that made an array.
type way struct {
	of   *array
	back func()
}

// An array is rows of numbers on a tape. Its gradient is nil until a later operation gives
// a share.
type array struct {
	rows, cols int
	data, grad []float32
}

func (a *array) row(i int) []float32     { return a.data[i*a.cols : (i+1)*a.cols] }
func (a *array) slope(i int) []float32   { return a.grad[i*a.cols : (i+1)*a.cols] }
func (a *array) matrix() matrix.Matrix   { return matrix.Of(a.data, a.rows, a.cols) }
func (a *array) gradient() matrix.Matrix { return matrix.Of(a.grad, a.rows, a.cols) }

// begin forgets all arrays of the step before.
func (t *tape) begin(seed uint64, learns bool) {
	t.seed, t.learns, t.next = seed, learns, 0
	t.ways = t.ways[:0]
}

// floats returns n numbers of any content.
func (t *tape) floats(n int) []float32 {
	if t.next == len(t.memory) {
		t.memory = append(t.memory, nil)
	}
	t.memory[t.next] = resize(t.memory[t.next], n)
	t.next++
	return t.memory[t.next-1]
}

func (t *tape) array(rows, cols int) *array {
	return &array{rows: rows, cols: cols, data: t.floats(rows * cols)}
}

// then keeps the way back from y, and returns y.
func (t *tape) then(y *array, back func()) *array {
	if t.learns {
		t.ways = append(t.ways, way{y, back})
	}
	return y
}

// share returns the gradient of x. An operation adds its share to it, or sets it if the
// share is the first.
func (t *tape) share(x *array) (grad []float32, add bool) {
	if x.grad != nil {
		return x.grad, true
	}
	at := len(t.free) - 1 // the smallest that is large enough, or the last
	for i, f := range t.free {
		if cap(f) >= len(x.data) && (cap(t.free[at]) < len(x.data) || cap(f) < cap(t.free[at])) {
			at = i
		}
	}
	if at >= 0 {
		x.grad = t.free[at]
		t.free = slices.Delete(t.free, at, at+1)
	}
	x.grad = resize(x.grad, len(x.data))
	return x.grad, false
}

// give adds a share to a gradient, or sets it.
func give(grad, share []float32, add bool) {
	if add {
		vector.Add(grad, share)
	} else {
		copy(grad, share)
	}
}

// release makes room for other gradients.
func (t *tape) release(x *array) {
	if x.grad != nil {
		t.free, x.grad = append(t.free, x.grad), nil
	}
}

// A mark is a place on a tape; the zero mark is its beginning.
type mark struct{ ways, next int }

func (t *tape) mark() mark { return mark{len(t.ways), t.next} }

// rewind follows all ways back to a mark, and forgets the arrays made since.
func (t *tape) rewind(m mark) {
	for len(t.ways) > m.ways {
		last := t.ways[len(t.ways)-1]
		t.ways = t.ways[:len(t.ways)-1]
		if last.of.grad != nil {
			last.back()
			t.release(last.of)
		}
	}
	t.next = m.next
}

// chunkRows is the number of rows in one piece of work.
const chunkRows = 32

// eachRow calls f for all rows, in chunks.
func (t *tape) eachRow(rows int, f func(r int)) {
	linear.Parallel((rows+chunkRows-1)/chunkRows, t.workers, func(_, c int) {
		for r := c * chunkRows; r < min((c+1)*chunkRows, rows); r++ {
			f(r)
		}
	})
}

// sums sets the vectors in to to sums over rows. f adds the values of a row to a vector of
// the given width, in which the vectors in to lie side by side; it may use the rest of that
// vector as scratch. For any number of workers, the result is the sum over chunks of the
// sums within chunks.
func (t *tape) sums(chunk, rows, width int, f func(r int, sum []float32), to ...[]float32) {
	n := (rows + chunk - 1) / chunk
	t.partial = resize(t.partial, n*width)
	clear(t.partial)
	linear.Parallel(n, t.workers, func(_, c int) {
		for r := c * chunk; r < min((c+1)*chunk, rows); r++ {
			f(r, t.partial[c*width:(c+1)*width])
		}
	})
	at := 0
	for _, list := range to {
		clear(list)
		for c := at; c < len(t.partial); c += width {
			vector.Add(list, t.partial[c:c+len(list)])
		}
		at += len(list)
	}
}

// A table is rows of weights that are looked up. Rows beyond its own are rows of frozen,
// and do not learn.
type table struct {
	width                 int
	weights, grad, frozen []float32
	touched               []int32 // rows of grad that the last step has set
}

// gather looks rows of a table up.
func (t *tape) gather(from *table, ids []int32) *array {
	w, own := from.width, int32(len(from.weights)/from.width)
	y := t.array(len(ids), w)
	t.eachRow(len(ids), func(r int) {
		if id := int(ids[r]); ids[r] < own {
			copy(y.row(r), from.weights[id*w:(id+1)*w])
		} else {
			copy(y.row(r), from.frozen[(id-int(own))*w:])
		}
	})
	return t.then(y, func() {
		for _, id := range from.touched {
			clear(from.grad[int(id)*w : (int(id)+1)*w])
		}
		from.touched = from.touched[:0]
		for r, id := range ids {
			if id < own {
				vector.Add(from.grad[int(id)*w:(int(id)+1)*w], y.slope(r))
				from.touched = append(from.touched, id)
			}
		}
	})
}

// add returns x + y.
func (t *tape) add(x, y *array) *array {
	z := t.array(x.rows, x.cols)
	copy(z.data, x.data)
	vector.Add(z.data, y.data)
	return t.then(z, func() {
		for _, to := range [2]*array{x, y} {
			grad, add := t.share(to)
			give(grad, z.grad, add)
		}
	})
}

// neighbours returns, for each row of x, three rows side by side: the row before it, itself,
// and the row behind it, with zeros beyond its sequence. Sequence s is rows start[s] to
// start[s+1]-1.
func (t *tape) neighbours(x *array, start []int) *array {
	w := x.cols
	y := t.array(x.rows, 3*w)
	// each calls f for the rows of x that row r of y has, at their places in it.
	each := func(f func(r, at, from int)) {
		linear.Parallel(len(start)-1, t.workers, func(_, s int) {
			for r := start[s]; r < start[s+1]; r++ {
				for from := max(start[s], r-1); from < min(start[s+1], r+2); from++ {
					f(r, (from-r+1)*w, from)
				}
			}
		})
	}
	clear(y.data)
	each(func(r, at, from int) { copy(y.row(r)[at:at+w], x.row(from)) })
	return t.then(y, func() {
		grad, add := t.share(x)
		if !add {
			clear(grad)
		}
		each(func(r, at, from int) { vector.Add(x.slope(from), y.slope(r)[at:at+w]) })
	})
}

// linear returns x·Weightᵀ + Bias.
func (t *tape) linear(x *array, l, grad encode.Linear) *array {
	outputs, half, chunk := len(l.Bias), t.half, t.chunk
	y, weight := t.array(x.rows, outputs), matrix.Of(l.Weight, outputs, x.cols)
	matrix.Product{TransposeB: true, Half: half, Workers: t.workers}.Multiply(y.matrix(), x.matrix(), weight)
	t.eachRow(y.rows, func(r int) { vector.Add(y.row(r), l.Bias) })
	return t.then(y, func() {
		t.sums(chunk, y.rows, outputs, func(r int, sum []float32) { vector.Add(sum, y.slope(r)) }, grad.Bias)
		matrix.Product{TransposeA: true, Half: half, Workers: t.workers}.Multiply(
			matrix.Of(grad.Weight, outputs, x.cols), y.gradient(), x.matrix())
		_, add := t.share(x)
		matrix.Product{Add: add, Half: half, Workers: t.workers}.Multiply(x.gradient(), y.gradient(), weight)
	})
}

// addNorm returns the layer norm of x plus y, after dropout on y. It uses the memory of y.
func (t *tape) addNorm(x, y *array, n, grad encode.Norm, epsilon float32, s site) *array {
	w, chunk := x.cols, t.chunk
	z, inverse := t.array(x.rows, w), t.floats(x.rows)
	t.eachRow(x.rows, func(r int) {
		t.drop(y.row(r), s, r)
		vector.Add(y.row(r), x.row(r))
		inverse[r] = normalize(z.row(r), y.row(r), n, epsilon)
	})
	return t.then(z, func() {
		_, addX := t.share(x)
		_, addY := t.share(y)
		t.sums(chunk, x.rows, 3*w, func(r int, sum []float32) {
			d := sum[2*w:]
			normalizeBack(d, z.slope(r), y.row(r), inverse[r], n.Gain, sum[:w], sum[w:2*w])
			give(x.slope(r), d, addX)
			t.drop(d, s, r)
			give(y.slope(r), d, addY)
		}, grad.Gain, grad.Bias)
	})
}

// The operations on single numbers take over the gradient of their result. No other
// operation may use x.

// gelu returns x·Φ(x). It uses the memory of x.
func (t *tape) gelu(x *array) *array {
	y := t.array(x.rows, x.cols)
	t.eachRow(x.rows, func(r int) { vector.GELUSlope(y.row(r), x.row(r)) })
	return t.then(y, func() {
		x.grad, y.grad = y.grad, nil
		t.eachRow(x.rows, func(r int) {
			d, slope := x.slope(r), x.row(r)
			for i, s := range slope {
				d[i] *= s
			}
		})
	})
}

// dropout drops some of x, in its memory.
func (t *tape) dropout(x *array, s site) *array {
	y := &array{rows: x.rows, cols: x.cols, data: x.data}
	t.eachRow(x.rows, func(r int) { t.drop(y.row(r), s, r) })
	return t.then(y, func() {
		x.grad, y.grad = y.grad, nil
		t.eachRow(x.rows, func(r int) { t.drop(x.slope(r), s, r) })
	})
}

// leakyReLU multiplies negative numbers in x by 0.1, and rows first[s] to first[s+1]-1 by
// row s of factors, in the memory of x.
func (t *tape) leakyReLU(x *array, first []int, factors [][]float32) *array {
	const slope = 0.1
	y := &array{rows: x.rows, cols: x.cols, data: x.data}
	each := func(f func(r int, factor []float32)) {
		linear.Parallel(len(factors), t.workers, func(_, s int) {
			for r := first[s]; r < first[s+1]; r++ {
				f(r, factors[s])
			}
		})
	}
	each(func(r int, factor []float32) {
		row := y.row(r)
		for i, v := range row {
			if v < 0 {
				v *= slope
			}
			row[i] = v * factor[i]
		}
	})
	return t.then(y, func() {
		x.grad, y.grad = y.grad, nil
		each(func(r int, factor []float32) {
			d, row := x.slope(r), y.row(r)
			for i := range d {
				if d[i] *= factor[i]; row[i] < 0 {
					d[i] *= slope
				}
			}
		})
	})
}

// attention returns the context of queries, keys and values, which lie side by side in the
// rows of x. Sequence s is rows start[s] to start[s+1]-1. For each sequence and each head
// the context is the softmax of query times key, after dropout, times value.
func (t *tape) attention(x *array, start []int, heads int, s site) *array {
	w := x.cols / 3
	depth := w / heads
	scale := float32(1 / math.Sqrt(float64(depth)))
	y := t.array(x.rows, w)
	first := make([]int, len(start)) // by sequence: its first probability
	for i := range start[1:] {
		n := start[i+1] - start[i]
		first[i+1] = first[i] + n*n*heads
	}
	probabilities := t.floats(first[len(first)-1])
	for len(t.work) < max(t.workers, 1) {
		t.work = append(t.work, [2][]float32{})
	}
	// each calls f for all heads of all sequences, with their views of arrays and their
	// probabilities before and after dropout.
	type view func(m matrix.Matrix, part int) matrix.Matrix
	each := func(f func(of view, p []float32, size, place int, work *[2][]float32)) {
		linear.Parallel((len(start)-1)*heads, t.workers, func(worker, k int) {
			i, h := k/heads, k%heads
			lo, size := start[i], start[i+1]-start[i]
			f(func(m matrix.Matrix, part int) matrix.Matrix {
				return m.RowRange(lo, lo+size).Columns(part*w+h*depth, part*w+(h+1)*depth)
			}, probabilities[first[i]+h*size*size:][:size*size], size, k, &t.work[worker])
		})
	}
	kept := func(p []float32, place int, to *[]float32) []float32 {
		if t.seed == 0 {
			return p
		}
		*to = resize(*to, len(p))
		mask(*to, p, &t.dropped().keep, t.chance(s, place))
		return *to
	}
	each(func(of view, p []float32, size, place int, work *[2][]float32) {
		query, key, value := of(x.matrix(), 0), of(x.matrix(), 1), of(x.matrix(), 2)
		matrix.Product{TransposeB: true}.Multiply(matrix.Of(p, size, size), query, key)
		for r := range size {
			softmax(p[r*size:(r+1)*size], scale)
		}
		matrix.Product{}.Multiply(of(y.matrix(), 0), matrix.Of(kept(p, place, &work[0]), size, size), value)
	})
	return t.then(y, func() {
		_, add := t.share(x)
		each(func(of view, p []float32, size, place int, work *[2][]float32) {
			query, key, value := of(x.matrix(), 0), of(x.matrix(), 1), of(x.matrix(), 2)
			d, dx := of(y.gradient(), 0), x.gradient()
			work[1] = resize(work[1], size*size)
			dp := matrix.Of(work[1], size, size)
			matrix.Product{TransposeA: true, Add: add}.Multiply(of(dx, 2), matrix.Of(kept(p, place, &work[0]), size, size), d)
			matrix.Product{TransposeB: true}.Multiply(dp, d, value)
			t.drop(dp.Data, s, place)
			for r := range size {
				softmaxBack(dp.Data[r*size:(r+1)*size], p[r*size:(r+1)*size], scale)
			}
			matrix.Product{Add: add}.Multiply(of(dx, 0), dp, key)
			matrix.Product{TransposeA: true, Add: add}.Multiply(of(dx, 1), dp, query)
		})
	})
}

// A site is where activations are dropped: in one operation of a network.
type site int

const nowhere site = -1 // nothing is dropped

// chance returns the random numbers of one row at a site: the same forward and back.
func (t *tape) chance(s site, row int) hash.Rand {
	return hash.Rand(hash.Pair(hash.Pair(t.seed, uint64(s)), uint64(row)))
}

// drop drops some of a row.
func (t *tape) drop(x []float32, s site, row int) {
	if t.seed != 0 && s != nowhere {
		mask(x, x, &t.dropped().keep, t.chance(s, row))
	}
}

// resize returns a slice of n elements of any content, in the memory of a if that is large
// enough.
func resize[T any](a []T, n int) []T { return slices.Grow(a[:0], n)[:n] }
