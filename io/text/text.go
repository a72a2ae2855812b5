// Package text cuts raw text into blocks and repairs its encoding. A block is
// a paragraph, or a part of one that is too long; nothing here knows words or
// sentences beyond the guess of where to cut a long paragraph.
//
// What a block holds never depends on how a file was cut into ranges: a
// paragraph belongs, whole, to the range in which it begins.
package text

import (
	"errors"
	"io"
)

// MaxBlock is the most bytes of UTF-8 that a block holds. A longer paragraph
// becomes several blocks.
const MaxBlock = 16 << 10

// Lines says what a line break means.
type Lines string

const (
	AutoLines Lines = "auto"      // decide per file from the lengths of its first lines
	Wrapped   Lines = "wrapped"   // a space; paragraphs end at blank lines
	Paragraph Lines = "paragraph" // the end of a paragraph
	Sentence  Lines = "sentence"  // the end of a sentence; every line is a block
)

// ParseLines returns the mode of a command-line value; "" is AutoLines.
func ParseLines(s string) (Lines, error) { return AutoLines, errors.ErrUnsupported }

// Options are what the user said about text files. The zero value is UTF-8
// and AutoLines.
type Options struct {
	// Encoding is a label of the WHATWG or IANA lists, such as "latin1" or
	// "koi8-r"; "" is UTF-8. A byte order mark wins over it.
	Encoding string
	Lines    Lines
}

// Validate returns an error that names the remedy if the options cannot be
// used.
func (o Options) Validate() error { return errors.ErrUnsupported }

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
func Decide(head []byte, o Options) (Layout, error) { return Layout{}, errors.ErrUnsupported }

// A Block is a stretch of text without a paragraph break, trimmed of white
// space at both ends and never empty. Offsets are bytes of the decompressed
// file.
//
// Blocks tile the file: the bytes of [From, Start) hold nothing but white
// space (and the byte order mark), From is the End of the block before, and
// what follows the last block up to the end of Cover is white space too.
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
	// Continues says that the block begins inside a paragraph that was cut.
	Continues bool
	// Runs map offsets in Text to the source, by increasing Text; empty if
	// Text is the source's bytes.
	Runs []Run
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
func (b *Block) Offset(i int) int64 { return b.Start + int64(i) }

// A Reader cuts the part of a file that belongs to an interval into blocks,
// with bounded memory however long the lines are. It is not safe for
// concurrent use.
type Reader struct{}

// NewReader returns a reader of the blocks of the paragraphs that begin in
// [start, end). r must be positioned at start-1, or at 0 if start is 0; end
// may be beyond the end of the file, and is ignored if negative. The reader
// reads on past end to finish the last paragraph.
func NewReader(r io.Reader, l Layout, start, end int64) (*Reader, error) {
	return nil, errors.ErrUnsupported
}

// Next returns the next block, or io.EOF after the last one. If r fails, Next
// returns the blocks of the paragraphs that were complete before it, then r's
// error: Cover tells what was covered until then. The block and all it points
// to belong to the caller.
func (r *Reader) Next() (Block, error) { return Block{}, errors.ErrUnsupported }

// Cover returns the interval of the file that belongs to the blocks returned
// so far and the white space around them; after io.EOF, all that belongs to
// the reader. The covers of the ranges of a file follow each other without a
// gap from 0 to its end; an empty cover (start == end) counts for nothing.
func (r *Reader) Cover() (start, end int64) { return 0, 0 }

// NextBlank returns the offset of the byte after the first empty line (LF or
// CRLF) that starts at or after off, or of the end of the file. r must be
// positioned at off-1, or at 0 if off is 0; then the answer is 0. It is how
// ranges of a file in CoNLL format begin and end:
// [NextBlank(start), NextBlank(end)) holds whole sentences with their empty
// lines.
func NextBlank(r io.Reader, off int64) (int64, error) { return 0, errors.ErrUnsupported }
