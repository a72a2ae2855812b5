package certify

import (
	"math"
	"slices"
	"testing"

	"github.com/treebeam/treebeam/parser/graph"
	"github.com/treebeam/treebeam/parser/hash"
	"github.com/treebeam/treebeam/parser/part"
	"github.com/treebeam/treebeam/parser/part/parttest"
	"github.com/treebeam/treebeam/parser/syntax"
	"github.com/treebeam/treebeam/parser/word"
)

// A search is a sentence with the scores of its parts and the best tree that is known.
type search struct {
	Prover
	scores part.Scores
	best   []int32
	bestAt int64
}

// prepare begins with a sentence, of which no tree is known.
func (x *search) prepare(s *syntax.Sentence, scale int32, on part.Families) {
	x.bestAt = math.MinInt64
	x.scores.Prepare(&part.Source{Vocabulary: word.Learn(nil), Parts: parttest.Noise(scale), Families: on}, s)
}

// score scores a tree from its parts alone.
func (x *search) score(heads []int32) int64 {
	var y part.Tree
	y.Set(&x.scores.Arcs, heads)
	return x.scores.FromScratch(&y)
}

// offer takes heads if they are a better tree.
func (x *search) offer(heads []int32) int64 {
	if syntax.IsTree(heads) {
		if v := x.score(heads); v > x.bestAt {
			x.best, x.bestAt = append(x.best[:0], heads...), v
		}
	}
	return x.bestAt
}

// prove tries to prove that the best tree that is known is the best of all.
func (x *search) prove(limit int64) (steps int64, proved bool) {
	return x.Prove(x.offer, &x.scores, x.bestAt, limit)
}

// certified are sets of families that the prover has bounds for.
func certified(t *testing.T) []part.Families {
	t.Helper()
	list := []part.Families{0, part.Fast, part.Standard, part.Locals}
	for _, name := range []string{"+gp", "+cs", "+hb", "+cross", "+ts", "+cs,+ts", "+gp,+cross"} {
		on, err := part.Families(0).With(name)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, on)
	}
	return list
}

// Whatever tree the prover begins with, it ends with the best one of all and
// says so, if it may take as many steps as it needs; and never says so of
// another one, if it may not.
func TestCertificatesHoldAgainstAllTrees(t *testing.T) {
	r := hash.Rand(71)
	sets := certified(t)
	raised, few := 0, 0
	for k := range 40 * len(sets) {
		s := parttest.RandomSentence(1+int(r.Below(6)), 1+int(r.Below(6)), &r)
		x := &search{}
		x.prepare(s, 400, sets[k%len(sets)])
		best, _, found := parttest.Best(s, x.score)
		if !found {
			continue
		}
		var trees [][]int32
		parttest.AllTrees(s, func(head []int32) {
			trees = append(trees, append([]int32(nil), head...))
		})
		start := trees[r.Below(uint32(len(trees)))]
		for _, limit := range []int64{1 << 40, 1, int64(r.Below(3000))} {
			x.prepare(s, 400, sets[k%len(sets)])
			before := x.offer(start)
			_, proved := x.prove(limit)
			got := x.score(x.best)
			switch {
			case got != x.bestAt || got < before:
				t.Fatalf("%v: score %d reported, %d from scratch; at first %d", sets[k%len(sets)], x.bestAt, got, before)
			case proved && got != best:
				t.Fatalf("%v: a tree of %d is certified, the best has %d", sets[k%len(sets)], got, best)
			case limit == 1<<40 && !proved:
				t.Fatalf("%v: no proof for %d words", sets[k%len(sets)], len(s.Words))
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
		s := parttest.RandomSentence(2+int(r.Below(5)), 2+int(r.Below(5)), &r)
		x := &search{}
		x.prepare(s, 400, sets[k%len(sets)])
		best, heads, found := parttest.Best(s, x.score)
		p := &Prover{scores: &x.scores}
		if !found || !p.begin(best-1, 1<<40) {
			continue
		}
		first, last := p.bound, p.bound
		check := func(what string) {
			updates++
			if p.stuck || p.bound < best || p.bound > last {
				t.Fatalf("%v: after %s the bound of %d is %d, the best tree has %d (none left: %v)", sets[k%len(sets)], what,
					last, p.bound, best, p.stuck)
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
				if !p.alive[x.scores.Arc(heads[m], m)] {
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
	var list []*syntax.Sentence
	var steps []int64
	for range 20 {
		s := parttest.RandomSentence(5+int(r.Below(8)), 3, &r)
		list = append(list, s)
		steps = append(steps, proofOf(t, &search{}, s, part.Standard, 1<<20))
	}
	x := &search{}
	for k := range 2 * len(list) {
		i := (k * 7) % len(list)
		if got := proofOf(t, x, list[i], part.Standard, 1<<20); got != steps[i] {
			t.Fatalf("%d steps at first, now %d", steps[i], got)
		}
	}
	offer := func([]int32) int64 { return math.MinInt64 }
	if n := testing.AllocsPerRun(20, func() { x.Prove(offer, &x.scores, x.bestAt, 1<<20) }); n > 0 {
		t.Errorf("a proof allocates %.0f times", n)
	}
}

// proofOf tries to prove that the pruner's best tree is the best one, and returns
// the steps.
func proofOf(t *testing.T, x *search, s *syntax.Sentence, on part.Families, limit int64) int64 {
	t.Helper()
	x.prepare(s, 300, on)
	arcs, heads := graph.Of(&s.Candidates), make([]int32, len(s.Words)+1)
	if !new(graph.Spanner).MaximumTree(&arcs, 0, heads) {
		t.Fatal("no tree")
	}
	x.offer(heads)
	steps, _ := x.prove(limit)
	return steps
}

// The number of steps bounds the work, and the memory, of a proof, however many
// candidates there are.
func TestStepsBoundProofs(t *testing.T) {
	r := hash.Rand(74)
	for k := range 12 {
		s := parttest.RandomSentence(30+40*(k%3), 1+k%2, &r)
		for _, limit := range []int64{1, 1000, 100_000, 1_000_000} {
			p := &search{}
			steps := proofOf(t, p, s, part.Locals, limit)
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

// No limit is too large: a proof takes the same steps under a larger one.
func TestLargestLimits(t *testing.T) {
	r := hash.Rand(76)
	s := parttest.RandomSentence(6, 3, &r)
	want := proofOf(t, &search{}, s, part.Standard, 1<<30)
	for bits := 31; bits < 64; bits++ {
		if got := proofOf(t, &search{}, s, part.Standard, 1<<bits-1); got != want || got == 0 {
			t.Errorf("under a limit of 2^%d-1: %d steps, want %d", bits, got, want)
		}
	}
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
		s := parttest.RandomSentence(2+int(r.Below(7)), 1+int(r.Below(5)), &r)
		x := &search{}
		x.prepare(s, 400, on)
		p := &Prover{scores: &x.scores, limit: 1 << 40}
		if on&^bounded != 0 {
			t.Fatal("families without bounds")
		}
		p.list()
		least := p.least()
		if !p.requestHeads() || !p.requestPairs() {
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
