package search

import (
	"testing"

	"github.com/treebeam/treebeam/parser/hash"
	"github.com/treebeam/treebeam/parser/part"
	"github.com/treebeam/treebeam/parser/part/parttest"
	"github.com/treebeam/treebeam/parser/syntax"
)

// Better trees that a proof meets become the result.
func TestProofsTakeBetterTrees(t *testing.T) {
	r := hash.Rand(71)
	raised := 0
	for range 200 {
		s := randomSentence(2+int(r.Below(5)), 2+int(r.Below(5)), &r)
		x := newSearch(s, 400, part.Standard)
		best, _, found := parttest.Best(s, func(head []int32) int64 { return scratchScore(x, head) })
		if !found || !x.First() {
			continue
		}
		x.Offer()
		before := x.bestAt
		if !x.certify(1<<40) || x.certificate != syntax.Bound || x.bestAt != best || scratchScore(x, x.best) != best {
			t.Fatalf("the best tree has %d, a certificate %q is of one of %d", best, x.certificate, x.bestAt)
		}
		if c := x.Scores.Count; c.Proved != 1 || c.Steps == 0 {
			t.Fatalf("counted %+v", c)
		}
		if best > before {
			raised++
		}
	}
	if raised < 50 {
		t.Errorf("%d better trees were found: the test sees too little", raised)
	}
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
		{"all trees", part.All, Options{Exact: 1 << 30, Certify: -1}, syntax.All, randomSentence(4, 2, &r)},
		{"global families", part.All, Options{Exact: -1, Certify: 1 << 30}, syntax.Uncertain, randomSentence(7, 3, &r)},
		{"a budget", part.Standard, Options{Exact: -1, Certify: 1 << 30, Budget: 1}, syntax.Uncertain,
			randomSentence(9, 4, &r)},
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
