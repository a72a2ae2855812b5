package record

import (
	"bytes"
	"io"
)

// readBytes is how much is read at once, and shown how much a message may show
// of a record that is too long.
const (
	readBytes = 64 << 10
	shown     = 4096
)

// A Place is the beginning of a record. Its Line is 0 if it is not known.
type Place struct{ Offset, Row, Line int64 }

// A scanner cuts a stream into lines, or rows of several lines, with bounded memory.
type scanner struct {
	src io.Reader
	rows

	buf []byte
	pos int   // of what is not consumed, in buf
	at  Place // of buf[pos]
	err error // of src

	stop int64 // where long gives up, if above 0: rows behind it are not wanted
}

// rows are the conventions of the rows of a file.
type rows struct {
	newline   byte // LF, or CR
	separator byte // of cells
	quotes    bool // cells in quotes may hold line breaks
	limit     int  // the most bytes of a record in memory
}

// consume moves on by n bytes.
func (s *scanner) consume(n int) {
	if s.at.Line > 0 {
		s.at.Line += int64(bytes.Count(s.buf[s.pos:s.pos+n], []byte{s.newline}))
	}
	s.at.Offset += int64(n)
	s.pos += n
}

// more reads more bytes, into a buffer that grows up to limit and the bytes of one
// read.
func (s *scanner) more(limit int) error {
	if s.err != nil {
		return s.err
	}
	if s.pos > 0 {
		s.buf = s.buf[:copy(s.buf, s.buf[s.pos:])]
		s.pos = 0
	}
	if cap(s.buf)-len(s.buf) < readBytes/2 {
		size := limit + 2*readBytes
		if cap(s.buf) < 1<<20 { // then at once, not step by step: each would be garbage
			size = min(max(2*cap(s.buf), 2*readBytes), size)
		}
		s.buf = append(make([]byte, 0, size), s.buf...)
	} else if len(s.buf) == 0 && cap(s.buf) > 1<<20 { // large, and not needed any more
		s.buf = make([]byte, 0, 2*readBytes)
	}
	n, err := s.src.Read(s.buf[len(s.buf) : len(s.buf)+min(readBytes, cap(s.buf)-len(s.buf))])
	s.buf, s.err = s.buf[:len(s.buf)+n], err
	if n > 0 {
		return nil
	}
	return err
}

// pass skips everything up to an offset.
func (s *scanner) pass(offset int64) error {
	for s.at.Offset < offset {
		if s.pos == len(s.buf) {
			if err := s.more(1); err != nil {
				return err
			}
		}
		s.consume(int(min(int64(len(s.buf)-s.pos), offset-s.at.Offset)))
	}
	return nil
}

// A line is the line of a record and its faults as a whole.
type line struct {
	at    Place
	raw   []byte // without the line's end; cut if long. Valid until the next line is read
	size  int    // of the whole line with its end
	ended bool   // it has an end
	long  bool   // over the limit
	blank bool   // no record
	bad   bool   // its quotes do not pair: it is only the first line of what may be a row
}

// line reads the next line or row; io.EOF is after the last.
func (s *scanner) line() (line, error) {
	if s.newline == '\r' { // a CR LF may be between others
		if s.pos == len(s.buf) {
			if err := s.more(1); err != nil {
				return line{at: s.at}, err
			}
		}
		if s.buf[s.pos] == '\n' {
			s.consume(1)
		}
	}
	n, bad, err := s.find()
	if err != nil {
		return line{at: s.at}, err
	}
	if n < 0 {
		return s.long()
	}
	l := line{at: s.at, raw: s.buf[s.pos : s.pos+n], size: n, bad: bad}
	l.raw, l.ended = bytes.CutSuffix(l.raw, []byte{s.newline})
	l.raw = bytes.TrimSuffix(l.raw, []byte{'\r'})
	if l.blank = len(bytes.TrimLeft(l.raw, " ")) == 0; !l.blank {
		s.at.Row++
	}
	s.consume(n)
	return l, nil
}

// A lineReader is a Reader of the lines that begin before end, unless that is negative.
type lineReader struct {
	scanner
	record   func(*line) (rec Record, ok bool) // ok is false where a line has no record
	end      int64
	from, to int64
	done     error
}

// Covered implements Reader.
func (r *lineReader) Covered() (from, to int64) { return r.from, r.to }

// Next implements Reader.
func (r *lineReader) Next() (Record, error) {
	for r.done == nil {
		if r.end >= 0 && r.at.Offset >= r.end {
			r.done = io.EOF
			break
		}
		line, err := r.line()
		if err == nil || err == io.EOF { // before which the LF of a CR LF may be
			r.to = r.at.Offset
		}
		if err != nil {
			r.done = err
			break
		}
		if line.blank {
			continue
		}
		if rec, ok := r.record(&line); ok {
			return rec, nil
		}
	}
	return Record{}, r.done
}

// long reads a line over the limit.
func (s *scanner) long() (line, error) {
	l := line{at: s.at, raw: bytes.Clone(s.buf[s.pos:min(len(s.buf), s.pos+shown)]), long: true, blank: true}
	for {
		n := bytes.IndexByte(s.buf[s.pos:], s.newline) + 1
		l.ended = n > 0
		if !l.ended {
			n = len(s.buf) - s.pos
		}
		l.size += n
		l.blank = l.blank && len(bytes.TrimLeft(s.buf[s.pos:s.pos+n], space)) == 0
		s.consume(n)
		if !l.ended && s.stop > 0 && s.at.Offset >= s.stop {
			return l, nil
		}
		err := error(nil)
		if !l.ended {
			err = s.more(1)
		}
		if l.ended || err == io.EOF {
			if !l.blank {
				s.at.Row++
			}
			return l, nil
		}
		if err != nil {
			return l, err
		}
	}
}

// find returns the length of the next row with its line's end, or -1 if that is
// over the limit. If its quotes do not pair, the row is its first line: no more
// of the file than that is lost by a quote too many.
func (s *scanner) find() (n int, bad bool, err error) {
	search := rowEnd{rows: s.rows, first: -1}
	for {
		// A byte over the limit says that the row is over it.
		b := s.buf[s.pos:min(len(s.buf), s.pos+s.limit+1)]
		if n := search.in(b); n >= 0 {
			return n, search.bad, nil
		}
		if len(b) <= s.limit {
			err = s.more(s.limit)
		}
		open := search.state == quoted
		switch {
		case len(b) <= s.limit && err == nil:
		case err != nil && (err != io.EOF || len(b) == 0):
			return 0, false, err
		case open && search.first >= 0:
			return search.first, true, nil
		case err == nil:
			return -1, false, nil
		default:
			return len(b), open || search.bad, nil
		}
	}
}

// States of a rowEnd.
const (
	opening = iota // at the beginning of a cell
	bare           // in a cell without quotes
	quoted         // in a cell with quotes
	closed         // behind a quote in one
)

// A rowEnd looks for the end of a row.
type rowEnd struct {
	rows
	at    int // where to go on
	state int
	first int  // where the first line ends, if that is inside quotes; else -1
	bad   bool // the quotes do not pair
}

// in returns the length of the row at the beginning of b, or -1 if b does not show its
// end. In the next call, b must begin with the same bytes and continue.
func (e *rowEnd) in(b []byte) int {
	for e.at < len(b) {
		if !e.quotes {
			k := bytes.IndexByte(b[e.at:], e.newline)
			if k >= 0 {
				return e.at + k + 1
			}
			e.at = len(b)
			break
		}
		if e.state == quoted {
			k := bytes.IndexByte(b[e.at:], '"')
			if k < 0 {
				k = len(b) - e.at
			}
			if m := bytes.IndexByte(b[e.at:e.at+k], e.newline); m >= 0 && e.first < 0 {
				e.first = e.at + m + 1
			}
			if e.at += k; e.at == len(b) {
				break
			}
		}
		c := b[e.at]
		e.at++
		switch {
		case e.state == quoted:
			e.state = closed
		case e.state == closed && c == '"':
			e.state = quoted
		case c == e.newline:
			return e.at
		case c == e.separator:
			e.state = opening
		case e.state == closed && c == '\r' && (e.at == len(b) || b[e.at] == '\n'):
		case e.state == closed:
			if e.quotes, e.bad, e.state = false, true, bare; e.first >= 0 {
				return e.first
			}
		case e.state == opening && c == '"':
			e.state = quoted
		case e.state == opening:
			e.state = bare
		}
	}
	return -1
}
