package label

import (
	"iter"
	"strings"

	"github.com/treebeam/treebeam/parser/syntax"
)

// Labellings that break rules are rare: the best labelling without rules is found
// first. If it obeys the rules, it is also the best one that does. Otherwise the
// labelling is found again by dynamic programs that count broken rules. The
// modifiers that a head has (hasSubject and so on) are the state of an automaton
// that reads them from left to right, for each relation of the head.
//
// A broken rule costs so much that rules are broken only where no labelling
// obeys them all. Sentences of more than mostWords words are left alone.

const (
	penalty    = 1 << 20         // cost of a broken rule in the best labelling, in score units
	brokenRule = 1.0 / (1 << 40) // factor of a broken rule in the weight of a labelling
	mostWords  = 1000            // words of a sentence that is labelled again
	far        = int64(-1) << 56 // below all scores
	kindCount  = int32(len(kinds))
)

// A ruleChart is the scratch of inference under the rules.
type ruleChart struct {
	words    []wordFacts // by word
	relevant []uint8     // by word: the states of its modifiers that matter

	// By word, relation of its head and kind, from above[m] on, kindCount times as
	// many: the best that the word and its subtree add, by which relation; and the
	// same summed.
	best []int64
	arg  []uint8
	mass []float64
	out  []float64 // mass from outside the subtree

	// By word, relation of its head and state of it, from above[m]*states on: where
	// the state came from, when the word was read; the mass of the words up to it,
	// in rows as long as its head has states (width).
	from    []trace
	forward []float64

	total []int64   // by word and relation: the best of its subtree
	sum   []float64 // the same summed
	end   []uint8   // best state of a head by its relation

	has     []uint8   // by word: the state after all its modifiers
	outside []float64 // by relation of one word
	back    []float64 // by relation of one word and state
}

// A trace is the kind that was read and the state before.
type trace struct{ kind, state uint8 }

// broken reports whether the chosen labelling breaks a rule.
func (c *chart) broken(r *rules, s *syntax.Sentence) bool {
	c.obey.has = resize(c.obey.has, c.n+1)
	has := c.obey.has
	clear(has)
	for m := 1; m <= c.n; m++ {
		l, h := c.relation(m), c.head[m]
		kind := kinds[r.kind[l]]
		if h > 0 && (has[h]&kind&single != 0 || c.tree.nodes[m].side == 0 && r.front.has(l)) {
			return true
		}
		has[h] |= kind
		if bar := r.bar[l]; bar != 0 && c.bars(s.Words, int32(m), bar) != 0 {
			return true
		}
	}
	for m := 1; m <= c.n; m++ {
		l, h, x := c.relation(m), c.head[m], &c.tree.nodes[m]
		if r.wrong[x.Coarse].has(l) || strings.Contains(s.Words[m-1].Feats, "ExtPos=") ||
			has[m]&(hasFixed|hasOblique) != 0 || h > 0 && r.under[c.relation(int(h))].has(l) {
			d := factsOf(&s.Words[m-1], x)
			if r.all(&d, l, has[m]) > 0 {
				return true
			}
			if h > 0 {
				head := factsOf(&s.Words[h-1], &c.tree.nodes[h])
				if r.pair(&head, &d, c.relation(int(h)), l) > 0 {
					return true
				}
			}
		}
	}
	return false
}

// relation returns the relation of word m that was chosen.
func (c *chart) relation(m int) uint8 { return c.rel.set(c.set[m])[c.choice[m]] }

// children yields the words whose heads are h, from left to right.
func (c *chart) children(h int32) iter.Seq[int32] {
	return func(yield func(int32) bool) {
		for m := c.tree.nodes[h].firstChild; m != 0; m = c.tree.nodes[m].next {
			if c.head[m] == h && !yield(m) {
				return
			}
		}
	}
}

// backwards yields the words whose heads are h, from right to left, each with the one
// to its left, 0 if there is none.
func (c *chart) backwards(h int32) iter.Seq2[int32, int32] {
	before := func(m int32) int32 {
		for m != 0 && c.head[m] != h {
			m = c.tree.nodes[m].prev
		}
		return m
	}
	return func(yield func(m, left int32) bool) {
		for m := before(c.tree.nodes[h].lastChild); m != 0; {
			left := before(c.tree.nodes[m].prev)
			if !yield(m, left) {
				return
			}
			m = left
		}
	}
}

// readWords fills the facts that the rules use.
func (c *chart) readWords(r *rules, s *syntax.Sentence) {
	o := &c.obey
	o.words, o.relevant = resize(o.words, c.n+1), resize(o.relevant, c.n+1)
	for m := 1; m <= c.n; m++ {
		o.words[m] = factsOf(&s.Words[m-1], &c.tree.nodes[m])
		if r.language == english {
			o.words[m].bars = c.bars(s.Words, int32(m), barAll)
		}
		seen, relevant := uint8(0), uint8(0)
		for child := range c.children(int32(m)) {
			can := r.can[c.set[child]]
			relevant |= seen & can & single
			seen |= can
		}
		relevant |= seen & hasFixed
		if o.words[m].nounlike && seen&hasOblique != 0 {
			relevant |= seen & (hasOblique | hasClause)
		}
		o.relevant[m] = relevant
	}
	o.total, o.sum, o.end = resize(o.total, len(c.score)), resize(o.sum, len(c.score)), resize(o.end, len(c.score))
	n := int(c.above[c.n+1])
	o.best, o.arg = resize(o.best, n*int(kindCount)), resize(o.arg, n*int(kindCount))
	o.mass, o.out = resize(o.mass, n*int(kindCount)), resize(o.out, n*int(kindCount))
	o.from, o.forward = resize(o.from, n*states), resize(o.forward, n*states)
}

// maximiseStrictly finds the labelling that breaks the fewest rules and scores
// highest among those. It returns its score, less penalty for each rule that
// it breaks.
func (c *chart) maximiseStrictly(m *Model) (total int64) {
	o, r := &c.obey, m.rules
	c.choice = resize(c.choice, c.n+1)
	for k := len(c.order) - 1; k >= 0; k-- {
		h := c.order[k]
		for child := range c.children(h) {
			c.bestBelow(m, child)
		}
		width := int(o.relevant[h]) + 1
		for a, l := range c.rel.set(c.set[h]) {
			var list [states]int64
			now := list[:width]
			for i := 1; i < width; i++ {
				now[i] = far
			}
			for child := range c.children(h) {
				at := c.above[child] + int32(a)
				step(now, o.best[at*kindCount:][:kindCount], o.from[at*states:][:states])
			}
			i := int(c.off[h]) + a
			o.total[i] = far * 2
			for has, x := range now {
				x += int64(c.score[i]) - penalty*int64(r.alone(&o.words[h], l)+r.all(&o.words[h], l, uint8(has)))
				if x > o.total[i] {
					o.total[i], o.end[i] = x, uint8(has)
				}
			}
		}
	}
	for _, h := range c.order {
		if c.head[h] == 0 {
			list := o.total[c.off[h]:c.off[h+1]]
			c.choice[h] = argmax(list)
			total += list[c.choice[h]]
		}
		a := int32(c.choice[h])
		has := o.end[c.off[h]+a]
		for child := range c.backwards(h) {
			at := c.above[child] + a
			t := o.from[at*states+int32(has)]
			c.choice[child] = o.arg[at*kindCount+int32(t.kind)]
			has = t.state
		}
	}
	return total
}

// step reads one word, and adds what it is worth by kind to the states.
func step(now, add []int64, from []trace) {
	relevant := uint8(len(now) - 1)
	var list [states]int64
	next := list[:len(now)]
	for i := range next {
		next[i] = far
	}
	for has, x := range now {
		if x == far {
			continue
		}
		for k, y := range add {
			if y == far {
				continue
			}
			kind := kinds[k] & relevant
			z := x + y
			if kind&single != 0 {
				z -= penalty * int64(more(uint8(has), kind))
			}
			if to := uint8(has) | kind; z > next[to] {
				next[to], from[to] = z, trace{uint8(k), uint8(has)}
			}
		}
	}
	copy(now, next)
}

// bestBelow fills best and arg of a word.
func (c *chart) bestBelow(m *Model, child int32) {
	o, h := &c.obey, c.head[child]
	set := c.rel.set(c.set[child])
	mine := o.total[c.off[child]:c.off[child+1]]
	for a, above := range c.rel.set(c.set[h]) {
		at := (c.above[child] + int32(a)) * kindCount
		best, arg := o.best[at:at+kindCount], o.arg[at:at+kindCount]
		for k := range best {
			best[k] = far
		}
		row := rowOf(m.pair, len(c.rel.names), c.ctx[child], above)
		bound := m.rules.bound[above]
		for b, l := range set {
			x := mine[b] + int64(row[l])
			if bound {
				x -= penalty * int64(m.rules.pair(&o.words[h], &o.words[child], above, l))
			}
			if k := m.rules.kind[l]; x > best[k] {
				best[k], arg[k] = x, uint8(b)
			}
		}
	}
}

// discount is the factor by which breaking so many rules lowers the weight of a
// labelling.
func discount(broken int32) float64 {
	p := 1.0
	for range broken {
		p *= brokenRule
	}
	return p
}

// sumStrictly is sums under the rules.
func (c *chart) sumStrictly(m *Model) {
	o, r := &c.obey, m.rules
	for k := len(c.order) - 1; k >= 0; k-- {
		h := c.order[k]
		set, last, width := c.rel.set(c.set[h]), int32(0), int32(o.relevant[h])+1
		for child := range c.children(h) {
			c.massBelow(m, child)
			for a := range int32(len(set)) {
				at := c.above[child] + a
				stepSum(c.forwardOf(last, a, width), o.mass[at*kindCount:][:kindCount], c.forwardOf(child, a, width))
			}
			shrink(o.forward[c.above[child]*states:][:int32(len(set))*width])
			last = child
		}
		sums := o.sum[c.off[h]:c.off[h+1]]
		for a, l := range set {
			sum := 0.0
			for has, x := range c.forwardOf(last, int32(a), width) {
				sum += float64(x * discount(r.all(&o.words[h], l, uint8(has))))
			}
			sums[a] = float64(float64(c.belief[int(c.off[h])+a]*discount(r.alone(&o.words[h], l))) * sum)
		}
		shrink(sums)
	}
	for _, h := range c.order {
		c.marginalsStrictly(m, h)
	}
}

// forwardOf returns the mass of the states behind a modifier, or behind none if
// child is 0.
func (c *chart) forwardOf(child, a, width int32) []float64 {
	if child == 0 {
		return noneRead[:width]
	}
	return c.obey.forward[c.above[child]*states+a*width:][:width]
}

var noneRead = [states]float64{1}

// stepSum reads one word: what it adds by kind goes from the states now to next.
func stepSum(now, add, next []float64) {
	relevant := uint8(len(now) - 1)
	clear(next)
	for has, x := range now {
		if x == 0 {
			continue
		}
		for k, y := range add {
			kind := kinds[k] & relevant
			next[uint8(has)|kind] += float64(float64(x*y) * discount(more(uint8(has), kind)))
		}
	}
}

// massBelow fills the mass of a word; the largest is 1.
func (c *chart) massBelow(m *Model, child int32) {
	o, h := &c.obey, c.head[child]
	set := c.rel.set(c.set[child])
	mine := o.sum[c.off[child]:c.off[child+1]]
	all := o.mass[c.above[child]*kindCount : c.above[child+1]*kindCount]
	clear(all)
	for a, above := range c.rel.set(c.set[h]) {
		row, bound := c.row(child, a), m.rules.bound[above]
		for b, l := range set {
			x := float64(mine[b] * float64(row[b]))
			if bound {
				x = float64(x * discount(m.rules.pair(&o.words[h], &o.words[child], above, l)))
			}
			all[int32(a)*kindCount+int32(m.rules.kind[l])] += x
		}
	}
	shrink(all)
}

// marginalsStrictly fills prob of a word, whose head's is known or which is a
// top, and out of its modifiers.
func (c *chart) marginalsStrictly(m *Model, h int32) {
	o, r := &c.obey, m.rules
	set, prob := c.rel.set(c.set[h]), c.prob[c.off[h]:c.off[h+1]]
	outside := o.outside[:0]
	for range set {
		outside = append(outside, 1)
	}
	if above := c.head[h]; above > 0 {
		clear(outside)
		for a, up := range c.rel.set(c.set[above]) {
			out, row, bound := o.out[(c.above[h]+int32(a))*kindCount:][:kindCount], c.row(h, a), r.bound[up]
			for b, l := range set {
				x := float64(out[r.kind[l]] * float64(row[b]))
				if bound {
					x = float64(x * discount(r.pair(&o.words[above], &o.words[h], up, l)))
				}
				outside[b] += x
			}
		}
	}
	for b, x := range outside {
		prob[b] = float64(x * o.sum[int(c.off[h])+b])
	}
	o.outside = outside
	normalise(prob)
	shrink(outside)
	width := int(o.relevant[h]) + 1
	o.back = resize(o.back, len(set)*width)
	for a, l := range set {
		x := float64(outside[a]*c.belief[int(c.off[h])+a]) * discount(r.alone(&o.words[h], l))
		for has := range width {
			o.back[a*width+has] = float64(x * discount(r.all(&o.words[h], l, uint8(has))))
		}
	}
	for child, left := range c.backwards(h) {
		c.outOf(h, child, left)
	}
}

// outOf fills out for a child of h whose sibling to the left is left. It takes what
// the states of h are worth behind the child, and turns them into what they are
// worth before it.
func (c *chart) outOf(h, child, left int32) {
	o, width := &c.obey, int32(c.obey.relevant[h])+1
	for a := range c.off[h+1] - c.off[h] {
		at := (c.above[child] + a) * kindCount
		mass, out, back := o.mass[at:at+kindCount], o.out[at:at+kindCount], o.back[a*width:][:width]
		before := c.forwardOf(left, a, width)
		var next [states]float64
		for k, kind := range kinds {
			sum := 0.0
			kind &= o.relevant[h]
			for has, x := range before {
				if x == 0 {
					continue // as what comes of it
				}
				worth := float64(back[uint8(has)|kind] * discount(more(uint8(has), kind)))
				sum += float64(x * worth)
				next[has] += float64(worth * mass[k])
			}
			out[k] = sum
		}
		copy(back, next[:])
	}
	shrink(o.back)
}
