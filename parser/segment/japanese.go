package segment

import "strings"

// All that is said about Japanese is in this file: no space follows a sentence, but in its
// treebanks each one is a document, so no classifier learns where it ends inside a text.

// endsInJapanese returns whether a sentence ends behind each token because of its mark:
// outside brackets that are closed later, before another token that is no such mark.
func (w *workspace) endsInJapanese() []bool {
	ends := make([]bool, len(w.tokens))
	left, depth := int32(0), int32(0) // brackets that close behind token i, and those open there
	for i := range w.tokens {
		left += bit(w.tokens[i].role, roleClose)
	}
	for i := range w.tokens {
		t := &w.tokens[i]
		left -= bit(t.role, roleClose)
		depth = max(0, min(left, depth+bit(t.role, roleOpen)-bit(t.role, roleClose)))
		ends[i] = depth == 0 && w.stops(i) && t.gap == gapNone && !w.stops(i+1)
	}
	return ends
}

// stops reports whether token i is a mark at the end of a Japanese sentence.
func (w *workspace) stops(i int) bool {
	return strings.Trim(w.layout.text(w.tokens[i].span), "。｡！？") == ""
}
