package label

import (
	"slices"

	"github.com/treebeam/treebeam/parser/graph"
	"github.com/treebeam/treebeam/parser/hash"
	"github.com/treebeam/treebeam/parser/syntax"
	"github.com/treebeam/treebeam/parser/word"
)

// A layout is a sentence as inference sees it: a forest whose nodes are the
// words, each with the set of relations that it may have. Arrays over (word,
// relation) hold those of word m at off[m]:off[m+1], in the order of its set,
// arrays over (word, relation of its head) at above[m]:above[m+1].
type layout struct {
	n     int
	order []int32 // heads before modifiers; length n
	head  []int32 // by word; 0 where no factor joins its relation to its head's
	ctx   []uint8 // by word: its tag and direction, which choose the factor
	set   []uint16
	off   []int32 // length n+2
	above []int32 // length n+2
}

// fill lays out the sentence whose words and order t holds.
func (l *layout) fill(r *relations, t *tree) {
	l.n = len(t.nodes) - 1
	l.order = append(l.order[:0], t.order...)
	l.head, l.ctx, l.set = resize(l.head, l.n+1), resize(l.ctx, l.n+1), resize(l.set, l.n+1)
	l.off, l.above = resize(l.off, l.n+2), resize(l.above, l.n+2)
	l.off[1], l.above[1] = 0, 0
	for m := 1; m <= l.n; m++ {
		x := &t.nodes[m]
		l.head[m] = x.head
		if x.loose {
			l.head[m] = 0
		}
		l.ctx[m] = context(x.Coarse, x.side)
		l.set[m] = r.setOf[tagPair(t.nodes[x.head].Coarse, l.ctx[m])]
		l.off[m+1] = l.off[m] + int32(len(r.set(l.set[m])))
	}
	for m := 1; m <= l.n; m++ {
		l.above[m+1] = l.above[m]
		if h := l.head[m]; h > 0 {
			l.above[m+1] += l.off[h+1] - l.off[h]
		}
	}
}

// A factors holds the factor of one arc for every relation of the head and of
// the modifier, as indices into their sets: for a and b it is
// row(a)[columns[b]].
type factors[T int16 | float32] struct {
	values        []T
	stride        int
	rows, columns relationSet
}

func (f *factors[T]) row(a int) []T {
	at := int(f.rows[a]) * f.stride
	return f.values[at : at+f.stride]
}

// each is the relation set of factors that stand in the order of the sets.
var each = func() (s [maxRelations]uint8) {
	for i := range s {
		s[i] = uint8(i)
	}
	return s
}()

// A chart is the scratch of inference in one sentence, at run time and in
// learning. The factors are those of model, or without one learned: of word m
// from learnedAt[m], by the head's relation and the word's.
type chart struct {
	layout
	rel       *relations
	model     *Model
	learned   []float32
	learnedAt []int32

	// Sum-product: belief is e^score of a word's relation, then times the mass
	// below; mass is the sum over the word's relations for each of its head's;
	// scale is what the beliefs of a word's head, or of a top, were divided by.
	belief, prob, mass, scale []float64

	// Max-sum, over the same places.
	score, best []int32
	back        []uint8 // best relation of the word for each of its head's
	choice      []uint8 // by word; index into the set

	encoder *word.Encoder
	tree    tree
	keys    []hash.Key
	acc     []int32 // by relation
	rows    [maxKeys]uint64
}

// bigChart is the number of words above which scratch goes back to the
// garbage collector and not to the pool.
const bigChart = 4096

func resize[T any](s []T, n int) []T { return slices.Grow(s[:0], n)[:n] }

// read encodes the sentence and reads its tree.
func (c *chart) read(s *syntax.Sentence) { c.tree.read(s, c.encoder.Encode(s)) }

// prepare makes room for the layout.
func (c *chart) prepare() {
	c.scale = resize(c.scale, c.n+1)
	c.belief = resize(c.belief, int(c.off[c.n+1]))
	c.prob = resize(c.prob, len(c.belief))
	c.mass = resize(c.mass, int(c.above[c.n+1]))
}

func (c *chart) factors(m int32) factors[float32] {
	rows, columns := c.rel.set(c.set[c.head[m]]), c.rel.set(c.set[m])
	if c.model == nil {
		return factors[float32]{c.learned[c.learnedAt[m]:], len(columns), each[:len(rows)], each[:len(columns)]}
	}
	n := len(c.rel.names)
	return factors[float32]{c.model.expPair[int(c.ctx[m])*n*n:], n, rows, columns}
}

// sums fills prob with the marginals by sum-product messages up and down
// the forest, and mass and scale on the way. It destroys belief: that of a
// word is times the mass of its modifiers afterwards, divided by their scales.
func (c *chart) sums() {
	for k := len(c.order) - 1; k >= 0; k-- {
		if m := c.order[k]; c.head[m] > 0 {
			c.send(m)
		}
	}
	for _, m := range c.order {
		prob, belief := c.prob[c.off[m]:c.off[m+1]], c.belief[c.off[m]:c.off[m+1]]
		if c.head[m] > 0 {
			c.receive(m, prob, belief)
		} else {
			copy(prob, belief)
		}
		sum := 0.0
		for _, p := range prob {
			sum += p
		}
		for j := range prob {
			prob[j] /= sum
		}
		if c.head[m] == 0 {
			c.scale[m] = sum
		}
	}
}

// send multiplies the beliefs of m's head by the message of m.
func (c *chart) send(m int32) {
	f, h := c.factors(m), c.head[m]
	mine := c.belief[c.off[m]:c.off[m+1]][:len(f.columns)]
	theirs := c.belief[c.off[h]:c.off[h+1]][:len(f.rows)]
	mass := c.mass[c.above[m]:c.above[m+1]][:len(f.rows)]
	top := 0.0
	for a := range mass {
		row, sum := f.row(a), 0.0
		for b, l := range f.columns {
			sum += float64(mine[b] * float64(row[l]))
		}
		mass[a] = sum
		theirs[a] *= sum
		top = max(top, theirs[a])
	}
	for a := range theirs {
		theirs[a] /= top
	}
	c.scale[m] = top
}

// receive turns the marginals of m's head into m's, not yet normalised.
func (c *chart) receive(m int32, prob, belief []float64) {
	f, h := c.factors(m), c.head[m]
	theirs := c.prob[c.off[h]:c.off[h+1]][:len(f.rows)]
	mass := c.mass[c.above[m]:c.above[m+1]][:len(f.rows)]
	clear(prob)
	for a, p := range theirs {
		if p == 0 {
			continue
		}
		row, share := f.row(a), p/mass[a]
		for b, l := range f.columns {
			prob[b] += float64(share * float64(row[l]))
		}
	}
	for b := range prob {
		prob[b] *= belief[b]
	}
}

// floor bounds how far below the best a subtree's score may fall, and dense
// scores from 0, so that int32 sums cannot overflow however many modifiers a
// word has.
const floor = -1 << 28

// maximise finds the labelling with the highest score: max-sum messages
// up, back-pointers down. Of equal scores the relation with the lower number
// wins.
func (c *chart) maximise() {
	c.best = append(c.best[:0], c.score...)
	c.back = resize(c.back, len(c.mass))
	c.choice = resize(c.choice, c.n+1)
	for k := len(c.order) - 1; k >= 0; k-- {
		if m := c.order[k]; c.head[m] > 0 {
			c.sendBest(m)
		}
	}
	for _, m := range c.order {
		if h := c.head[m]; h > 0 {
			c.choice[m] = c.back[c.above[m]+int32(c.choice[h])]
		} else {
			c.choice[m] = argmax(c.best[c.off[m]:c.off[m+1]])
		}
	}
}

func argmax(a []int32) uint8 {
	arg := 0
	for j, x := range a {
		if x > a[arg] {
			arg = j
		}
	}
	return uint8(arg)
}

// sendBest adds to the scores of m's head the best of m's subtree for each of
// the head's relations, less the largest of them.
func (c *chart) sendBest(m int32) {
	h, n := c.head[m], len(c.rel.names)
	f := factors[int16]{c.model.pair[int(c.ctx[m])*n*n:], n, c.rel.set(c.set[h]), c.rel.set(c.set[m])}
	mine := c.best[c.off[m]:c.off[m+1]][:len(f.columns)]
	theirs := c.best[c.off[h]:c.off[h+1]][:len(f.rows)]
	back := c.back[c.above[m]:c.above[m+1]][:len(f.rows)]
	var message [maxRelations]int32
	top := int32(-1 << 31)
	for a := range back {
		row, best, arg := f.row(a), int32(-1<<31), 0
		for b, l := range f.columns {
			if s := mine[b] + int32(row[l]); s > best {
				best, arg = s, b
			}
		}
		message[a], back[a] = best, uint8(arg)
		top = max(top, best)
	}
	for a := range theirs {
		theirs[a] = max(theirs[a]+message[a]-top, floor)
	}
}

// exponentials sets the beliefs from the scores, 1 for the best of each word.
func (c *chart) exponentials() {
	for m := 1; m <= c.n; m++ {
		score, belief := c.score[c.off[m]:c.off[m+1]], c.belief[c.off[m]:c.off[m+1]]
		top := slices.Max(score)
		for j := range belief {
			belief[j] = graph.ExpOdds(top - score[j])
		}
	}
}
