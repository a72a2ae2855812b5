package search

import (
	"slices"
	"testing"

	"github.com/treebeam/treebeam/parser/hash"
	"github.com/treebeam/treebeam/parser/part"
	"github.com/treebeam/treebeam/parser/syntax"
)

// certified are sets of families that the prover has bounds for.
func certified(t *testing.T) []part.Families {
	t.Helper()
	list := []part.Families{0, part.Fast, part.Standard, part.Locals}
	for _, name := range []string{"+gp", "+cs", "+hb", "+cross", "+gs", "+ts", "+ggp", "+psc", "+cs,+ts", "+gp,+cross"} {
		on, err := part.Families(0).With(name)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, on)
	}
	return list
}

// bestOf returns the best score of the trees of s, and of one of its best
// trees; false if there is none.
func bestOf(x *Search, s *syntax.Sentence, projective bool) (best int64, heads []int32, found bool) {
	allTrees(s, func(head []int32) {
		if v := scratchScore(x, head); (!projective || plane(head)) && (!found || v > best) {
			best, heads, found = v, append(heads[:0], head...), true
		}
	})
	return best, heads, found
}

// Whatever tree the prover begins with, it ends with the best one of all and
// says so, if it may take as many steps as it needs; and never says so of
// another one, if it may not.
func TestCertificatesHoldAgainstAllTrees(t *testing.T) {
	r := hash.Rand(71)
	sets := certified(t)
	raised, few := 0, 0
	for k := range 40 * len(sets) {
		s := randomSentence(1+int(r.Below(6)), 1+int(r.Below(6)), &r)
		x := newSearch(s, 400, sets[k%len(sets)])
		x.Projective = k%3 == 0
		best, _, found := bestOf(x, s, x.Projective)
		if !found {
			continue
		}
		var trees [][]int32
		allTrees(s, func(head []int32) {
			if !x.Projective || plane(head) {
				trees = append(trees, append([]int32(nil), head...))
			}
		})
		start := trees[r.Below(uint32(len(trees)))]
		for _, limit := range []int64{1 << 40, 1, int64(r.Below(3000))} {
			x.prepare(newModel(noise(400), sets[k%len(sets)]), s)
			x.Projective = k%3 == 0
			x.Tree.Set(&x.Scores.Arcs, start)
			x.Offer()
			before := x.bestAt
			proved := x.certify(limit)
			copy(x.start, x.best)
			got := scratchScore(x, x.best)
			switch {
			case got != x.bestAt || got < before:
				t.Fatalf("%v: score %d reported, %d from scratch; at first %d", sets[k%len(sets)], x.bestAt, got, before)
			case !isTree(x.best[:len(s.Words)+1]) || x.Projective && !plane(x.best[:len(s.Words)+1]):
				t.Fatalf("%v: heads %v", sets[k%len(sets)], x.best)
			case proved && got != best:
				t.Fatalf("%v, projective %v: a tree of %d is certified, the best has %d", sets[k%len(sets)], x.Projective, got, best)
			case proved != (x.certificate == syntax.Bound):
				t.Fatalf("proved %v, certificate %q", proved, x.certificate)
			case limit == 1<<40 && !proved:
				t.Fatalf("%v, projective %v: no proof for %d words", sets[k%len(sets)], x.Projective, len(s.Words))
			}
			if got > before {
				raised++
			}
			if limit < 3000 && proved {
				few++
			}
		}
	}
	if raised < 100 || few < 20 {
		t.Errorf("%d better trees were found, %d proofs took few steps: the test sees too little", raised, few)
	}
}

// No update of a factor raises the bound, takes it below the best tree's score
// or drops an arc of a best tree; and what is in the factors is, in sum, always
// the score of every tree.
func TestBoundIsNeverBelowTheBestTree(t *testing.T) {
	r := hash.Rand(72)
	sets := certified(t)
	updates, fell := 0, 0
	for k := range 20 * len(sets) {
		s := randomSentence(2+int(r.Below(5)), 2+int(r.Below(5)), &r)
		x := newSearch(s, 400, sets[k%len(sets)])
		x.Projective = k%4 == 0
		best, heads, found := bestOf(x, s, x.Projective)
		p := &x.prover
		if !found || !p.begin(x, best-1, 1<<40) {
			continue
		}
		first, last := p.bound, p.bound
		check := func(what string) {
			updates++
			if p.stuck || p.bound < best || p.bound > last {
				t.Fatalf("%v: after %s the bound of %d is %d, the best tree has %d (none left: %v)", sets[k%len(sets)], what, last, p.bound, best, p.stuck)
			}
			sum := int64(0)
			for _, m := range p.top[1:] {
				sum += m
			}
			for _, list := range [...][]int64{p.most, p.pairTop} {
				for _, v := range list {
					sum += v
				}
			}
			if sum != p.bound {
				t.Fatalf("%v: after %s the maxima sum to %d, the bound is %d", sets[k%len(sets)], what, sum, p.bound)
			}
			for m := 1; m <= len(s.Words); m++ {
				if !p.alive[x.Scores.Arc(heads[m], m)] {
					t.Fatalf("%v: %s drops %d -> %d of the best tree", sets[k%len(sets)], what, heads[m], m)
				}
			}
			last = p.bound
		}
		check("the beginning")
		for range 6 {
			p.dropCycles()
			check("cycles")
			for _, h := range p.active {
				p.updateHead(h)
				check("a head")
			}
			for i := range p.pairs {
				p.updatePair(i)
				check("a pair")
			}
		}
		if p.bound < first {
			fell++
		}
	}
	if updates < 5000 || fell < 50 {
		t.Errorf("%d updates, %d bounds fell: the test sees too little", updates, fell)
	}
}

// A proof takes the same steps whatever was parsed before, and no memory once
// there is enough.
func TestProofsDependOnTheSentenceAlone(t *testing.T) {
	r := hash.Rand(73)
	m := newModel(noise(300), part.Standard)
	var list []*syntax.Sentence
	var steps []int64
	for range 20 {
		s := randomSentence(5+int(r.Below(8)), 3, &r)
		list = append(list, s)
		x := &Search{}
		steps = append(steps, proofOf(t, x, m, s, 1<<20))
	}
	x := &Search{}
	for k := range 2 * len(list) {
		i := (k * 7) % len(list)
		if got := proofOf(t, x, m, list[i], 1<<20); got != steps[i] {
			t.Fatalf("%d steps at first, now %d", steps[i], got)
		}
	}
	if n := testing.AllocsPerRun(20, func() { x.certify(1 << 20) }); n > 0 {
		t.Errorf("a proof allocates %.0f times", n)
	}
}

// proofOf climbs once, tries a proof and returns its steps.
func proofOf(t *testing.T, x *Search, m *Model, s *syntax.Sentence, limit int64) int64 {
	t.Helper()
	x.prepare(m, s)
	if !x.run(1, 1, 1) {
		t.Fatal("no tree")
	}
	x.certify(limit)
	return x.prover.steps
}

// The number of steps bounds the work, and the memory, of a proof, however many
// candidates there are.
func TestStepsBoundProofs(t *testing.T) {
	r := hash.Rand(74)
	m := newModel(noise(300), part.Locals&^flagOf(t, "psc"))
	for k := range 12 {
		s := randomSentence(30+40*(k%3), 1+k%2, &r)
		for _, limit := range []int64{1, 1000, 100_000, 1_000_000} {
			x := &Search{}
			steps := proofOf(t, x, m, s, limit)
			p := &x.prover
			// A proof looks at its steps between factors: the last may be the largest.
			if over := int64(len(p.edges) + 100*len(p.count) + 64); steps > limit+8*over {
				t.Errorf("%d words: %d steps of %d", len(s.Words), steps, limit)
			}
			if size := len(p.parts); int64(size) > limit/partSteps+int64(4*len(p.count)) {
				t.Errorf("%d words: %d parts in %d steps", len(s.Words), size, limit)
			}
			if size := cap(p.saved.numbers); size > 2*maxBranches+1<<16 {
				t.Errorf("%d numbers are saved", size)
			}
		}
	}
}

func flagOf(t *testing.T, name string) part.Families {
	t.Helper()
	on, err := part.Families(0).With("+" + name)
	if err != nil {
		t.Fatal(err)
	}
	return on
}

// Who asks for no proof gets none, and neither does a sentence in windows, one
// whose search was cut, or a model with global families.
func TestNoCertificateWithoutProof(t *testing.T) {
	r := hash.Rand(75)
	long := randomSentence(syntax.MaxWholeWords+1, 1, &r)
	long.Candidates = chainOf(len(long.Words))
	for _, c := range []struct {
		name string
		on   part.Families
		o    Options
		want syntax.Certificate
		s    *syntax.Sentence
	}{
		{"a proof", part.Standard, Options{Exact: -1, Certify: 1 << 30}, syntax.Bound, randomSentence(7, 3, &r)},
		{"the default", part.Standard, Options{Exact: -1}, syntax.Bound, randomSentence(4, 2, &r)},
		{"no proof", part.Standard, Options{Exact: -1, Certify: -1}, syntax.Uncertain, randomSentence(7, 3, &r)},
		{"one step", part.Standard, Options{Exact: -1, Certify: 1}, syntax.Uncertain, randomSentence(7, 3, &r)},
		{"all trees", part.Full, Options{Exact: 1 << 30, Certify: -1}, syntax.All, randomSentence(4, 2, &r)},
		{"global families", part.Full, Options{Exact: -1, Certify: 1 << 30}, syntax.Uncertain, randomSentence(7, 3, &r)},
		{"a budget", part.Standard, Options{Exact: -1, Certify: 1 << 30, Budget: 1}, syntax.Uncertain, randomSentence(9, 4, &r)},
		{"windows", part.Standard, Options{Certify: 1 << 30}, syntax.Uncertain, long},
	} {
		if err := newModel(noise(300), c.on).Parse(c.s, c.o); err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		if got := c.s.Confidence.Certificate; got != c.want {
			t.Errorf("%s: certificate %q, want %q", c.name, got, c.want)
		}
	}
}

// chainOf are the candidates of n words that hang on the one before, or on that
// before it, or on 0.
func chainOf(n int) (c syntax.Candidates) {
	c.Start = []int32{0}
	for m := int32(1); int(m) <= n; m++ {
		c.Heads = append(c.Heads, 0)
		for h := max(1, m-2); h < m; h++ {
			c.Heads = append(c.Heads, h)
		}
		for len(c.LogOdds) < len(c.Heads) {
			c.LogOdds = append(c.LogOdds, -int32(len(c.LogOdds)%7))
		}
		c.Start = append(c.Start, int32(len(c.Heads)))
	}
	return c
}

// What is counted before parts are made is no more than there are, and all there
// are of the families that are counted.
func TestLeastParts(t *testing.T) {
	r := hash.Rand(75)
	whole, err := part.Families(0).With("+gp,+cs,+hb")
	if err != nil {
		t.Fatal(err)
	}
	all := 0
	for k, on := range slices.Repeat(certified(t), 20) {
		s := randomSentence(2+int(r.Below(7)), 1+int(r.Below(5)), &r)
		x := newSearch(s, 400, on)
		p := &x.prover
		p.x, p.steps, p.limit = x, 0, 1<<40
		if !p.kinds.find(&x.Scores) {
			t.Fatal("families without bounds")
		}
		p.list()
		least := p.least()
		if !p.askHeads() || !p.askPairs() {
			t.Fatal("too many parts")
		}
		counted := on&^whole == 0
		if got := int64(len(p.parts)); least > got || counted && least != got {
			t.Fatalf("%d: %v: %d parts, counted %d", k, on, got, least)
		}
		if counted && least > 0 {
			all++
		}
	}
	if all < 20 {
		t.Errorf("%d sets of parts were counted whole: the test sees too little", all)
	}
}
