package source

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
)

// liveVersion is the version of an input that is read as it comes: standard input, a
// named pipe, a device. It can be read only once, and its size and digest are unknown
// before its end.
const liveVersion = "live"

// LivePiece returns all of a live input as a piece. Its end is negative, because it is
// unknown.
func LivePiece(in *Input) Piece {
	return Piece{Input: Input{URI: in.URI, DocID: in.DocID, Version: liveVersion, Size: -1}, End: -1}
}

// Live reports whether the input is read as it comes.
func (in *Input) Live() bool { return in.Version == liveVersion }

// OpenLive opens a live input that r reads. The first bytes tell the compression (.gz,
// .zst, .bz2). Head and At do not wait for more bytes than they need: see Head.
//
// The goroutine that reads the File calls pause before it waits for bytes that have not
// come yet. Another goroutine reads r, ahead by a bounded number of bytes. It ends with
// the first Read of r that returns after ctx is done or the File is closed.
func OpenLive(ctx context.Context, in *Input, r io.Reader, pause func() error) (*File, error) {
	ctx, stop := context.WithCancel(ctx)
	ahead := readAhead(ctx, r, pause)
	f := &File{ctx: ctx, piece: LivePiece(in), live: &live{stop: stop}}
	var first []byte
	var err error
	if f.comp, first, err = compressionAt(ahead); err != nil {
		stop()
		return nil, classify(&f.piece, 0, err)
	}
	f.live.r = io.MultiReader(bytes.NewReader(first), ahead)
	return f, nil
}

// live are stored bytes that come once.
type live struct {
	r    io.Reader // nil when it was opened
	stop context.CancelFunc

	shown  headState
	looked int // bytes of the head that were looked at
}

func (l *live) open() (io.ReadCloser, error) {
	if l.r == nil {
		return nil, errors.New("this input can be read only once; copy it to a file first")
	}
	r := l.r
	l.r = nil
	return io.NopCloser(r), nil
}

// Limits of reading ahead.
const (
	aheadPiece  = 32 << 10
	aheadPieces = 16
)

// An aheadReader is what another goroutine has read.
type aheadReader struct {
	ctx   context.Context
	come  chan []byte // closed at the end
	err   error       // why it ended; to be read after come was closed
	rest  []byte
	pause func() error
}

// readAhead reads r in a goroutine of its own.
func readAhead(ctx context.Context, r io.Reader, pause func() error) *aheadReader {
	a := &aheadReader{ctx: ctx, come: make(chan []byte, aheadPieces), pause: pause}
	go func() {
		defer close(a.come)
		for {
			b := make([]byte, aheadPiece)
			n, err := r.Read(b)
			if n > 0 {
				select {
				case a.come <- b[:n]:
				case <-ctx.Done():
					a.err = ctx.Err()
					return
				}
			}
			if err != nil {
				a.err = err
				return
			}
		}
	}()
	return a
}

func (a *aheadReader) Read(p []byte) (int, error) {
	if len(a.rest) == 0 {
		if err := a.wait(); err != nil {
			return 0, err
		}
	}
	n := copy(p, a.rest)
	a.rest = a.rest[n:]
	return n, nil
}

// wait gets the next bytes.
func (a *aheadReader) wait() error {
	var ok bool
	select {
	case a.rest, ok = <-a.come:
	default:
		if err := a.pause(); err != nil {
			return err
		}
		select {
		case a.rest, ok = <-a.come:
		case <-a.ctx.Done():
			return a.ctx.Err()
		}
	}
	if !ok {
		return a.err
	}
	return nil
}

// liveHead reads the beginning of a live file. It ends where its content says
// that more is not needed, so that it is the same however slowly it comes.
func (f *File) liveHead() ([]byte, error) {
	if err := f.restart(0); err != nil {
		return nil, err
	}
	head := make([]byte, 0, 512)
	begin := 0      // of the last line
	quoted := false // in a cell of CSV
	var b [1]byte
	for len(head) < HeadBytes {
		if _, err := io.ReadFull(f.stream, b[:]); err == io.EOF {
			break
		} else if err != nil && len(head) == 0 {
			return nil, f.stream.err
		} else if err != nil {
			break // the reader of At fails when it gets there
		}
		if b[0] == '"' && f.expect == CSV && (quoted || beginsCell(head)) {
			quoted = !quoted
		}
		head = append(head, b[0])
		if b[0] != '\n' {
			continue
		}
		line := head[begin:]
		if begin == 0 {
			line = bytes.TrimPrefix(line, []byte(bom))
		}
		line = bytes.TrimSpace(line)
		f.live.looked += len(head) - begin
		begin = len(head)
		if f.expect.Table() && len(line) > 0 && !quoted || !f.expect.Table() && f.live.shown.enough(line) {
			break
		}
	}
	f.ready = true
	return head, nil
}

// beginsCell reports whether a quote after a head of CSV begins a cell, or is the second of two.
func beginsCell(head []byte) bool {
	return len(head) == 0 || string(head) == bom || strings.IndexByte("\n\",;\t|", head[len(head)-1]) >= 0
}

// A headState is what is known from the lines of a head so far.
type headState uint8

const (
	nothingShown headState = iota // blank lines and comments
	columnsShown
	unclear // until the end of the head
)

// enough reports whether a head shows what the file is with its next line, which is
// trimmed: at the first line that is neither blank nor a comment, if that looks like
// text or a record of JSON lines; at the first blank line after it if it has columns;
// and never if it has control bytes.
func (s *headState) enough(line []byte) bool {
	switch {
	case *s == unclear:
	case bytes.ContainsFunc(line, func(r rune) bool { return isBinary(r) && r != 0x1b }):
		*s = unclear
	case len(line) == 0:
		return *s == columnsShown
	case line[0] == '#' || *s == columnsShown:
	case bytes.IndexByte(line, '\t') >= 0:
		*s = columnsShown
	case line[0] == '{' || line[0] == '[':
		*s = unclear
		return line[len(line)-1] == '}' || line[len(line)-1] == ']'
	default:
		return true
	}
	return false
}
