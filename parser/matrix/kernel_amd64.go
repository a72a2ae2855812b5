package matrix

import (
	"runtime"

	"golang.org/x/sys/cpu"
)

//go:noescape
func floatAVX512(t *tile)

//go:noescape
func halfAVX512(t *tile)

//go:noescape
func halfAMX(t *tile)

//go:noescape
func floatAVX2(t *tile)

//go:noescape
func intVNNI(t *tile)

//go:noescape
func intAMX(t *tile)

// permitTiles returns 0 if Linux lets this process use tile registers. Their content is
// another 8 KB to save for a process that uses them, so it wants to be asked.
func permitTiles() int

//go:noescape
func intAVX2(t *tile)

// widen sign-extends blocks of 16.
//
//go:noescape
func widen(dst *int16, src *int8, blocks int)

// transpose16 brings rows of src, stride bytes apart, into a panel of 16 columns, step
// bytes from a step to the next, in blocks of 16 steps. Of the last block it reads only
// lanes. If there are fewer than 16 rows, it repeats the last one.
//
//go:noescape
func transpose16(dst *uint32, src *float32, stride, step, blocks, rows int, lanes uint64)

// transpose16Half is the same with steps of pairs: a block has 32 elements.
//
//go:noescape
func transpose16Half(dst *uint32, src *float32, stride, step, blocks, rows int, lanes uint64)

// transpose8 is the same for 8 columns and whole blocks of 8 elements.
//
//go:noescape
func transpose8(dst *uint32, src *float32, stride, step, blocks, rows int)

// pairRow rounds a row to pairs of bfloat16, in blocks of 32 elements. Of the last block it
// reads only lanes.
//
//go:noescape
func pairRow(dst *uint32, src *float32, blocks int, lanes uint64)

// pairColumns rounds up to 16 columns of rows, stride bytes apart, to pairs
// along the columns, step bytes apart; the last of an odd number of rows is
// paired with zeros (odd is all ones).
//
//go:noescape
func pairColumns(dst *uint32, src *float32, stride, step, pairs int, lanes, odd uint64)

// hasAVX512 is also false under GODEBUG=cpu.avx2=off.
var hasAVX512 = cpu.X86.HasAVX2 && cpu.X86.HasAVX512F && cpu.X86.HasAVX512BW && cpu.X86.HasAVX512DQ &&
	cpu.X86.HasAVX512VL

// hasTiles says that Linux lets the process use the tiles of AMX.
var hasTiles = hasAVX512 && cpu.X86.HasAMXTile && runtime.GOOS == "linux" && permitTiles() == 0

// allHeights are the heights of kernels of AMX.
func allHeights() []int {
	heights := make([]int, 32)
	for i := range heights {
		heights[i] = 32 - i
	}
	return heights
}

// kernels are the kernels that this processor can run, the best first. halves are the
// kernels with bfloat16.
var kernels, halves = func() (list, halves []*kernel) {
	x := &cpu.X86
	if hasTiles && x.HasAMXBF16 && x.HasAVX512BF16 {
		halves = append(halves, &kernel{
			name: "bf16-amx", multiply: halfAMX, heights: allHeights(), lanes: 16, vectors: 2, half: true, rows: true,
			straight: straightTiles, transposed: transposedHalf, row: rowHalf, turn: transposedAVX512,
		})
	}
	if hasAVX512 && x.HasAVX512BF16 {
		halves = append(halves, &kernel{
			name: "bf16-avx512", multiply: halfAVX512, heights: []int{12, 8, 4, 2, 1}, lanes: 16, vectors: 2, half: true, masked: true,
			straight: straightHalf, transposed: transposedHalf, row: rowHalf,
		})
	}
	if hasAVX512 {
		list = append(list, &kernel{
			name: "avx512", multiply: floatAVX512, heights: []int{12, 8, 4, 2, 1}, lanes: 16, vectors: 2, masked: true,
			straight: straight, transposed: transposedAVX512,
		})
	}
	if x.HasAVX2 && x.HasFMA {
		list = append(list, &kernel{
			name: "avx2", multiply: floatAVX2, heights: []int{6, 4, 2, 1}, lanes: 8, vectors: 2,
			straight: straight, transposed: transposedAVX2,
		})
	}
	return append(list, &plain), halves
}()

// integers are the kernels for int8 that this processor can run, the best first. If there
// are none, plain Go multiplies.
var integers = func() (list []*integerKernel) {
	x := &cpu.X86
	if hasTiles && x.HasAMXInt8 {
		list = append(list, &integerKernel{name: "amx", multiply: intAMX, heights: allHeights(), lanes: 16, word: 4, inputs: 64, many: true})
	}
	if hasAVX512 && x.HasAVX512VNNI {
		list = append(list, &integerKernel{
			name: "vnni", multiply: intVNNI, heights: []int{12, 8, 4, 2, 1}, lanes: 16, word: 4, inputs: 4, masked: true,
		})
	}
	if x.HasAVX2 {
		list = append(list, &integerKernel{
			name: "avx2", multiply: intAVX2, heights: []int{6, 4, 2, 1}, lanes: 8, word: 2, inputs: 2, widen: widenRow,
		})
	}
	return list
}()

// widenRow extends a row to dst, which has room for whole blocks of 16.
func widenRow(dst []int16, src []int8) {
	whole := len(src) &^ 15
	if whole > 0 {
		widen(&dst[0], &src[0], whole/16)
	}
	for i, x := range src[whole:] {
		dst[whole+i] = int16(x)
	}
}

// lanesOf returns, as bits, the lanes that the last block of n elements has.
func lanesOf(n, block int) uint64 { return 1<<(uint(n-1)%uint(block)+1) - 1 }

func transposedAVX512(panel []uint32, src Matrix, step int) {
	for lo := 0; lo < src.Rows; lo += 16 {
		transpose16(&panel[lo], &src.Data[lo*src.Stride], 4*src.Stride, 4*step, ceil(src.Cols, 16), src.Rows-lo,
			lanesOf(src.Cols, 16))
	}
}

func transposedHalf(panel []uint32, src Matrix, step int) {
	for lo := 0; lo < src.Rows; lo += 16 {
		transpose16Half(&panel[lo], &src.Data[lo*src.Stride], 4*src.Stride, 4*step, ceil(src.Cols, 32), src.Rows-lo,
			lanesOf(src.Cols, 32))
	}
}

func transposedAVX2(panel []uint32, src Matrix, step int) {
	whole := src.Cols &^ 7
	if whole > 0 {
		for lo := 0; lo < src.Rows; lo += 8 {
			transpose8(&panel[lo], &src.Data[lo*src.Stride], 4*src.Stride, 4*step, whole/8, src.Rows-lo)
		}
	}
	if whole < src.Cols {
		transposed(panel[whole*step:], src.Columns(whole, src.Cols), step)
	}
}

func straightHalf(panel []uint32, src Matrix, step int) {
	odd := -uint64(src.Rows & 1)
	for lo := 0; lo < src.Cols; lo += 16 {
		pairColumns(&panel[lo], &src.Data[lo], 4*src.Stride, 4*step, (src.Rows+1)/2, 1<<min(16, src.Cols-lo)-1, odd)
	}
}

// straightTiles is straightHalf with zeros in what is left of the last block.
func straightTiles(panel []uint32, src Matrix, step int) {
	straightHalf(panel, src, step)
	pairs := (src.Rows + 1) / 2
	clear(panel[pairs*step : ceil(pairs, 16)*16*step])
}

func rowHalf(words []uint32, src []float32) {
	pairRow(&words[0], &src[0], ceil(len(src), 32), lanesOf(len(src), 32))
}
