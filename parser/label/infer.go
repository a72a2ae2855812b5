package label

import (
	"slices"

	"github.com/treebeam/treebeam/parser/graph"
	"github.com/treebeam/treebeam/parser/hash"
	"github.com/treebeam/treebeam/parser/syntax"
	"github.com/treebeam/treebeam/parser/word"
)

// A layout is a sentence as inference reads it: a forest whose nodes are the
// words, each with the set of relations that it may have. Arrays over (word,
// relation) hold those of word m at off[m]:off[m+1], in the order of its set,
// arrays over (word, relation of its head) at above[m]:above[m+1], over (word,
// relation of its head, relation) at across[m]:across[m+1].
type layout struct {
	n      int
	order  []int32 // heads before modifiers; length n
	head   []int32 // by word; 0 where no factor joins its relation to its head's
	ctx    []uint8 // by word: its tag and direction, which choose the factor
	set    []uint16
	off    []int32 // length n+2
	above  []int32 // length n+2
	across []int32 // length n+2
}

// fill lays out the sentence whose words and order t holds.
func (l *layout) fill(r *relations, t *tree) {
	l.n = len(t.nodes) - 1
	l.order = append(l.order[:0], t.order...)
	l.head, l.ctx, l.set = resize(l.head, l.n+1), resize(l.ctx, l.n+1), resize(l.set, l.n+1)
	l.off, l.above, l.across = resize(l.off, l.n+2), resize(l.above, l.n+2), resize(l.across, l.n+2)
	l.off[1], l.above[1], l.across[1] = 0, 0, 0
	for m := 1; m <= l.n; m++ {
		x := &t.nodes[m]
		l.head[m] = x.head
		if x.detached {
			l.head[m] = 0
		}
		l.ctx[m] = context(x.Coarse, x.side)
		l.set[m] = r.setOf[tagPair(t.nodes[x.head].Coarse, l.ctx[m])]
		l.off[m+1] = l.off[m] + int32(len(r.set(l.set[m])))
	}
	for m := 1; m <= l.n; m++ {
		l.above[m+1], l.across[m+1] = l.above[m], l.across[m]
		if h := l.head[m]; h > 0 {
			relations := l.off[h+1] - l.off[h]
			l.above[m+1] += relations
			l.across[m+1] += relations * (l.off[m+1] - l.off[m])
		}
	}
}

// A chart is the scratch of inference in one sentence, at run time and in
// learning.
type chart struct {
	layout
	rel *relations

	// Sum-product: factor is e^score of a word's relation and its head's; belief is
	// e^score of a word's relation, then times the mass below; mass is the sum over the
	// word's relations for each of its head's; scale is what the beliefs of a word's
	// head, or of a top, were divided by.
	factor                    []float32
	belief, prob, mass, scale []float64

	// Max-sum, with the same indexes.
	score, best []int32
	back        []uint8 // best relation of the word for each of its head's
	choice      []uint8 // by word; index into the set

	encoder *word.Encoder
	tree    tree
	keys    []hash.Key
	acc     []int32 // by relation
	rows    [maxKeys]uint64
	obey    ruleChart

	suspects []int32
	moves    []move
}

// bigChart is the number of words above which scratch goes back to the
// garbage collector and not to the pool.
const bigChart = 4096

func resize[T any](s []T, n int) []T { return slices.Grow(s[:0], n)[:n] }

// read encodes a sentence and reads its tree.
func (c *chart) read(s *syntax.Sentence) { c.tree.read(s, c.encoder.Encode(s)) }

// prepare makes room for the layout.
func (c *chart) prepare() {
	c.factor = resize(c.factor, int(c.across[c.n+1]))
	c.scale = resize(c.scale, c.n+1)
	c.belief = resize(c.belief, int(c.off[c.n+1]))
	c.prob = resize(c.prob, len(c.belief))
	c.mass = resize(c.mass, int(c.above[c.n+1]))
}

// row returns the factors of word m for relation a of its head's set.
func (c *chart) row(m int32, a int) []float32 {
	n := c.off[m+1] - c.off[m]
	at := c.across[m] + int32(a)*n
	return c.factor[at : at+n]
}

// sums fills prob with the marginals by sum-product messages up and down the
// forest, and mass and scale on the way. It overwrites belief: afterwards the
// belief of a word is multiplied by the mass of its modifiers, divided by their
// scales.
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
		if sum := normalise(prob); c.head[m] == 0 {
			c.scale[m] = sum
		}
	}
}

// normalise divides probabilities by their sum, and returns it.
func normalise(prob []float64) (sum float64) {
	for _, p := range prob {
		sum += p
	}
	for j := range prob {
		prob[j] /= sum
	}
	return sum
}

// shrink divides numbers by the largest of them, and returns it.
func shrink(list []float64) (top float64) {
	for _, x := range list {
		top = max(top, x)
	}
	for i := range list {
		list[i] /= top
	}
	return top
}

// send multiplies the beliefs of m's head by the message of m.
func (c *chart) send(m int32) {
	h := c.head[m]
	mine := c.belief[c.off[m]:c.off[m+1]]
	mass := c.mass[c.above[m]:c.above[m+1]]
	theirs := c.belief[c.off[h]:c.off[h+1]][:len(mass)]
	for a := range mass {
		sum := 0.0
		for b, x := range c.row(m, a) {
			sum += float64(mine[b] * float64(x))
		}
		mass[a] = sum
		theirs[a] *= sum
	}
	c.scale[m] = shrink(theirs)
}

// receive turns the marginals of m's head into m's, not yet normalised.
func (c *chart) receive(m int32, prob, belief []float64) {
	h := c.head[m]
	mass := c.mass[c.above[m]:c.above[m+1]]
	clear(prob)
	for a, p := range c.prob[c.off[h]:c.off[h+1]] {
		if p == 0 {
			continue
		}
		share := p / mass[a]
		for b, x := range c.row(m, a) {
			prob[b] += float64(share * float64(x))
		}
	}
	for b := range prob {
		prob[b] *= belief[b]
	}
}

// floor bounds how far a subtree's score may fall below the best one, and a
// dense score below 0, so that int32 sums cannot overflow however many
// modifiers a word has.
const floor = -1 << 28

// maximise finds the labelling with the highest score: max-sum messages up,
// back-pointers down. Among equal scores the relation with the lower number
// wins.
func (c *chart) maximise(pair []int16) {
	c.best = append(c.best[:0], c.score...)
	c.back = resize(c.back, len(c.mass))
	c.choice = resize(c.choice, c.n+1)
	for k := len(c.order) - 1; k >= 0; k-- {
		if m := c.order[k]; c.head[m] > 0 {
			c.sendBest(m, pair)
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

func argmax[T int32 | int64](a []T) uint8 {
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
func (c *chart) sendBest(m int32, pair []int16) {
	h, set := c.head[m], c.rel.set(c.set[m])
	mine := c.best[c.off[m]:c.off[m+1]][:len(set)]
	theirs := c.best[c.off[h]:c.off[h+1]]
	back := c.back[c.above[m]:c.above[m+1]]
	var message [MaxRelations]int32
	top := int32(-1 << 31)
	for a, above := range c.rel.set(c.set[h]) {
		row := rowOf(pair, len(c.rel.names), c.ctx[m], above)
		best, arg := int32(-1<<31), 0
		for b, l := range set {
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

// exponentials sets the beliefs from the scores, with 1 for the best relation
// of each word.
func (c *chart) exponentials() {
	for m := 1; m <= c.n; m++ {
		score, belief := c.score[c.off[m]:c.off[m+1]], c.belief[c.off[m]:c.off[m+1]]
		top := slices.Max(score)
		for j := range belief {
			belief[j] = graph.ExpOdds(top - score[j])
		}
	}
}
