package part

import "github.com/treebeam/treebeam/parser/word"

// Global families are those of Zhang et al. (2014), with conjunctions and
// adpositions as UD attaches them. What they look at is described by parts
// with few values, so that the parts of a changed tree are mostly those of
// the tree before, whose scores are remembered. Departures: the right branch
// is a whole number; spans have bins to 10 words and beyond; valency strings
// have six coarse tags; arcs over no word that hangs outside have no part, for
// arcs have parts enough; the non-projective templates are not repeated by
// distance; a pair counts once.

// hulls are the spans of all subtrees of a tree: that of m begins at position
// first[m] and ends before end[m]; size[m] of its words are below m or m. The
// tree is projective if those are all of it for every m.
type hulls struct {
	first, end, size []int32
	projective       bool
	order            []int32
}

// measure fills u for the n words of y, children before their heads.
func (u *hulls) measure(y *Tree, n int) {
	u.first, u.end, u.size, u.projective = resize(u.first, n+1), resize(u.end, n+1), resize(u.size, n+1), true
	for m := int32(0); int(m) <= n; m++ {
		u.first[m], u.end[m], u.size[m] = m, m+1, 1
	}
	u.order = y.Postorder(u.order[:0])
	for _, m := range u.order {
		u.projective = u.projective && u.end[m]-u.first[m] == u.size[m]
		h := y.Head[m]
		u.first[h], u.end[h] = min(u.first[h], u.first[m]), max(u.end[h], u.end[m])
		u.size[h] += u.size[m]
	}
}

// lengthBin is the bin of a number of words: 1 to 5, 6 up to 10, 7 beyond.
func lengthBin(words int32) int32 {
	switch {
	case words <= 5:
		return words
	case words <= 10:
		return 6
	}
	return 7
}

func (x *Scores) isPunct(m int32) bool { return x.words.At(int(m)).Coarse == word.PUNCT }
