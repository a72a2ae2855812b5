package piece

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A script counts if it has a share of 1/leastShare of the characters of the pieces seen,
// so that one foreign name does not bring in a script.
const leastShare = 1000

// Restrict returns a smaller vocabulary, and the old id of each of its pieces, in ascending
// order. seen says how often each piece was seen in texts of the intended kind. The new
// vocabulary has the marks and the pieces seen. From the scripts of these pieces it also
// has all single characters, and then the pieces with the highest scores, until there are
// most pieces in all. From other scripts it has only the pieces seen. A word whose pieces
// were all seen is cut as before.
func (v *Vocabulary) Restrict(seen []int, most int) (r *Vocabulary, old []int32) {
	return v.keep(seen, most,
		func(id int32) bool { return seen[id] > 0 },
		func(a, b int32) int { return cmp.Compare(v.Scores[b], v.Scores[a]) })
}

// Select is Restrict for texts of many languages. Pieces seen have no precedence: after
// the marks and the single characters come the pieces of the scripts in the order of
// rank, the largest first.
func (v *Vocabulary) Select(seen []int, rank []float64, most int) (r *Vocabulary, old []int32) {
	return v.keep(seen, most,
		func(int32) bool { return false },
		func(a, b int32) int { return cmp.Compare(rank[b], rank[a]) })
}

// keep keeps the marks, what must be kept, and of the scripts of the pieces seen all
// single characters and, in an order, so many others that there are most pieces.
func (v *Vocabulary) keep(seen []int, most int, must func(id int32) bool, order func(a, b int32) int) (*Vocabulary, []int32) {
	scripts := make(scriptsOf)
	written := scripts.written(v.Pieces, seen)
	kept := make([]bool, len(v.Pieces))
	n := 0
	var rest []int32
	for i, p := range v.Pieces {
		id := int32(i)
		mark := id == v.Begin || id == v.End || id == v.Unknown
		fits := !mark && p != "" && scripts.all(p, written)
		if v.WordPiece { // Unigram has U+2581 alone
			p = strings.TrimPrefix(p, metaspace)
		}
		switch {
		case mark || must(id) || fits && utf8.RuneCountInString(p) == 1:
			kept[i] = true
			n++
		case fits:
			rest = append(rest, id)
		}
	}
	slices.SortStableFunc(rest, order)
	for _, id := range rest[:min(len(rest), max(most-n, 0))] {
		kept[id] = true
	}
	return v.only(kept)
}

// only returns a vocabulary of the kept pieces. The marks must be among them.
func (v *Vocabulary) only(kept []bool) (r *Vocabulary, old []int32) {
	r = &Vocabulary{WordPiece: v.WordPiece, Lower: v.Lower}
	for i, p := range v.Pieces {
		if !kept[i] {
			continue
		}
		id := int32(i)
		for _, m := range [...]struct{ is, to *int32 }{{&v.Begin, &r.Begin}, {&v.End, &r.End}, {&v.Unknown, &r.Unknown}} {
			if *m.is == id {
				*m.to = int32(len(old))
			}
		}
		old = append(old, id)
		r.Pieces, r.Scores = append(r.Pieces, p), append(r.Scores, v.Scores[i])
	}
	return r, old
}

// scriptsOf remembers the script of each character.
type scriptsOf map[rune]*unicode.RangeTable

// of returns the script of a character, or nil if it has none, as unassigned ones.
func (m scriptsOf) of(r rune) *unicode.RangeTable {
	script, ok := m[r]
	if !ok {
		for _, table := range unicode.Scripts { // no two have the same character
			if unicode.Is(table, r) {
				script = table
				break
			}
		}
		m[r] = script
	}
	return script
}

// written returns the scripts of the pieces seen that have the least share, and the two
// scripts of characters that all scripts share.
func (m scriptsOf) written(pieces []string, seen []int) map[*unicode.RangeTable]bool {
	count, all := map[*unicode.RangeTable]int{}, 0
	for i, p := range pieces {
		for _, r := range p {
			if s := m.of(r); seen[i] > 0 && s != nil && s != unicode.Common && s != unicode.Inherited {
				count[s] += seen[i]
				all += seen[i]
			}
		}
	}
	written := map[*unicode.RangeTable]bool{unicode.Common: true, unicode.Inherited: true}
	for s, n := range count {
		written[s] = n >= (all+leastShare-1)/leastShare
	}
	return written
}

// all reports whether every character of a piece belongs to one of the scripts.
func (m scriptsOf) all(p string, scripts map[*unicode.RangeTable]bool) bool {
	for _, r := range p {
		if !scripts[m.of(r)] {
			return false
		}
	}
	return true
}
