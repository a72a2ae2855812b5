package text

import (
	"bytes"
	"slices"
	"unicode"
	"unicode/utf8"
)

// A Layout is what was decided about one file, once, from its beginning.
type Layout struct {
	Encoding string // canonical name, "utf-8" by default
	BOM      int    // bytes of byte order mark at the beginning
	Newline  byte   // '\n', or '\r' in files that have nothing else
	Lines    Lines  // never AutoLines
	// Cuttable says that a reader may begin in the middle of the file. In
	// other encodings (UTF-16, ISO-2022-JP) the reader of the first range
	// reads the whole file and the others find nothing.
	Cuttable bool
}

// Decide looks at the first bytes of a file (source.HeadBytes of them are
// plenty) and decides its layout. The same bytes always give the same layout.
func Decide(head []byte, o Options) (Layout, error) {
	lines, err := ParseLines(string(o.Lines))
	if err != nil {
		return Layout{}, err
	}
	label, bom := byteOrderMark(head)
	if bom == 0 {
		label = o.Encoding
	}
	enc, err := lookup(label)
	if err != nil {
		return Layout{}, err
	}
	l := Layout{Encoding: enc.name, BOM: bom, Newline: '\n', Lines: lines, Cuttable: enc.cuttable}
	text := decodeHead(head[bom:], l)
	if i := bytes.IndexByte(text, '\r'); i >= 0 && i < len(text)-1 && bytes.IndexByte(text, '\n') < 0 {
		l.Newline = '\r'
	}
	if l.Lines == AutoLines {
		l.Lines = guessLines(text, l.Newline)
	}
	return l, nil
}

// byteOrderMark returns the encoding that a byte order mark names, and its
// length; 0 is none.
func byteOrderMark(head []byte) (label string, n int) {
	switch {
	case bytes.HasPrefix(head, []byte("\xef\xbb\xbf")):
		return "utf-8", 3
	case bytes.HasPrefix(head, []byte("\xff\xfe")):
		return "utf-16le", 2
	case bytes.HasPrefix(head, []byte("\xfe\xff")):
		return "utf-16be", 2
	}
	return "", 0
}

// decodeHead returns the text of a head.
func decodeHead(head []byte, l Layout) []byte {
	d := newDecoder(bytes.NewReader(head), l, 0)
	var w window
	for d.decode(&w) == nil {
	}
	return w.text
}

// Limits of guessLines.
const (
	maxWrap     = 200 // runes in a line of wrapped text
	minPairs    = 4   // pairs of lines that prove a margin
	wholeHead   = 4096
	minFull     = 0.5 // share of lines that fill the margin
	minRunsOver = 0.3 // share of lines that end inside a sentence
)

// guessLines decides what a line break means from pairs of neighbouring lines
// that are not blank. Text is wrapped if lines end because the next word would
// have gone over the margin, or if often the next line goes on in lower case;
// otherwise every line is a paragraph.
func guessLines(text []byte, newline byte) Lines {
	lines := bytes.Split(text, []byte{newline})
	if len(text) > wholeHead {
		lines = lines[:len(lines)-1] // cut off by the end of the head
	}
	type pair struct{ length, word int }
	var pairs []pair
	var lengths []int
	over := 0
	var last []byte
	for _, line := range lines {
		line = bytes.TrimFunc(line, isSpace)
		if len(line) > 0 && len(last) > 0 {
			n := utf8.RuneCount(last)
			pairs, lengths = append(pairs, pair{n, firstWord(line)}), append(lengths, n)
			if beginsLower(line) && !endsSentence(last) {
				over++
			}
		}
		last = line
	}
	if len(pairs) == 0 {
		return Paragraph
	}
	if float64(over) >= minRunsOver*float64(len(pairs)) {
		return Wrapped
	}
	slices.Sort(lengths)
	margin := lengths[len(lengths)*95/100]
	if margin > maxWrap || len(pairs) < minPairs {
		return Paragraph
	}
	full := 0
	for _, p := range pairs {
		if p.length+1+p.word > margin {
			full++
		}
	}
	if float64(full) >= minFull*float64(len(pairs)) {
		return Wrapped
	}
	return Paragraph
}

// firstWord is the number of runes of line up to where it could be broken.
func firstWord(line []byte) int {
	n := 0
	for _, r := range string(line) {
		if isSpace(r) {
			break
		}
		n++
		if unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar) {
			break // written without spaces
		}
	}
	return n
}

// beginsLower reports whether the first letter, after opening punctuation, is
// a lower-case one.
func beginsLower(line []byte) bool {
	for _, r := range string(line) {
		if !unicode.IsPunct(r) {
			return unicode.IsLower(r)
		}
	}
	return false
}

// endsSentence reports whether a line ends with terminal punctuation, perhaps
// inside quotes or brackets.
func endsSentence(line []byte) bool {
	for len(line) > 0 {
		r, n := utf8.DecodeLastRune(line)
		if !isCloser(r) {
			return r == ':' || r == ';' || isTerminal(r)
		}
		line = line[:len(line)-n]
	}
	return false
}

// isSpace reports whether r is white space. A byte order mark inside a file
// (files were put together) counts as such.
func isSpace(r rune) bool {
	if r < utf8.RuneSelf {
		return r == ' ' || r >= '\t' && r <= '\r'
	}
	return unicode.IsSpace(r) || r == '\ufeff'
}

// isTerminal reports whether r ends sentences, in any script.
func isTerminal(r rune) bool {
	if r < utf8.RuneSelf {
		return r == '.' || r == '!' || r == '?'
	}
	return r == '…' || unicode.Is(unicode.Sentence_Terminal, r)
}

// isCloser reports whether r may follow a sentence's terminal punctuation.
func isCloser(r rune) bool {
	return r == '"' || r == '\'' || unicode.In(r, unicode.Pe, unicode.Pf, unicode.Pi)
}
