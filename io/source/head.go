package source

import (
	"errors"
	"io"
	"sync"
)

// HeadBytes is the number of bytes at the beginning of a file that decide its format.
const HeadBytes = 64 << 10

// maxHeads is how many heads a process keeps of files in several pieces: more than it
// has open.
const maxHeads = 64

// heads are the heads of the files in several pieces that were opened last, by
// File.state: a process reads each once.
var heads = struct {
	sync.Mutex
	order []string
	files map[string]*sharedHead
}{files: map[string]*sharedHead{}}

type sharedHead struct {
	sync.Mutex
	bytes []byte // nil until they were read
}

// sharedHead returns the head that the pieces of the file share.
func (f *File) sharedHead() *sharedHead {
	heads.Lock()
	defer heads.Unlock()
	key := f.state()
	head, ok := heads.files[key]
	if !ok {
		head = &sharedHead{}
		heads.files[key] = head
		if heads.order = append(heads.order, key); len(heads.order) > maxHeads {
			delete(heads.files, heads.order[0])
			heads.order = heads.order[1:]
		}
	}
	return head
}

// Head returns up to HeadBytes from the beginning of the decompressed file, whatever
// the piece. The slice must not be changed. If reading fails later than at the first
// byte, Head returns what there is, and the reader of At fails when it gets there. A
// process reads the head of a file in several pieces once.
//
// The head of a live file ends as soon as it shows the format: after the first
// line of text, or the first block of lines with columns. It depends on the
// content only, not on how fast that comes.
func (f *File) Head() (_ []byte, err error) {
	switch {
	case f.head != nil:
	case f.live != nil:
		f.head, err = f.liveHead()
	case f.piece.Whole():
		f.head, err = f.readHead()
	default:
		shared := f.sharedHead()
		shared.Lock()
		defer shared.Unlock()
		if f.head = shared.bytes; f.head != nil {
			break
		}
		if f.head, err = f.readHead(); int64(len(f.head)) == min(HeadBytes, f.piece.Size) { // reading did not fail on the way
			shared.bytes = f.head
		}
	}
	return f.head, err
}

// readHead reads the beginning of the file.
func (f *File) readHead() ([]byte, error) {
	if err := f.restart(0); err != nil {
		return nil, err
	}
	limit := int64(HeadBytes)
	if f.comp == plain {
		limit = min(limit, f.piece.Size) // a small file needs no more
	}
	head := make([]byte, limit)
	n, err := io.ReadFull(f.stream, head)
	if n == 0 && err != nil && !errors.Is(err, io.EOF) {
		return nil, f.stream.err
	}
	f.ready = true
	return head[:n], nil
}
