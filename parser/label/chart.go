package label

import "sync"

// A chart is the scratch of one call of Label: the score of every allowed
// relation of every word and the messages of the two dynamic programs. Arrays
// over (word, allowed relation) are flat; those of word m are
// [off[m]:off[m+1]].
type chart struct {
	words  []word
	order  []int32 // heads before modifiers
	sets   []uint16
	off    []int32
	score  []int32   // of the arc alone
	best   []int32   // with the subtree below
	belief []float64 // the same for sums
	prob   []float64 // marginals
	// Over (word, allowed relation of its head), at backOff.
	backOff []int32
	back    []uint8   // best relation of the word, as an index into its set
	mass    []float64 // sum over the word's relations
	choice  []uint8   // index into the set
	keys    keyList
	rows    [maxKeys]int32
}

var charts = sync.Pool{New: func() any { return new(chart) }}

// bigChart is the number of words above which scratch goes back to the
// garbage collector and not to the pool.
const bigChart = 4096

func resize[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n, n+n/4)
	}
	return s[:n]
}

// floor bounds how far below the best a subtree's score may fall, so that
// int32 sums cannot overflow however many modifiers a word has.
const floor = -1 << 28

// layout assigns each word its set of relations and its place in the arrays.
func (c *chart) layout(r *relations) {
	n := len(c.words) - 1
	c.sets = resize(c.sets, n+1)
	c.off = resize(c.off, n+2)
	c.backOff = resize(c.backOff, n+2)
	c.choice = resize(c.choice, n+1)
	c.off[0], c.off[1], c.sets[0], c.choice[0] = 0, 0, 0, 0
	for m := 1; m <= n; m++ {
		w := &c.words[m]
		c.sets[m] = r.arcSet(c.words[w.head].pos, w.pos, w.side)
		if w.loose && w.head == 0 {
			c.sets[m] = 0
		}
		c.off[m+1] = c.off[m] + int32(len(r.set(c.sets[m])))
	}
	c.backOff[1] = 0
	for m := 1; m <= n; m++ {
		size := int32(0)
		if c.linked(int32(m)) {
			h := c.words[m].head
			size = c.off[h+1] - c.off[h]
		}
		c.backOff[m+1] = c.backOff[m] + size
	}
	total, backs := int(c.off[n+1]), int(c.backOff[n+1])
	c.score = resize(c.score, total)
	c.best = resize(c.best, total)
	c.belief = resize(c.belief, total)
	c.prob = resize(c.prob, total)
	c.back = resize(c.back, backs)
	c.mass = resize(c.mass, backs)
}

// linked reports whether a pair factor joins the relations of m and its head.
func (c *chart) linked(m int32) bool {
	return c.words[m].head > 0 && !c.words[m].loose
}

// localScores sums the rows of each arc's features over its allowed relations.
func (c *chart) localScores(m *Model) {
	t := &m.table
	for i := int32(1); i < int32(len(c.words)); i++ {
		set := m.rel.set(c.sets[i])
		acc := c.score[c.off[i]:c.off[i+1]]
		acc = acc[:len(set)]
		clear(acc)
		if len(set) == 1 {
			continue
		}
		c.keys.of(c.words, i)
		found := 0
		for _, k := range c.keys.keys[:c.keys.n] {
			if r := t.find(k); r >= 0 {
				c.rows[found] = r
				found++
			}
		}
		for _, r := range c.rows[:found] {
			row := t.rows[int(r)*t.stride:][:t.stride]
			shift := uint8(row[0]) & 7
			row = row[1:]
			for j, l := range set {
				acc[j] += int32(row[l]) << shift
			}
		}
	}
}

// maximise finds the labelling with the highest score: max-sum messages
// bottom-up, then back-pointers top-down. Of equal scores the relation with
// the lower number wins.
func (c *chart) maximise(m *Model) {
	copy(c.best, c.score)
	for k := len(c.order) - 1; k >= 0; k-- {
		i := c.order[k]
		if c.linked(i) {
			c.sendBest(m, i)
		}
	}
	for _, i := range c.order {
		if c.linked(i) {
			c.choice[i] = c.back[c.backOff[i]+int32(c.choice[c.words[i].head])]
			continue
		}
		c.choice[i] = argmax(c.best[c.off[i]:c.off[i+1]])
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

// sendBest adds to the head's scores the best of i's subtree for each of the
// head's relations, less the largest of them.
func (c *chart) sendBest(m *Model, i int32) {
	w := &c.words[i]
	set, headSet := m.rel.set(c.sets[i]), m.rel.set(c.sets[w.head])
	mine := c.best[c.off[i]:c.off[i+1]][:len(set)]
	theirs := c.best[c.off[w.head]:c.off[w.head+1]][:len(headSet)]
	back := c.back[c.backOff[i]:c.backOff[i+1]][:len(headSet)]
	var message [maxRelations]int32
	top := int32(-1 << 31)
	for a, lh := range headSet {
		row := m.pairRow(w, lh)
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

// marginals fills prob by sum-product messages up and down the tree.
func (c *chart) marginals(m *Model) {
	for i := 1; i < len(c.words); i++ {
		score := c.score[c.off[i]:c.off[i+1]]
		belief := c.belief[c.off[i]:c.off[i+1]]
		top := score[argmax(score)]
		for j := range belief {
			belief[j] = expUnits(top - score[j])
		}
	}
	for k := len(c.order) - 1; k >= 0; k-- {
		if i := c.order[k]; c.linked(i) {
			c.sendMass(m, i)
		}
	}
	for _, i := range c.order {
		if c.linked(i) {
			c.receive(m, i)
			continue
		}
		belief, prob := c.belief[c.off[i]:c.off[i+1]], c.prob[c.off[i]:c.off[i+1]]
		copy(prob, belief)
		normalise(prob)
	}
}

// sendMass multiplies the head's beliefs by i's message.
func (c *chart) sendMass(m *Model, i int32) {
	w := &c.words[i]
	set, headSet := m.rel.set(c.sets[i]), m.rel.set(c.sets[w.head])
	mine := c.belief[c.off[i]:c.off[i+1]][:len(set)]
	theirs := c.belief[c.off[w.head]:c.off[w.head+1]][:len(headSet)]
	mass := c.mass[c.backOff[i]:c.backOff[i+1]][:len(headSet)]
	top := 0.0
	for a, lh := range headSet {
		row := m.expPairRow(w, lh)
		sum := 0.0
		for b, l := range set {
			sum += float64(mine[b] * float64(row[l]))
		}
		mass[a] = sum
		theirs[a] *= sum
		top = max(top, theirs[a])
	}
	for a := range theirs {
		theirs[a] /= top
	}
}

// receive turns the head's marginals into i's.
func (c *chart) receive(m *Model, i int32) {
	w := &c.words[i]
	set, headSet := m.rel.set(c.sets[i]), m.rel.set(c.sets[w.head])
	mine := c.belief[c.off[i]:c.off[i+1]][:len(set)]
	prob := c.prob[c.off[i]:c.off[i+1]][:len(set)]
	theirs := c.prob[c.off[w.head]:c.off[w.head+1]][:len(headSet)]
	mass := c.mass[c.backOff[i]:c.backOff[i+1]][:len(headSet)]
	clear(prob)
	for a, lh := range headSet {
		if theirs[a] == 0 {
			continue
		}
		row := m.expPairRow(w, lh)
		share := theirs[a] / mass[a]
		for b, l := range set {
			prob[b] += float64(share * float64(row[l]))
		}
	}
	for b := range prob {
		prob[b] *= mine[b]
	}
	normalise(prob)
}

func normalise(p []float64) {
	sum := 0.0
	for _, x := range p {
		sum += x
	}
	for j := range p {
		p[j] /= sum
	}
}
