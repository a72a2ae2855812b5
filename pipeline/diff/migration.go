package diff

import (
	"cmp"
	"maps"
	"slices"

	"github.com/treebeam/treebeam/io/parquet"
)

// A Shape describes an arc without its place in the sentence.
type Shape struct {
	Head      string `json:"head"` // UPOS, "ROOT" for the root
	Label     string `json:"label"`
	Modifier  string `json:"modifier"`  // UPOS
	Direction string `json:"direction"` // of the modifier, seen from its head: "left", "right", or "" below the root
}

// A Migration is a change of a word's arc from one shape to another.
type Migration struct {
	From Shape `json:"from"`
	To   Shape `json:"to"`
	// Head is where the new head is, seen from the old one: "left", "right" or "same".
	Head  string `json:"head"`
	Count int64  `json:"count"`
}

// migrations counts changes; their Counts are 0.
type migrations map[Migration]int64

// add counts the change of the arc to word m, from 0.
func (c migrations) add(a, b *parquet.Tree, m int) {
	head := [...]string{"left", "same", "right"}[1+cmp.Compare(b.Head[m], a.Head[m])]
	c[Migration{From: shapeOf(a, m), To: shapeOf(b, m), Head: head}]++
}

// shapeOf returns the shape of the arc to word m, from 0.
func shapeOf(t *parquet.Tree, m int) Shape {
	s := Shape{Head: "ROOT", Label: t.Deprel[m], Modifier: t.UPOS[m]}
	if h := int(t.Head[m]) - 1; h >= 0 {
		s.Head, s.Direction = t.UPOS[h], "right"
		if m < h {
			s.Direction = "left"
		}
	}
	return s
}

// top returns the n most frequent changes.
func (c migrations) top(n int) []Migration {
	text := func(m Migration) []string {
		return []string{m.From.Head, m.From.Label, m.From.Modifier, m.From.Direction, m.To.Head, m.To.Label, m.To.Modifier, m.To.Direction, m.Head}
	}
	list := slices.SortedFunc(maps.Keys(c), func(a, b Migration) int {
		return cmp.Or(cmp.Compare(c[b], c[a]), slices.Compare(text(a), text(b)))
	})
	list = slices.Clip(list[:min(n, len(list))])
	for i := range list {
		list[i].Count = c[list[i]]
	}
	return list
}
