package text

import (
	"bytes"
	"unicode"
	"unicode/utf8"
)

// A Layout holds the decisions about one file, made once, from its beginning.
type Layout struct {
	Encoding string // canonical name, "utf-8" by default
	BOM      int    // bytes of byte order mark at the beginning
	Newline  byte   // '\n', or '\r' in files where most line breaks are CRs
	Lines    Lines  // never AutoLines
	// Margin is the most columns of the lines of wrapped text, except for a few lines,
	// if AutoLines found the text to be wrapped; else 0. Where lines end well before
	// it, blocks may end.
	Margin int
	// Plain says that in wrapped text nothing but a blank line (or a paragraph
	// separator, or a byte order mark) ends a block, whatever lines look like.
	Plain bool
	// MaxBlock is the most bytes of a block if that is more than the constant
	// MaxBlock.
	MaxBlock int
	// Cuttable says that a reader may begin in the middle of the file. In
	// other encodings (UTF-16, ISO-2022-JP) the reader of the first range
	// reads the whole file and the others find nothing.
	Cuttable bool
	// StripHTML is that of the Options. The file is then read by one reader.
	StripHTML bool
}

// Decide looks at the first bytes of a file (source.HeadBytes of them are
// plenty) and decides its layout. The same bytes always give the same layout.
func Decide(head []byte, o Options) (Layout, error) {
	lines, err := ParseLines(string(o.Lines))
	if err != nil {
		return Layout{}, err
	}
	label, bom := byteOrderMark(head)
	if o.UTF8 && label != "utf-8" {
		bom = 0
	}
	if bom == 0 {
		label = o.Encoding
	}
	enc, err := lookup(label)
	if err != nil {
		return Layout{}, err
	}
	l := Layout{Encoding: enc.name, BOM: bom, Newline: '\n', Lines: lines, Cuttable: enc.cuttable && !o.StripHTML, StripHTML: o.StripHTML}
	l.decideLines(decodeHead(head[bom:], l), lines)
	return l, nil
}

// decideLines sets Newline and Lines from the beginning of a decoded text.
func (l *Layout) decideLines(text []byte, lines Lines) {
	if loneReturns(text) > bytes.Count(text, []byte{'\n'}) {
		l.Newline = '\r'
	}
	if l.Lines = lines; lines == AutoLines {
		l.Lines, l.Margin = guessLines(text, l.Newline)
	}
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

// loneReturns counts the CRs before something other than an LF.
func loneReturns(text []byte) int {
	n := bytes.Count(text, []byte{'\r'}) - bytes.Count(text, []byte("\r\n"))
	if bytes.HasSuffix(text, []byte{'\r'}) {
		n-- // its LF may follow
	}
	return n
}

// decodeHead returns the text of a head.
func decodeHead(head []byte, l Layout) []byte {
	d := newDecoder(bytes.NewReader(head), l, 0)
	var w window
	for d.decode(&w) == nil {
	}
	return w.text
}

// isSpace reports whether r is white space. A byte order mark inside a file (files were
// put together) counts as such, and so do the separators U+001C to U+001F, because many
// readers split there.
func isSpace(r rune) bool {
	if r < utf8.RuneSelf {
		return r == ' ' || r >= '\t' && r <= '\r' || r >= 0x1c && r <= 0x1f
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
