// Package conllu reads and writes CoNLL-U and CoNLL-X without losing a byte
// that carries meaning: for every valid block, writing what was read gives
// the bytes that were read.
//
// A Reader cuts a stream into blocks, which are runs of lines separated by
// lines that are empty or hold only white space. Each block comes with its
// byte interval and either a sentence or the reason why there is none: a
// broken block never ends the stream. A Reader can begin anywhere in a file,
// so that several of them can share it (see Options).
//
// Readers report these repairs in Block.Warnings: invalid UTF-8, a column that is empty
// instead of "_", a comment between word lines. Carriage returns before a line feed, a
// byte order mark at the start of the stream, further blank lines and a missing last
// line feed are repaired silently.
package conllu

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/treebeam/treebeam/parser/syntax"
)

// Format is the layout of the columns.
type Format uint8

const (
	// U is CoNLL-U: multiword tokens, empty nodes, comments.
	U Format = iota
	// X is CoNLL-X: it has ten columns, too. CPOSTAG and POSTAG are kept as UPOS and
	// XPOS, PHEAD and PDEPREL as Deps and Misc. IDs are plain numbers. Comment lines
	// are accepted.
	X
)

// Columns of a line, counted from 0.
const (
	colID = iota
	colForm
	colLemma
	colUPOS
	colXPOS
	colFeats
	colHead
	colDeprel
	colDeps
	colMisc
	nColumns
)

var columnNames = [nColumns]string{
	"ID", "FORM", "LEMMA", "UPOS", "XPOS", "FEATS", "HEAD", "DEPREL", "DEPS", "MISC",
}

// Options of a Reader. The zero value reads a whole CoNLL-U stream.
//
// To read a part of a file, give r from byte Start on, to the end of the
// file, and set End. A block belongs to the part [Start, End) that holds the
// line feed before the last blank line before the block; if there is none,
// to the part that starts at 0. Parts that tile a file thus
// read each of its blocks exactly once, whatever the cuts, and none needs to
// look at what precedes its Start.
type Options struct {
	Format Format
	// Start is the offset of r's first byte in the file. Above 0, everything
	// up to the first blank line is left to the part before.
	Start int64
	// End is the end of the part; 0 is the end of the file.
	End int64
	// Line is the number of r's first line in the file, 0 if unknown. It is
	// taken as 1 when Start is 0.
	Line int64
	// MaxBlock is the largest block kept in memory, in bytes; a larger one is
	// read over and reported as an error. 0 is syntax.MaxBytes.
	MaxBlock int
	// EndAtLong makes the first block over MaxBlock the last one: a source without
	// blank lines, such as a device, may never end.
	EndAtLong bool
	// MultipleRoots and NoHeads relax the checks of ReadAll, and of it only:
	// sentences with several roots, and words whose HEAD is "_".
	MultipleRoots bool
	NoHeads       bool
}

// A Block is a run of lines between blank lines.
type Block struct {
	// Start and End are offsets in the file, half open, from the first byte
	// of the first line to the line feed of the last, inclusive.
	Start, End int64
	// Line is the number of the first line in the file, 0 if unknown.
	Line int64
	// Raw is the block as it is in the file. If the block is larger than
	// Options.MaxBlock it is cut there.
	Raw string
	// Sentence is valid if Err is nil. Its strings are parts of Raw unless something
	// had to be repaired.
	Sentence syntax.Sentence
	Err      *Error
	// Warnings say what was repaired; Sentence.Status is then Repaired. There is one
	// for each kind and column, at its first place, that says how many more there are.
	Warnings []Error

	headErr *Error      // first HEAD that is not the number of a word or 0
	heads   []headPlace // places of the words
}

// An Error says what is wrong with a block, and where.
type Error struct {
	syntax.Fault
	File   string // "" if unknown
	Line   int64  // in the file, 1-based; 0 if unknown
	Offset int64  // of the line in the file, in bytes
	Column int    // 1-based column of the table; 0 is the whole line
	More   int    // of ReadAll: how many further blocks of the file it refused
}

func (e *Error) Error() string {
	where := fmt.Sprintf("byte %d", e.Offset)
	if e.Line > 0 {
		where = fmt.Sprintf("line %d", e.Line)
	}
	if e.File != "" {
		where = fmt.Sprintf("%s:%d", e.File, e.Line)
	}
	if e.Column > 0 && e.Column <= nColumns {
		where += ": column " + columnNames[e.Column-1]
	}
	switch e.More {
	case 0:
		return where + ": " + e.Reason
	case 1:
		return where + ": " + e.Reason + " (and 1 more sentence)"
	}
	return fmt.Sprintf("%s: %s (and %d more sentences)", where, e.Reason, e.More)
}

// RawText writes the raw text of sentences: the sentences of a paragraph on one line,
// with a space between two tokens unless the first has SpaceAfter=No, and a blank line
// between paragraphs, which begin at the comments "# newpar" and "# newdoc".
func RawText(w io.Writer, sents []syntax.Sentence) error {
	out := bufio.NewWriter(w)
	space := false // one is due before the next token
	for i := range sents {
		s := &sents[i]
		if i > 0 && BeginsParagraph(s.Comments) {
			out.WriteString("\n\n")
			space = false
		}
		space = writeTokens(out, s, space)
	}
	if len(sents) > 0 {
		out.WriteByte('\n')
	}
	return out.Flush()
}

// BeginsParagraph reports whether one of a sentence's comments opens a
// paragraph or document: "# newpar" or "# newdoc".
func BeginsParagraph(comments []string) bool {
	for _, c := range comments {
		key := strings.TrimLeft(strings.TrimPrefix(c, "#"), " \t")
		for _, opening := range [...]string{"newpar", "newdoc"} {
			rest, ok := strings.CutPrefix(key, opening)
			if ok && (rest == "" || rest[0] == ' ' || rest[0] == '\t' || rest[0] == '=') {
				return true
			}
		}
	}
	return false
}

// Comment is the key and the value of a comment line "# key = value"; the key is
// the whole comment, and the value "", if there is no "=".
func Comment(line string) (key, value string) {
	key, value, _ = strings.Cut(strings.TrimPrefix(line, "#"), "=")
	return strings.TrimSpace(key), strings.TrimSpace(value)
}

// surfaceText joins the tokens of a sentence that has no text comment.
func surfaceText(s *syntax.Sentence) string {
	var b strings.Builder
	writeTokens(&b, s, false)
	return b.String()
}

// writeTokens writes the tokens of a sentence, the first one after a space if one is
// due, and returns whether one is due after the last.
func writeTokens(w io.StringWriter, s *syntax.Sentence, space bool) bool {
	for t := range s.Tokens() {
		if space {
			w.WriteString(" ")
		}
		w.WriteString(t.Form)
		space = !syntax.NoSpaceAfter(t.Misc)
	}
	return space
}

// locateWords sets the words' code points in s.Text. If the tokens are not
// found there in order with only white space between them, all stay 0.
func locateWords(s *syntax.Sentence) {
	rest, at, ok := s.Text, int32(0), true
	for t := range s.Tokens() {
		for rest != "" {
			r, size := utf8.DecodeRuneInString(rest)
			if !unicode.IsSpace(r) || strings.HasPrefix(rest, t.Form) {
				break
			}
			rest = rest[size:]
			at++
		}
		if ok = strings.HasPrefix(rest, t.Form); !ok {
			break
		}
		end := at + int32(utf8.RuneCountInString(t.Form))
		for i := t.First; i <= t.Last; i++ {
			s.Words[i-1].StartChar, s.Words[i-1].EndChar = at, end
		}
		rest, at = rest[len(t.Form):], end
	}
	if !ok {
		for i := range s.Words {
			s.Words[i].StartChar, s.Words[i].EndChar = 0, 0
		}
	}
}
