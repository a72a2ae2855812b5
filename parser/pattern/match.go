package pattern

import (
	"slices"

	"github.com/treebeam/treebeam/parser/syntax"
)

// Match returns the hits in a sentence, sorted by the numbers of their words. Hits with
// the same words for all Names count once. whole is false if there are more than
// MaxHits hits, or if finding all would take too many steps. The result is then a part
// of all hits, the same part every time. The hits are valid until the next call. Heads
// may have any value; a head outside the sentence is ignored.
func (m *Matcher) Match(s *syntax.Sentence) (hits []Hit, whole bool) {
	m.s, m.work, m.stopped, m.negated = s, 0, false, false
	m.found, m.ready = m.found[:0], false
	for i := range m.memo {
		m.memo[i] = slices.Grow(m.memo[i][:0], len(s.Words))[:len(s.Words)]
		clear(m.memo[i])
	}
	m.places, m.goals, m.nots, m.firstNot = m.places[:0], m.goals[:0], m.nots[:0], 0
	for i := range m.bound {
		m.bound[i] = -1
	}
	for y := range s.Words {
		if m.put(int32(y)+1, m.p.root, m.p.first, -1); m.stopped {
			break
		}
	}
	m.compact()
	m.s = nil
	return m.hits, !m.stopped
}

// step counts work: looking at a word, choosing one of two ways, checking a negation. It
// reports whether more is allowed.
func (m *Matcher) step(n int) bool {
	if m.work += n; m.work > maxWork {
		m.stopped = true
	}
	return !m.stopped
}

// A spot is a word for which a part of the pattern stands. Spots whose conditions have the
// same name are one, and must have the same word. All other spots have different words.
type spot struct {
	word int32
	same int // the spot with which it is one, or itself
}

// A goal is a formula that must hold for a spot, and the next goal, or -1.
type goal struct {
	f        *formula
	at, next int
}

// A denial is a formula that must not hold for a spot. It is checked when all words are
// chosen, because it may name any of them.
type denial struct {
	f  *formula
	at int
}

// put makes word y a spot for which f must hold, and then solves the goal next. number is the
// number of the spot's name, or -1. put reports whether there is a way.
func (m *Matcher) put(y int32, f *formula, number, next int) (found bool) {
	at := len(m.places)
	m.places = append(m.places, spot{y, at})
	if number >= 0 {
		m.bound[number] = at
	}
	found = m.follow(f, at, next)
	if number >= 0 {
		m.bound[number] = -1
	}
	m.places = m.places[:at]
	return found
}

// follow solves f at a spot, and then the goal next.
func (m *Matcher) follow(f *formula, at, next int) bool {
	n := len(m.goals)
	m.goals = append(m.goals, goal{f, at, next})
	found := m.solve(n)
	m.goals = m.goals[:n]
	return found
}

// enough reports whether the search after f can stop with the ways found so far.
func (m *Matcher) enough(f *formula, found bool) bool {
	return m.stopped || found && (m.negated || f.free)
}

// solve looks for all ways in which a goal and the goals after it hold, and reports whether
// there is any. If no reported word depends on the ways, one way is enough.
func (m *Matcher) solve(i int) (found bool) {
	if i < 0 {
		return m.complete()
	}
	f, at, next := m.goals[i].f, m.goals[i].at, m.goals[i].next
	if f.memo > 0 {
		return m.passes(f, int(m.places[at].word)-1) && m.solve(next)
	}
	switch f.kind {
	case kindTest: // of any word
		return m.solve(next)
	case kindAnd:
		n := len(m.goals)
		for k := len(f.order) - 1; k >= 0; k-- {
			m.goals = append(m.goals, goal{f.order[k], at, next})
			next = len(m.goals) - 1
		}
		found = m.solve(next)
		m.goals = m.goals[:n]
		return found
	case kindOr:
		for _, a := range f.args {
			if found = m.step(1) && m.follow(a, at, next) || found; m.enough(f, found) {
				break
			}
		}
		return found
	case kindOptional:
		if found = m.step(1) && m.follow(f.args[0], at, next); m.enough(f, found) {
			return found
		}
		return m.deny(f.args[0], at, next) || found
	case kindNot:
		return m.deny(f.args[0], at, next)
	case kindNamed:
		return m.name(f, at, next)
	}
	m.targets(f.link, m.places[at].word, func(y int32) bool {
		if !m.step(1) {
			return true
		}
		taken := slices.ContainsFunc(m.places, func(s spot) bool { return s.word == y })
		if (!taken || f.named) && m.fits(f.link, m.places[at].word, y) && m.put(y, f.args[0], f.number, next) {
			found = true
		}
		return m.enough(f, found)
	})
	return found
}

// deny notes a formula that must not hold for a spot, and solves the goal next.
func (m *Matcher) deny(f *formula, at, next int) bool {
	m.nots = append(m.nots, denial{f, at})
	found := m.solve(next)
	m.nots = m.nots[:len(m.nots)-1]
	return found
}

// name gives a spot a name. If another spot has the name already, the two become one.
func (m *Matcher) name(f *formula, at, next int) bool {
	if old := m.bound[f.number]; old >= 0 {
		if m.places[old].word != m.places[at].word {
			return false
		}
		one, other := m.sameAs(old), m.sameAs(at)
		m.places[other].same = one
		found := m.follow(f.args[0], at, next)
		m.places[other].same = other
		return found
	}
	m.bound[f.number] = at
	found := m.follow(f.args[0], at, next)
	m.bound[f.number] = -1
	return found
}

// sameAs returns the spot that represents all spots that are one with a spot.
func (m *Matcher) sameAs(at int) int {
	for m.places[at].same != at {
		at = m.places[at].same
	}
	return at
}

// complete checks the chosen words and the denials, and notes a hit.
func (m *Matcher) complete() bool {
	for i := range m.places {
		for k := range i {
			if m.places[i].word == m.places[k].word && m.sameAs(i) != m.sameAs(k) {
				return false
			}
		}
	}
	negated, first := m.negated, m.firstNot
	nots := m.nots[first:]
	m.negated, m.firstNot = true, len(m.nots)
	denied := slices.ContainsFunc(nots, func(d denial) bool { return m.step(1) && m.follow(d.f, d.at, -1) })
	m.negated, m.firstNot = negated, first
	if denied || m.stopped || m.negated {
		return !denied && !m.stopped
	}
	k := len(m.p.names)
	if len(m.found) >= 2*MaxHits*k {
		if m.compact(); m.stopped {
			return false
		}
	}
	for _, at := range m.bound[:k] {
		w := int32(0)
		if at >= 0 {
			w = m.places[at].word
		}
		m.found = append(m.found, w)
	}
	return true
}

// passes reports whether word i, from 0, passes a formula about one word.
func (m *Matcher) passes(f *formula, i int) bool {
	const yes, no = 1, 2
	id := 2 * (f.memo - 1)
	if m.negated {
		id++
	}
	known := &m.memo[id][i]
	if *known == 0 {
		*known = no
		if m.holds(f, i) && (m.negated || m.MinConf <= 0 || m.sure(f, i)) {
			*known = yes
		}
	}
	return *known == yes
}

// holds evaluates a formula about one word.
func (m *Matcher) holds(f *formula, i int) bool {
	switch f.kind {
	case kindNot:
		return !m.holds(f.args[0], i)
	case kindAnd, kindOr:
		for _, a := range f.args {
			if m.holds(a, i) == (f.kind == kindOr) {
				return f.kind == kindOr
			}
		}
		return f.kind == kindAnd
	}
	m.step(1)
	return f.test.holds(m.s, i)
}

// sure reports whether the attribute of a word that a formula tests is probable enough.
func (m *Matcher) sure(f *formula, i int) bool {
	c := &m.s.Confidence
	if f.kind == kindTest {
		switch f.test.attr {
		case UPOS:
			return m.probable(c.UPOSConf, i)
		case Deprel:
			return m.probable(c.DeprelConf, i)
		}
		return true
	}
	for _, a := range f.args {
		if !m.sure(a, i) {
			return false
		}
	}
	return true
}

func (m *Matcher) probable(list []float32, i int) bool {
	return i >= len(list) || list[i] >= m.MinConf
}

// fits reports whether a link leads from word x to word y.
func (m *Matcher) fits(e *link, x, y int32) bool {
	if x == y || e.side < 0 && y > x || e.side > 0 && y < x {
		return false
	}
	switch e.op {
	case dependent:
		return m.below(e, x, y)
	case head:
		return m.below(e, y, x)
	case after:
		return e.within(int(y - x))
	case before:
		return e.within(int(x - y))
	}
	h := m.head(y)
	return h > 0 && h == m.head(x) && e.fits(m.s.Words[y-1].Deprel) && m.sureArc(y, e.labels != nil) && m.sureArc(x, false)
}

func (l *link) within(distance int) bool {
	return distance >= l.min && (l.max == 0 || distance <= l.max)
}

// head returns the head of word y, from 1, or 0 if it has none among the words.
func (m *Matcher) head(y int32) int32 {
	if h := m.s.Words[y-1].Head; h > 0 && int(h) <= len(m.s.Words) {
		return h
	}
	return 0
}

// below reports whether low hangs on high, over as many arcs as the link allows.
func (m *Matcher) below(e *link, high, low int32) bool {
	if !e.fits(m.s.Words[low-1].Deprel) || !m.sureArc(low, e.labels != nil) {
		return false
	}
	for y, arcs := low, 1; ; arcs++ {
		y = m.head(y)
		if y == high {
			return e.within(arcs)
		}
		if y == 0 || y == low || e.max > 0 && arcs >= e.max || arcs > len(m.s.Words) || !m.step(1) || !m.sureArc(y, false) {
			return false
		}
	}
}

// sureArc reports whether the arc into a word is probable enough, perhaps with its
// relation.
func (m *Matcher) sureArc(low int32, labelled bool) bool {
	if m.MinConf <= 0 || m.negated {
		return true
	}
	c, i := &m.s.Confidence, int(low)-1
	if labelled || len(c.HeadConf) == 0 {
		return m.probable(c.DeprelConf, i)
	}
	return m.probable(c.HeadConf, i)
}

// targets calls try with the words to which a link may lead from x, and perhaps with others,
// until try has enough.
func (m *Matcher) targets(e *link, x int32, try func(int32) bool) {
	n := int32(len(m.s.Words))
	switch e.op {
	case head:
		for y, arcs := m.head(x), int32(1); y != 0 && y != x && arcs <= n; y, arcs = m.head(y), arcs+1 {
			if e.max > 0 && int(arcs) > e.max || try(y) {
				return
			}
		}
	case dependent:
		m.descend(e, x, try)
	case sibling:
		if h := m.head(x); h > 0 {
			for _, y := range m.dependents(h) {
				if try(y) {
					return
				}
			}
		}
	case after, before:
		to := int32(1)
		if e.op == before {
			to = -1
		}
		for y, d := x+to*int32(min(e.min, int(n))), e.min; y >= 1 && y <= n && (e.max == 0 || d <= e.max); y, d = y+to, d+1 {
			if try(y) {
				return
			}
		}
	}
}

// A step is a word under another, and the number of arcs between them.
type step struct {
	word int32
	arcs int
}

// descend calls try with the words below x. Every word has one head, so it meets each word
// once, unless x is below itself.
func (m *Matcher) descend(e *link, x int32, try func(int32) bool) {
	base := len(m.path)
	defer func() { m.path = m.path[:base] }()
	m.path = append(m.path, step{x, 0})
	for len(m.path) > base {
		top := m.path[len(m.path)-1]
		m.path = m.path[:len(m.path)-1]
		if top.arcs >= e.min && try(top.word) || !m.step(1) {
			return
		}
		if e.max > 0 && top.arcs >= e.max {
			continue
		}
		for _, y := range m.dependents(top.word) {
			if y != x {
				m.path = append(m.path, step{y, top.arcs + 1})
			}
		}
	}
}

// dependents returns the words whose head is h.
func (m *Matcher) dependents(h int32) []int32 {
	if !m.ready {
		m.ready = true
		n := len(m.s.Words)
		m.starts = slices.Grow(m.starts[:0], n+2)[:n+2]
		clear(m.starts)
		m.children = slices.Grow(m.children[:0], n)[:n]
		for y := 1; y <= n; y++ {
			m.starts[m.head(int32(y))+1]++
		}
		for i := 1; i < len(m.starts); i++ {
			m.starts[i] += m.starts[i-1]
		}
		m.next = append(m.next[:0], m.starts...)
		for y := 1; y <= n; y++ {
			h := m.head(int32(y))
			m.children[m.next[h]] = int32(y)
			m.next[h]++
		}
	}
	return m.children[m.starts[h]:m.starts[h+1]]
}

// compact sorts the words found into hits, and removes repeated hits.
func (m *Matcher) compact() {
	k := len(m.p.names)
	m.hits = m.hits[:0]
	for i := 0; i < len(m.found); i += k {
		m.hits = append(m.hits, Hit{m.found[i : i+k : i+k]})
	}
	slices.SortFunc(m.hits, func(a, b Hit) int { return slices.Compare(a.Words, b.Words) })
	m.hits = slices.CompactFunc(m.hits, func(a, b Hit) bool { return slices.Equal(a.Words, b.Words) })
	m.spare = m.spare[:0]
	for _, h := range m.hits {
		m.spare = append(m.spare, h.Words...)
	}
	m.found, m.spare = m.spare, m.found
	for i := range m.hits {
		m.hits[i].Words = m.found[i*k : (i+1)*k : (i+1)*k]
	}
	if len(m.hits) > MaxHits {
		m.hits, m.stopped = m.hits[:MaxHits], true
	}
}
