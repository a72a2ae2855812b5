package part

import (
	"testing"

	"github.com/treebeam/treebeam/parser/hash"
	"github.com/treebeam/treebeam/parser/syntax"
	"github.com/treebeam/treebeam/parser/word"
)

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
		x := newScratch(s, 300, Standard)
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
