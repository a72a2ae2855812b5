package piece

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/treebeam/treebeam/parser/syntax"
)

// maxUnit is the largest number of characters in a unit of writing without spaces.
const maxUnit = 8

// unspaced are scripts that write no spaces between words.
var unspaced = []*unicode.RangeTable{unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao,
	unicode.Khmer, unicode.Myanmar, unicode.Tibetan}

// Unspaced reports whether a character belongs to a script without spaces between
// words.
func Unspaced(r rune) bool {
	return r >= 0xE00 && (unicode.In(r, unspaced...) || r == 'ー' || r == '々')
}

// Run returns a text as a sentence whose words are its units. It sets StartChar,
// EndChar and, in MISC, SpaceAfter=No.
func (v *Vocabulary) Run(text string) syntax.Sentence {
	run := syntax.Sentence{Text: text}
	at, place := 0, int32(0)
	for _, end := range v.units(nil, text) {
		unit := strings.TrimLeftFunc(text[at:end], unicode.IsSpace)
		space := text[at : int(end)-len(unit)]
		if n := len(run.Words); n > 0 && space == "" {
			run.Words[n-1].Misc = "SpaceAfter=No"
		}
		place += int32(utf8.RuneCountInString(space))
		w := syntax.Word{Form: unit, Head: syntax.NoHead, StartChar: place}
		place += int32(utf8.RuneCountInString(unit))
		w.EndChar = place
		run.Words, at = append(run.Words, w), int(end)
	}
	return run
}

// units appends to ends where the units of a text end, in bytes. A unit is the smallest
// stretch that an encoder looks at to find words: a piece of writing without spaces, of at
// most maxUnit characters; a run of letters and digits of other scripts; or any other
// character. White space is in no unit: it follows one, or precedes the first, and a unit
// begins after it.
func (v *Vocabulary) units(ends []int32, text string) []int32 {
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		switch {
		case unicode.IsSpace(r):
			i += size
		case Unspaced(r):
			end := i + size
			for end < len(text) {
				r, size := utf8.DecodeRuneInString(text[end:])
				if !Unspaced(r) && !unicode.Is(unicode.M, r) {
					break
				}
				end += size
			}
			for i < end { // in parts that a cut has room for
				part := i
				for n := 0; n < maxUnspaced && part < end; n++ {
					_, size := utf8.DecodeRuneInString(text[part:])
					part += size
				}
				ends = v.unspaced(ends, text[:part], i)
				i = part
			}
		case inWord(r):
			for i += size; i < len(text); i += size {
				if r, size = utf8.DecodeRuneInString(text[i:]); !inWord(r) || Unspaced(r) {
					break
				}
			}
			ends = append(ends, int32(i))
		default:
			i += size
			ends = append(ends, int32(i))
		}
	}
	return ends
}

// maxUnspaced is how many characters of writing without spaces are cut at once: their
// normal forms fit into maxText bytes.
const maxUnspaced = 64

func inWord(r rune) bool { return unicode.In(r, unicode.L, unicode.M, unicode.N) }

// unspaced appends the ends of the pieces of text[from:]. A character that becomes several
// in normal form is not divided.
func (v *Vocabulary) unspaced(ends []int32, text string, from int) []int32 {
	v.once.Do(func() { v.index.build(v) })
	c := cuts.Get().(*cut)
	defer cuts.Put(c)
	var after [maxUnspaced]int16 // characters in normal form up to the end of a character
	n, total := 0, int16(0)
	for i := from; i < len(text); n++ {
		_, size := utf8.DecodeRuneInString(text[i:])
		c.text.fill(v, text[i:i+size], false)
		total += int16(utf8.RuneCount(c.text.bytes()))
		after[n] = total
		i += size
	}
	var buffer [4 * maxUnspaced]int32
	ids := v.unigrams(buffer[:0], text[from:], false, len(buffer))
	sum := int16(0)
	for _, id := range ids {
		sum += int16(utf8.RuneCountInString(v.Pieces[id]))
	}
	// Of composed characters, or unknown ones, every character is a unit.
	apart := sum != total || slices.Contains(ids, v.Unknown)
	place, length, at := int16(0), 0, from
	k := 0
	for i := range n {
		_, size := utf8.DecodeRuneInString(text[at:])
		at += size
		length++
		for k < len(ids) && !apart && place < after[i] {
			place += int16(utf8.RuneCountInString(v.Pieces[ids[k]]))
			k++
		}
		if apart || place <= after[i] || length == maxUnit {
			ends = append(ends, int32(at))
			length = 0
		}
	}
	return ends
}
