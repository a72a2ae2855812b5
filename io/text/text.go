// Package text decodes raw text, repairs its encoding and cuts it into blocks;
// NewReader and Whole are its entries. A block is a paragraph, or a part of one that is
// too long. The package knows no words or sentences; it only guesses where to cut a
// long paragraph.
//
// The blocks never depend on how a file was split into ranges: a paragraph belongs,
// whole, to the range in which it begins.
package text

import (
	"fmt"
	"iter"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/treebeam/treebeam/parser/syntax"
)

// MaxBlock is the most bytes of UTF-8 that a block holds. A longer paragraph
// becomes several blocks.
const MaxBlock = 16 << 10

// Lines is the meaning of a line break.
type Lines string

const (
	AutoLines Lines = "auto"      // decide per file from the lengths of its first lines
	Wrapped   Lines = "wrapped"   // a space, except next to lines other than running text; blank lines end paragraphs
	Paragraph Lines = "paragraph" // the end of a paragraph
	Sentence  Lines = "sentence"  // the end of a sentence; paragraphs end at blank lines
)

// ParseLines returns the mode of a command-line value; "" is AutoLines.
func ParseLines(s string) (Lines, error) {
	switch l := Lines(strings.ToLower(s)); l {
	case "", AutoLines:
		return AutoLines, nil
	case Wrapped, Paragraph, Sentence:
		return l, nil
	}
	return "", fmt.Errorf("unknown meaning of line breaks %q; use auto, wrapped, paragraph or sentence", s)
}

// Options are the declared encoding and lines of text files. The zero value is UTF-8
// and AutoLines.
type Options struct {
	// Encoding is a label of the WHATWG or IANA lists, such as "latin1" or
	// "koi8-r"; "" is UTF-8. A byte order mark wins over it.
	Encoding string
	// UTF8 says that a text without Encoding is UTF-8 even if it begins with the byte order
	// mark of another encoding.
	UTF8  bool
	Lines Lines
	// StripHTML takes out tags and comments of HTML that are on one line, and reads
	// character references. Offsets stay those of the file.
	StripHTML bool
}

// Validate returns an error that names the remedy if the options cannot be
// used.
func (o Options) Validate() error {
	if _, err := ParseLines(string(o.Lines)); err != nil {
		return err
	}
	_, err := lookup(o.Encoding)
	return err
}

// A Block is a paragraph or, where a line is a sentence, a line: a stretch of
// text trimmed of white space at both ends and never empty, or a part of one
// that is too long. Offsets are bytes of the decompressed file.
//
// Blocks tile the file: the bytes of [From, Start) hold nothing but white
// space (and the byte order mark), From is the End of the block before, and
// what follows the last block up to the end of Covered is white space too.
type Block struct {
	Text  string // valid UTF-8 without NUL, at most MaxBlock bytes; line breaks as in the source
	From  int64  // where the separators before the block begin
	Start int64
	End   int64
	// Repaired counts the characters of Text that are U+FFFD in place of
	// invalid bytes or NULs; FirstBad is the offset of the first, or -1.
	Repaired int
	FirstBad int64
	Line     int64 // 1-based line of Start; 0 if the reader did not begin at the file's beginning
	// Char is how many code points of the decoded text come before the block, without a
	// byte order mark, from where the reader began. In a cell or a JSON string the code
	// points of the value count.
	Char int64
	// Newline is the byte that ends lines.
	Newline byte
	// Cut says that the block was ended because it was too long, Continues
	// that the one before it was.
	Cut, Continues bool
	// Opens says that the block begins a paragraph. If lines are sentences, the blocks
	// after a blank line do; otherwise, all blocks that do not continue another do.
	Opens bool
	// OneLine says that the whole block is in line Line: line breaks in Text are
	// escapes of a JSON string.
	OneLine bool
	// Runs map offsets in Text to the source, by increasing Text; empty if
	// Text is the source's bytes.
	Runs []Run
}

// LineOf returns the line of the character at byte offset i of Text, or 0 if
// Line is 0.
func (b *Block) LineOf(i int) int64 {
	if b.Line == 0 || b.OneLine {
		return b.Line
	}
	return b.Line + int64(strings.Count(b.Text[:i], string(rune(b.Newline))))
}

// A Run says that from offset Text of the block's text on, every character
// has Width bytes there and Stored bytes in the source, where the run begins
// at Source bytes after the block's Start. Width and Stored are 1 for
// stretches that are the same bytes on both sides.
type Run struct {
	Text, Source  int32
	Width, Stored uint8
}

// Offset returns where the character at byte offset i of Text, 0 <= i <=
// len(Text), is in the decompressed file. Offset(len(Text)) is End.
func (b *Block) Offset(i int) int64 {
	if i >= len(b.Text) {
		return b.End
	}
	if len(b.Runs) == 0 {
		return b.Start + int64(i)
	}
	j := sort.Search(len(b.Runs), func(j int) bool { return int(b.Runs[j].Text) > i }) - 1
	r := b.Runs[j]
	return b.Start + int64(r.Source) + int64((i-int(r.Text))/int(r.Width)*int(r.Stored))
}

// Whole returns the meaning of the line breaks of a text in memory, and its blocks, in
// order; after an error there are no more. Only the first head bytes decide the
// meaning, as for a file. It fails as Decide and NewReader do.
func Whole(data string, head int, o Options) (lines Lines, blocks iter.Seq2[Block, error], err error) {
	layout, err := Decide([]byte(data[:min(len(data), head)]), o)
	if err != nil {
		return "", nil, err
	}
	r, err := NewReader(strings.NewReader(data), layout, 0, -1)
	if err != nil {
		return "", nil, err
	}
	return layout.Lines, r.All(), nil
}

// Blocks returns the texts of the blocks of Whole.
func Blocks(data string, head int, o Options) (list []string, err error) {
	_, blocks, err := Whole(data, head, o)
	if err != nil {
		return nil, err
	}
	for b, err := range blocks {
		if err != nil {
			return nil, err
		}
		list = append(list, strings.Clone(b.Text))
	}
	return list, nil
}

// Sample returns the text at the head of a file, one line per block, for finding its
// language. It is "" if the text cannot be read.
func Sample(head string, o Options) string {
	list, _ := Blocks(head, len(head), o)
	return strings.Join(list, "\n")
}

// Place changes the positions of the sentences cut from b, which are bytes of b.Text in
// order, into bytes of the source, and sets their Line. If their Status is OK, it
// becomes Repaired if the sentence has repaired characters, or Long if lines are
// sentences and b is part of a line. Place returns an error and changes nothing if the
// sentences leave out anything except white space.
func (b *Block) Place(sentences []syntax.Sentence, lines Lines) error {
	if missing := b.leftOut(sentences); missing != "" {
		return fmt.Errorf("the segmenter left out %s", missing)
	}
	for i := range sentences {
		s := &sentences[i]
		switch {
		case s.Status != syntax.OK:
		case b.Repaired > 0 && strings.ContainsRune(s.Text, unicode.ReplacementChar):
			s.Status = syntax.Repaired
		case (b.Cut || b.Continues) && lines == Sentence:
			s.Status = syntax.Long
		}
		s.Line = b.LineOf(int(s.StartByte))
		s.StartByte, s.EndByte = b.Offset(int(s.StartByte)), b.Offset(int(s.EndByte))
	}
	return nil
}

// mayGo reports whether r is white space other than a byte order mark inside a block.
func mayGo(r rune) bool { return isSpace(r) && r != '\ufeff' }

// leftOut returns the first text that is in none of the sentences and not white space,
// or "".
func (b *Block) leftOut(sentences []syntax.Sentence) string {
	var at int64
	for i := range sentences {
		s := &sentences[i]
		if s.StartByte < at || s.EndByte < s.StartByte || s.EndByte > int64(len(b.Text)) {
			return fmt.Sprintf("the order of bytes %d to %d", s.StartByte, s.EndByte)
		}
		if gap := strings.TrimFunc(b.Text[at:s.StartByte], mayGo); gap != "" {
			return fmt.Sprintf("%.40q", gap)
		}
		at = s.EndByte
	}
	if gap := strings.TrimFunc(b.Text[at:], mayGo); gap != "" {
		return fmt.Sprintf("%.40q", gap)
	}
	return ""
}

// Bounds appends to list the bytes of source at which the characters of a sentence
// begin, and the end of the last one. source is the text from which the sentence was
// cut. As in the sentence's Text, a CR LF is one character.
func Bounds(list []int, source string) []int {
	for at := 0; at < len(source); {
		list = append(list, at)
		_, size := utf8.DecodeRuneInString(source[at:])
		if strings.HasPrefix(source[at:], "\r\n") {
			size = 2
		}
		at += size
	}
	return append(list, len(source))
}
