package part

import (
	"slices"
	"testing"

	"github.com/treebeam/treebeam/parser/hash"
	"github.com/treebeam/treebeam/parser/syntax"
	"github.com/treebeam/treebeam/parser/word"
)

// oracle finds the global parts of a tree by their definitions, one pair of words at a
// time.
func oracle(s *syntax.Sentence, c *word.Sentence, head []int32) (list []Part) {
	for m := int32(1); int(m) <= len(s.Words); m++ {
		var left, right, seen int32
		tags := [2]int32{}
		for u := int32(1); int(u) <= len(s.Words); u++ {
			if head[u] != m || s.Words[u-1].UPOS == "PUNCT" {
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
		list = append(list, Valencies.Part(m, min(left, 5)*8+min(right, 5), tags[0], tags[1]))
	}
	return list
}

func TestGlobalPartsAgainstTheirDefinitions(t *testing.T) {
	r := hash.Rand(11)
	met := 0
	for range 300 {
		s := randomSentence(1+int(r.Below(7)), 2, &r)
		x := newScratch(s, 10, Globals)
		trees := 0
		allTrees(s, func(head []int32) {
			if trees++; trees > 20 {
				return
			}
			x.y.Set(&x.t.Arcs, head)
			x.t.Globals(&x.y)
			got, want := slices.Clone(x.t.parts), oracle(s, x.t.words, head)
			met += len(got)
			plus, minus := Difference(got, want)
			if len(plus)+len(minus) > 0 {
				t.Fatalf("%v, heads %v: too many %v, missing %v", s.Words, head, plus, minus)
			}
		})
	}
	if met < 1000 {
		t.Errorf("%d parts were met", met)
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
			for _, f := range singles() {
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
	for _, f := range singles() {
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
		x := newScratch(s, 300, All)
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
