package syntax_test

import (
	"testing"

	"github.com/treebeam/treebeam/parser/syntax"
)

// TestTrees holds the checks of heads against their definitions, for all heads of up
// to five words, of which some are unknown or outside the sentence.
func TestTrees(t *testing.T) {
	count := 0
	for n := range 6 {
		words := make([]syntax.Word, n)
		for way, ways := 0, power(n+3, n); way < ways; way++ {
			for i, rest := 0, way; i < n; i++ {
				words[i].Head, rest = int32(rest%(n+3))-1, rest/(n+3)
			}
			if checkWords(t, words) {
				count++
			}
		}
	}
	// Trees with one root of n words: n^(n-1).
	if want := 1 + 1 + 2 + 9 + 64 + 625; count != want {
		t.Errorf("%d trees, want %d", count, want)
	}
}

// checkWords reports whether the heads are a tree.
func checkWords(t *testing.T, words []syntax.Word) (tree bool) {
	n, roots, open, outside, circles := len(words), 0, 0, 0, 0
	onCycle := make([]bool, n+1)
	for i := range words {
		switch h := int(words[i].Head); {
		case h == syntax.Root:
			roots++
		case h == syntax.NoHead:
			open++
		case h > n:
			outside++
		}
		at := words[i].Head
		for range n {
			if at == int32(i+1) {
				onCycle[i+1] = true
				circles++
				break
			}
			if at > 0 && int(at) <= n {
				at = words[at-1].Head
			}
		}
	}
	tree = open+outside+circles == 0 && (roots == 1 || n == 0)
	if err := syntax.CheckTree(words); (err == nil) != tree {
		t.Errorf("%v: tree %v, got %v", heads(words), tree, err)
	}
	if all := append([]int32{0}, heads(words)...); open+outside == 0 && n > 0 && syntax.IsTree(all) != tree {
		t.Errorf("%v: want tree %v", heads(words), tree)
	}
	s := syntax.Sentence{Words: words}
	if got := s.Roots(); got != roots {
		t.Errorf("%v: %d roots, want %d", heads(words), got, roots)
	}
	for mode := range 4 {
		partial, many := mode&1 > 0, mode&2 > 0
		want := outside+circles == 0 && (partial || open == 0) && (many || roots <= 1) && (roots > 0 || open > 0 || n == 0)
		word, fault := syntax.CheckHeads(words, partial, many)
		if (word == 0) != want || (fault == syntax.Fault{}) != want || word < 0 || word > n {
			t.Errorf("%v, partial %v, many roots %v: word %d, %v, want sound %v", heads(words), partial, many, word, fault, want)
		}
		if fault.Kind == syntax.KindCycle && !onCycle[word] {
			t.Errorf("%v: word %d is on no cycle", heads(words), word)
		}
	}
	return tree
}

// Arcs cross if one of them has one end between the ends of the other, and one outside.
func TestCross(t *testing.T) {
	const n = 5
	for way := range power(n, 4) {
		a, b, c, d := int32(way%n), int32(way/n%n), int32(way/n/n%n), int32(way/n/n/n)
		place := func(x int32) int32 { return (x - a) * (x - b) } // below 0 between a and b, 0 at one of them
		want := place(c)*place(d) < 0
		if got := syntax.Cross(a, b, c, d); got != want {
			t.Errorf("%d-%d and %d-%d cross: %v, want %v", a, b, c, d, got, want)
		}
	}
}

func heads(words []syntax.Word) []int32 { s := syntax.Sentence{Words: words}; return s.Heads() }

func power(base, exponent int) int {
	p := 1
	for range exponent {
		p *= base
	}
	return p
}

func TestLead(t *testing.T) {
	scores := []int32{5, -40, 9, 9, -1 << 29}
	for _, c := range []struct {
		labels []uint16
		want   int32
	}{
		{[]uint16{0, 1}, 45},
		{[]uint16{1, 0}, 45},
		{[]uint16{0, 1, 2}, 4},
		{[]uint16{3, 0, 2}, 0},
		{[]uint16{4, 0, 1}, 45},
		{[]uint16{4, 1}, 1<<29 - 40},
	} {
		if got := syntax.Lead(c.labels, scores); got != c.want {
			t.Errorf("labels %v lead by %d, want %d", c.labels, got, c.want)
		}
	}
}
