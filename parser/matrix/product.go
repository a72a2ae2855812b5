package matrix

import (
	"fmt"
	"sync"
	"sync/atomic"
	"unsafe"
)

const (
	// maxSteps bounds the steps of one tile, so that a panel of B and the rows
	// of A stay in the caches near the processor.
	maxSteps = 768
	// blockRows and blockPanels are the size of a unit of work: the rows of A
	// that stay in the second cache, and the panels of B that pass by them.
	blockRows   = 96
	blockPanels = 4
	// alone is the number of multiplications up to which the caller works without other
	// goroutines: a goroutine costs about as much.
	alone = 1 << 18
)

// A job is a product under way. Jobs are pooled, with their panels.
type job struct {
	kernel  *kernel
	c, a, b Matrix
	p       Product
	m, n, k int // rows and columns of C, inner dimension

	panelsA, panelsB []uint32
	packA            bool // A has panels or rows of words; otherwise it is read where it is

	units           int // of packing: panels of B, then blocks of rows of A
	packing, tiling atomic.Int64
	packed, done    sync.WaitGroup
	work            func() // of one more worker
}

var jobs = sync.Pool{New: func() any {
	j := new(job)
	j.work = func() {
		defer j.done.Done()
		s := scratches.Get().(*scratch)
		j.run(s)
		scratches.Put(s)
	}
	return j
}}

// A scratch is what one worker needs.
type scratch struct {
	tile tile
	edge [32 * 32]float32 // a tile that reaches beyond the edge of C
	turn []uint32         // a block of rows of A
}

var scratches = sync.Pool{New: func() any { return new(scratch) }}

// inner returns the inner dimension. The micro-kernels check no bounds, so inner panics if
// the shapes do not fit or reach beyond their data.
func (p Product) inner(c, a, b Matrix) int {
	if p.TransposeA {
		a.Rows, a.Cols = a.Cols, a.Rows
	}
	if p.TransposeB {
		b.Rows, b.Cols = b.Cols, b.Rows
	}
	if a.Rows != c.Rows || b.Cols != c.Cols || a.Cols != b.Rows {
		panic(fmt.Sprintf("matrix: %d x %d times %d x %d is not %d x %d", a.Rows, a.Cols, b.Rows, b.Cols, c.Rows, c.Cols))
	}
	return a.Cols
}

// check panics if the view reaches beyond its data.
func (m Matrix) check() {
	if m.Rows > 0 && m.Cols > 0 && (m.Stride < m.Cols && m.Rows > 1 || (m.Rows-1)*m.Stride+m.Cols > len(m.Data)) {
		panic(fmt.Sprintf("matrix: %d x %d with stride %d reach over %d numbers", m.Rows, m.Cols, m.Stride, len(m.Data)))
	}
}

// product sets c or adds to it.
func (k *kernel) product(p Product, c, a, b Matrix) {
	inner := p.inner(c, a, b)
	c.check()
	a.check()
	b.check()
	if c.Rows <= 0 || c.Cols <= 0 {
		return
	}
	if inner <= 0 {
		if !p.Add {
			for i := range c.Rows {
				clear(c.Data[i*c.Stride:][:c.Cols])
			}
		}
		return
	}
	j := jobs.Get().(*job)
	j.kernel, j.p, j.c, j.a, j.b, j.m, j.n, j.k = k, p, c, a, b, c.Rows, c.Cols, inner
	j.begin()
	workers := max(p.Workers, 1)
	if workers > 1 {
		rows, panels := j.blocks()
		workers = min(workers, max(rows*panels, j.units))
		if j.m*j.n*j.k <= alone {
			workers = 1
		}
	}
	j.done.Add(workers - 1)
	for range workers - 1 {
		go j.work()
	}
	s := scratches.Get().(*scratch)
	j.run(s)
	scratches.Put(s)
	j.done.Wait()
	j.c, j.a, j.b = Matrix{}, Matrix{}, Matrix{}
	jobs.Put(j)
}

// begin makes room for the panels.
func (j *job) begin() {
	k := j.kernel
	depth := k.depth(j.k)
	panels := ceil(j.n, k.width())
	j.panelsB = room(j.panelsB, panels*depth*k.width())
	j.units = panels
	j.packA = j.p.TransposeA || k.half
	if j.packA {
		j.panelsA = room(j.panelsA, ceil(j.m, k.heights[0])*k.heights[0]*depth)
		j.units += ceil(j.m, blockRows)
	}
	j.packing.Store(0)
	j.tiling.Store(0)
	j.packed.Add(j.units)
}

// blocks returns how many units C is cut into, along rows and along panels.
func (j *job) blocks() (rows, panels int) {
	return ceil(j.m, blockRows), ceil(ceil(j.n, j.kernel.width()), blockPanels)
}

// run packs units until none is left, waits for the other workers to finish theirs, and
// then multiplies units until none is left.
func (j *job) run(s *scratch) {
	for {
		unit := int(j.packing.Add(1)) - 1
		if unit >= j.units {
			break
		}
		j.pack(s, unit)
		j.packed.Done()
	}
	j.packed.Wait()
	rows, panels := j.blocks()
	for {
		unit := int(j.tiling.Add(1)) - 1
		if unit >= rows*panels {
			break
		}
		j.multiply(s, unit/panels, unit%panels)
	}
	s.tile = tile{}
}

// pack packs a panel of B or a block of rows of A.
func (j *job) pack(s *scratch, unit int) {
	k := j.kernel
	depth := k.depth(j.k)
	if panels := ceil(j.n, k.width()); unit < panels {
		lo := unit * k.width()
		hi := min(lo+k.width(), j.n)
		j.panel(j.panelsB[lo*depth:][:depth*k.width()], j.b, j.p.TransposeB, lo, hi, j.vectors(hi-lo)*k.lanes)
		return
	} else {
		unit -= panels
	}
	lo, hi := unit*blockRows, min((unit+1)*blockRows, j.m)
	if !j.p.TransposeA {
		for i := lo; i < hi; i++ {
			k.row(j.panelsA[i*depth:][:depth], j.a.Data[i*j.a.Stride:][:j.k])
		}
		return
	}
	if k.rows {
		step := ceil(j.k, 16) * 16
		s.turn = room(s.turn, ceil(hi-lo, 16)*16*step)
		k.turn(s.turn, j.a.Columns(lo, hi), step)
		for i := lo; i < hi; i++ {
			row := s.turn[(i-lo)*step:][:j.k]
			k.row(j.panelsA[i*depth:][:depth], unsafe.Slice((*float32)(unsafe.Pointer(&row[0])), j.k))
		}
		return
	}
	for height := k.heights[0]; lo < hi; lo += height {
		j.panel(j.panelsA[lo*depth:][:depth*height], j.a, false, lo, min(lo+height, hi), height)
	}
}

// panel packs columns [lo, hi) of an operand.
func (j *job) panel(panel []uint32, from Matrix, transpose bool, lo, hi, step int) {
	if transpose {
		j.kernel.transposed(panel, from.RowRange(lo, hi), step)
	} else {
		j.kernel.straight(panel, from.Columns(lo, hi), step)
	}
}

// vectors returns how many vectors a tile has for a number of columns.
func (j *job) vectors(columns int) int { return ceil(columns, j.kernel.lanes) }

// multiply does a unit of C. Each element is summed by one worker, along the
// inner dimension.
func (j *job) multiply(s *scratch, block, panels int) {
	k := j.kernel
	depth, words := k.depth(j.k), k.words(j.k)
	lo, hi := block*blockRows, min((block+1)*blockRows, j.m)
	t := &s.tile
	for from := 0; from < words; from += maxSteps {
		t.steps = min(maxSteps, words-from)
		t.add = 0
		if j.p.Add || from > 0 {
			t.add = 1
		}
		for panel := panels * blockPanels; panel < (panels+1)*blockPanels && panel*k.width() < j.n; panel++ {
			column := panel * k.width()
			columns := min(k.width(), j.n-column)
			t.vectors = j.vectors(columns)
			t.lanes = 1<<(columns-(t.vectors-1)*k.lanes) - 1
			t.b = unsafe.Pointer(&j.panelsB[column*depth+from*t.vectors*k.lanes])
			for row := lo; row < hi; row += t.rows {
				t.rows = tallest(k.heights, hi-row)
				j.operand(t, row, from, depth)
				j.tile(s, row, column, columns)
			}
		}
	}
}

// tallest returns the highest of heights that fits a number of rows.
func tallest(heights []int, rows int) int {
	for _, h := range heights {
		if h <= rows {
			return h
		}
	}
	return 1
}

// operand points the tile to its rows of A.
func (j *job) operand(t *tile, row, from, depth int) {
	height := j.kernel.heights[0]
	switch {
	case j.p.TransposeA && !j.kernel.rows:
		panel := row / height * height
		t.a = unsafe.Pointer(&j.panelsA[panel*depth+from*height+row-panel])
		t.aRow, t.aStep = 4, 4*height
	case j.packA:
		t.a = unsafe.Pointer(&j.panelsA[row*depth+from])
		t.aRow, t.aStep = 4*depth, 4
	default:
		t.a = unsafe.Pointer(&j.a.Data[row*j.a.Stride+from])
		t.aRow, t.aStep = 4*j.a.Stride, 4
	}
}

// tile multiplies one tile: in C, or in scratch if the micro-kernel would write past the
// last column.
func (j *job) tile(s *scratch, row, column, columns int) {
	t, k := &s.tile, j.kernel
	c := j.c.Data[row*j.c.Stride+column:]
	if k.masked || columns == k.lanes*t.vectors {
		t.c, t.cRow = unsafe.Pointer(&c[0]), 4*j.c.Stride
		k.multiply(t)
		return
	}
	add := t.add
	t.add, t.c, t.cRow = 0, unsafe.Pointer(&s.edge), 4*k.width()
	k.multiply(t)
	t.add = add
	for i := range t.rows {
		from, to := s.edge[i*k.width():][:columns], c[i*j.c.Stride:][:columns]
		if add == 0 {
			copy(to, from)
			continue
		}
		for x := range to {
			to[x] += from[x]
		}
	}
}

func ceil(a, b int) int { return (a + b - 1) / b }
