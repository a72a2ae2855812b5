package view

import (
	"math/bits"
	"strings"

	"github.com/treebeam/treebeam/parser/syntax"
)

// maxBars is the most bars side by side: the bars of a row are bits of a machine word.
const maxBars = 60

// arcs are the lines left of the words of a tree. Every head has a bar, which spans its
// dependents and itself; a bar is to the right of the bar of its own head, in the first
// column that is free along its span. A word's line comes from the bar of its head,
// joins its own, if it has one, and ends before its form.
//
// Bars that find no free column are left out: the words below them are adrift.
type arcs struct {
	heads   []int32 // of words from 1; noArc where there is no line
	bar     []int8  // column of the bar of words from 1, -1 if it has none
	lo, hi  []int32 // span of the bar
	taken   []uint64
	columns int
	adrift  []bool // words from 1 whose head is known, but has no bar
}

// noArc is the head of a word that is not below any root.
const noArc = -1

// newArcs lays out the lines of a tree with at most the given number of bars side by
// side. Words without a root above them, because heads are missing or form a cycle,
// have no line. It takes memory for n words, and time for n times the bars; where bars
// overlap in unusual ways, up to n*n/4 steps.
func newArcs(heads []int32, n, limit int) *arcs {
	a := &arcs{heads: make([]int32, n+1), bar: make([]int8, n+1), lo: make([]int32, n+1), hi: make([]int32, n+1),
		taken: make([]uint64, n+1), adrift: make([]bool, n+1)}
	limit = min(limit, maxBars)
	first, next := make([]int32, n+1), make([]int32, n+1) // dependents of a word, by number
	for w := n; w >= 1; w-- {
		a.heads[w], a.bar[w], a.lo[w], a.hi[w] = noArc, -1, int32(w), int32(w)
		if w > len(heads) || heads[w-1] < syntax.Root || int(heads[w-1]) > n || int(heads[w-1]) == w {
			continue
		}
		h := heads[w-1]
		next[w], first[h] = first[h], int32(w)
	}
	queue := make([]int32, 0, n)
	below := func(h int32) {
		for w := first[h]; w != 0; w = next[w] {
			a.heads[w] = h
			a.adrift[w] = h != syntax.Root && a.bar[h] < 0
			queue = append(queue, w)
		}
	}
	below(syntax.Root)
	for i := 0; i < len(queue); i++ {
		w := queue[i]
		if first[w] == 0 {
			continue
		}
		for d := first[w]; d != 0; d = next[d] {
			a.lo[w], a.hi[w] = min(a.lo[w], d), max(a.hi[w], d)
		}
		if !a.adrift[w] {
			a.place(w, limit)
		}
		below(w)
	}
	return a
}

// place gives the bar of word w a column.
func (a *arcs) place(w int32, limit int) {
	after := int8(-1)
	if h := a.heads[w]; h != syntax.Root {
		after = a.bar[h]
	}
	used := uint64(1)<<(after+1) - 1
	column := bits.TrailingZeros64(^used)
	for _, t := range a.taken[a.lo[w] : a.hi[w]+1] {
		if used |= t; t != 0 {
			column = bits.TrailingZeros64(^used)
		}
		if column >= limit {
			return
		}
	}
	a.bar[w], a.columns = int8(column), max(a.columns, column+1)
	for i := a.lo[w]; i <= a.hi[w]; i++ {
		a.taken[i] |= 1 << column
	}
}

// width is the number of columns that the lines take, with the space after them.
func (a *arcs) width() int { return 2*a.columns + 3 }

// draw appends the lines before word w, which take width() columns.
func (a *arcs) draw(b *strings.Builder, w int32) {
	head := a.heads[w]
	from := int8(-1) // the bar from which the word's line comes
	if head > syntax.Root && !a.adrift[w] {
		from = a.bar[head]
	}
	line := head == syntax.Root // whether it has begun
	stroke := func() {
		if line {
			b.WriteString("─")
		} else {
			b.WriteByte(' ')
		}
	}
	stroke()
	for c := range int8(a.columns) {
		switch {
		case c == from:
			b.WriteString(corner(w, a.lo[head], a.hi[head], "╭", "├", "╰"))
			line = true
		case c == a.bar[w]:
			b.WriteString(corner(w, a.lo[w], a.hi[w], "┬", "┼", "┴"))
		case a.taken[w]>>c&1 != 0:
			b.WriteString("│")
		default:
			stroke()
		}
		stroke()
	}
	switch {
	case head == noArc:
		b.WriteString("· ")
	case a.adrift[w]:
		b.WriteString("… ")
	default:
		b.WriteString("╼ ")
	}
}

// corner is the part of a bar from lo to hi in the row of w.
func corner(w, lo, hi int32, top, middle, bottom string) string {
	switch w {
	case lo:
		return top
	case hi:
		return bottom
	}
	return middle
}
