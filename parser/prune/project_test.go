package prune

import (
	"slices"
	"testing"

	"github.com/treebeam/treebeam/parser/graph"
	"github.com/treebeam/treebeam/parser/hash"
	"github.com/treebeam/treebeam/parser/part/parttest"
	"github.com/treebeam/treebeam/parser/syntax"
)

// Project adds as few candidates as some projective tree with the given heads
// needs, and fails exactly if there is none.
func TestProject(t *testing.T) {
	r := hash.Rand(31)
	var needed [6]int
	refused := 0
	for range 1500 {
		n := 1 + int(r.Below(5))
		s := syntax.Sentence{Words: make([]syntax.Word, n), Candidates: syntax.Candidates{Start: []int32{0}}}
		c := &s.Candidates
		var given []int32
		if r.Below(2) == 0 {
			given = make([]int32, n)
		}
		for m := 1; m <= n; m++ {
			if given != nil {
				if given[m-1] = syntax.NoHead; r.Below(3) == 0 {
					if given[m-1] = int32(r.Below(uint32(n + 1))); int(given[m-1]) == m {
						given[m-1] = 0
					}
				}
			}
			for h := 0; h <= n; h++ {
				keep := h != m && r.Below(3) == 0
				if given != nil && given[m-1] != syntax.NoHead {
					keep = int(given[m-1]) == h
				}
				if keep {
					c.Heads, c.LogOdds = append(c.Heads, int32(h)), append(c.LogOdds, -int32(r.Below(3000)))
				}
			}
			c.Start = append(c.Start, int32(len(c.Heads)))
		}
		least := n + 1
		head := make([]int32, n+1)
		var rec func(m, absent int)
		rec = func(m, absent int) {
			if m > n {
				if absent < least && syntax.IsTree(head) && parttest.IsProjective(head) {
					least = absent
				}
				return
			}
			for h := range int32(n + 1) {
				if given != nil && given[m-1] != syntax.NoHead && given[m-1] != h {
					continue
				}
				head[m] = h
				if slices.Contains(c.Of(m), h) {
					rec(m+1, absent)
				} else if int(h) != m {
					rec(m+1, absent+1)
				}
			}
		}
		rec(1, 0)
		before := len(c.Heads)
		err := Project(&s, given)
		if (err == nil) != (least <= n) {
			t.Fatalf("given %v: %v, needed %d", given, err, least)
		}
		if err != nil {
			refused++
			continue
		}
		needed[least]++
		if added := len(c.Heads) - before; added != least || len(c.LogOdds) != len(c.Heads) ||
			int(c.Start[n]) != len(c.Heads) {
			t.Fatalf("given %v: %d candidates added, %d needed", given, added, least)
		}
		a := graph.Of(c)
		var spanner graph.Spanner
		if absent := spanner.ProjectiveTree(&a, head); absent != 0 || !parttest.IsProjective(head) || !syntax.IsTree(head) {
			t.Fatalf("given %v: %d absent from %v", given, absent, head[1:])
		}
		for m := 1; m <= n; m++ {
			if !slices.IsSorted(c.Of(m)) || given != nil && given[m-1] != syntax.NoHead && len(c.Of(m)) != 1 {
				t.Fatalf("given %v: word %d has candidates %v", given, m, c.Of(m))
			}
		}
	}
	if needed[0] < 100 || needed[1] < 100 || needed[2] < 50 || refused < 50 {
		t.Errorf("needed %v, refused %d: the cases are too few", needed, refused)
	}
}

// Long sentences get the chain, and a given head against it is an error; those
// that are not searched whole get nothing.
func TestProjectLong(t *testing.T) {
	for _, n := range []int{syntax.MaxMarginalWords + 1, syntax.MaxWholeWords + 400} {
		s := syntax.Sentence{Words: make([]syntax.Word, n), Candidates: syntax.Candidates{Start: []int32{0}}}
		c := &s.Candidates
		for m := 1; m <= n; m++ {
			c.Heads, c.LogOdds = append(c.Heads, int32((m+1)%(n+1))), append(c.LogOdds, 0)
			c.Start = append(c.Start, int32(m))
		}
		if err := Project(&s, nil); err != nil {
			t.Fatal(err)
		}
		if !s.Whole() {
			if len(c.Heads) != n {
				t.Errorf("%d candidates for %d words", len(c.Heads), n)
			}
			continue
		}
		for m := 2; m <= n; m++ {
			if !slices.Contains(c.Of(m), int32(m-1)) {
				t.Fatalf("%d words: word %d cannot hang on the one before it", n, m)
			}
		}
	}
	s := syntax.Sentence{Words: make([]syntax.Word, syntax.MaxMarginalWords+1)}
	s.Candidates.Start = make([]int32, len(s.Words)+1)
	given := make([]int32, len(s.Words))
	for i := range given {
		given[i] = syntax.NoHead
	}
	given[7] = 3
	if Project(&s, given) == nil {
		t.Error("a head against the chain was taken")
	}
}

// A sentence too long for a chart takes given heads of the chain only, and is
// unchanged where it refuses.
func TestProjectLongWithGivenHeads(t *testing.T) {
	n := syntax.MaxMarginalWords + 9
	s := syntax.Sentence{Words: make([]syntax.Word, n), Candidates: syntax.Candidates{Start: []int32{0}}}
	given := make([]int32, n)
	for m := 1; m <= n; m++ {
		given[m-1] = syntax.NoHead
		h := int32(m + 1)
		if m == n {
			h = 0
		}
		s.Candidates.Heads, s.Candidates.LogOdds = append(s.Candidates.Heads, h), append(s.Candidates.LogOdds, 0)
		s.Candidates.Start = append(s.Candidates.Start, int32(m))
	}
	given[n-1] = 0
	if err := Project(&s, given); err == nil || len(s.Candidates.Heads) != n {
		t.Errorf("%v; %d candidates, %d before", err, len(s.Candidates.Heads), n)
	}
	given[n-1] = int32(n - 1)
	if err := Project(&s, given); err != nil || len(s.Candidates.Heads) != 2*n {
		t.Errorf("%v; %d candidates, want %d", err, len(s.Candidates.Heads), 2*n)
	}
}
