package cluster

import (
	"cmp"
	"math"
	"slices"
)

// Brown clusters the words of c into at most classes classes, 1 to MaxClasses, by
// merging those whose union loses the least mutual information of neighbours (Brown
// et al. 1992). It merges in a window: the most frequent words begin as classes of
// their own, every further word joins them as one more, and the best two of all are
// merged (Liang 2005). The classes that remain are merged on to the root of a binary
// tree. The path of a class from there is its bits: 0 to the part with the most
// frequent word.
//
// Merges are exact: the pair is the one that the full sum over all classes would
// name. Of equally good pairs, it is the one with the most frequent words. It takes
// O(V C^2) time for V words in C classes at worst, less for words with few
// neighbours, and 24 C^2 bytes beside the counts. progress, if not nil, is told after every
// merge how many of all are done. Wrong counts are an error.
func Brown(c *Counts, classes int, progress func(done, all int)) (*Table, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	if err := checkClasses(classes); err != nil {
		return nil, err
	}
	b := newMerger(c, min(classes, len(c.Words)))
	all := max(len(c.Words)-1, 0)
	step := func(best pair) {
		b.merge(best)
		if progress != nil {
			progress(len(b.merges), all)
		}
	}
	for w := range c.Words {
		b.add(int32(w))
		if w >= classes {
			step(b.best())
		}
	}
	// Words are now in classes, named by their most frequent words.
	flat := len(b.merges)
	for b.live > 1 {
		step(b.best())
	}
	return brownTable(c, b.merges, flat), nil
}

// A pair of classes, named by their most frequent words: a < b.
type pair struct{ a, b int32 }

// A merger has the classes of the window. Every class has a slot; slot edge is the
// ends of sentences, which are a context and never merged.
type merger struct {
	counts *Counts
	side   int     // slots, with edge
	edge   int32   // the last slot
	slot   []int32 // by word: where its class is, -1: it has not come yet, or its class was merged
	name   []int32 // by slot: the class's most frequent word, -1: empty
	live   int     // classes
	total  []int64 // by slot: occurrences
	follow []int64 // by slots s, t: how often t follows s
	// shared has, by slots s < t, what n log n gains in all contexts if s and t
	// become one: the sum of gain(n(s,c), n(t,c)) + gain(n(c,s), n(c,t)) over all c,
	// s and t among them. loss is what follows from it.
	shared, loss []int64
	// The bigrams of word w with words before it in the list, itself and the edge
	// are those of counts.Bigrams in near[from[w]:from[w+1]].
	near, from  []int32
	of          []int32 // by word: the class it has been merged into
	merges      []pair
	touched     []int32 // scratch: slots
	isTouched   []bool
	right, left []int64 // scratch: a row and a column
}

func newMerger(c *Counts, classes int) *merger {
	fillTable()
	m := &merger{counts: c, side: classes + 2, edge: int32(classes + 1)}
	n := m.side
	m.slot, m.of = make([]int32, len(c.Words)), make([]int32, len(c.Words))
	for i := range m.slot {
		m.slot[i], m.of[i] = -1, int32(i)
	}
	m.name = make([]int32, n)
	for i := range m.name {
		m.name[i] = -1
	}
	m.total, m.isTouched = make([]int64, n), make([]bool, n)
	m.right, m.left = make([]int64, n), make([]int64, n)
	m.follow, m.shared, m.loss = make([]int64, n*n), make([]int64, n*n), make([]int64, n*n)
	m.from = make([]int32, len(c.Words)+1)
	for _, b := range c.Bigrams {
		m.from[max(b.A, b.B)+1]++
	}
	for w := range c.Words {
		m.from[w+1] += m.from[w]
	}
	m.near = make([]int32, len(c.Bigrams))
	place := slices.Clone(m.from)
	for i, b := range c.Bigrams {
		later := max(b.A, b.B)
		m.near[place[later]] = int32(i)
		place[later]++
	}
	return m
}

// at returns the place of two slots in an array of pairs.
func (m *merger) at(s, t int32) int {
	if s > t {
		s, t = t, s
	}
	return int(s)*m.side + int(t)
}

// next returns how often the class of slot t follows that of s.
func (m *merger) next(s, t int32) int64 { return m.follow[int(s)*m.side+int(t)] }

// class returns the slot of a word's class, which is there or has been merged.
func (m *merger) class(w int32) int32 {
	if w == Edge {
		return m.edge
	}
	root := w
	for m.of[root] != root {
		root = m.of[root]
	}
	for m.of[w] != root {
		m.of[w], w = root, m.of[w]
	}
	return m.slot[root]
}

// add makes a class of a word, the next one of the list, in an empty slot.
func (m *merger) add(w int32) {
	u := int32(slices.Index(m.name[:m.edge], -1))
	m.name[u], m.slot[w] = w, u
	m.total[u] = m.counts.Count[w]
	m.live++
	n := m.side
	for i := range n {
		m.follow[int(u)*n+i], m.follow[i*n+int(u)] = 0, 0
	}
	m.touched = m.touched[:0]
	touch := func(s int32) {
		if !m.isTouched[s] {
			m.isTouched[s] = true
			m.touched = append(m.touched, s)
		}
	}
	for _, i := range m.near[m.from[w]:m.from[w+1]] {
		b := m.counts.Bigrams[i]
		s, t := m.class(b.A), m.class(b.B)
		m.follow[int(s)*n+int(t)] += b.Count
		touch(s)
		touch(t)
	}
	// The new class is one more context of all others.
	for i, s := range m.touched {
		if s == u || s == m.edge {
			continue
		}
		for _, t := range m.touched[i+1:] {
			if t != u && t != m.edge {
				m.share(s, t, gain(m.next(s, u), m.next(t, u))+gain(m.next(u, s), m.next(u, t)))
			}
		}
	}
	for t := range m.edge {
		if m.name[t] < 0 || t == u {
			continue
		}
		sum := int64(0)
		for _, c := range m.touched {
			sum += gain(m.next(u, c), m.next(t, c)) + gain(m.next(c, u), m.next(c, t))
		}
		m.shared[m.at(u, t)] = sum
	}
	m.renew(u)
}

// share says that s and t have more in common, and lose less as one.
func (m *merger) share(s, t int32, more int64) {
	i := m.at(s, t)
	m.shared[i] += more
	m.loss[i] -= more
}

// renew values the pairs of slot u, and clears the marks of touched ones.
func (m *merger) renew(u int32) {
	for _, s := range m.touched {
		m.isTouched[s] = false
	}
	for t := range m.edge {
		if t != u && m.name[t] >= 0 {
			m.loss[m.at(u, t)] = m.value(u, t)
		}
	}
}

// value returns what merging s and t loses: the n log n of pairs, less twice that of
// classes. shared counts s and t as two contexts; together they are one.
func (m *merger) value(s, t int32) int64 {
	ss, st, ts, tt := m.next(s, s), m.next(s, t), m.next(t, s), m.next(t, t)
	apart := gain(ss, ts) + gain(ss, st) + gain(st, tt) + gain(ts, tt)
	corner := entropy(ss+st+ts+tt) - entropy(ss) - entropy(st) - entropy(ts) - entropy(tt)
	return 2*gain(m.total[s], m.total[t]) - (m.shared[m.at(s, t)] - apart + corner)
}

// best returns the pair of classes whose merger loses the least.
func (m *merger) best() pair {
	least, best := int64(math.MaxInt64), pair{-1, -1}
	for s := range m.edge {
		if m.name[s] < 0 {
			continue
		}
		row := m.loss[int(s)*m.side : (int(s)+1)*m.side]
		for t := s + 1; t < m.edge; t++ {
			if row[t] > least || m.name[t] < 0 {
				continue
			}
			p := pair{min(m.name[s], m.name[t]), max(m.name[s], m.name[t])}
			if row[t] < least || cmp.Or(cmp.Compare(p.a, best.a), cmp.Compare(p.b, best.b)) < 0 {
				least, best = row[t], p
			}
		}
	}
	return best
}

// merge makes one class of two, in the slot of the one with more contexts.
func (m *merger) merge(p pair) {
	m.merges = append(m.merges, p)
	a, b := m.slot[p.a], m.slot[p.b]
	if m.contexts(a) < m.contexts(b) {
		a, b = b, a
	}
	m.touched = m.touched[:0]
	for s := range m.edge + 1 {
		m.right[s], m.left[s] = m.next(b, s), m.next(s, b)
		if m.right[s] != 0 || m.left[s] != 0 {
			m.isTouched[s] = true
			m.touched = append(m.touched, s)
		}
	}
	m.shareContext(a, b)
	m.shareClass(a, b)
	m.fold(a, b)
	m.name[a], m.name[b] = p.a, -1
	m.slot[p.a], m.slot[p.b], m.of[p.b] = a, -1, p.a
	m.live--
	m.renew(a)
}

// contexts returns before and behind how many classes one stands.
func (m *merger) contexts(s int32) (n int) {
	for t := range m.edge + 1 {
		if m.next(s, t) != 0 {
			n++
		}
		if m.next(t, s) != 0 {
			n++
		}
	}
	return n
}

// shareContext makes one context of a and b, for pairs of other classes. Pairs
// without a touched class share as much as before.
func (m *merger) shareContext(a, b int32) {
	for _, s := range m.touched {
		if s == a || s == b || s == m.edge {
			continue
		}
		x, y := m.next(s, a), m.next(s, b)
		v, w := m.next(a, s), m.next(b, s)
		for t := range m.edge {
			if m.name[t] < 0 || t == a || t == b || t == s || m.isTouched[t] && t < s {
				continue
			}
			x2, y2 := m.next(t, a), m.next(t, b)
			v2, w2 := m.next(a, t), m.next(b, t)
			m.share(s, t, gain(x+y, x2+y2)-gain(x, x2)-gain(y, y2)+
				gain(v+w, v2+w2)-gain(v, v2)-gain(w, w2))
		}
	}
}

// shareClass says what the class of a and b shares with each other class. In
// contexts without b, it shares what a did.
func (m *merger) shareClass(a, b int32) {
	aa, ab, ba, bb := m.next(a, a), m.next(a, b), m.next(b, a), m.next(b, b)
	for t := range m.edge {
		if m.name[t] < 0 || t == a || t == b {
			continue
		}
		sum := m.shared[m.at(a, t)]
		for _, c := range m.touched {
			if c == a || c == b {
				continue
			}
			ac, tc := m.next(a, c), m.next(t, c)
			ca, ct := m.next(c, a), m.next(c, t)
			sum += gain(ac+m.right[c], tc) - gain(ac, tc) + gain(ca+m.left[c], ct) - gain(ca, ct)
		}
		ta, tb, at, bt := m.next(t, a), m.next(t, b), m.next(a, t), m.next(b, t)
		sum += gain(aa+ab+ba+bb, ta+tb) + gain(aa+ab+ba+bb, at+bt)
		sum -= gain(aa, ta) + gain(ab, tb) + gain(aa, at) + gain(ba, bt)
		m.shared[m.at(a, t)] = sum
	}
}

// fold adds the counts of b to those of a.
func (m *merger) fold(a, b int32) {
	n := m.side
	for t := range n {
		m.follow[int(a)*n+t] += m.follow[int(b)*n+t]
		m.follow[int(b)*n+t] = 0
	}
	for t := range n {
		m.follow[t*n+int(a)] += m.follow[t*n+int(b)]
		m.follow[t*n+int(b)] = 0
	}
	m.total[a] += m.total[b]
	m.total[b] = 0
}

// brownTable returns words with their paths: the first flat merges made classes, the
// others the tree above them.
func brownTable(c *Counts, merges []pair, flat int) *Table {
	type node struct{ zero, one *node }
	root := make([]*node, len(c.Words)) // by most frequent word of a class
	for i := range root {
		root[i] = &node{}
	}
	class := make([]int32, len(c.Words))
	for i := range class {
		class[i] = int32(i)
	}
	for _, p := range merges[:flat] {
		class[p.b] = p.a // a class's name only ever becomes smaller
	}
	leaf := slices.Clone(root)
	for _, p := range merges[flat:] {
		root[p.a] = &node{root[p.a], root[p.b]}
	}
	path := map[*node]string{}
	var walk func(n *node, bits string)
	walk = func(n *node, bits string) {
		if n.zero == nil {
			path[n] = bits
			return
		}
		walk(n.zero, bits+"0")
		walk(n.one, bits+"1")
	}
	walk(root[0], "")
	t := &Table{}
	for i, w := range c.Words {
		top := int32(i)
		for class[top] != top {
			top = class[top]
		}
		t.Rows = append(t.Rows, Row{path[leaf[top]], w, c.Count[i]})
	}
	t.sort()
	return t
}
