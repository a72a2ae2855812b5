package segment

import (
	"unicode"

	"github.com/treebeam/treebeam/parser/hash"
)

// marks are marks that end sentences, those first that do little else.
var marks = []rune("?？؟!！。।։۔.")

// enoughSeen is the frequency in the lexicon of a mark that was seen 6 times or more.
const enoughSeen = 3

// seen returns what training has seen of a character that stands alone.
func (m *Model) seen(r rune) stats { return m.lexicon.look(hash.Runes([]rune{r})) }

// readMarks puts a mark that the model knows in place of those that end sentences in some
// script and that training has never seen. A treebank may lack "!", and text may hold marks
// of another script.
func (m *Model) readMarks(l *layout) {
	for i, c := range l.class {
		if c != classPunct && c != '!' && c != '?' {
			continue
		}
		if r := l.norm[i]; unicode.Is(unicode.Sentence_Terminal, r) && m.seen(r).frequency() == 0 {
			for _, mark := range marks {
				if s := m.seen(mark); s.frequency() >= enoughSeen && s.ends() >= 4 {
					l.norm[i], l.class[i] = mark, classOf(mark)
					break
				}
			}
		}
	}
}
