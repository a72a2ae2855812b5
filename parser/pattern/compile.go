package pattern

import (
	"slices"
)

// A plan is one way to choose among the alternatives of a pattern: words, all
// joined by links, and what must not be. Its words get slots, in the order in
// which they are placed, behind the slots of the plan around it.
type plan struct {
	words []placed
	same  [][2]int  // slots that must hold the same word
	nots  [][]*plan // none of the plans of a list may fit
	names []int     // slot of each of the pattern's names, or -1
	// choices is how many words, from the first on, are placed in all ways; of the
	// others one way is enough, for they have no name.
	choices int
}

// A placed word is found by a link from one that was placed before it.
type placed struct {
	slot  int
	outer bool  // it was placed by a plan around this one
	via   *edge // nil for the first word, and where outer
	edges []edge
	tests []int // of Matcher.memo
}

// An edge is a link between two slots.
type edge struct {
	*link
	from, to int
}

// An atom is a part of a conjunction, about a variable.
type atom struct {
	kind kind // kindTest, kindNamed, kindLink, kindNot
	x, y int
	f    *formula
}

// A compiler makes plans of formulas.
type compiler struct {
	names    []string
	numbered []*formula // the links that lead to the words of names; the first is nil
	tests    []compiledTest
	testOf   map[compiledTest]int
	plans    int
}

// A compiledTest is a condition on one word alone. Below a negation it does not
// depend on probabilities.
type compiledTest struct {
	*formula
	negated bool
}

// a scope has what a negated part knows of the words around it.
type scope struct {
	names map[string]int // slots
	first int            // slot of the word that the formula is about, -1 for none
	slots int            // in use
}

func (c *compiler) compile(root *formula) ([]*plan, error) {
	return c.plansOf(root, &scope{first: -1})
}

func (c *compiler) plansOf(f *formula, around *scope) ([]*plan, error) {
	d := &disjunction{vars: map[*formula]int{}}
	ways, err := d.of(f, 0)
	if err != nil {
		return nil, err
	}
	var plans []*plan
	for _, atoms := range ways {
		if c.plans++; c.plans > maxPlans {
			return nil, tooMany()
		}
		pl, err := c.plan(atoms, d, around)
		if err != nil {
			return nil, err
		}
		plans = append(plans, pl)
	}
	return plans, nil
}

func tooMany() error {
	return &Error{1, "too many alternatives: | , ? and ! leave more than 64 ways to match; take the pattern apart"}
}

// A disjunction takes a formula apart into conjunctions of atoms.
type disjunction struct {
	vars map[*formula]int // of links, from 1; 0 is the first word
}

func (d *disjunction) of(f *formula, x int) ([][]atom, error) {
	if f.pure() {
		return [][]atom{{{kind: kindTest, x: x, f: f}}}, nil
	}
	switch f.kind {
	case kindOr:
		var all [][]atom
		for _, a := range f.args {
			ways, err := d.of(a, x)
			if err != nil {
				return nil, err
			}
			if all = append(all, ways...); len(all) > MaxAlternatives {
				return nil, tooMany()
			}
		}
		return all, nil
	case kindAnd:
		all := [][]atom{nil}
		for _, a := range f.args {
			ways, err := d.of(a, x)
			if err == nil && len(all)*len(ways) > MaxAlternatives {
				err = tooMany()
			}
			if err != nil {
				return nil, err
			}
			all = product(all, ways)
		}
		return all, nil
	case kindNot:
		return [][]atom{{{kind: kindNot, x: x, f: f.args[0]}}}, nil
	case kindOptional:
		ways, err := d.of(f.args[0], x)
		return append(ways, []atom{{kind: kindNot, x: x, f: f.args[0]}}), err
	}
	own := atom{kind: f.kind, x: x, f: f}
	if f.kind == kindLink {
		if _, ok := d.vars[f]; !ok {
			d.vars[f] = len(d.vars) + 1
		}
		own.y = d.vars[f]
		x = own.y
	}
	ways, err := d.of(f.args[0], x)
	return product([][]atom{{own}}, ways), err
}

func product(a, b [][]atom) [][]atom {
	var all [][]atom
	for _, x := range a {
		for _, y := range b {
			all = append(all, slices.Concat(x, y))
		}
	}
	return all
}

// plan orders the words of a conjunction.
func (c *compiler) plan(atoms []atom, d *disjunction, around *scope) (*plan, error) {
	same := make([]int, len(d.vars)+1) // the variable that stands for each
	for i := range same {
		same[i] = i
	}
	names := map[string]int{}
	for _, a := range atoms {
		if a.kind != kindNamed {
			continue
		}
		x := same[a.x]
		if y, ok := names[a.f.name]; ok && y != x { // two places, one word
			for i := range same {
				if same[i] == x {
					same[i] = y
				}
			}
			for name, v := range names {
				if v == x {
					names[name] = y
				}
			}
			x = y
		}
		names[a.f.name] = x
	}
	pl := &plan{}
	slots := c.place(pl, atoms, same, names, around)
	if len(pl.words) > MaxWords {
		return nil, &Error{1, "more than 16 words are matched together; take the pattern apart"}
	}
	c.addTests(pl, atoms, same, slots, around.first >= 0)
	c.addNames(pl, names, slots, d, same, around)
	return pl, c.addNots(pl, atoms, same, slots, names, around)
}

// place gives variables slots, first those that are near a placed one in few
// places. It returns the slots of variables.
func (c *compiler) place(pl *plan, atoms []atom, same []int, names map[string]int, around *scope) []int {
	slots := make([]int, len(same))
	for i := range slots {
		slots[i] = -1
	}
	next := around.slots
	add := func(x int, via *edge) {
		slots[x] = next
		pl.words = append(pl.words, placed{slot: next, via: via})
		next++
	}
	outer := func(x, slot int) {
		if slots[x] < 0 {
			slots[x] = slot
			pl.words = append(pl.words, placed{slot: slot, outer: true})
		} else if slots[x] != slot {
			pl.same = append(pl.same, [2]int{slots[x], slot})
		}
	}
	if around.first >= 0 {
		outer(same[0], around.first)
	}
	for _, a := range atoms { // in their order: a map has none
		if a.kind == kindNamed {
			if slot, ok := around.names[a.f.name]; ok {
				outer(names[a.f.name], slot)
			}
		}
	}
	if slots[same[0]] < 0 {
		add(same[0], nil)
	}
	for {
		var best *atom
		for i := range atoms {
			a := &atoms[i]
			if a.kind == kindLink && slots[same[a.x]] >= 0 && slots[same[a.y]] < 0 &&
				(best == nil || a.f.link.breadth() < best.f.link.breadth()) {
				best = a
			}
		}
		if best == nil {
			break
		}
		add(same[best.y], &edge{best.f.link, slots[same[best.x]], next})
	}
	for i := range atoms {
		if a := &atoms[i]; a.kind == kindLink {
			e := edge{a.f.link, slots[same[a.x]], slots[same[a.y]]}
			w := pl.word(max(e.from, e.to))
			if w.via == nil || *w.via != e {
				w.edges = append(w.edges, e)
			}
		}
	}
	return slots
}

// word returns the word of a slot; where that is of a plan around, the last of
// those.
func (pl *plan) word(slot int) *placed {
	last := 0
	for i := range pl.words {
		if pl.words[i].slot == slot {
			return &pl.words[i]
		}
		if pl.words[i].outer {
			last = i
		}
	}
	return &pl.words[last]
}

// breadth orders links by how many words they lead to.
func (l *link) breadth() int {
	switch {
	case l.op == head && l.max == 1:
		return 0
	case l.op == head:
		return 3
	case (l.op == after || l.op == before) && l.max > 0:
		return 1
	case l.op == dependent && l.max == 1:
		return 2
	case l.op == sibling:
		return 4
	case l.op == dependent:
		return 5
	}
	return 6
}

func (c *compiler) addTests(pl *plan, atoms []atom, same, slots []int, negated bool) {
	if c.testOf == nil {
		c.testOf = map[compiledTest]int{}
	}
	for _, a := range atoms {
		if a.kind != kindTest || a.f.kind == kindTest && a.f.test.attr == 0 {
			continue
		}
		t := compiledTest{a.f, negated}
		id, ok := c.testOf[t]
		if !ok {
			id = len(c.tests)
			c.testOf[t] = id
			c.tests = append(c.tests, t)
		}
		w := pl.word(slots[same[a.x]])
		w.tests = append(w.tests, id)
	}
}

// addNames says where the pattern's names are.
func (c *compiler) addNames(pl *plan, names map[string]int, slots []int, d *disjunction, same []int, around *scope) {
	if around.first >= 0 {
		return // below a negation no name is reported
	}
	for i, name := range c.names {
		slot := -1
		if c.numbered != nil {
			if x, ok := d.vars[c.numbered[i]]; i == 0 || ok {
				slot = slots[same[x]]
			}
		} else if x, ok := names[name]; ok {
			slot = slots[x]
		}
		pl.names = append(pl.names, slot)
	}
	for i := range pl.words {
		if slices.Contains(pl.names, pl.words[i].slot) {
			pl.choices = i + 1
		}
	}
}

// addNots compiles what is negated, which knows the words of the plan.
func (c *compiler) addNots(pl *plan, atoms []atom, same, slots []int, names map[string]int, around *scope) error {
	inner := &scope{names: map[string]int{}, slots: around.slots}
	for name, slot := range around.names {
		inner.names[name] = slot
	}
	for name, x := range names {
		inner.names[name] = slots[x]
	}
	for i := range pl.words {
		if !pl.words[i].outer {
			inner.slots++
		}
	}
	for _, a := range atoms {
		if a.kind != kindNot {
			continue
		}
		s := *inner
		s.first = slots[same[a.x]]
		plans, err := c.plansOf(a.f, &s)
		if err != nil {
			return err
		}
		pl.nots = append(pl.nots, plans)
	}
	return nil
}
