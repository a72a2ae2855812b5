// Package projective finds the best projective tree over the candidate heads of a
// sentence exactly (Chart.Best), by the dynamic programs of Koo and Collins (2010).
//
// They cover the families of the paper: grandparents, siblings and grand-siblings
// (model 1), and tri-siblings (model 2). Crossings need no program, since a projective
// tree has none. The programs differ from the paper in four ways. Lists of children
// have boundaries, so the last child on a side is a part too. A tri-sibling may have
// the head in the middle, which ties its first children on the left and on the right
// together. A model may have all families at once, whereas model 2 has grand-siblings
// only for the outermost children. A model may also have head bigrams, which the paper
// lacks: adjacent words meet where two spans meet, so a span remembers the heads of the
// words at its ends. Each extension adds an index to the tables. With n heads for a
// word this would be too expensive. It is affordable here because a word has few
// candidate heads: tables are indexed by candidate arcs instead of pairs of words, and
// only cells that the best tree may use are filled.
package projective

import (
	"github.com/treebeam/treebeam/parser/part"
)

// MaxCells is the largest number of cells in the tables of a sentence. A cell has 16
// bytes.
const MaxCells = 1 << 20

// A Result says how Best ended.
type Result int

// Results of Best.
const (
	Found    Result = iota
	Misfit          // the model has families that the programs do not cover
	TooLarge        // it would take more than MaxCells cells or more steps than the limit
	NoTree          // the candidates hold no projective tree with a single root
)

// Best writes into head[1..n] the heads of the best of all projective single-root trees
// over the candidates of x. It returns the score and the number of steps, which is at
// most slightly above limit. A step adds two table entries. Among trees of equal score
// the choice is always the same. x must be prepared (part.Scores.Prepare), and head
// must have length n+1.
func (c *Chart) Best(x *part.Scores, limit int64, head []int32) (score, steps int64, result Result) {
	c.x, c.arcs, c.n, c.head, c.steps, c.limit = x, &x.Arcs, int32(x.N), head, 0, limit
	c.triples, c.bigrams = x.Families.Has(part.TriSiblings), x.Families.Has(part.HeadBigrams)
	if x.Families&^fitting != 0 {
		return 0, 0, Misfit
	}
	c.list()
	if !c.allocate() {
		return 0, 0, TooLarge
	}
	best, root, from, to, first := barred, int32(-1), int32(0), int32(0), int32(0)
	for b := range int32(len(c.words)) {
		if c.arcs.Heads[b] != 0 {
			continue
		}
		for f := range c.firsts(left, c.words[b]) {
			for y := range c.ends(1) {
				for z := range c.ends(c.n) {
					if v := c.half(b, left, y, f) + c.outer(b, z, f) + int64(c.arcs.Score[b]); v > best {
						best, root, from, to, first = v, b, y, z, f
					}
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
	c.readHalf(root, left, from, first)
	c.readOuter(root, to, first)
	return best, c.steps, Found
}

// half returns the best score of the children of b's word on one side, with all words
// below them, such that they reach exactly to the word of the end z. If there are
// triples, f is the first child, the one nearest to the word; else f is 0.
func (c *Chart) half(b int32, d side, z, f int32) int64 {
	m, e := c.words[b], c.words[z]
	if e == m && (f != 0 || z != c.endOf(b)) {
		return barred
	}
	k := &c.cells[c.halfCell(b, d, z, f)]
	if k.value != unset {
		return k.value
	}
	best := cell{value: barred}
	if e == m {
		best.value = c.pair(b, d, 0, end)
	}
	for i, child := range c.children[d][m] {
		p, s := int32(i)+1, c.words[child]
		if (e-s)*step[d] < 0 || c.spent() {
			break
		}
		for f1 := range c.firsts(1-d, s) {
			out := c.outer(child, z, f1)
			if out <= barred/2 {
				continue
			}
			lo, hi := c.before(p, f)
			c.steps += int64(max(0, hi-lo+1))
			for q := lo; q <= hi; q++ {
				v := c.prefix(b, d, p, q, f, f1)
				if v <= barred/2 {
					continue
				}
				if v += out + c.pair(b, d, p, end) + c.triple(m, d, q, p, end); v > best.value {
					best = cell{v, choose(p, q, f1)}
				}
			}
		}
	}
	*k = best
	return best.value
}

// outer returns the best score of the half of b's word away from its head, given that
// the first child on the other side is f.
func (c *Chart) outer(b, z, f int32) int64 {
	m, d := c.words[b], c.sideOf(b)
	if !c.triples {
		return c.half(b, d, z, 0)
	}
	if c.words[z] == m && z != c.endOf(b) {
		return barred
	}
	k := &c.cells[c.outerCell(b, z, f)]
	if k.value != unset {
		return k.value
	}
	best := cell{value: barred}
	for f2 := range c.firsts(d, m) {
		c.steps++
		v := c.half(b, d, z, f2)
		if v <= barred/2 {
			continue
		}
		if v += c.around(m, d, f, f2); v > best.value {
			best = cell{v, choose(f2, 0, 0)}
		}
	}
	*k = best
	return best.value
}

// prefix returns the best score of the children of b's word on one side up to number p,
// with all words below them except the outer half of p. The inner half of p begins with
// its child f1. If there are triples, q is the child before p (0 if there is none) and f
// is the first child; else both are 0.
func (c *Chart) prefix(b int32, d side, p, q, f, f1 int32) int64 {
	k := &c.cells[c.listCell(b, d, p, q, f, f1)]
	if k.value != unset {
		return k.value
	}
	h := c.words[b]
	child := c.children[d][h][p-1]
	best := cell{value: barred}
	if q == 0 {
		for z := range c.ends(h + step[d]) {
			v := c.half(child, 1-d, z, f1)
			if v <= barred/2 {
				continue
			}
			if v += c.pair(b, d, 0, p) + c.bigram(b, z); v > best.value {
				best = cell{v, choose(0, z, 0)}
			}
		}
	}
	lo, hi := int32(1), p-1
	if c.triples {
		lo, hi = max(q, 1), q
	}
	for r := lo; r <= hi && !c.spent(); r++ {
		pair := c.pair(b, d, r, p)
		for fr := range c.firsts(1-d, c.words[c.children[d][h][r-1]]) {
			between := c.between(h, d, r, p, fr, f1)
			if between <= barred/2 {
				continue
			}
			from, to := c.before(r, f)
			c.steps += int64(max(0, to-from+1))
			for qr := from; qr <= to; qr++ {
				v := c.prefix(b, d, r, qr, f, fr)
				if v <= barred/2 {
					continue
				}
				if v += between + pair + c.triple(h, d, qr, r, p); v > best.value {
					best = cell{v, choose(r, qr, fr)}
				}
			}
		}
	}
	if best.value > barred/2 {
		best.value += int64(c.arcs.Score[child]) + c.grandparent(b, child)
	}
	*k = best
	return best.value
}

// between returns the best score of the words between the neighbours r and p among the
// children of h: the outer half of r and the inner half of p.
func (c *Chart) between(h int32, d side, r, p, fr, fp int32) int64 {
	a, b := c.children[d][h][r-1], c.children[d][h][p-1]
	k := &c.cells[c.gapCell(h, d, a, b, fr, fp)]
	if k.value != unset {
		return k.value
	}
	best := cell{value: barred}
	for e := c.words[a]; e != c.words[b] && !c.spent(); e += step[d] {
		for y := range c.ends(e) {
			out := c.outer(a, y, fr)
			if out <= barred/2 {
				continue
			}
			for z := range c.ends(e + step[d]) {
				c.steps++
				v := c.half(b, 1-d, z, fp)
				if v <= barred/2 {
					continue
				}
				if v += out + c.bigram(y, z); v > best.value {
					best = cell{v, choose(y, z, 0)}
				}
			}
		}
	}
	*k = best
	return best.value
}

// readHalf, readOuter, readPrefix and readBetween write the heads that the functions
// above have scored.
func (c *Chart) readHalf(b int32, d side, z, f int32) {
	if m := c.words[b]; c.words[z] != m {
		p, q, f1 := c.cells[c.halfCell(b, d, z, f)].chosen()
		c.readPrefix(b, d, p, q, f, f1)
		c.readOuter(c.children[d][m][p-1], z, f1)
	}
}

func (c *Chart) readOuter(b, z, f int32) {
	f2 := int32(0)
	if c.triples {
		f2, _, _ = c.cells[c.outerCell(b, z, f)].chosen()
	}
	c.readHalf(b, c.sideOf(b), z, f2)
}

func (c *Chart) readPrefix(b int32, d side, p, q, f, f1 int32) {
	h := c.words[b]
	child := c.children[d][h][p-1]
	c.head[c.words[child]] = h
	r, qr, fr := c.cells[c.listCell(b, d, p, q, f, f1)].chosen()
	if r == 0 {
		c.readHalf(child, 1-d, qr, f1)
		return
	}
	c.readPrefix(b, d, r, qr, f, fr)
	a := c.children[d][h][r-1]
	y, z, _ := c.cells[c.gapCell(h, d, a, child, fr, f1)].chosen()
	c.readOuter(a, y, fr)
	c.readHalf(child, 1-d, z, f1)
}
