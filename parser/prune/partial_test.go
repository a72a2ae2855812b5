package prune

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/treebeam/treebeam/parser/hash"
	"github.com/treebeam/treebeam/parser/part/parttest"
	"github.com/treebeam/treebeam/parser/syntax"
)

// holed returns copies of the sentences in which about a share of the heads, in
// eighths, is open.
func holed(list []syntax.Sentence, eighths, seed uint64) []syntax.Sentence {
	r := hash.Rand(seed)
	out := syntax.Clone(list)
	for i := range out {
		for j := range out[i].Words {
			if uint64(r.Below(8)) < eighths {
				out[i].Words[j].Head = syntax.NoHead
			}
		}
	}
	return out
}

func fits(s *syntax.Sentence, head []int32) bool {
	for i, w := range s.Words {
		if w.Head != syntax.NoHead && w.Head != head[i+1] {
			return false
		}
	}
	return true
}

// What the second stage wants of a partial tree are the probabilities of arcs
// among the trees that have the known heads; Complete finds the best of them.
func TestPartialTreesAgreeWithEnumeration(t *testing.T) {
	list := toy(60, 1)
	m, err := train(list, toy(20, 2), Options{})
	if err != nil {
		t.Fatal(err)
	}
	x := m.get()
	tested := 0
	for i, s := range holed(toy(400, 9), 5, 3) {
		if len(s.Words) > 7 || !s.Partial() {
			continue
		}
		tested++
		x.encode(&s)
		x.shortlist(&s)
		x.include(&s, func(m int) int32 { return s.Words[m-1].Head })
		x.includeCompletion(&s)
		x.addSparse()
		for a := range x.arcs.Score {
			x.arcs.Score[a] /= 8 // no tree is all but certain
		}
		x.probabilities()
		got := x.wanted(&s)
		want, sum := make([]float64, len(got)), 0.0
		best, pick := math.Inf(-1), []int32(nil)
		parttest.EachTree(x.odds.Start, x.odds.Heads, func(head []int32, arcs []int) {
			if !fits(&s, head) {
				return
			}
			score := 0.0
			for _, a := range arcs {
				score += float64(x.odds.Score[a]) / 1024
			}
			p := math.Exp(score)
			sum += p
			for _, a := range arcs {
				want[a] += p
			}
			if score > best {
				best, pick = score, slices.Clone(head)
			}
		})
		for a := range got {
			if math.Abs(got[a]-want[a]/sum) > 1e-6 {
				t.Fatalf("sentence %d: arc %d has %g, by enumeration %g", i, a, got[a], want[a]/sum)
			}
		}
		s.Candidates = syntax.Candidates{Start: x.odds.Start, Heads: x.odds.Heads, LogOdds: x.odds.Score}
		open := s.Heads()
		Complete(&s)
		for k := range s.Words {
			if s.Words[k].Head != pick[k+1] {
				t.Fatalf("completed %v to %v, best by enumeration %v", open, s.Heads(), pick[1:])
			}
		}
	}
	if tested < 10 {
		t.Fatalf("%d sentences tested", tested)
	}
}

// A pruner learns from whole and from partial trees, and the candidates of Jackknife
// hold a tree with all known heads, the same for any number of workers.
func TestPrunerLearnsFromPartialTrees(t *testing.T) {
	dev := toy(50, 2)
	for _, eighths := range []uint64{0, 4} {
		var first string
		for _, workers := range []int{1, 4} {
			list := holed(toy(200, 1), eighths, 5)
			m, err := train(list, dev, Options{Seed: 1, Workers: workers})
			if err != nil {
				t.Fatal(err)
			}
			if r := m.Measure(dev); r.Recall() < 0.99 || r.HeadsPerWord() > 3 {
				t.Errorf("recall %.3f at %.2f heads a word", r.Recall(), r.HeadsPerWord())
			}
			r, err := Jackknife(list, 4, m, Options{Workers: workers})
			if err != nil || r.Recall() < 0.98 || r.Open < r.Words*int(eighths)/12 {
				t.Errorf("%v, recall %.3f, %d of %d open", err, r.Recall(), r.Open, r.Words)
			}
			said := ""
			for i := range list {
				s := &list[i]
				c := restrict(&s.Candidates, s.Heads(), int32(slices.Index(s.Heads(), syntax.Root)+1))
				if !holdsTree(&c) {
					t.Fatalf("the candidates of sentence %d hold no tree with the known heads", i)
				}
				for w := range s.Words {
					if h := s.Words[w].Head; h != syntax.NoHead && !slices.Contains(s.Candidates.Of(w+1), h) {
						t.Fatalf("sentence %d: the head of word %d is no candidate", i, w+1)
					}
				}
				said += fmt.Sprint(s.Candidates)
			}
			if first == "" {
				first = said
			} else if said != first {
				t.Errorf("%d eighths open: candidates differ between 1 and 4 workers", eighths)
			}
		}
	}
}

// If the candidates hold no tree with the known heads, AddGold adds what is
// missing.
func TestAddGoldCompletes(t *testing.T) {
	r := hash.Rand(4)
	for range 300 {
		n := 2 + int(r.Below(6))
		s := syntax.Sentence{Words: make([]syntax.Word, n)}
		c := &s.Candidates
		c.Start = []int32{0}
		order := r.Below(uint32(n)) // a chain to the left or right of its root
		for m := 1; m <= n; m++ {
			w, root := &s.Words[m-1], int(order)+1
			switch {
			case m == root:
				w.Head = 0
			case m < root:
				w.Head = int32(m + 1)
			default:
				w.Head = int32(m - 1)
			}
			c.Heads, c.LogOdds = append(c.Heads, int32(m%n+1)), append(c.LogOdds, 0) // only a cycle
			c.Start = append(c.Start, int32(m))
			if r.Below(2) == 0 {
				w.Head = syntax.NoHead
			}
		}
		AddGold(&s)
		all := restrict(c, s.Heads(), int32(slices.Index(s.Heads(), syntax.Root)+1))
		if !holdsTree(&all) {
			t.Fatalf("known heads %v, candidates %v: no tree", s.Heads(), s.Candidates)
		}
	}
}
