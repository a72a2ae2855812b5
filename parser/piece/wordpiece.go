package piece

import (
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// maxPart is the number of characters of a part of a word above which it is
// Unknown.
const maxPart = 100

// wordPieces appends the pieces of form, as long as ids has fewer than limit.
// The form is first split as the encoders of that kind were trained: at spaces,
// before and after every punctuation mark and every ideograph; characters lose
// their case and their accents if Lower is set.
func (v *Vocabulary) wordPieces(ids []int32, form string, limit int) []int32 {
	p := parts{v: v, ids: ids, limit: limit}
	var buffer [16]byte
	for i, r := range form {
		switch {
		case r == 0 || r == utf8.RuneError || r != '\t' && r != '\n' && r != '\r' && unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co):
		case unicode.IsSpace(r):
			p.end()
		case isIdeograph(r):
			p.end()
			if letters := norm.NFD.PropertiesString(form[i:]).Decomposition(); v.Lower && letters != nil {
				r, _ = utf8.DecodeRune(letters)
			}
			p.add(r)
			p.end()
		case v.Lower && r >= utf8.RuneSelf:
			letters := norm.NFD.PropertiesString(form[i:]).Decomposition()
			switch {
			case letters != nil:
			case r >= 0xAC00 && r <= 0xD7A3: // a Hangul syllable is two or three letters (Unicode, section 3.12)
				at := r - 0xAC00
				letters = utf8.AppendRune(utf8.AppendRune(buffer[:0], 0x1100+at/588), 0x1161+at%588/28)
				if at%28 > 0 {
					letters = utf8.AppendRune(letters, 0x11A7+at%28)
				}
			default:
				letters = append(buffer[:0], form[i:i+utf8.RuneLen(r)]...)
			}
			for len(letters) > 0 {
				r, size := utf8.DecodeRune(letters)
				if !unicode.Is(unicode.Mn, r) {
					p.split(unicode.ToLower(r))
				}
				letters = letters[size:]
			}
		case v.Lower:
			p.split(unicode.ToLower(r))
		default:
			p.split(r)
		}
	}
	p.end()
	return p.ids
}

// parts cuts the parts of a word, one after the other.
type parts struct {
	v     *Vocabulary
	ids   []int32
	limit int
	n     int  // characters of the part
	size  int  // bytes of the part
	long  bool // it has more than are kept
	// The part begins after room for the mark of a piece inside of it.
	data [len(inside) + maxPart*utf8.UTFMax]byte
}

// split adds a character to the part, or makes it one of its own.
func (p *parts) split(r rune) {
	if !isPunctuation(r) {
		p.add(r)
		return
	}
	p.end()
	p.add(r)
	p.end()
}

func (p *parts) add(r rune) {
	if p.n == maxPart {
		p.long = true
		return
	}
	p.n++
	p.size += utf8.EncodeRune(p.data[len(inside)+p.size:], r)
}

// end appends the pieces of the part: again and again the longest that it
// begins with, and Unknown alone if there is none at some place.
func (p *parts) end() {
	ids, at, end := p.ids, len(inside), len(inside)+p.size
	unknown := p.long
	for at < end && !unknown {
		from := at
		if at > len(inside) {
			from -= copy(p.data[at-len(inside):], inside)
		}
		id, next := p.longest(from, at, end)
		if unknown = id < 0; !unknown {
			ids = append(ids, id)
			at = next
		}
	}
	if unknown {
		ids = append(p.ids, p.v.Unknown)
	}
	p.ids = ids[:min(len(ids), p.limit)]
	p.n, p.size, p.long = 0, 0, false
}

// longest returns the longest piece that data[from:end] begins with and that
// ends after at, and where it ends.
func (p *parts) longest(from, at, end int) (id int32, next int) {
	id = -1
	h := uint64(hashStart)
	for i := from; i < end && i-from < p.v.index.longest; {
		h = (h ^ uint64(p.data[i])) * hashPrime
		i++
		if i <= at || i < end && !utf8.RuneStart(p.data[i]) {
			continue
		}
		if x := p.v.index.find(p.v.Pieces, h, p.data[from:i]); x >= 0 {
			id, next = x, i
		}
	}
	return id, next
}

// isPunctuation holds for all ASCII that is no letter, digit or space.
func isPunctuation(r rune) bool {
	if r < utf8.RuneSelf {
		return r > ' ' && r < 0x7F && !('0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z')
	}
	return unicode.IsPunct(r)
}

// isIdeograph holds for the CJK Unified Ideographs and their compatibility
// forms, not for Hangul and Kana.
func isIdeograph(r rune) bool {
	return r >= 0x3400 && (r <= 0x4DBF || r >= 0x4E00 && r <= 0x9FFF || r >= 0xF900 && r <= 0xFAFF ||
		r >= 0x20000 && r <= 0x2A6DF || r >= 0x2A700 && r <= 0x2CEAF || r >= 0x2F800 && r <= 0x2FA1F)
}
