// Package projective finds the best projective tree over the candidate heads of
// a sentence exactly, by the dynamic programs of Koo and Collins (2010).
//
// They fit the families of parts in the paper's first model, grandparents and
// siblings. Crossing arcs cost nothing, since a projective tree has none. The programs
// differ from the paper in two ways. Lists of children have ends, so the last child on
// a side is a part too. And a model may have head bigrams, which the paper lacks:
// adjacent words meet where two spans meet, so a span remembers the heads of the words
// at its ends. With n possible heads a word these indices would be too expensive, but
// with a few heads a word they are not: tables are indexed by candidate arcs instead of
// pairs of words, and only cells that the best tree may use are ever filled in.
package projective

import (
	"math"
	"slices"

	"github.com/treebeam/treebeam/parser/graph"
	"github.com/treebeam/treebeam/parser/part"
)

// A Chart has the tables of a sentence. It is scratch: it is used again and again, by
// one goroutine at a time. The children of a word on one side are numbered from 1, the
// nearest first. 0 means no child, or the word itself.
type Chart struct {
	x    *part.Scores
	arcs *graph.Arcs
	n    int32
	head []int32 // the result

	steps, limit int64

	words    []int32      // by arc: its modifier
	children [2][][]int32 // by side and head: arcs, the nearest modifier first
	bigrams  bool         // head bigrams are scored

	cells  []cell
	halves [2][]int // by side and arc: where its cells begin
	lists  [2][]int // by side and arc
	gaps   [2][]int // by side and head
}

// MaxCells bounds the tables of a sentence, at 16 bytes a cell.
const MaxCells = 1 << 20

// A Result says how Best ended.
type Result int

// Results of Best.
const (
	Found    Result = iota
	Misfit          // the model has families that do not fit
	TooLarge        // it would take more than MaxCells cells or more steps than the limit
	NoTree          // the candidates hold no projective tree with a single root
)

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
	value int64
	a, b  int32
}

const (
	barred int64 = -1 << 48 // a score below half of it means no tree
	unset  int64 = math.MinInt64
	end    int32 = -1 // the end of a list, where a child is expected
)

// fitting are the families that the dynamic programs fit. Arcs of a projective tree
// do not cross, so crossings cost nothing.
var fitting = part.SetOf(part.Grandparents, part.Siblings, part.HeadBigrams, part.Crossings)

// list sorts the arcs by head and side.
func (c *Chart) list() {
	c.words = resize(c.words, len(c.arcs.Heads))
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
	for d := left; d <= right; d++ {
		c.halves[d], c.lists[d], c.gaps[d] = resize(c.halves[d], arcs), resize(c.lists[d], arcs), resize(c.gaps[d], words)
		for h, list := range c.children[d] {
			c.gaps[d][h] = take(len(list) * len(list))
		}
		for b := range int32(arcs) {
			c.halves[d][b] = take(c.room(b, d))
			c.lists[d][b] = take(len(c.children[d][c.words[b]]))
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

// halfCell, prefixCell and gapCell return the cells of half, prefix and between.
func (c *Chart) halfCell(b int32, d side, z int32) *cell {
	return &c.cells[c.halves[d][b]+int(c.place(c.words[b], d, z))]
}

func (c *Chart) prefixCell(b int32, d side, p int32) *cell {
	return &c.cells[c.lists[d][b]+int(p-1)]
}

func (c *Chart) gapCell(h int32, d side, r, p int32) *cell {
	return &c.cells[c.gaps[d][h]+int(p-1)*len(c.children[d][h])+int(r-1)]
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
func (c *Chart) pair(b int32, d side, i, j int32) int64 {
	h := c.words[b]
	u, v := c.entry(h, d, i), c.entry(h, d, j)
	if d == left {
		u, v = v, u
	}
	if !c.x.Families.Has(part.Siblings) {
		return 0
	}
	return int64(c.x.Score(part.Siblings.Part(h, u, v, 0)))
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

// Best writes into head[1..n] the heads of the tree that scores highest among all
// projective trees over the candidates of x in which one word hangs on 0. It returns
// the score and the number of steps, which is at most slightly above limit. A step is a
// sum of two tables. Among equal trees it takes the same one every time. x must be
// prepared, and head must have room for n+1.
func (c *Chart) Best(x *part.Scores, limit int64, head []int32) (score, steps int64, result Result) {
	c.x, c.arcs, c.n, c.head, c.steps, c.limit = x, &x.Arcs, int32(x.N), head, 0, limit
	c.bigrams = x.Families.Has(part.HeadBigrams)
	if x.Families&^fitting != 0 {
		return 0, 0, Misfit
	}
	c.list()
	if !c.allocate() {
		return 0, 0, TooLarge
	}
	best, root, from, to := barred, int32(-1), int32(0), int32(0)
	for b := range int32(len(c.words)) {
		if c.arcs.Heads[b] != 0 {
			continue
		}
		for y := range c.ends(1) {
			for z := range c.ends(c.n) {
				if v := c.half(b, left, y) + c.half(b, right, z) + int64(c.arcs.Score[b]); v > best {
					best, root, from, to = v, b, y, z
				}
			}
		}
	}
	switch {
	case c.spent():
		return 0, c.steps, TooLarge
	case best <= barred/2:
		return 0, c.steps, NoTree
	}
	head[c.words[root]] = 0
	c.readHalf(root, left, from)
	c.readHalf(root, right, to)
	return best, c.steps, Found
}

// half returns the best score of the children of b's word on one side, with all words
// below them, such that they reach exactly to the word of the end z.
func (c *Chart) half(b int32, d side, z int32) int64 {
	m, e := c.words[b], c.words[z]
	if e == m && z != c.endOf(b) {
		return barred
	}
	k := c.halfCell(b, d, z)
	if k.value != unset {
		return k.value
	}
	best := cell{value: barred}
	if e == m {
		best.value = c.pair(b, d, 0, end)
	}
	for i, child := range c.children[d][m] {
		p := int32(i) + 1
		if (e-c.words[child])*step[d] < 0 || c.spent() {
			break
		}
		out := c.half(child, d, z)
		if out <= barred/2 {
			continue
		}
		c.steps++
		v := c.prefix(b, d, p)
		if v <= barred/2 {
			continue
		}
		if v += out + c.pair(b, d, p, end); v > best.value {
			best = cell{value: v, a: p}
		}
	}
	*k = best
	return best.value
}

// prefix returns the best score of the children of b's word on one side up to number p,
// with all words below them except the outer half of p. Its choice is the child before
// p, or else 0 and the end of p's inner half.
func (c *Chart) prefix(b int32, d side, p int32) int64 {
	k := c.prefixCell(b, d, p)
	if k.value != unset {
		return k.value
	}
	h := c.words[b]
	child := c.children[d][h][p-1]
	best := cell{value: barred}
	for z := range c.ends(h + step[d]) {
		v := c.half(child, 1-d, z)
		if v <= barred/2 {
			continue
		}
		if v += c.pair(b, d, 0, p) + c.bigram(b, z); v > best.value {
			best = cell{v, 0, z}
		}
	}
	for r := int32(1); r < p && !c.spent(); r++ {
		pair, between := c.pair(b, d, r, p), c.between(h, d, r, p)
		if between <= barred/2 {
			continue
		}
		c.steps++
		v := c.prefix(b, d, r)
		if v <= barred/2 {
			continue
		}
		if v += between + pair; v > best.value {
			best = cell{value: v, a: r}
		}
	}
	if best.value > barred/2 {
		best.value += int64(c.arcs.Score[child]) + c.grandparent(b, child)
	}
	*k = best
	return best.value
}

// between returns the best score of the words between the neighbours r and p among the
// children of h: the outer half of r and the inner half of p. Its choice are the ends
// where they meet.
func (c *Chart) between(h int32, d side, r, p int32) int64 {
	k := c.gapCell(h, d, r, p)
	if k.value != unset {
		return k.value
	}
	a, b := c.children[d][h][r-1], c.children[d][h][p-1]
	best := cell{value: barred}
	for e := c.words[a]; e != c.words[b] && !c.spent(); e += step[d] {
		for y := range c.ends(e) {
			out := c.half(a, d, y)
			if out <= barred/2 {
				continue
			}
			for z := range c.ends(e + step[d]) {
				c.steps++
				v := c.half(b, 1-d, z)
				if v <= barred/2 {
					continue
				}
				if v += out + c.bigram(y, z); v > best.value {
					best = cell{v, y, z}
				}
			}
		}
	}
	*k = best
	return best.value
}

// readHalf and readPrefix write the heads that half and prefix have scored.
func (c *Chart) readHalf(b int32, d side, z int32) {
	if m := c.words[b]; c.words[z] != m {
		p := c.halfCell(b, d, z).a
		c.readPrefix(b, d, p)
		c.readHalf(c.children[d][m][p-1], d, z)
	}
}

func (c *Chart) readPrefix(b int32, d side, p int32) {
	h := c.words[b]
	child := c.children[d][h][p-1]
	c.head[c.words[child]] = h
	r, z := c.prefixCell(b, d, p).a, c.prefixCell(b, d, p).b
	if r > 0 {
		c.readPrefix(b, d, r)
		met := c.gapCell(h, d, r, p)
		c.readHalf(c.children[d][h][r-1], d, met.a)
		z = met.b
	}
	c.readHalf(child, 1-d, z)
}

func resize[T any](a []T, n int) []T { return slices.Grow(a[:0], n)[:n] }
