package projective

import (
	"math"
	"slices"

	"github.com/treebeam/treebeam/parser/graph"
	"github.com/treebeam/treebeam/parser/part"
)

// A Chart has the tables of a sentence. It is scratch that is reused, for one goroutine
// at a time. The children of a word on one side are numbered from 1, the nearest first.
// 0 means no child, or the word itself.
type Chart struct {
	x    *part.Scores
	arcs *graph.Arcs
	n    int32
	head []int32 // the result

	steps, limit int64

	words    []int32      // by arc: its modifier
	children [2][][]int32 // by side and head: arcs, the nearest modifier first
	begin    []int32      // by arc: where its pairs with a first child begin among the pairs of its side

	triples, bigrams bool // tri-siblings and head bigrams are scored

	cells  []cell
	halves [2][]int   // by side and arc: where its cells begin
	outers []int      // by arc
	lists  [2][]int   // by side and arc
	offset [2][][]int // by side, head and child: the same within a list
	gaps   [2][]int   // by side and head
	pairs  [2][]int32 // by side and head: how many pairs of a child and its first child there are
}

// A side is the side of a word on which children are.
type side int32

const (
	left  side = 0
	right side = 1
)

// step is the direction from a word to its children on a side.
var step = [2]int32{-1, 1}

// A cell is a score, once it is known, and the choice that leads to it.
type cell struct {
	value  int64
	choice uint64
}

const (
	barred int64 = -1 << 48 // a score below half of it means no tree
	unset  int64 = math.MinInt64
	end    int32 = -1 // the end of a list, where a child is expected

	choiceBits = 20
)

func choose(a, b, c int32) uint64 {
	return uint64(a)<<(2*choiceBits) | uint64(b)<<choiceBits | uint64(c)
}

func (k cell) chosen() (a, b, c int32) {
	const mask = 1<<choiceBits - 1
	return int32(k.choice >> (2 * choiceBits)), int32(k.choice >> choiceBits & mask), int32(k.choice & mask)
}

// fitting are the families that the dynamic programs fit. Arcs of a projective tree
// do not cross, so crossings cost nothing.
var fitting = part.SetOf(part.Grandparents, part.Siblings, part.GrandSiblings, part.TriSiblings, part.HeadBigrams, part.Crossings)

// list sorts the arcs by head and side.
func (c *Chart) list() {
	c.words, c.begin = resize(c.words, len(c.arcs.Heads)), resize(c.begin, len(c.arcs.Heads))
	for d := range c.children {
		c.children[d] = resize(c.children[d], int(c.n)+1)
		for h := range c.children[d] {
			c.children[d][h] = c.children[d][h][:0]
		}
	}
	for m := int32(1); m <= c.n; m++ { // nearest first on the right
		for a := c.arcs.Start[m-1]; a < c.arcs.Start[m]; a++ {
			c.words[a] = m
			if h := c.arcs.Heads[a]; h < m {
				c.children[right][h] = append(c.children[right][h], a)
			}
		}
	}
	for m := c.n; m >= 1; m-- {
		for a := c.arcs.Start[m-1]; a < c.arcs.Start[m]; a++ {
			if h := c.arcs.Heads[a]; h > m {
				c.children[left][h] = append(c.children[left][h], a)
			}
		}
	}
}

// spent reports whether the steps are used up.
func (c *Chart) spent() bool { return c.steps > c.limit }

// sideOf returns the side of b's head on which its word is, which is the side
// of the word away from its head.
func (c *Chart) sideOf(b int32) side {
	if c.arcs.Heads[b] < c.words[b] {
		return right
	}
	return left
}

// firsts counts the possible first children of m on a side, including 0 for none. Without
// triples the first child does not matter.
func (c *Chart) firsts(d side, m int32) int32 {
	if !c.triples {
		return 1
	}
	return int32(len(c.children[d][m])) + 1
}

// before returns the least and the largest number that the child before child p may
// have if the first child is f. If the least is larger, there is no such child.
func (c *Chart) before(p, f int32) (lo, hi int32) {
	switch {
	case !c.triples || f == p:
		return 0, 0
	case f == 0:
		return 1, 0
	}
	return f, p - 1
}

// histories counts the pairs of a child before child p and a first child.
func (c *Chart) histories(p int32) int {
	if !c.triples {
		return 1
	}
	return 1 + int(p*(p-1)/2)
}

// ends ranges over the ends that a span may have at word e: the arcs of e, or only the
// first of them if the head of e does not matter.
func (c *Chart) ends(e int32) func(yield func(z int32) bool) {
	lo, hi := c.arcs.Start[e-1], c.arcs.Start[e]
	if !c.bigrams {
		hi = lo + 1
	}
	return func(yield func(z int32) bool) {
		for z := lo; z < hi && yield(z); z++ {
		}
	}
}

// endOf returns the end for b's word if the word hangs on b.
func (c *Chart) endOf(b int32) int32 {
	if c.bigrams {
		return b
	}
	return c.arcs.Start[c.words[b]-1]
}

// room counts the ends of the half of b's word on a side.
func (c *Chart) room(b int32, d side) int {
	m, words := c.words[b], c.reach(b, d)
	switch {
	case !c.bigrams:
		return int(words) + 1
	case d == left:
		return int(c.arcs.Start[m-1]-c.arcs.Start[m-1-words]) + 1
	}
	return int(c.arcs.Start[m+words]-c.arcs.Start[m]) + 1
}

// place numbers the ends of the half of m on a side, from 0 for m itself.
func (c *Chart) place(m int32, d side, z int32) int32 {
	switch e := c.words[z]; {
	case e == m:
		return 0
	case !c.bigrams:
		return (e - m) * step[d]
	case d == left:
		return c.arcs.Start[m-1] - z
	}
	return z - c.arcs.Start[m] + 1
}

// reach returns the largest number of words in the half of b's word on a side.
func (c *Chart) reach(b int32, d side) int32 {
	g, m := c.arcs.Heads[b], c.words[b]
	switch {
	case d == left && g < m:
		return m - g - 1
	case d == left:
		return m - 1
	case g > m:
		return g - m - 1
	}
	return c.n - m
}

// allocate makes the cells, and reports whether they are within MaxCells.
func (c *Chart) allocate() bool {
	size := 0
	take := func(cells int) (at int) {
		at = size
		if size <= MaxCells { // else more would overflow
			size += cells
		}
		return at
	}
	arcs, words := len(c.words), int(c.n)+1
	c.outers = resize(c.outers, arcs)
	for d := left; d <= right; d++ {
		c.halves[d], c.lists[d] = resize(c.halves[d], arcs), resize(c.lists[d], arcs)
		c.gaps[d], c.pairs[d], c.offset[d] = resize(c.gaps[d], words), resize(c.pairs[d], words), resize(c.offset[d], words)
		for h := range c.n + 1 {
			c.offset[d][h], c.pairs[d][h] = c.offset[d][h][:0], 0
			for i, a := range c.children[d][h] {
				f := c.firsts(1-d, c.words[a])
				c.begin[a] = c.pairs[d][h]
				c.pairs[d][h] += f
				before := 0
				if i > 0 {
					before = c.offset[d][h][i-1]
				}
				c.offset[d][h] = append(c.offset[d][h], before+c.histories(int32(i)+1)*int(f))
			}
			c.gaps[d][h] = take(int(c.pairs[d][h]) * int(c.pairs[d][h]))
		}
	}
	for b := range int32(len(c.words)) {
		m := c.words[b]
		for d := left; d <= right; d++ {
			c.halves[d][b] = take(c.room(b, d) * int(c.firsts(d, m)))
			if lists := c.offset[d][m]; len(lists) > 0 {
				c.lists[d][b] = take(lists[len(lists)-1])
			}
		}
		if d := c.sideOf(b); c.triples {
			c.outers[b] = take(c.room(b, d) * int(c.firsts(1-d, m)))
		}
	}
	if size > MaxCells {
		return false
	}
	c.cells = resize(c.cells, size)
	for i := range c.cells {
		c.cells[i].value = unset
	}
	return true
}

func (c *Chart) halfCell(b int32, d side, z, f int32) int {
	m := c.words[b]
	return c.halves[d][b] + int(c.place(m, d, z)*c.firsts(d, m)+f)
}

func (c *Chart) outerCell(b, z, f int32) int {
	m, d := c.words[b], c.sideOf(b)
	return c.outers[b] + int(c.place(m, d, z)*c.firsts(1-d, m)+f)
}

func (c *Chart) listCell(b int32, d side, p, q, f, f1 int32) int {
	h := c.words[b]
	at := c.lists[d][b]
	if p > 1 {
		at += c.offset[d][h][p-2]
	}
	history := 0
	if q > 0 {
		history = int(q*(q-1)/2 + f)
	}
	return at + history*int(c.firsts(1-d, c.words[c.children[d][h][p-1]])) + int(f1)
}

func (c *Chart) gapCell(h int32, d side, a, b, fa, fb int32) int {
	return c.gaps[d][h] + int(c.begin[b]+fb)*int(c.pairs[d][h]) + int(c.begin[a]+fa)
}

// entry returns the word of child i of h, or h itself if i is 0, or the end of the list.
func (c *Chart) entry(h int32, d side, i int32) int32 {
	switch {
	case i == 0:
		return h
	case i > 0:
		return c.words[c.children[d][h][i-1]]
	case d == left:
		return part.Start
	}
	return part.End
}

// grandparent scores b and child, an arc from b's word.
func (c *Chart) grandparent(b, child int32) int64 {
	if !c.x.Families.Has(part.Grandparents) {
		return 0
	}
	return int64(c.x.Score(part.Grandparents.Part(c.arcs.Heads[b], c.words[b], c.words[child], 0)))
}

// pair scores neighbours in the list of b's word. i is the one nearer to the word.
func (c *Chart) pair(b int32, d side, i, j int32) (sum int64) {
	h := c.words[b]
	u, v := c.entry(h, d, i), c.entry(h, d, j)
	if d == left {
		u, v = v, u
	}
	if c.x.Families.Has(part.Siblings) {
		sum = int64(c.x.Score(part.Siblings.Part(h, u, v, 0)))
	}
	if c.x.Families.Has(part.GrandSiblings) {
		sum += int64(c.x.Score(part.GrandSiblings.Part(c.arcs.Heads[b], h, u, v)))
	}
	return sum
}

// bigram scores the heads of two words next to each other, by their ends.
func (c *Chart) bigram(y, z int32) int64 {
	if !c.bigrams {
		return 0
	}
	if y > z {
		y, z = z, y
	}
	return int64(c.x.Score(part.HeadBigrams.Part(c.words[y], c.arcs.Heads[y], c.arcs.Heads[z], 0)))
}

// triple scores three in a row on one side. i is nearest to h.
func (c *Chart) triple(h int32, d side, i, j, k int32) int64 {
	if !c.triples {
		return 0
	}
	u, v, w := c.entry(h, d, i), c.entry(h, d, j), c.entry(h, d, k)
	if d == left {
		u, w = w, u
	}
	return int64(c.x.Score(part.TriSiblings.Part(h, u, v, w)))
}

// around scores the triple around m. Its first child is f on side d, and e on the other
// side.
func (c *Chart) around(m int32, d side, e, f int32) int64 {
	if d == left {
		e, f = f, e
	}
	l, r := int32(part.Start), int32(part.End)
	if e > 0 {
		l = c.entry(m, left, e)
	}
	if f > 0 {
		r = c.entry(m, right, f)
	}
	return int64(c.x.Score(part.TriSiblings.Part(m, l, m, r)))
}

func resize[T any](a []T, n int) []T { return slices.Grow(a[:0], n)[:n] }
