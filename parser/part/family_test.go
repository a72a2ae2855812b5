package part

import (
	"slices"
	"testing"

	"github.com/treebeam/treebeam/parser/hash"
	"github.com/treebeam/treebeam/parser/syntax"
	"github.com/treebeam/treebeam/parser/word"
)

// oracle finds the global parts of a tree by their definitions, one word and
// one pair of words at a time.
func oracle(s *syntax.Sentence, c *word.Sentence, head []int32) []Part {
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
	var list []Part
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
				tags[(seen-1)/3] = tags[(seen-1)/3]*21 + int32(c.At(int(u)).Coarse) + 1
			}
		}
		follows := int32(0)
		if hi == n {
			follows = 2
		} else if upos(hi+1) == "PUNCT" {
			follows = 1
		}
		list = append(list,
			kindOf("span").Part(m, follows, lengthBin(hi+1-lo), 0),
			kindOf("near").Part(head[m], m, int32(c.At(int(lo)-1).Coarse), int32(c.At(int(hi)+1).Coarse)),
			kindOf("valency").Part(m, min(left, 5)*8+min(right, 5), tags[0], tags[1]))
		if outside > 0 {
			list = append(list, kindOf("nonproj").Part(head[m], m, lengthBin(outside), 0))
		}
		if r := head[m]; upos(m) == "CCONJ" && r > m && head[r] > 0 && head[r] < m {
			list = append(list, kindOf("coord").Part(m, head[r], r, head[head[r]]))
		}
		if q := head[m]; upos(m) == "ADP" && q != 0 {
			list = append(list, kindOf("pp").Part(m, q, head[q], 0))
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
	return append(list, kindOf("right").Part(8*chain/(n+1), 0, 0, 0))
}

func TestGlobalPartsAgainstTheirDefinitions(t *testing.T) {
	r := hash.Rand(11)
	kinds := map[Kind]int{}
	for k := 0; k < 300; k++ {
		s := randomSentence(1+int(r.Below(7)), 2, &r)
		x := newScratch(s, 10, Globals&^flag("pairs"))
		trees := 0
		allTrees(s, func(head []int32) {
			if trees++; trees > 20 {
				return
			}
			x.y.Set(&x.t.Arcs, head)
			x.t.Globals(&x.y)
			got, want := slices.Clone(x.t.parts), oracle(s, x.t.words, head)
			plus, minus := Difference(got, want)
			if len(plus)+len(minus) > 0 {
				t.Fatalf("%v, heads %v: too many %v, missing %v", s.Words, head, plus, minus)
			}
			for _, p := range got {
				kinds[p.Kind()]++
			}
		})
	}
	for k := range families {
		if k := Kind(k); families[k].Gain == nil && k != kindOf("pairs") && kinds[k] < 40 {
			t.Errorf("kind %d was met %d times only", k, kinds[k])
		}
	}
}

// Every family has parts of its own kind and no other, and keys.
func TestFamiliesAreApart(t *testing.T) {
	r := hash.Rand(12)
	all := map[Kind]Families{}
	for k := 0; k < 60; k++ {
		s := randomSentence(7, 3, &r)
		s.Words[2].UPOS, s.Words[2].Form, s.Words[4].UPOS, s.Words[4].Form = "PUNCT", "(", "PUNCT", ")"
		allTrees(s, func(head []int32) {
			if r.Below(100) != 0 {
				return
			}
			for f := Families(1); Full.Any(f); f <<= 1 {
				x := newScratch(s, 10, f)
				x.y.Set(&x.t.Arcs, head)
				for _, p := range x.t.Parts(&x.y, nil) {
					k := p.Kind()
					if k == arcs {
						continue
					}
					if other, ok := all[k]; ok && other != f {
						t.Fatalf("families %v and %v share parts", f, other)
					}
					all[k] = f
				}
			}
		})
	}
	for f := Families(1); Full.Any(f); f <<= 1 {
		met := false
		for _, g := range all {
			met = met || f == g
		}
		if !met {
			t.Errorf("no part of family %v was met", f)
		}
	}
}

// A family that is off is not looked up, has no parts and no place in the memory: the keys of
// a search are those of the families that are on. Every family that is on is
// looked up.
func TestFamiliesThatAreOffCostNothing(t *testing.T) {
	r := hash.Rand(13)
	var list []*syntax.Sentence
	for k := 0; k < 10; k++ {
		list = append(list, randomSentence(12, 3, &r))
	}
	owner := ownersOfKeys(list)
	for _, f := range append(singles(), 0) {
		met := map[Families]int{}
		for _, s := range list {
			x := &scratch{}
			x.t.Prepare(&Source{Vocabulary: word.Learn(nil), Parts: watcher{noise(300), owner, met}, Families: f}, s)
			x.walk(200, &r)
			x.t.Total(&x.y)
			if global := Globals.Any(f); (x.t.Count.Globals > 0) != global || global != x.t.HasGlobals() {
				t.Errorf("family %v: %d evaluations of global parts", f, x.t.Count.Globals)
			}
		}
		for g, n := range met {
			if g != f && g != 0 {
				t.Errorf("only family %v is on: %d keys of %v were looked up", f, n, g)
			}
		}
		if f != 0 && met[f] == 0 {
			t.Errorf("family %v is on, and none of its keys was looked up", f)
		}
		x := newScratch(list[0], 300, f)
		x.walk(50, &r)
		for _, e := range x.t.memo {
			if p := e.key ^ x.t.generation; p < oneGeneration && f != 1<<p.Kind() {
				t.Errorf("only family %v is on: parts of kind %d are remembered", f, p.Kind())
			}
		}
	}
}

// ownersOfKeys returns the families of the keys of most parts that trees of
// the sentences can have: those met on a walk through trees, enumerated from
// scratch.
func ownersOfKeys(list []*syntax.Sentence) map[hash.Key]Families {
	owner := map[hash.Key]Families{}
	r := hash.Rand(17)
	for _, s := range list {
		x := newScratch(s, 300, Full)
		x.chain()
		seen := map[Part]bool{}
		for range 1500 {
			m, arc := randomMove(x, &r)
			x.y.Move(m, arc)
			for _, p := range x.t.Parts(&x.y, nil) {
				if seen[p] {
					continue
				}
				seen[p] = true
				for _, k := range x.t.Keys(p, nil) {
					f := Families(0)
					if p.Kind() != arcs {
						f = 1 << p.Kind()
					}
					if other, ok := owner[k]; ok && other != f {
						panic("families share a key")
					}
					owner[k] = f
				}
			}
		}
	}
	return owner
}

// A watcher counts the keys that are looked up, by the family that owns them.
type watcher struct {
	noise
	owner map[hash.Key]Families
	met   map[Families]int
}

func (w watcher) Sum(keys []hash.Key) int32 {
	for _, k := range keys {
		if f, ok := w.owner[k]; ok {
			w.met[f]++
		}
	}
	return w.noise.Sum(keys)
}

func (w watcher) SumParts(keys []hash.Key, ends, sums []int32) {
	w.Sum(keys)
	w.noise.SumParts(keys, ends, sums)
}
