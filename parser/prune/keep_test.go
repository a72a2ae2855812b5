package prune

import (
	"slices"
	"testing"

	"github.com/treebeam/treebeam/parser/hash"
	"github.com/treebeam/treebeam/parser/syntax"
)

// For random candidates and given heads: Keep succeeds exactly if some tree,
// of all there are, has the given heads; then these are the only candidates of
// their words, the others keep theirs but for the root, and there is a tree.
func TestKeep(t *testing.T) {
	r := hash.Rand(11)
	kept, refused, added := 0, 0, 0
	for range 3000 {
		n := 1 + int(r.Below(5))
		s := syntax.Sentence{Words: make([]syntax.Word, n), Candidates: syntax.Candidates{Start: []int32{0}}}
		given := make([]int32, n)
		for m := 1; m <= n; m++ {
			given[m-1] = syntax.NoHead
			if r.Below(2) == 0 {
				given[m-1] = int32(r.Below(uint32(n + 1)))
			}
			for h := 0; h <= n; h++ {
				if h != m && r.Below(3) == 0 {
					s.Candidates.Heads = append(s.Candidates.Heads, int32(h))
					s.Candidates.LogOdds = append(s.Candidates.LogOdds, -int32(r.Below(3000)))
				}
			}
			s.Candidates.Start = append(s.Candidates.Start, int32(len(s.Candidates.Heads)))
		}
		before := syntax.Candidates{Start: slices.Clone(s.Candidates.Start), Heads: slices.Clone(s.Candidates.Heads),
			LogOdds: slices.Clone(s.Candidates.LogOdds)}
		possible := false
		head := make([]int32, n+1)
		var rec func(m int)
		rec = func(m int) {
			if m > n {
				possible = possible || syntax.IsTree(head)
				return
			}
			for h := range int32(n + 1) {
				if given[m-1] == syntax.NoHead || given[m-1] == h {
					head[m] = h
					rec(m + 1)
				}
			}
		}
		rec(1)
		if err := Keep(&s, given); (err == nil) != possible {
			t.Fatalf("given %v: %v, but possible is %v", given, err, possible)
		} else if err != nil {
			refused++
			if !slices.Equal(s.Candidates.Heads, before.Heads) {
				t.Fatal("candidates changed though heads cannot be kept")
			}
			continue
		}
		kept++
		if !holdsTree(&s.Candidates) {
			t.Fatalf("given %v: no tree among %v", given, s.Candidates)
		}
		hasRoot := slices.Contains(given, 0)
		for m := 1; m <= n; m++ {
			of := s.Candidates.Of(m)
			if given[m-1] != syntax.NoHead {
				if !slices.Equal(of, given[m-1:m]) {
					t.Fatalf("word %d with given head %d has candidates %v", m, given[m-1], of)
				}
				continue
			}
			if !slices.IsSorted(of) || slices.Contains(of, int32(m)) {
				t.Fatalf("word %d has candidates %v", m, of)
			}
			for _, h := range before.Of(m) {
				if h != 0 && !slices.Contains(of, h) {
					t.Fatalf("word %d lost candidate %d", m, h)
				}
			}
			if hasRoot && slices.Contains(of, 0) {
				t.Fatalf("word %d may be the root, which is given", m)
			}
			for k, h := range of {
				if !slices.Contains(before.Of(m), h) {
					added++
				} else if at := slices.Index(before.Of(m), h); s.Candidates.LogOdds[int(s.Candidates.Start[m-1])+
					k] != before.LogOdds[int(before.Start[m-1])+at] {
					t.Fatalf("word %d: the probability of head %d has changed", m, h)
				}
			}
		}
	}
	if kept < 500 || refused < 300 || added < 300 {
		t.Errorf("%d kept, %d refused, %d added: the cases are too few", kept, refused, added)
	}
}

func TestKeepRefusals(t *testing.T) {
	s := syntax.Sentence{Words: make([]syntax.Word, 2)}
	if Keep(&s, []int32{0, 1}) == nil {
		t.Error("heads were given before the sentence was pruned")
	}
	s.Candidates = syntax.Candidates{Start: []int32{0, 1, 2}, Heads: []int32{0, 1}, LogOdds: []int32{0, 0}}
	if Keep(&s, []int32{0, 7}) == nil {
		t.Error("a head outside the sentence was taken")
	}
	long := syntax.Sentence{Words: make([]syntax.Word, syntax.MaxWholeWords+1)}
	long.Candidates.Start = make([]int32, len(long.Words)+1)
	if Keep(&long, make([]int32, len(long.Words))) == nil {
		t.Error("a sentence in windows was taken")
	}
}
