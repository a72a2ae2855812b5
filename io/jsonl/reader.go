// Package jsonl reads JSON lines: one document a line, a JSON object that
// holds its text under one key and its id under another.
//
// A Reader cuts a stream into records and says where each stands, so that
// several readers can share a file (see NewReader). A broken record never
// ends the stream.
package jsonl

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/treebeam/treebeam/io/text"
	"github.com/treebeam/treebeam/parser/syntax"
)

// Defaults of Options.
const (
	DefaultTextKey   = "text"
	DefaultIDKey     = "id"
	DefaultMaxRecord = 16 << 20
)

// Options of a Reader. The zero value stands for the defaults.
type Options struct {
	// TextKey and IDKey are the keys of text and id. A key with dots that the
	// record does not have leads into objects: "meta.id" is the key "id" of
	// the object under "meta".
	TextKey, IDKey string
	// Keep are the keys, found in the same way, whose values come with every
	// record: at most MaxKeep.
	Keep []string
	// MaxRecord is the largest line kept in memory, in bytes; a longer one is
	// read over and its record is an error.
	MaxRecord int
}

// A Record is a line that is not blank.
type Record struct {
	// Start and End are offsets in the file, half open, of the line without
	// the white space around it.
	Start, End int64
	// Line is the number of the line in the file, 0 if unknown.
	Line int64
	// Raw is the line from Start on. It is valid until the next call of Next,
	// and cut if the line is longer than MaxRecord.
	Raw []byte
	// ID is what stands under the id's key, "" if nothing does: a string with
	// control characters written as %XX, or a number as it is written.
	ID string
	// Err says why the record has no text, IDErr why it has no ID, nil if
	// there is no reason.
	Err, IDErr *Error
	// Kept are the values of Options.Keep, in that order: strings as they are, all
	// else as JSON has it, "" for null and for what is not there. KeptErrs say which
	// could not be kept.
	Kept     []string
	KeptErrs []Error

	literal []byte // of the text, between its quotes: a part of Raw
	at      int64  // its offset in the file
}

// An Error is what is wrong with a record.
type Error struct {
	syntax.Fault
	Offset int64 // in the file, in bytes
	Line   int64 // 1-based; 0 if unknown
}

func (e *Error) Error() string {
	if e.Line > 0 {
		return fmt.Sprintf("line %d: %s", e.Line, e.Reason)
	}
	return fmt.Sprintf("byte %d: %s", e.Offset, e.Reason)
}

// Text returns a reader of the record's text, cut into blocks as raw text is;
// lines says what its line breaks mean. The reader must not be used after the
// next call of Next. A record with an Err has no text.
func (r *Record) Text(lines text.Lines) *text.Reader {
	return text.NewJSONReader(r.literal, r.at, r.Line, lines)
}

// A Reader yields the records of a part of a file, in order. It is not safe
// for concurrent use.
type Reader struct {
	in  *bufio.Reader
	opt Options
	end int64

	offset   int64 // of the next unread byte, in the file
	line     int64 // of the next unread line; 0 is unknown
	from, to int64
	buf      []byte
	done     error
}

// NewReader returns a reader of the records whose lines begin in [start,
// end). r must be positioned at start-1, or at 0 if start is 0; end may be
// beyond the end of the file, and is ignored if negative. The reader reads on
// past end to finish the last line. A byte order mark before the first line
// is passed over.
func NewReader(r io.Reader, o Options, start, end int64) *Reader {
	if o.TextKey == "" {
		o.TextKey = DefaultTextKey
	}
	if o.IDKey == "" {
		o.IDKey = DefaultIDKey
	}
	if o.MaxRecord <= 0 {
		o.MaxRecord = DefaultMaxRecord
	}
	rd := &Reader{in: bufio.NewReaderSize(r, 64<<10), opt: o, end: end, offset: start}
	if start == 0 {
		rd.line = 1
		return rd
	}
	rd.offset = start - 1
	rd.done = rd.skipLine()
	rd.from, rd.to = rd.offset, rd.offset
	return rd
}

// skipLine passes over the line that another reader reads, as far as end:
// after that nothing is ours.
func (r *Reader) skipLine() error {
	for r.end < 0 || r.offset < r.end {
		chunk, err := r.in.ReadSlice('\n')
		r.offset += int64(len(chunk))
		if !errors.Is(err, bufio.ErrBufferFull) {
			return err
		}
	}
	return io.EOF
}

// Covered returns the interval of the file that the lines read so far fill,
// blank ones included; after io.EOF, all that belongs to the reader. The
// covers of readers that share a file follow each other without a gap from 0
// to its end; an empty one (from == to) counts for nothing.
func (r *Reader) Covered() (from, to int64) { return r.from, r.to }

// Next returns the next record. At the end of the part it returns io.EOF; any
// other error comes from the underlying reader and is returned again by later
// calls.
func (r *Reader) Next() (Record, error) {
	for r.done == nil {
		start, number := r.offset, r.line
		if r.end >= 0 && start >= r.end {
			r.done = io.EOF
			break
		}
		size, blank, err := r.readLine()
		if err != nil && err != io.EOF {
			r.done = err
			break
		}
		r.done, r.to = err, r.offset
		line := r.buf
		if mark := []byte("\ufeff"); start == 0 && bytes.HasPrefix(line, mark) {
			line, start, size = line[len(mark):], start+int64(len(mark)), size-int64(len(mark))
		}
		kept := int64(len(line)) == size
		start += int64(len(line) - len(bytes.TrimLeft(line, space)))
		line = bytes.Trim(line, space)
		if blank || len(line) == 0 && kept {
			continue
		}
		rec := Record{Start: start, End: start + int64(len(line)), Line: number, Raw: line}
		if !kept {
			if rec.End = r.to; err == nil { // a line feed
				rec.End--
				size--
			}
			rec.fail(0, syntax.KindLongRecord, "record too long: it has %d bytes, the limit is %d: is a line break missing between records?", size, r.opt.MaxRecord)
			return rec, nil
		}
		r.opt.parse(&rec)
		return rec, nil
	}
	return Record{}, r.done
}

// space is the white space of JSON, and a form feed.
const space = " \t\r\n\f"

// readLine puts the next line with its line feed into buf, up to the limit,
// and returns its size and whether it is blank. With io.EOF it returns the last
// line, if it has no line feed, or 0.
func (r *Reader) readLine() (size int64, blank bool, err error) {
	blank = true
	if cap(r.buf) > 1<<20 && len(r.buf) < 1<<20 { // large, and the last line did not need it
		r.buf = nil
	}
	r.buf = r.buf[:0]
	for {
		chunk, err := r.in.ReadSlice('\n')
		size += int64(len(chunk))
		blank = blank && len(bytes.TrimLeft(chunk, space)) == 0
		if len(r.buf) > 1<<20 && cap(r.buf) < r.opt.MaxRecord { // once, not step by step: each would be garbage
			r.buf = append(make([]byte, 0, r.opt.MaxRecord), r.buf...)
		}
		r.buf = append(r.buf, chunk[:min(len(chunk), r.opt.MaxRecord-len(r.buf))]...)
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		r.offset += size
		if err == nil && r.line > 0 {
			r.line++
		}
		return size, blank, err
	}
}

// fail notes why the record has no text; at is an offset in Raw.
func (r *Record) fail(at int64, kind syntax.Kind, format string, a ...any) {
	if r.Err == nil {
		r.Err = &Error{Fault: syntax.Because(kind, format, a...), Offset: r.Start + at, Line: r.Line}
	}
}
