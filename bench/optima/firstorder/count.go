package firstorder

import "math"

// Count returns the number of local optima. It follows
// Zhang et al. (2014): if the best heads of all words make a tree, that is
// the only optimum; else every optimum has all arcs but one of any cycle of
// best heads, so the cycle is contracted once for each of its words, which
// then alone may take a head outside.
//
// Contracted words need no new scores: a group is entered through one word,
// so its best head is the best head of that word outside the group. A group
// from which best heads lead to the root stays as it is whatever becomes of
// the others, so its words count as done; situations that are equal but for
// what is done have the same number of optima below them, and are counted
// once. This keeps independent cycles from multiplying the work, of which
// limit is a bound, in situations: if it is reached, exact is false and the
// count too small. A count above 2^64-1 is 2^64-1.
func (s *Scores) Count(limit int) (count uint64, exact bool) {
	c := counter{scores: s, limit: limit, seen: map[string]uint64{}, exact: true,
		next: make([]uint16, s.N+1), mark: make([]uint16, s.N+1)}
	entry := make([]uint16, s.N+1)
	for m := range entry {
		entry[m] = uint16(m)
	}
	return c.count(entry), c.exact
}

// A counter holds the situations met. In a situation entry[w] is the word
// through which the group of word w is entered, 0 if w is done: this tells
// groups apart, for a group is entered through one of its own words.
type counter struct {
	scores *Scores
	limit  int
	seen   map[string]uint64
	exact  bool
	next   []uint16 // per entry word: entry word of the group of its best head
	mark   []uint16 // per entry word: the walk that met it first
}

// count takes over entry.
func (c *counter) count(entry []uint16) uint64 {
	cycle := c.settle(entry)
	if cycle == nil {
		return 1
	}
	key := make([]byte, 0, 2*len(entry))
	for _, e := range entry[1:] {
		key = append(key, byte(e), byte(e>>8))
	}
	if known, ok := c.seen[string(key)]; ok {
		return known
	}
	if len(c.seen) >= c.limit {
		c.exact = false
		return 1
	}
	c.seen[string(key)] = 0 // takes its place; nothing below comes back here
	sum := uint64(0)
	inCycle := make([]bool, len(entry))
	for _, e := range cycle {
		inCycle[e] = true
	}
	for _, e := range cycle {
		below := make([]uint16, len(entry))
		for w, old := range entry {
			if below[w] = old; inCycle[old] {
				below[w] = e
			}
		}
		if n := c.count(below); sum > math.MaxUint64-n {
			sum = math.MaxUint64
		} else {
			sum += n
		}
	}
	c.seen[string(key)] = sum
	return sum
}

// settle finds the best head of every group, sets the words of those that
// lead to the root to done, and returns the entry words of a cycle among the
// rest, nil if there is no rest.
func (c *counter) settle(entry []uint16) (cycle []uint16) {
	next, mark := c.next, c.mark
	clear(mark)
	for w := 1; w < len(entry); w++ {
		if int(entry[w]) != w {
			continue
		}
		for _, h := range c.scores.ranked(w) {
			if e := entry[h]; h == 0 || int(e) != w {
				next[w] = e
				break
			}
		}
	}
	const done = math.MaxUint16
	for w := 1; w < len(entry); w++ {
		if int(entry[w]) != w || mark[w] != 0 {
			continue
		}
		u := uint16(w)
		for u != 0 && mark[u] == 0 {
			mark[u] = uint16(w)
			u = next[u]
		}
		switch {
		case u == 0 || mark[u] == done:
			for v := uint16(w); v != 0 && mark[v] != done; v = next[v] {
				mark[v] = done
			}
		case mark[u] == uint16(w) && cycle == nil:
			for v := u; len(cycle) == 0 || v != u; v = next[v] {
				cycle = append(cycle, v)
			}
		}
	}
	for w := range entry {
		if e := entry[w]; e != 0 && mark[e] == done {
			entry[w] = 0
		}
	}
	return cycle
}
