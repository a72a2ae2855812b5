package linear

import (
	"math"
	"slices"

	"github.com/treebeam/treebeam/parser/pack"
)

const spareBits = 1<<printBits - 1<<narrowPrint

// layoutNarrow names the sections of a narrow table. They hold the same numbers in an
// order that compresses well: the prints of all slots, and by slot the numbers of cells,
// and their classes and weights. When they are read they take new memory.
func (t *Table) layoutNarrow(l *pack.Layout, classes int) {
	var prints, counts, class []uint16
	var weights []int8
	for _, q := range t.slots {
		prints = append(prints, uint16(q>>(64-printBits)))
		if q == 0 {
			continue
		}
		n, begin := q>>beginBits&maxRow, q&maxCells
		if n == 0 {
			counts, class, weights = append(counts, 0), append(class, uint16(begin>>16)), append(weights, int8(int16(q)))
			continue
		}
		counts = append(counts, uint16(n))
		for _, c := range t.cells[begin : begin+n] {
			class, weights = append(class, uint16(c>>16)), append(weights, int8(int16(c)))
		}
	}
	pack.Array(l, "prints", &prints)
	pack.Array(l, "counts", &counts)
	pack.Array(l, "classes", &class)
	pack.Array(l, "weights", &weights)
	pack.Value(l, "shift", &t.shift)
	l.Check("shift", t.shift <= maxShift, "is too large")
	l.Check("prints", len(prints) == 0 || slices.Contains(prints, 0), "has no empty slot")
	pack.Below(l, "prints", prints, 1<<narrowPrint)
	pack.Below(l, "classes", class, classes)
	cells, rows := 0, len(prints)
	for _, p := range prints {
		if p == 0 {
			rows--
		}
	}
	for _, n := range counts {
		cells += max(int(n), 1)
		l.Check("counts", n == 0 || classes > 1, "has a row of one class")
	}
	l.Check("counts", rows == len(counts) && cells == len(class) && (len(counts) == 0 || slices.Max(counts) <= maxRow),
		"does not fit the table")
	l.Check("weights", cells == len(weights) && cells <= math.MaxInt32, "does not fit the table")
	if !l.Reading() {
		return
	}
	t.spare, t.slots, t.cells = spareBits, make([]uint64, len(prints)), nil
	for i, p := range prints {
		if p == 0 {
			continue
		}
		n := max(int(counts[0]), 1)
		slot, cell := uint64(p)<<(64-printBits), func(k int) uint32 { return uint32(class[k])<<16 | uint32(uint16(int16(weights[k]))) }
		if counts[0] == 0 && class[0] < 1<<countBits {
			slot |= uint64(cell(0))
		} else {
			slot |= uint64(n)<<beginBits | uint64(len(t.cells))
			for k := range n {
				t.cells = append(t.cells, cell(k))
			}
		}
		t.slots[i] = slot
		counts, class, weights = counts[1:], class[n:], weights[n:]
	}
}
