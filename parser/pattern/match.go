package pattern

import (
	"slices"

	"github.com/treebeam/treebeam/parser/syntax"
)

// Match returns the hits in a sentence, sorted by the numbers of their words.
// Hits that agree in all words that Names names are one. whole is false if there
// are more than MaxHits, or if it would take too many steps to find all: the hits
// are then a part of them, the same part every time. The hits are valid until the
// next call. Heads may be any: those that point nowhere are no arcs.
func (m *Matcher) Match(s *syntax.Sentence) (hits []Hit, whole bool) {
	m.s, m.work, m.stopped, m.negated = s, 0, false, false
	m.found, m.ready = m.found[:0], false
	m.reset()
	for _, pl := range m.p.plans {
		m.search(pl, 0)
		if m.stopped {
			break
		}
	}
	m.compact()
	m.s = nil
	return m.hits, !m.stopped
}

// reset makes room for a sentence.
func (m *Matcher) reset() {
	n := len(m.s.Words)
	for i := range m.memo {
		m.memo[i] = slices.Grow(m.memo[i][:0], n)[:n]
		clear(m.memo[i])
	}
}

// step counts work, and reports whether there may be more.
func (m *Matcher) step(n int) bool {
	if m.work += n; m.work > maxWork {
		m.stopped = true
	}
	return !m.stopped
}

// search places word i of a plan and those after it, in every way that it must,
// and reports whether there is any.
func (m *Matcher) search(pl *plan, i int) (found bool) {
	if i == len(pl.words) {
		return m.complete(pl)
	}
	w := &pl.words[i]
	if w.outer {
		return m.suits(w, m.slots[w.slot]) && m.search(pl, i+1)
	}
	try := func(y int32) bool { // and report whether one way was enough
		if !m.step(1) {
			return true
		}
		if slices.Contains(m.slots[:w.slot], y) {
			return false
		}
		m.slots = append(m.slots[:w.slot], y)
		if m.suits(w, y) && (w.via == nil || m.fits(w.via)) && m.search(pl, i+1) {
			found = true
		}
		return found && i >= pl.choices || m.stopped
	}
	if w.via == nil {
		for y := int32(1); int(y) <= len(m.s.Words); y++ {
			if try(y) {
				break
			}
		}
		return found
	}
	m.targets(w.via, m.slots[w.via.from], try)
	return found
}

// suits reports whether word y, which was placed last, passes the tests and
// edges of w but the one that led to it.
func (m *Matcher) suits(w *placed, y int32) bool {
	for _, t := range w.tests {
		if !m.passes(t, int(y)-1) {
			return false
		}
	}
	for i := range w.edges {
		if !m.fits(&w.edges[i]) {
			return false
		}
	}
	return true
}

// passes reports whether word i, from 0, passes a test.
func (m *Matcher) passes(id, i int) bool {
	const yes, no = 1, 2
	known := &m.memo[id][i]
	if *known == 0 {
		t := &m.p.tests[id]
		*known = no
		if m.holds(t.formula, i) && (t.negated || m.MinConf <= 0 || m.sure(t.formula, i)) {
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

// sure reports whether what a formula tests of a word is probable enough.
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

// fits reports whether the words in the slots of an edge are joined by its link.
func (m *Matcher) fits(e *edge) bool {
	x, y := m.slots[e.from], m.slots[e.to]
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
func (m *Matcher) below(e *edge, high, low int32) bool {
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

// targets gives the words that a link may lead to from x, and perhaps others,
// until try has enough.
func (m *Matcher) targets(e *edge, x int32, try func(int32) bool) {
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
	case after:
		for y, d := x+int32(min(e.min, int(n))), e.min; y <= n && (e.max == 0 || d <= e.max); y, d = y+1, d+1 {
			if try(y) {
				return
			}
		}
	case before:
		for y, d := x-int32(min(e.min, int(n))), e.min; y >= 1 && (e.max == 0 || d <= e.max); y, d = y-1, d+1 {
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

// descend gives the words below x. Every word has one head, so that each is met
// once, unless x is below itself.
func (m *Matcher) descend(e *edge, x int32, try func(int32) bool) {
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

// complete checks what must not be, and notes a hit of the outermost plan.
func (m *Matcher) complete(pl *plan) bool {
	for _, s := range pl.same {
		if m.slots[s[0]] != m.slots[s[1]] {
			return false
		}
	}
	was := m.negated
	for _, plans := range pl.nots {
		m.negated = true
		for _, inner := range plans {
			if m.search(inner, 0) {
				m.negated = was
				return false
			}
		}
		m.negated = was
	}
	if m.stopped || pl.names == nil {
		return !m.stopped
	}
	k := len(pl.names)
	if len(m.found) >= 2*MaxHits*k {
		if m.compact(); m.stopped {
			return false
		}
	}
	for _, slot := range pl.names {
		w := int32(0)
		if slot >= 0 {
			w = m.slots[slot]
		}
		m.found = append(m.found, w)
	}
	return true
}

// compact sorts what was found into hits, each once.
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
