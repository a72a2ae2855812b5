package pattern

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/treebeam/treebeam/parser/syntax"
)

// A solution is a choice of words for the links of a formula (nil is the first
// word), and what is still to be checked when all are chosen.
type solution struct {
	words map[*formula]int
	names []nameAt
	nots  []notAt
}

type nameAt struct {
	name  string
	word  int
	place *formula // the link that leads there
}

type notAt struct {
	f *formula
	x int
}

// The oracle finds hits from the meaning of formulas alone: all solutions are
// made, and then those are dropped that break a rule.
type oracle struct {
	s    *syntax.Sentence
	conf float32
}

func (o *oracle) solve(f, at *formula, x int, negated bool) (list []solution) {
	switch f.kind {
	case kindTest:
		if o.test(f.test, x) && (negated || o.sure(f.test, x)) {
			return []solution{{}}
		}
		return nil
	case kindOr:
		if f.pure() {
			return o.pure(f, x, negated)
		}
		for _, a := range f.args {
			list = append(list, o.solve(a, at, x, negated)...)
		}
		return list
	case kindAnd:
		if f.pure() {
			return o.pure(f, x, negated)
		}
		list = []solution{{}}
		for _, a := range f.args {
			list = joined(list, o.solve(a, at, x, negated))
		}
		return list
	case kindNot:
		if f.pure() {
			return o.pure(f, x, negated)
		}
		return []solution{{nots: []notAt{{f.args[0], x}}}}
	case kindOptional:
		return append(o.solve(f.args[0], at, x, negated), solution{nots: []notAt{{f.args[0], x}}})
	case kindNamed:
		return joined([]solution{{names: []nameAt{{f.name, x, at}}}}, o.solve(f.args[0], at, x, negated))
	}
	for y := 1; y <= len(o.s.Words); y++ {
		if o.linked(f.link, x, y, negated) {
			list = append(list, joined([]solution{{words: map[*formula]int{f: y}}}, o.solve(f.args[0], f, y, negated))...)
		}
	}
	return list
}

// pure is a boolean formula of tests: all that it tests must be sure.
func (o *oracle) pure(f *formula, x int, negated bool) []solution {
	sure := true
	var value func(f *formula) bool
	value = func(f *formula) bool {
		switch f.kind {
		case kindNot:
			return !value(f.args[0])
		case kindTest:
			sure = sure && (negated || o.sure(f.test, x))
			return o.test(f.test, x)
		}
		all, any := true, false
		for _, a := range f.args {
			v := value(a)
			all, any = all && v, any || v
		}
		return f.kind == kindAnd && all || f.kind == kindOr && any
	}
	if value(f) && sure {
		return []solution{{}}
	}
	return nil
}

func (o *oracle) test(t *test, x int) bool {
	w := o.s.Words[x-1]
	switch t.attr {
	case 0:
		return true
	case place:
		return x == t.place || x == len(o.s.Words)+1+t.place
	case UPOS:
		return w.UPOS == t.value.text
	case Deprel:
		return w.Deprel == t.value.text
	case Form:
		return w.Form == t.value.text
	}
	panic("the test has other attributes")
}

func (o *oracle) sure(t *test, x int) bool {
	switch t.attr {
	case UPOS:
		return o.s.Confidence.UPOSConf[x-1] >= o.conf
	case Deprel:
		return o.s.Confidence.DeprelConf[x-1] >= o.conf
	}
	return true
}

// arcs returns the words above low, the nearest first, and whether each arc on
// the way is sure.
func (o *oracle) above(low int) (words []int) {
	for y := low; len(words) <= len(o.s.Words); {
		h := int(o.s.Words[y-1].Head)
		if h <= 0 || h > len(o.s.Words) {
			return words
		}
		words = append(words, h)
		y = h
	}
	return words
}

func (o *oracle) linked(l *link, x, y int, negated bool) bool {
	within := func(d int) bool { return d >= l.min && (d <= l.max || l.max == 0) }
	named := func(w int) bool {
		if l.labels == nil {
			return true
		}
		is := slices.ContainsFunc(l.labels, func(v value) bool {
			return o.s.Words[w-1].Deprel == v.text || v.tree && strings.HasPrefix(o.s.Words[w-1].Deprel, v.text+":")
		})
		return is != l.not
	}
	c := &o.s.Confidence
	if x == y || l.side < 0 && y > x || l.side > 0 && y < x {
		return false
	}
	head := func(w int) bool { return negated || c.HeadConf[w-1] >= o.conf }
	arc := func(w int) bool {
		return head(w) && l.labels == nil || l.labels != nil && (negated || c.DeprelConf[w-1] >= o.conf)
	}
	high, low := x, y
	switch l.op {
	case after:
		return y > x && within(y-x)
	case before:
		return x > y && within(x-y)
	case sibling:
		hx, hy := o.above(x), o.above(y)
		return len(hx) > 0 && len(hy) > 0 && hx[0] == hy[0] && named(y) && arc(y) && head(x)
	case head_:
		high, low = y, x
	}
	way := o.above(low)
	i := slices.Index(way, high)
	if j := slices.Index(way, low); i < 0 || j >= 0 && j < i {
		return false
	}
	for _, w := range way[:i] {
		if !head(w) {
			return false
		}
	}
	return within(i+1) && named(low) && arc(low)
}

const head_ = head

func joined(a, b []solution) (list []solution) {
	for _, x := range a {
		for _, y := range b {
			s := solution{words: map[*formula]int{}, names: slices.Concat(x.names, y.names), nots: slices.Concat(x.nots, y.nots)}
			for _, m := range []map[*formula]int{x.words, y.words} {
				for f, w := range m {
					s.words[f] = w
				}
			}
			list = append(list, s)
		}
	}
	return list
}

// allowed reports whether a solution is one, where the words around it are
// placed: a name is one word, words without the same name are different, and what
// is negated has no solution.
func (o *oracle) allowed(s *solution, first int, outer map[string]int, used []int) bool {
	names := map[string]int{}
	for name, w := range outer {
		names[name] = w
	}
	for _, n := range s.names {
		if w, ok := names[n.name]; ok && w != n.word {
			return false
		}
		names[n.name] = n.word
	}
	// Places of the pattern are one word if a name joins them, perhaps by way of
	// others. A word around is one place.
	places := map[*formula]int{nil: first}
	for f, w := range s.words {
		places[f] = w
	}
	class := map[*formula]string{}
	for f := range places {
		class[f] = fmt.Sprintf("%p", f)
	}
	if slices.Contains(used, first) {
		class[nil] = fmt.Sprint("outer", first)
	}
	for range 2 * len(s.names) {
		for _, n := range s.names {
			if w, ok := outer[n.name]; ok {
				class[n.place] = fmt.Sprint("outer", w)
			}
			for _, other := range s.names {
				if other.name == n.name && class[other.place] < class[n.place] {
					class[other.place] = class[n.place] // "outer" is the largest
				}
			}
		}
	}
	for f, w := range places {
		for g, v := range places {
			if w == v && class[f] != class[g] {
				return false
			}
		}
		if slices.Contains(used, w) && class[f] != fmt.Sprint("outer", w) {
			return false
		}
	}
	all := slices.Clone(used)
	for _, w := range places {
		all = append(all, w)
	}
	for _, n := range s.nots {
		for _, inner := range o.solve(n.f, nil, n.x, true) {
			if o.allowed(&inner, n.x, names, all) {
				return false
			}
		}
	}
	return true
}

func (o *oracle) hits(p *Pattern) [][]int32 {
	var hits [][]int32
	numbered := wordsIn(p.root, []*formula{nil})
	for x := 1; x <= len(o.s.Words); x++ {
		for _, s := range o.solve(p.root, nil, x, false) {
			if !o.allowed(&s, x, nil, nil) {
				continue
			}
			hit := make([]int32, len(p.Names()))
			if len(namesIn(p.root, nil, false)) > 0 {
				for _, n := range s.names {
					hit[p.Index(n.name)] = int32(n.word)
				}
			} else {
				hit[0] = int32(x)
				for i, f := range numbered[1:] {
					hit[i+1] = int32(s.words[f])
				}
			}
			hits = append(hits, hit)
		}
	}
	slices.SortFunc(hits, slices.Compare)
	return slices.CompactFunc(hits, slices.Equal)
}

// randomSentence has any heads: trees, cycles and words without a head.
func randomSentence(r *rand.Rand) *syntax.Sentence {
	n := 1 + r.IntN(6)
	s := &syntax.Sentence{Words: make([]syntax.Word, n)}
	c := &s.Confidence
	tree := r.IntN(3) > 0
	for i := range s.Words {
		h := r.IntN(n+2) - 1
		if tree {
			h = r.IntN(i + 1)
		}
		s.Words[i] = syntax.Word{Form: []string{"a", "b"}[r.IntN(2)], UPOS: []string{"NOUN", "VERB", "ADJ"}[r.IntN(3)],
			Head: int32(h), Deprel: []string{"obj", "obj:x", "amod", "objective"}[r.IntN(4)]}
		for _, list := range []*[]float32{&c.HeadConf, &c.DeprelConf, &c.UPOSConf} {
			*list = append(*list, float32(r.IntN(4))/4)
		}
	}
	return s
}

// A writer makes random patterns.
type writer struct {
	*rand.Rand
	links int
}

func (w *writer) of(list ...string) string { return list[w.IntN(len(list))] }

func (w *writer) word(depth int) string {
	if depth <= 0 {
		return w.of("NOUN", "VERB", "_", "_", `"a"`, "deprel=obj", "id=1", "id=-1", "!ADJ")
	}
	switch w.IntN(8) {
	case 0:
		return "(" + w.word(depth-1) + " | " + w.word(depth-1) + ")"
	case 1:
		return "(" + w.word(depth-1) + " & " + w.word(depth-1) + ")"
	case 2:
		return "!(" + w.word(depth-1) + ")"
	case 3, 4:
		return "(" + w.pattern(depth-1) + ")"
	}
	return w.word(0)
}

func (w *writer) target(depth int) string {
	if w.IntN(3) == 0 {
		return w.of("x:", "y:") + "(" + w.word(depth) + ")"
	}
	return w.of("", " ") + w.word(depth)
}

func (w *writer) condition(depth int) string {
	if w.links--; w.links < 0 {
		return ".. _"
	}
	switch w.IntN(8) {
	case 0:
		return "[" + w.condition(depth-1) + " | " + w.condition(depth-1) + "]"
	case 1:
		return "!" + w.condition(depth-1)
	case 2:
		return "?" + w.link() + " " + w.target(depth-1)
	}
	return w.link() + " " + w.target(depth-1)
}

func (w *writer) link() string {
	if w.IntN(2) == 0 {
		return w.of(".", "..", "-", "--", ".{2}", "..{2,3}", "--{2,}")
	}
	return w.of(">", "<", ">>", "<<", "$", ">>{2,}", "<<{1,2}", ">{2}") +
		w.of("", "", "obj", "obj:*", "obj|amod", "!obj") + w.of("", "", "@L", "@R")
}

func (w *writer) pattern(depth int) string {
	p := w.of("", "x:") + "(" + w.word(depth) + ")"
	for range 1 + w.IntN(2) {
		p += " " + w.condition(depth)
	}
	return p
}

// Random patterns in random sentences have the same hits as in the oracle.
func TestMatchesOracle(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	compared, matched := 0, 0
	for range 6000 {
		w := &writer{r, 4}
		text := w.pattern(2)
		p, err := Compile(text)
		if err != nil {
			if strings.Contains(err.Error(), "too many") {
				continue
			}
			t.Fatalf("%s: %v", text, err)
		}
		m := p.NewMatcher()
		for range 4 {
			s := randomSentence(r)
			o := &oracle{s: s}
			if r.IntN(3) == 0 {
				o.conf, m.MinConf = 0.5, 0.5
			}
			got, whole := m.Match(s)
			want := o.hits(p)
			list := [][]int32{}
			for _, h := range got {
				list = append(list, h.Words)
			}
			if !whole || fmt.Sprint(list) != fmt.Sprint(want) {
				t.Fatalf("%s\n%s\nnames %v, conf %v\n%+v\n%+v\nhits %v (whole: %v), want %v", text, p, p.Names(), o.conf,
					s.Words, s.Confidence, list, whole, want)
			}
			compared++
			if len(want) > 0 {
				matched++
			}
			m.MinConf = 0
		}
	}
	if compared < 20000 || matched < compared/5 {
		t.Errorf("%d were compared, %d of them had hits", compared, matched)
	}
}

// wordsIn appends the links of a formula that are not below a negation, each of
// which leads to a word, in the order of the pattern.
func wordsIn(f *formula, list []*formula) []*formula {
	if f.kind == kindNot {
		return list
	}
	if f.kind == kindLink {
		list = append(list, f)
	}
	for _, a := range f.args {
		list = wordsIn(a, list)
	}
	return list
}
