package conllu

import (
	"bufio"
	"errors"
	"io"
	"iter"

	"github.com/treebeam/treebeam/parser/syntax"
)

// A Reader yields the blocks of a stream, or of a part of it, in order. It is
// not safe for concurrent use.
type Reader struct {
	in  *bufio.Reader
	opt Options

	offset    int64 // of the next unread byte, in the file
	line      int64 // of the next unread line; 0 is unknown
	lastBlank int64 // where the last blank line starts; -1 before the first
	from, to  int64
	first     int64 // where the file's first line starts
	started   bool
	done      error

	buf      []byte // lines of the block being read
	cut      bool   // buf misses bytes: the block is too large
	pending  bool   // buf begins with the first line of the next block
	begin    int64  // of the block in buf
	beginRow int64
}

// NewReader returns a Reader on r; see Options for parts of a file.
func NewReader(r io.Reader, o Options) *Reader {
	if o.MaxBlock <= 0 {
		o.MaxBlock = syntax.MaxBytes
	}
	if o.Start == 0 && o.Line == 0 {
		o.Line = 1
	}
	return &Reader{
		in:        bufio.NewReaderSize(r, 1<<16),
		opt:       o,
		offset:    o.Start,
		line:      o.Line,
		lastBlank: -1,
		from:      o.Start,
		to:        o.Start,
	}
}

// Read iterates over the blocks of r. The last pair has an error if reading r fails; a
// bad block is not such an error.
func Read(r io.Reader, o Options) iter.Seq2[Block, error] {
	return func(yield func(Block, error) bool) {
		reader := NewReader(r, o)
		for {
			b, err := reader.Next()
			if err == io.EOF || !yield(b, err) || err != nil {
				return
			}
		}
	}
}

// Next returns the next block. At the end of the part it returns io.EOF; any
// other error comes from the underlying reader and is returned again by
// later calls.
func (r *Reader) Next() (Block, error) {
	if !r.started {
		r.started = true
		r.done = r.start()
	}
	if r.done != nil {
		return Block{}, r.done
	}
	if !r.pending {
		if r.done = r.findBlock(); r.done != nil {
			return Block{}, r.done
		}
	}
	r.pending = false
	end := r.offset
	for !r.ended() {
		start, kept := r.offset, len(r.buf)
		blank, err := r.readLine()
		if err != nil && err != io.EOF {
			r.done = err
			return Block{}, err
		}
		if r.offset == start { // end of the stream
			break
		}
		if blank {
			r.buf = r.buf[:kept]
			r.lastBlank = start
			break
		}
		end = r.offset
	}
	if r.ended() {
		r.done = io.EOF
	}
	return r.block(end), nil
}

// ended reports whether the block in buf is the last for being too long.
func (r *Reader) ended() bool { return r.cut && r.opt.EndAtLong }

// Covered returns the interval of the file that the blocks read so far and
// the separators around them fill. After io.EOF the intervals of parts that
// tile a file tile it as well: each begins where the one before ends, the
// first at 0, the last ends at the file's size; an empty one (from == to)
// counts for nothing.
func (r *Reader) Covered() (from, to int64) { return r.from, r.to }

// start skips a byte order mark or, inside a file, everything that belongs to the part
// before.
func (r *Reader) start() error {
	if r.opt.Start == 0 {
		if mark, _ := r.in.Peek(3); string(mark) == "\xef\xbb\xbf" {
			r.in.Discard(3)
			r.offset += 3
			r.first = 3
		}
		return nil
	}
	if _, err := r.skipLine(); err != nil {
		return r.endOfSkip(err)
	}
	for {
		if r.past() {
			return r.endOfSkip(io.EOF)
		}
		start := r.offset
		blank, err := r.skipLine()
		if err != nil && (err != io.EOF || r.offset == start || !blank) {
			return r.endOfSkip(err)
		}
		if blank {
			r.lastBlank = start
			break
		}
	}
	if err := r.findBlock(); err != nil {
		r.from = r.to
		return err
	}
	r.from, r.to, r.pending = r.begin, r.begin, true
	return nil
}

// past reports whether only the line feed before the next line may still belong to the
// part. Then no further block does.
func (r *Reader) past() bool { return r.opt.End > 0 && r.offset-1 >= r.opt.End }

func (r *Reader) endOfSkip(err error) error {
	r.from, r.to = r.offset, r.offset
	return err
}

// findBlock reads up to and including the first line of the next block of
// this part.
func (r *Reader) findBlock() error {
	for {
		start, row := r.offset, r.line
		r.buf, r.cut = r.buf[:0], false
		blank, err := r.readLine()
		if err != nil && err != io.EOF {
			return err
		}
		if r.offset == start {
			r.to = r.offset
			return io.EOF
		}
		if blank {
			r.sawBlank(start)
			continue
		}
		if r.opt.End > 0 && r.lastBlank-1 >= r.opt.End {
			r.to = start
			return io.EOF
		}
		r.begin, r.beginRow = start, row
		return nil
	}
}

// block makes the block in buf, which ends at the given offset.
func (r *Reader) block(end int64) Block {
	b := Block{Start: r.begin, End: end, Line: r.beginRow, Raw: string(r.buf)}
	r.to = r.offset
	if r.ended() {
		b.Err = &Error{Line: b.Line, Offset: b.Start, Fault: syntax.Because(syntax.KindLongBlock,
			"a sentence has over %d MB: this is no CoNLL-U, or the blank line between two sentences is missing", r.opt.MaxBlock>>20)}
		return b
	}
	if r.cut {
		b.Err = &Error{Line: b.Line, Offset: b.Start, Fault: syntax.Because(syntax.KindLongBlock,
			"the block has %d bytes, more than the limit of %d: is a blank line missing between sentences?", end-b.Start, r.opt.MaxBlock)}
		return b
	}
	p := parse(b.Raw, r.opt.Format, b.Line, b.Start)
	b.Err, b.Warnings = p.err, p.warnings
	if b.Err == nil {
		b.Sentence, b.headErr, b.heads = p.s, p.headErr, p.heads
		b.Sentence.StartByte, b.Sentence.EndByte, b.Sentence.Line = b.Start, b.End, b.Line
	}
	return b
}

// readLine appends the next line with its line feed to buf, up to the limit,
// and says whether it is blank. At the end of the stream offset stays.
func (r *Reader) readLine() (blank bool, err error) { return r.nextLine(r.opt.MaxBlock) }

// nextLine is readLine with a limit.
func (r *Reader) nextLine(limit int) (blank bool, err error) {
	blank = true
	cut := false
	for {
		chunk, err := r.in.ReadSlice('\n')
		r.offset += int64(len(chunk))
		blank = blank && isBlank(chunk)
		if room := limit - len(r.buf); len(chunk) > room {
			r.buf = append(r.buf, chunk[:room]...)
			cut = true
		} else {
			r.buf = append(r.buf, chunk...)
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			if limit == 0 && r.past() {
				return false, io.EOF
			}
			if r.cut = r.cut || cut && !blank; r.ended() {
				return false, nil
			}
			continue
		}
		if err == nil && r.line > 0 {
			r.line++
		}
		r.cut = r.cut || cut && !blank
		return blank, err
	}
}

// skipLine skips the rest of the current line and says whether it is blank. It returns
// io.EOF when it is past the part. Otherwise each of the parts that a line of a
// gigabyte runs through would read the whole line.
func (r *Reader) skipLine() (blank bool, err error) {
	blank, err = r.nextLine(0)
	r.cut = false
	return blank, err
}

// sawBlank notes where the last blank line starts. The first line of the
// file does not count: no line feed precedes it.
func (r *Reader) sawBlank(start int64) {
	if r.opt.Start > 0 || start > r.first {
		r.lastBlank = start
	}
}

func isBlank(line []byte) bool {
	for _, c := range line {
		switch c {
		case ' ', '\t', '\n', '\v', '\f', '\r':
		default:
			return false
		}
	}
	return true
}
