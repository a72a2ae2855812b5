package segment

import (
	"slices"
	"unicode"

	"github.com/treebeam/treebeam/parser/hash"
)

// Marks of one kind in several scripts. Of those that end sentences, those are first that
// do little else.
var (
	stops  = []rune("?？؟!！。।։۔.")
	commas = []rune(",，、،;；؛")
)

// enoughSeen is the frequency in the lexicon of a mark that was seen 6 times or more.
const enoughSeen = 3

// seen returns what training has seen of a character that stands alone.
func (m *Model) seen(r rune) stats { return m.lexicon.look(hash.Runes([]rune{r})) }

// readMarks puts a mark that the model knows well in place of those that end sentences in
// some script and that training has hardly seen, and of commas that it has never seen,
// outside of numbers. A treebank may lack "!", and text may hold marks of another script.
func (m *Model) readMarks(l *layout) {
	for i, c := range l.class {
		if c != classPunct && c != '!' && c != '?' && c != ',' && c != ';' {
			continue
		}
		var known []rune
		ends := uint64(0) // of the known mark, at least
		switch r := l.norm[i]; {
		case unicode.Is(unicode.Sentence_Terminal, r) && m.seen(r).frequency() < enoughSeen:
			known, ends = stops, 4
		case slices.Contains(commas, r) && m.seen(r).frequency() == 0 && !l.inNumber(i):
			known = commas
		}
		for _, mark := range known {
			if s := m.seen(mark); s.frequency() >= enoughSeen && s.ends() >= ends {
				l.norm[i], l.class[i] = mark, classOf(mark)
				break
			}
		}
	}
}

// inNumber reports whether character i stands between two digits.
func (l *layout) inNumber(i int) bool {
	return i > 0 && i+1 < len(l.class) && l.class[i-1] == classDigit && l.class[i+1] == classDigit
}
