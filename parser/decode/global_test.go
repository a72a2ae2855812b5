package decode

import (
	"fmt"
	"slices"
	"testing"

	"github.com/treebeam/treebeam/parser/feature"
	"github.com/treebeam/treebeam/parser/graph"
	"github.com/treebeam/treebeam/parser/score"
	"github.com/treebeam/treebeam/parser/syntax"
)

// oracle finds the global parts of a tree by their definitions, one word and
// one pair of words at a time.
func oracle(s *syntax.Sentence, c *feature.Codes, head []int32) []part {
	n := int32(len(s.Words))
	below := func(u, m int32) bool {
		for ; u != 0; u = head[u] {
			if u == m {
				return true
			}
		}
		return m == 0
	}
	upos := func(m int32) string { return s.Words[m-1].UPOS }
	var list []part
	for m := int32(1); m <= n; m++ {
		lo, hi, outside := m, m, int32(0)
		var left, right, seen int32
		tags := [2]int32{}
		for u := int32(1); u <= n; u++ {
			if below(u, m) {
				lo, hi = min(lo, u), max(hi, u)
			}
			if between := (m < u) != (head[m] < u) && u != head[m] && u != m; between {
				if k := head[u]; k < min(m, head[m]) || k > max(m, head[m]) {
					outside++
				}
			}
			if head[u] != m || upos(u) == "PUNCT" {
				continue
			}
			if u < m {
				left++
			} else {
				right++
			}
			if seen++; seen <= 6 {
				tags[(seen-1)/3] = tags[(seen-1)/3]*32 + int32(c.Tag(int(u))) + 1
			}
		}
		follows := int32(0)
		if hi == n {
			follows = 2
		} else if upos(hi+1) == "PUNCT" {
			follows = 1
		}
		list = append(list,
			part{spanPart, m, follows, spanBin(hi + 1 - lo), 0},
			part{neighbourPart, head[m], m, int32(c.Tag(int(lo) - 1)), int32(c.Tag(int(hi) + 1))},
			part{valencyPart, m, min(left, 5)*8 + min(right, 5), tags[0], tags[1]})
		if outside > 0 {
			list = append(list, part{nonProjectivePart, head[m], m, spanBin(outside), 0})
		}
		if r := head[m]; upos(m) == "CCONJ" && r > m && head[r] > 0 && head[r] < m {
			list = append(list, part{coordinationPart, m, head[r], r, head[head[r]]})
		}
		if q := head[m]; upos(m) == "ADP" && q != 0 {
			list = append(list, part{attachmentPart, m, q, head[q], 0})
		}
	}
	chain, u := int32(1), int32(0)
	for {
		next := int32(0)
		for v := int32(1); v <= n; v++ {
			if head[v] == u && upos(v) != "PUNCT" {
				next = v
			}
		}
		if next == 0 {
			break
		}
		chain, u = chain+1, next
	}
	return append(list, part{rightPart, 8 * chain / (n + 1), 0, 0, 0})
}

func TestGlobalPartsAgainstTheirDefinitions(t *testing.T) {
	r := graph.Rand(11)
	kinds := map[kind]int{}
	for k := 0; k < 300; k++ {
		s := randomSentence(1+int(r.Below(7)), 2, &r)
		x := newSearch(s, 10, feature.Globals&^feature.PunctuationPairs)
		trees := 0
		allTrees(s, func(head []int32) {
			if trees++; trees > 20 {
				return
			}
			x.y.set(&x.t, head)
			x.t.tour.walk(&x.t, &x.y)
			got, want := slices.Clone(x.t.tour.parts), oracle(s, &x.t.codes, head)
			plus, minus := difference(got, want)
			if len(plus)+len(minus) > 0 {
				t.Fatalf("%v, heads %v: too many %v, missing %v", s.Words, head, plus, minus)
			}
			for _, p := range got {
				kinds[p.kind]++
			}
		})
	}
	for k := rightPart; k < pairPart; k++ {
		if kinds[k] < 40 {
			t.Errorf("kind %d was met %d times only", k, kinds[k])
		}
	}
}

// Every family has parts of its own kind and no other, and keys.
func TestFamiliesAreApart(t *testing.T) {
	r := graph.Rand(12)
	all := map[part]feature.Families{}
	for k := 0; k < 60; k++ {
		s := randomSentence(7, 3, &r)
		s.Words[2].UPOS, s.Words[2].Form, s.Words[4].UPOS, s.Words[4].Form = "PUNCT", "(", "PUNCT", ")"
		allTrees(s, func(head []int32) {
			if r.Below(100) != 0 {
				return
			}
			for f := feature.Families(1); f < feature.Lean; f <<= 1 {
				x := newSearch(s, 10, f)
				x.y.set(&x.t, head)
				for _, p := range x.y.parts(&x.t, nil) {
					if p.kind == arcPart {
						continue
					}
					p = part{kind: p.kind}
					if other, ok := all[p]; ok && other != f {
						t.Fatalf("families %v and %v share parts", f, other)
					}
					all[p] = f
				}
			}
		})
	}
	for f := feature.Families(1); f < feature.Lean; f <<= 1 {
		met := false
		for _, g := range all {
			met = met || f == g
		}
		if !met {
			t.Errorf("no part of family %v was met", f)
		}
	}
}

// A family that is off is not looked up, has no parts and no table: the keys of
// a search are those of the families that are on. Every family that is on is
// looked up.
func TestFamiliesThatAreOffCostNothing(t *testing.T) {
	r := graph.Rand(13)
	var list []*syntax.Sentence
	for k := 0; k < 10; k++ {
		list = append(list, randomSentence(12, 3, &r))
	}
	owner := ownersOfKeys(list)
	for f := feature.Families(0); f <= feature.Lean; f = max(1, f<<1) {
		met := map[feature.Families]int{}
		m := &Model{vocabulary: feature.Learn(nil), scorer: watcher{noise{300}, owner, met}, families: f, delta: DefaultDelta}
		for _, s := range list {
			copied := *s
			copied.Words = slices.Clone(s.Words)
			c, err := m.Count(&copied, Options{})
			if err != nil {
				t.Fatal(err)
			}
			if global := feature.Globals.Any(f); (c.Globals > 0) != global {
				t.Errorf("family %v: %d evaluations of global parts", f, c.Globals)
			}
		}
		for g, n := range met {
			if g != f && g != shared && (g != 0 || f == feature.Lean) {
				t.Errorf("only family %v is on: %d keys of %v were looked up", f, n, g)
			}
		}
		if f != 0 && met[f] == 0 {
			t.Errorf("family %v is on, and none of its keys was looked up", f)
		}
		x := newSearch(list[0], 300, f)
		x.run(1, 3, 3)
		for g, size := range tableSizes(x) {
			if size > 0 && !f.Any(g) {
				t.Errorf("only family %v is on: %v have tables of %d entries", f, g, size)
			}
		}
	}
}

// tableSizes returns the sizes of the tables of the families.
func tableSizes(x *search) map[feature.Families]int {
	t := &x.t
	return map[feature.Families]int{
		feature.Grandparents: len(t.grand), feature.Siblings: len(t.sib), feature.GrandSiblings: len(t.grandSib),
		feature.TriSiblings: len(t.tri), feature.HeadBigrams: len(t.bigram), feature.GreatGrandparents: len(t.great),
		feature.SiblingGrandchildren: len(t.nephews), feature.Globals: len(t.global),
	}
}

// familyOf is the family that a kind of part belongs to, 0 for arcs.
var familyOf = map[kind]feature.Families{
	arcPart: 0, grandPart: feature.Grandparents, siblingPart: feature.Siblings, grandSiblingPart: feature.GrandSiblings,
	triSiblingPart: feature.TriSiblings, bigramPart: feature.HeadBigrams, crossingPart: feature.Crossings,
	greatPart: feature.GreatGrandparents, nephewPart: feature.SiblingGrandchildren, rightPart: feature.RightBranches,
	coordinationPart: feature.Coordinations, attachmentPart: feature.Attachments, spanPart: feature.Spans,
	neighbourPart: feature.Neighbours, valencyPart: feature.Valencies, nonProjectivePart: feature.NonProjective, pairPart: feature.PunctuationPairs,
}

// shared owns the keys that lean arcs and others have in common.
const shared = feature.Families(1 << 31)

// ownersOfKeys returns the families of the keys of most parts that trees of
// the sentences can have: those met on a walk through trees, enumerated from
// scratch.
func ownersOfKeys(list []*syntax.Sentence) map[feature.Key]feature.Families {
	owner := map[feature.Key]feature.Families{}
	r := graph.Rand(17)
	for _, s := range list {
		for _, on := range []feature.Families{feature.Full, feature.Lean} {
			x := newSearch(s, 300, on)
			x.firstTreeOf()
			x.y.set(&x.t, x.start)
			seen := map[part]bool{}
			for range 1500 {
				m, arc := randomMove(x, &r)
				x.y.move(&x.t, m, arc)
				for _, p := range x.y.parts(&x.t, nil) {
					if seen[p] {
						continue
					}
					seen[p] = true
					for _, k := range x.t.features(p, nil) {
						f := familyOf[p.kind]
						if on == feature.Lean {
							f = on
						}
						if other, ok := owner[k]; ok && other != f {
							f = shared
						}
						owner[k] = f
					}
				}
			}
		}
	}
	return owner
}

// A watcher counts the keys that are looked up, by the family that owns them.
type watcher struct {
	noise
	owner map[feature.Key]feature.Families
	met   map[feature.Families]int
}

func (w watcher) Sum(keys []feature.Key) int32 {
	for _, k := range keys {
		if f, ok := w.owner[k]; ok {
			w.met[f]++
		}
	}
	return w.noise.Sum(keys)
}

func (w watcher) SumParts(keys []feature.Key, ends, sums []int32) {
	w.Sum(keys)
	w.noise.SumParts(keys, ends, sums)
}

// Climbing and settling cost no allocations.
func TestSettleDoesNotAllocate(t *testing.T) {
	r := graph.Rand(14)
	s := randomSentence(15, 3, &r)
	x := newSearch(s, 500, feature.Full)
	x.run(1, 8, 4)
	from := slices.Clone(x.ends[:16])
	copy(from[1:], x.ends[15:])
	round := func() {
		x.ends, x.closed = x.ends[:0], x.closed[:0]
		x.t.prepare()
		x.ascend(from)
	}
	for range 5 {
		round()
	}
	if x.t.count.Globals < 50 {
		t.Fatalf("only %d evaluations of global parts", x.t.count.Globals)
	}
	if n := testing.AllocsPerRun(5, round); n != 0 {
		t.Errorf("%.1f allocations a search", n)
	}
}

// The climb with globals finds better trees than one that only ranks by
// them, and delta 0 never moves away from a local optimum of local parts.
func TestDelta(t *testing.T) {
	r := graph.Rand(15)
	var sum [3]int64
	for k := 0; k < 60; k++ {
		s := randomSentence(12, 2, &r)
		for i, delta := range []int64{0, 800, 1 << 40} {
			x := newSearch(s, 400, feature.Full)
			x.delta = delta
			if !x.run(uint64(k), 8, 8) {
				continue
			}
			sum[i] += x.bestAt
			if delta != 0 {
				continue
			}
			x.y.set(&x.t, x.best)
			if before := fmt.Sprint(x.y.head); x.climb() != 0 || fmt.Sprint(x.y.head) != before {
				t.Fatal("delta 0: the best tree is no end of a climb on local parts")
			}
		}
	}
	if sum[0] >= sum[1] || sum[1] >= sum[2] {
		t.Errorf("sums of scores %v, want them to grow with delta", sum)
	}
}

// Margins are exact: the loss of the best single change, or 0.
func TestMargins(t *testing.T) {
	for _, on := range []feature.Families{feature.Standard, feature.Full} {
		r := graph.Rand(16)
		for k := 0; k < 60; k++ {
			s := randomSentence(2+int(r.Below(4)), 3, &r)
			x := newSearch(s, 300, on)
			x.delta = 1 << 40
			if !x.run(1, 20, 10) {
				continue
			}
			x.confidence(s)
			if fmt.Sprint(x.y.head[1:]) != fmt.Sprint(x.best[1:]) {
				t.Fatal("the margins have moved the tree")
			}
			for m := 1; m <= x.t.n; m++ {
				want := int64(marginCap * score.Unit)
				x.y.set(&x.t, x.best)
				for _, h := range s.Candidates.Of(m) {
					if h == 0 || x.best[m] == 0 || h == x.best[m] || x.y.below(h, int32(m)) {
						continue
					}
					moved := slices.Clone(x.best)
					moved[m] = h
					want = min(want, x.bestAt-scratchScore(x, moved))
				}
				if got := float32(float64(max(want, 0)) / score.Unit); x.best[m] != 0 && s.Confidence.HeadMargin[m-1] != got {
					t.Fatalf("%v: margin of word %d is %v, want %v", on, m, s.Confidence.HeadMargin[m-1], got)
				}
			}
		}
	}
}
