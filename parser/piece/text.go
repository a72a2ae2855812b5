package piece

import (
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// A text is a normalised word: at most maxText bytes of whole characters.
type text struct {
	data [maxText]byte
	n    int
	full bool // the last character had no room

	wordPiece, lower bool // of the vocabulary
	cuts             bool // WordPiece begins anew after the last character
}

func (t *text) bytes() []byte { return t.data[:t.n] }

// fill normalises form as the reference vocabularies of Unigram do. Each character is
// normalised by NFKC, and composed with the character before it if both make one character.
// Marks of text direction, joiners and white space become spaces. Other control characters
// are left out. A space is U+2581; several become one, and none stays at the end. If space
// is true, one is in front.
//
// If v is of WordPiece, form is normalised as BERT does instead, see bert, and a space is in
// front.
func (t *text) fill(v *Vocabulary, form string, space bool) {
	t.n, t.full, t.cuts = 0, false, false
	t.lower, t.wordPiece = v.Lower, v.WordPiece
	if space || t.wordPiece {
		t.add(metaspace)
	}
	for i := 0; i < len(form) && !t.full; {
		if c := form[i]; c > ' ' && c < 0x7F && !t.wordPiece {
			t.add(form[i : i+1])
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(form[i:])
		if t.wordPiece {
			t.bert(r, form[i:i+size])
		} else {
			t.rune(r, form[i:i+size])
		}
		i += size
	}
	if t.spaceEnds() && t.n > len(metaspace) {
		t.n -= len(metaspace)
	}
}

// rune appends a character whose bytes are s.
func (t *text) rune(r rune, s string) {
	switch {
	case isSpace(r):
		if !t.spaceEnds() {
			t.add(metaspace)
		}
		return
	case isNothing(r):
		return
	}
	b := norm.NFKC.PropertiesString(s).Decomposition()
	if b == nil || keeps(r) || norm.NFKC.QuickSpanString(s) == len(s) {
		t.add(s)
		t.compose()
		return
	}
	for len(b) > 0 {
		r, size := utf8.DecodeRune(b)
		if r == ' ' {
			if !t.spaceEnds() {
				t.add(metaspace)
			}
		} else {
			t.add(string(b[:size]))
			t.compose()
		}
		b = b[size:]
	}
}

// add appends a character, if there is room for it.
func (t *text) add(s string) {
	t.full = t.full || t.n+len(s) > maxText
	if !t.full {
		t.n += copy(t.data[t.n:], s)
	}
}

// compose makes one character of the last two, if Unicode has one for both.
func (t *text) compose() {
	_, size := utf8.DecodeLastRune(t.bytes())
	last := t.n - size
	if last <= 0 || norm.NFC.Properties(t.data[last:t.n]).BoundaryBefore() {
		return
	}
	_, size = utf8.DecodeLastRune(t.data[:last])
	first := last - size
	if norm.NFC.QuickSpan(t.data[first:t.n]) == t.n-first {
		return
	}
	both := norm.NFC.Bytes(t.data[first:t.n])
	if _, size := utf8.DecodeRune(both); size == len(both) {
		t.n = first + copy(t.data[first:], both)
	}
}

func (t *text) spaceEnds() bool {
	return t.n >= len(metaspace) && string(t.data[t.n-len(metaspace):t.n]) == metaspace
}

// isSpace says what the reference reads as a space although NFKC does not.
func isSpace(r rune) bool {
	switch r {
	case ' ', '\t', '\n', '\f', '\r', 0x1680, 0x200B, 0x200C, 0x200D, 0x200E, 0x200F, 0x2028, 0x2029, 0x2581, 0xFEFF, utf8.RuneError:
		return true
	}
	return false
}

// isNothing says which control characters the reference leaves out.
func isNothing(r rune) bool { return r < ' ' || r == 0x7F || r == 0x8F || r == 0x9F }

// keeps says which characters stay as they are although NFKC changes them: the wide tilde,
// and characters that are newer than the reference's tables (Unicode 10).
func keeps(r rune) bool {
	switch {
	case r < 0x32FF:
		return false
	case r < 0x10780:
		return r == 0x32FF || r == 0xFF5E || r == 0xAB69 || r >= 0xA7F2 && r <= 0xA7F4
	}
	return r <= 0x107BA || r >= 0x1E030 && r <= 0x1E06D || r == 0x1F16C || r == 0x1F23B || r >= 0x1FBF0 && r <= 0x1FBF9
}
