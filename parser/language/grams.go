package language

import (
	"math/bits"

	"github.com/treebeam/treebeam/parser/hash"
)

const (
	longest  = 5  // letters and spaces of an n-gram, at most
	longWord = 16 // letters of a word that has a row of its own, at most
	perRune  = longest + 1
)

// A grams goes through folded text and gives the row of each n-gram of 1 to 5 characters
// within a word with the spaces around it, and of each word. Rows are shared by what
// hashes to them.
type grams struct {
	text []rune // a space, then words, each with a space behind it
	at   int    // of the next character
	word int    // where its word begins
	rows uint64
}

// next appends rows to dst as long as there is room, and returns them: none at the end
// of the text.
func (g *grams) next(dst []uint32) []uint32 {
	for ; g.at < len(g.text) && cap(dst)-len(dst) >= perRune; g.at++ {
		h := uint64(hash.Start)
		for n := 0; n < longest && n <= g.at; n++ {
			r := g.text[g.at-n]
			h = hash.Step(h, r)
			if n > 0 || r != ' ' {
				dst = append(dst, g.row(h))
			}
			if n > 0 && r == ' ' {
				break
			}
		}
		if g.text[g.at] != ' ' {
			continue
		}
		if size := g.at - g.word; size > longest-2 && size <= longWord {
			h := hash.Step(hash.Start, 0)
			for _, r := range g.text[g.word:g.at] {
				h = hash.Step(h, r)
			}
			dst = append(dst, g.row(h))
		}
		g.word = g.at + 1
	}
	return dst
}

func (g *grams) row(h uint64) uint32 {
	row, _ := bits.Mul64(hash.Mix(h), g.rows)
	return uint32(row)
}
