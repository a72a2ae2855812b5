package prune

import (
	"github.com/treebeam/treebeam/parser/score"
	"github.com/treebeam/treebeam/parser/syntax"
)

// Pairs returns the scores of all arcs of a sentence by both stages together,
// also of those that Prune would never look at: [h*(n+1)+m] is that of
// h -> m, 0 <= h <= n, 1 <= m <= n, h != m; the other entries are 0. It is the
// whole sentence's first-order model, in units of 1/Nat. The sentence needs
// what Prune needs.
func (m *Model) Pairs(s *syntax.Sentence) []int32 {
	x := m.get()
	defer m.pool.Put(x)
	n := len(s.Words)
	x.encode(s)
	x.shortlist(n)
	out := make([]int32, (n+1)*(n+1))
	for h := 0; h <= n; h++ {
		for mod := 1; mod <= n; mod++ {
			if h != mod {
				out[h*(n+1)+mod] = x.coarseScore(h, mod) + x.fineScore(h, mod)
			}
		}
	}
	return out
}

// Nat is the score difference that makes an arc e times as probable.
func (m *Model) Nat() int32 { return score.Unit * m.temperature / 16 }
