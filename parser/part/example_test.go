package part

import (
	"fmt"

	"github.com/treebeam/treebeam/parser/hash"
)

// A new family is a value such as this one and a line in the list of families.
// Uncles are the siblings of a word's head: a = word, b = uncle, one for each
// uncle.
var uncles = Family{
	Name: "uncle",
	Visit: func(k Kind, x *Scores, y *Tree, m int32, list []Part) []Part {
		if h := y.Head[m]; h != 0 {
			for u := y.First[y.Head[h]]; u != 0; u = y.Next[u] {
				if u != h {
					list = append(list, k.Part(m, u, 0, 0))
				}
			}
		}
		return list
	},
	// Word v.Word gets the siblings of v.Head as uncles, and so do its own
	// children those of v.Word; it becomes the uncle of their children.
	Gain: func(k Kind, x *Scores, y *Tree, v *Move) (sum int32) {
		m, h := v.Word, v.Head
		if h != 0 {
			for u := y.First[y.Head[h]]; u != 0; u = y.Next[u] {
				if u != h && u != m {
					sum += x.Score(k.Part(m, u, 0, 0))
				}
			}
		}
		for s := y.First[h]; s != 0; s = y.Next[s] {
			if s == m {
				continue
			}
			for c := y.First[m]; c != 0; c = y.Next[c] {
				sum += x.Score(k.Part(c, s, 0, 0))
			}
			for c := y.First[s]; c != 0; c = y.Next[c] {
				if c != m {
					sum += x.Score(k.Part(c, m, 0, 0))
				}
			}
		}
		return sum
	},
	// A template is a line.
	Keys: func(x *Scores, p Part, keys []hash.Key) []hash.Key {
		m, u, _, _ := p.Fields()
		t := p.templates()
		return append(keys,
			hash.Key2(t, x.coarse(m), x.coarse(u)),
			hash.Key2(t+1, x.words.At(m).Lemma, x.words.At(u).Lemma))
	},
}

// The gains of a new family are held against what it visits, as those of all
// others are.
func Example() {
	families = append(families, uncles)
	defer func() { families = families[:len(families)-1] }()
	on, _ := Families(0).With("+uncle,+cs")
	r := hash.Rand(31)
	checked := 0
	for range 20 {
		s := randomSentence(5, 4, &r)
		x := newScratch(s, 500, on)
		allTrees(s, func(head []int32) {
			moves, err := checkMoves(x, head)
			if checked += moves; err != nil {
				fmt.Println(err)
			}
		})
	}
	fmt.Println(on, checked > 1000)
	// Output: cs,uncle true
}
