package certify

import (
	"github.com/treebeam/treebeam/parser/part"
	"github.com/treebeam/treebeam/parser/syntax"
)

// bounded are the families for which the prover has bounds.
var bounded = part.SetOf(part.Grandparents, part.Siblings, part.TriSiblings, part.HeadBigrams, part.Crossings)

// scored reports whether the model scores parts of a kind.
func (p *Prover) scored(k part.Kind) bool { return p.scores.Families.Has(k) }

// A pair is the factor of two words, u before v. The table has a cell for each
// pair of their arcs, in one row for each arc of u.
type pair struct{ u, v, table, messages int32 }

// A request says where the score of a part belongs: it is added to a cell, or
// the largest score of a group of parts is.
type request struct {
	table *[]int32
	cell  int32
	group uint8
}

const (
	alone uint8 = iota
	first       // of a group
	next        // one more of the group
)

// A meeting is a cell of two arcs that cross.
type meeting struct{ cell, a, b int32 }

func (p *Prover) request(q part.Part, table *[]int32, cell int32, group uint8) {
	p.parts, p.requests = append(p.parts, q), append(p.requests, request{table, cell, group})
}

// tooMuch reports whether the requests go beyond the limits.
func (p *Prover) tooMuch() bool {
	return p.steps+partSteps*int64(len(p.parts)) > p.limit || max(len(p.parts), len(p.cells)) > maxCells
}

// least returns a lower bound on the number of parts that will be requested,
// without making them. It leaves out a few families.
func (p *Prover) least() (parts int64) {
	for h := int32(1); int(h) < len(p.count); h++ {
		children, left := p.children[p.childrenOf[h]:p.childrenOf[h+1]], p.right[h]-p.childrenOf[h]
		if p.scored(part.Siblings) {
			parts += p.neighbours(children[:left]) + p.neighbours(children[left:])
		}
		if p.scored(part.Grandparents) {
			parts += int64(p.count[h]) * int64(len(children))
			for _, a := range children { // but none in which a word is its own grandparent
				if p.scores.Arc(p.words[a], int(h)) >= 0 {
					parts--
				}
			}
		}
		if int(h)+1 < len(p.count) && p.scored(part.HeadBigrams) {
			parts += int64(p.count[h]) * int64(p.count[h+1])
		}
	}
	return parts
}

// neighbours counts the pairs that may be neighbours in one side of a child list.
func (p *Prover) neighbours(children []int32) (pairs int64) {
	since := int64(1) // entries from the last one on that is certain
	for _, a := range children {
		pairs += since
		if since++; p.fixed(p.words[a]) {
			since = 1
		}
	}
	return pairs + since
}

// requestHeads makes the tables of the factors of heads, and requests their parts.
// It reports whether they are within the limit.
func (p *Prover) requestHeads() bool {
	words := len(p.count)
	p.parts, p.requests = p.parts[:0], p.requests[:0]
	p.edgesOf, p.nodesOf = resize(p.edgesOf, words), resize(p.nodesOf, words)
	p.edges, p.nodes = p.edges[:0], p.nodes[:0]
	for h := int32(1); int(h) < words; h++ {
		children := p.children[p.childrenOf[h]:p.childrenOf[h+1]]
		left, lo, hi := p.right[h]-p.childrenOf[h], p.start[h-1], p.start[h]
		one := square(left) + square(int32(len(children))-left)
		p.edgesOf[h], p.nodesOf[h] = int32(len(p.edges)), int32(len(p.nodes))
		p.steps += int64(one) + int64(hi-lo)*int64(len(children))
		if p.tooMuch() || max(len(p.edges)+int(one), len(p.nodes)+int(hi-lo)*len(children)) > maxCells {
			return false
		}
		p.edges = grown(p.edges, int(one))
		p.nodes = grown(p.nodes, int(hi-lo)*len(children))
		p.requestEdges(h, children[:left], children[left:], p.edgesOf[h])
		for b := lo; b < hi; b++ {
			p.requestNodes(h, b, children, p.nodesOf[h]+(b-lo)*int32(len(children)))
		}
	}
	return !p.tooMuch()
}

// square is the size of the table of a side with so many children.
func square(children int32) int32 { return (children + 2) * (children + 2) }

// grown returns a with so many zeros behind it.
func grown(a []int32, more int) []int32 {
	n := len(a)
	if n+more > cap(a) {
		return append(a, make([]int32, more)...)
	}
	a = a[:n+more]
	clear(a[n:])
	return a
}

// A side is one half of the extended child list of a head, from Start to the
// head or from the head to End.
type side struct {
	p           *Prover
	begin, end  int32
	children    []int32
	first, size int32 // of the table, of a row
}

// entry returns entry i.
func (s *side) entry(i int32) int32 {
	switch i {
	case 0:
		return s.begin
	case s.size - 1:
		return s.end
	}
	return s.p.words[s.children[i-1]]
}

// certain reports whether entry i is in every child list.
func (s *side) certain(i int32) bool {
	return i == 0 || i == s.size-1 || s.p.fixed(s.entry(i))
}

// before returns the first entry that may be next to entry j, which is not
// the first, and before it.
func (s *side) before(j int32) int32 {
	for j--; !s.certain(j); j-- {
	}
	return j
}

// requestEdges requests the parts of neighbours in the child list of h.
func (p *Prover) requestEdges(h int32, left, right []int32, at int32) {
	l := side{p, part.Start, h, left, at, int32(len(left) + 2)}
	r := side{p, h, part.End, right, at + square(int32(len(left))), int32(len(right) + 2)}
	for _, s := range [...]*side{&l, &r} {
		lo := int32(0)
		for j := int32(1); j < s.size && !p.tooMuch(); j++ {
			b := s.entry(j)
			for i := lo; i < j; i++ {
				a, cell := s.entry(i), s.first+i*s.size+j
				if p.scored(part.Siblings) {
					p.request(part.Siblings.Part(h, a, b, 0), &p.edges, cell, alone)
				}
				if p.scored(part.TriSiblings) {
					p.requestThird(s, &l, h, i, b, cell)
				}
			}
			if s.certain(j) {
				lo = j
			}
		}
	}
}

// requestThird requests the best tri-sibling that may end in entry i and b.
func (p *Prover) requestThird(s, l *side, h, i, b, cell int32) {
	a := s.entry(i)
	if i == 0 {
		if s == l {
			return // nothing is before Start
		}
		s, i = l, l.size-1
	}
	for j, group := s.before(i), first; j < i; j, group = j+1, next {
		p.request(part.TriSiblings.Part(h, s.entry(j), a, b), &p.edges, cell, group)
	}
}

// requestNodes requests the parts of each child of h, if h has the arc b.
func (p *Prover) requestNodes(h, b int32, children []int32, at int32) {
	g := p.heads[b]
	for i, a := range children {
		m, cell := p.words[a], at+int32(i)
		if m == g || p.tooMuch() {
			continue
		}
		if p.scored(part.Grandparents) {
			p.request(part.Grandparents.Part(g, h, m, 0), &p.nodes, cell, alone)
		}
	}
}

// requestPairs makes the tables of the factors of pairs, and requests their parts.
// It reports whether they are within the limit.
func (p *Prover) requestPairs() bool {
	n := int32(len(p.count) - 1)
	p.pairs, p.cells, p.meets = p.pairs[:0], p.cells[:0], p.meets[:0]
	p.crosses = resize(p.crosses, len(p.heads))
	for a := range p.crosses {
		p.crosses[a] = barredCell // not requested
	}
	crossings := p.scored(part.Crossings)
	for u := int32(1); u < n; u++ {
		end := u // the furthest word that an arc of u ends at
		for _, h := range p.heads[p.start[u-1]:p.start[u]] {
			end = max(end, h)
		}
		for v := u + 1; v <= n && (crossings || v == u+1); v++ {
			p.steps++
			if v > u+1 && v >= end && p.heads[p.start[v-1]] >= end {
				continue // no arc of v comes between
			}
			p.requestPair(u, v, crossings)
			if p.tooMuch() {
				return false
			}
		}
	}
	return true
}

// requestPair makes the table of u and v, if their arcs have parts together.
func (p *Prover) requestPair(u, v int32, crossings bool) {
	table, any := int32(len(p.cells)), false
	near := v == u+1 && p.scored(part.HeadBigrams)
	for a := p.start[u-1]; a < p.start[u]; a++ {
		for b := p.start[v-1]; b < p.start[v]; b++ {
			cell := int32(len(p.cells))
			p.cells = append(p.cells, 0)
			if near {
				any = true
				p.request(part.HeadBigrams.Part(u, p.heads[a], p.heads[b], 0), &p.cells, cell, alone)
			}
			if !crossings || !syntax.Cross(p.heads[a], u, p.heads[b], v) {
				continue
			}
			any = true
			p.meets = append(p.meets, meeting{cell, a, b})
			p.requestCrossing(a)
			p.requestCrossing(b)
		}
	}
	p.steps += int64(int32(len(p.cells)) - table)
	if any {
		p.pairs = append(p.pairs, pair{u: u, v: v, table: table})
	} else {
		p.cells = p.cells[:table]
	}
}

// requestCrossing requests the part that an arc has for every arc that it crosses.
func (p *Prover) requestCrossing(a int32) {
	if p.crosses[a] == barredCell {
		p.crosses[a] = 0
		p.request(part.Crossings.Part(p.heads[a], p.words[a], 0, 0), &p.crosses, a, alone)
	}
}

// answer fills the tables.
func (p *Prover) answer() {
	p.steps += partSteps * int64(len(p.parts))
	p.answers = resize(p.answers, len(p.parts))
	p.scores.ScoreAll(p.parts, p.answers)
	for i := 0; i < len(p.requests); i++ {
		to, best := p.requests[i], p.answers[i]
		for ; i+1 < len(p.requests) && p.requests[i+1].group == next; i++ {
			best = max(best, p.answers[i+1])
		}
		(*to.table)[to.cell] += best
	}
	for _, t := range p.meets {
		p.cells[t.cell] += p.crosses[t.a] + p.crosses[t.b]
	}
}

// fold leaves the pairs of words with a choice each, and returns the others.
func (p *Prover) fold() []pair {
	kept, all := 0, p.pairs
	for i, q := range all {
		if !p.fixed(q.u) && !p.fixed(q.v) {
			all[i], all[kept] = all[kept], q
			kept++
		}
	}
	p.pairs = all[:kept]
	return all[kept:]
}

// addFolded adds what pairs with a word without a choice are worth to the arcs
// of the other word.
func (p *Prover) addFolded(pairs []pair) {
	for _, q := range pairs {
		m := q.v
		if p.fixed(q.v) {
			m = q.u
		}
		for k := range p.count[m] {
			p.theta[p.start[m-1]+k] += worth(p.cells[q.table+k])
		}
	}
	for m := int32(1); int(m) < len(p.count); m++ {
		p.updateTop(m)
	}
}

// worth returns the value of a cell.
func worth(cell int32) int64 {
	if cell == barredCell {
		return barred
	}
	return int64(cell)
}
