package source

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/treebeam/treebeam/io/store"
	"github.com/treebeam/treebeam/parser/syntax"
)

// HeadBytes is how much of a file's beginning its format is decided on.
const HeadBytes = 64 << 10

// A File is an open input, decompressed. It is not safe for concurrent use.
type File struct {
	ctx     context.Context
	piece   Piece
	digests string // see Range.Digests
	obj     object
	comp    compression
	raw     io.ReadCloser // stored bytes under stream, or nil
	stream  *stream       // decompressed, or nil
	head    []byte
	ready   bool // head is read and stream stands behind it
	isWide  bool // holds wide, as long as it has the stream
	live    bool // neither the size nor the digest is known; see OpenLive
	expect  Format

	shown  headState // of a live file
	looked int       // bytes of its head that were looked at for that
}

// Open opens the file of a piece of r. The file must be the one that was
// listed: a different size or version is an *Error of kind Changed.
// Compression (.gz, .zst, .bz2) goes by the name, for standard input by the
// content.
func Open(ctx context.Context, r *Range, p *Piece) (*File, error) {
	if err := checkListed(p); err != nil {
		return nil, err
	}
	name := p.Path
	if name == "" {
		name = p.URI
	}
	obj, err := openObject(ctx, r.Dir, name, p)
	if err != nil {
		return nil, notOpened(r.Dir, name, p, err)
	}
	f := &File{ctx: ctx, piece: *p, digests: r.Digests, obj: obj, comp: compressionOf(p.URI)}
	if p.Gzip && f.comp == plain {
		f.comp = gzipped
	}
	err = f.check(obj.size(), obj.version())
	if local, ok := obj.(*localFile); err == nil && ok && p.Size == 0 && local.hasBytes() {
		err = permanent(p.URI, 0, syntax.KindIrregular, "the file system says that it has 0 bytes, but there are some; copy it to a file first")
	}
	if err != nil {
		obj.Close()
		return nil, err
	}
	if strings.HasPrefix(p.Version, spooled) {
		if f.comp, err = f.compressionIn(); err != nil {
			obj.Close()
			return nil, classify(p, 0, err)
		}
	}
	return f, nil
}

// check compares the state of the file with what was listed.
func (f *File) check(size int64, version string) error {
	if strings.HasPrefix(f.piece.Version, spooled) {
		version = f.piece.Version // the name vouches for the content
	}
	if size == f.piece.Size && version == f.piece.Version {
		return nil
	}
	return &Error{URI: f.piece.URI, Kind: Changed, Err: fmt.Errorf(
		"the file changed since it was listed (%d bytes, then %d; version %s, then %s); run the same command again when nothing writes to it",
		f.piece.Size, size, f.piece.Version, version)}
}

// Expect tells the format that the file is said to have, before Head: of a live
// table the head is its first line, the header.
func (f *File) Expect(format Format) { f.expect = format }

// Live reports whether the file was opened by OpenLive.
func (f *File) Live() bool { return f.live }

// Compressed reports whether the stored bytes are compressed.
func (f *File) Compressed() bool { return f.comp != plain }

// Consumed is how many stored bytes the reader of At has taken so far, counted
// from where it began. Some of them may not be decompressed yet.
func (f *File) Consumed() int64 {
	if f.stream == nil {
		return 0
	}
	return f.stream.stored.n
}

// Head returns up to HeadBytes from the beginning of the decompressed file,
// whatever the piece. The slice must not be changed. If reading fails later
// than at the first byte, Head returns what there is, and the reader of At
// fails when it gets there. Of a file in several pieces a process reads it once.
//
// The head of a live file ends as soon as it shows the format: after the first
// line of text, or the first block of lines with columns. It depends on the
// content only, not on how fast that comes.
func (f *File) Head() ([]byte, error) {
	if f.head != nil {
		return f.head, nil
	}
	if f.live {
		return f.liveHead()
	}
	if f.piece.Whole() {
		return f.readHead()
	}
	head, err := f.shared().head.get(func() (string, error) {
		head, err := f.readHead()
		if int64(len(head)) < min(HeadBytes, f.piece.Size) {
			return "", err // reading failed on the way: nothing to keep
		}
		return string(head), err
	})
	if err == nil && f.head == nil {
		f.head = []byte(head)
	}
	return f.head, err
}

// readHead reads the beginning of the file.
func (f *File) readHead() ([]byte, error) {
	if err := f.restart(0); err != nil {
		return nil, err
	}
	head := make([]byte, min(HeadBytes, f.headLimit()))
	n, err := io.ReadFull(f.stream, head)
	if n == 0 && err != nil && !errors.Is(err, io.EOF) {
		return nil, f.stream.err
	}
	f.head, f.ready = head[:n], true
	return f.head, nil
}

// headLimit spares small plain files a buffer of HeadBytes.
func (f *File) headLimit() int64 {
	if f.comp == plain {
		return f.piece.Size
	}
	return HeadBytes
}

// At returns a reader of the decompressed bytes from offset off to the end of
// the file, which replaces the one returned before. A compressed file can only
// be read from offset 0. Errors of the reader are *Error.
func (f *File) At(off int64) (io.Reader, error) {
	if f.ready && off == 0 {
		f.ready = false
		return io.MultiReader(bytes.NewReader(f.head), f.stream), nil
	}
	f.ready = false
	if err := f.restart(off); err != nil {
		return nil, err
	}
	return f.stream, nil
}

// restart opens the stream anew at offset off.
func (f *File) restart(off int64) error {
	if off != 0 && f.comp != plain {
		return fmt.Errorf("%s: a compressed file cannot be read from byte %d", f.piece.URI, off)
	}
	f.closeStream()
	raw, err := f.stored(f.ctx, off)
	if err != nil {
		return classify(&f.piece, off, err)
	}
	f.raw = raw
	stored := &stored{r: &contextReader{f.ctx, raw}}
	window, widen := uint64(narrowWindow), f.widen
	if f.live { // it cannot be read again, and nothing else is read beside it
		window, widen = maxWindow, nil
	}
	dec, err := f.comp.reader(stored, window)
	if f.comp != plain && f.piece.Size == 0 {
		err = io.ErrUnexpectedEOF // nothing at all is no compressed file
	}
	f.stream = &stream{piece: &f.piece, stored: stored, dec: dec, off: off, widen: widen}
	if err != nil {
		return f.stream.fail(err)
	}
	return nil
}

// widen waits until no other file has a wide window, and decompresses the file
// of s once more, as far as s has come.
func (f *File) widen(s *stream) error {
	if err := wide.Acquire(f.ctx, 1); err != nil {
		s.stored.err = err
		return err
	}
	f.isWide = true
	raw, err := f.stored(f.ctx, 0)
	if err != nil {
		s.stored.err = err
		return err
	}
	f.raw.Close()
	f.raw = raw
	s.dec.(io.Closer).Close()
	s.stored.r, s.stored.n = &contextReader{f.ctx, raw}, 0
	if wideDecoder == nil {
		if wideDecoder, err = newDecoder(nil, maxWindow); err != nil {
			return err
		}
	}
	if err := wideDecoder.Reset(s.stored); err != nil {
		return err
	}
	s.dec = wideDecoder
	if _, err = io.CopyN(io.Discard, s.dec, s.off); err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return err
}

// stored returns a reader of the stored bytes from off on, of the state that
// was listed. It is opened again where it stopped after a transient fault, or
// when there are fewer bytes than were listed.
func (f *File) stored(ctx context.Context, off int64) (io.ReadCloser, error) {
	if f.live {
		return f.obj.reader(ctx, off, -1)
	}
	again := false
	return store.DefaultRetry.For(cmp.Or(f.piece.Path, f.piece.URI)).Reader(ctx, func(at int64) (io.ReadCloser, error) {
		if again {
			var e *Error
			if err := f.Verify(); errors.As(err, &e) && e.Kind == Changed {
				return nil, store.Final(err)
			} else if err != nil {
				return nil, err
			}
		}
		again = true
		return f.obj.reader(ctx, at, f.piece.Size-at)
	}, off, f.piece.Size)
}

func (f *File) closeStream() {
	if f.stream != nil {
		if c, ok := f.stream.dec.(io.Closer); ok {
			c.Close()
		}
		f.stream = nil
	}
	if f.raw != nil {
		f.raw.Close()
		f.raw = nil
	}
	if f.isWide {
		if wideDecoder != nil {
			wideDecoder.Reset(nil)
		}
		wide.Release(1)
		f.isWide = false
	}
}

// Verify reports as an *Error of kind Changed that the file is no longer the
// one that was listed. Call it after the last byte was read.
func (f *File) Verify() error {
	size, version, err := f.obj.stat()
	if errors.Is(err, fs.ErrNotExist) {
		size, version = 0, "gone"
	} else if err != nil {
		return classify(&f.piece, 0, err)
	}
	return f.check(size, version)
}

// Close releases the file. It may be called more than once.
func (f *File) Close() error {
	f.closeStream()
	return f.obj.Close()
}

// An object is a stored file: a localFile or a remoteFile.
type object interface {
	// reader returns a reader of n stored bytes from off on.
	reader(ctx context.Context, off, n int64) (io.ReadCloser, error)
	size() int64
	version() string
	// stat asks the store again.
	stat() (size int64, version string, err error)
	// key names the object in this process.
	key() string
	io.Closer
}

func openObject(ctx context.Context, dir, name string, p *Piece) (object, error) {
	if store.IsRemote(name) {
		s, name, err := store.Of(ctx, name)
		if err != nil {
			return nil, err
		}
		return &remoteFile{s, store.Info{Name: name, Size: p.Size, Version: p.Version}}, nil
	}
	return openLocal(resolve(dir, name))
}

// A remoteFile is a file of an object store in the state that was listed:
// every request names its version, so that nothing else can be read.
type remoteFile struct {
	store store.Store
	info  store.Info
}

func (f *remoteFile) reader(ctx context.Context, off, n int64) (io.ReadCloser, error) {
	return f.store.Open(ctx, f.info.Name, f.info.Version, off, n)
}

func (f *remoteFile) size() int64                  { return f.info.Size }
func (f *remoteFile) version() string              { return f.info.Version }
func (f *remoteFile) key() string                  { return f.info.Name }
func (f *remoteFile) stat() (int64, string, error) { return f.info.Size, f.info.Version, nil }
func (f *remoteFile) Close() error                 { return nil }

// A localFile is a regular file of the local file system.
type localFile struct {
	*os.File
	info fs.FileInfo
}

func openLocal(name string) (object, error) {
	info, err := os.Stat(name) // opening a pipe would wait for a writer
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errIrregular
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	if info, err = f.Stat(); err != nil {
		f.Close()
		return nil, err
	}
	return &localFile{f, info}, nil
}

func (f *localFile) size() int64     { return f.info.Size() }
func (f *localFile) version() string { return store.FileVersion(f.info) }
func (f *localFile) key() string     { return f.Name() }

func (f *localFile) stat() (int64, string, error) {
	info, err := os.Stat(f.Name())
	if err != nil {
		return 0, "", err
	}
	return info.Size(), store.FileVersion(info), nil
}

// hasBytes says whether there is anything to read: of a file of no bytes, not
// all file systems tell the truth (those of Linux's kernel, some of networks).
func (f *localFile) hasBytes() bool {
	var b [1]byte
	n, _ := f.ReadAt(b[:], 0)
	return n > 0
}

func (f *localFile) reader(_ context.Context, off, n int64) (io.ReadCloser, error) {
	return &wholeReader{io.NewSectionReader(f.File, off, n), f, off + n, off}, nil
}

// A wholeReader reads to the end that the file system has promised. If the file
// ends before and is still the one that was listed, reading it again is of no
// use: the error is final.
type wholeReader struct {
	io.Reader
	file    *localFile
	end, at int64
}

func (r *wholeReader) Read(b []byte) (int, error) {
	n, err := r.Reader.Read(b)
	r.at += int64(n)
	if err != io.EOF || r.at >= r.end {
		return n, err
	}
	size, version, statErr := r.file.stat()
	if statErr == nil && size == r.file.size() && version == r.file.version() {
		return n, store.Final(&shortFile{r.at, size})
	}
	return n, err
}

func (r *wholeReader) Close() error { return nil }

// A shortFile is the error of a file that ends before its size.
type shortFile struct{ at, size int64 }

func (e *shortFile) Error() string {
	return fmt.Sprintf("the file ends after %d bytes, but the file system says that it has %d; copy it to a file first, with cat", e.at, e.size)
}
