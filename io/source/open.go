package source

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/treebeam/treebeam/io/store"
	"github.com/treebeam/treebeam/parser/syntax"
)

// A File is an open input, decompressed. It is not safe for concurrent use.
type File struct {
	ctx   context.Context
	piece Piece
	store store.Store // nil for a live file
	name  string      // in store
	here  *fetch      // the stored bytes, if they were fetched ahead
	live  *live       // the stored bytes of a live file, which come once; see OpenLive
	sum   Sum         // of what was read of the piece

	random *Random // nil: the file is read in its order

	comp   compression
	raw    io.ReadCloser // stored bytes under stream, or nil
	stream *stream       // decompressed, or nil
	head   []byte
	ready  bool // head is read, and stream is after it
	isWide bool // holds wide, as long as it has the stream
	expect Format
}

// Open opens the file of a piece of r. The file must be the one that was listed: a
// different size or version is an *Error of kind Changed. The name determines the
// compression (.gz, .zst, .bz2); for standard input the content does.
func Open(ctx context.Context, r *Range, p *Piece) (*File, error) {
	if err := checkListed(p); err != nil {
		return nil, err
	}
	f := &File{ctx: ctx, piece: *p, sum: Sum{From: p.Start, To: p.Start}, comp: p.compression()}
	if err := f.find(r.Dir); err != nil {
		return nil, notOpened(r.Dir, p.stored(), p, err)
	}
	return f, nil
}

// OpenFile opens the whole of a listed file, without its archive.
func OpenFile(ctx context.Context, in *Input) (*File, error) {
	return Open(ctx, new(Range), &Piece{Input: *in, End: in.Size})
}

// find finds the file in its store. A local one must be in the state that was listed; of
// an object store every request names its version, so that nothing else can be read.
func (f *File) find(dir string) (err error) {
	if store.IsRemote(f.piece.stored()) {
		f.store, f.name, err = store.Of(f.ctx, f.piece.stored())
		return err
	}
	f.store, f.name = store.Local{}, resolve(dir, f.piece.stored())
	local, info, err := store.OpenLocal(f.name)
	if err != nil {
		return err
	}
	defer local.Close()
	if err := f.check(info.Size(), store.FileVersion(info)); err != nil {
		return err
	}
	if info.Size() > 0 {
		return nil
	}
	// Some file systems, such as the Linux kernel's own and some network file systems,
	// report a size of 0 for files that have bytes.
	if n, _ := local.ReadAt(make([]byte, 1), 0); n > 0 {
		return permanent(f.piece.URI, 0, syntax.KindIrregular, "the file system says that it has 0 bytes, but there are some; copy it to a file first")
	}
	return nil
}

// check compares the state of the file with what was listed.
func (f *File) check(size int64, version string) error {
	listed, before := f.piece.file()
	if size == listed && version == before {
		return nil
	}
	return &Error{URI: f.piece.URI, Kind: Changed, Err: fmt.Errorf(
		"the file changed since it was listed (%d bytes, then %d; version %s, then %s); run the same command again when nothing writes to it",
		listed, size, before, version)}
}

// Expect sets the declared format of the file, before Head. The head of a live table is
// then its header, the first line that is not blank with the line breaks that its cells hold.
func (f *File) Expect(format Format) { f.expect = format }

// Live reports whether the file was opened by OpenLive.
func (f *File) Live() bool { return f.live != nil }

// Compressed reports whether the stored bytes are compressed.
func (f *File) Compressed() bool { return f.comp != plain }

// Size is the number of stored bytes, negative if it is not known.
func (f *File) Size() int64 { return f.piece.Size }

// state identifies the file and its listed state among all others. It is "" for a file
// that can be read only once.
func (f *File) state() string {
	if f.live != nil {
		return ""
	}
	_, version := f.piece.file()
	return f.name + "\x00" + version + "\x00" + f.piece.URI
}

// Consumed returns how many stored bytes the reader of At has taken so far, from its
// beginning. Some of them may not be decompressed yet.
func (f *File) Consumed() int64 {
	if f.stream == nil {
		return 0
	}
	return f.stream.stored.n
}

// At returns a reader of the decompressed bytes from offset off to the end of the file.
// It replaces the reader returned before. A compressed file that is not split can only
// be read from offset 0. Errors of the reader are *Error.
func (f *File) At(off int64) (io.Reader, error) {
	if f.ready && off == 0 {
		f.ready = false
		return io.MultiReader(bytes.NewReader(f.head), f.stream), nil
	}
	if err := f.restart(off); err != nil {
		return nil, err
	}
	return f.stream, nil
}

// restart opens the stream anew at offset off.
func (f *File) restart(off int64) error {
	f.ready = false
	if off != 0 && f.comp != plain && f.piece.Whole() {
		return fmt.Errorf("%s: a compressed file cannot be read from byte %d", f.piece.URI, off)
	}
	f.closeStream()
	begin := f.memberBefore(off)
	raw, err := f.open(f.ctx, begin.At)
	if err != nil {
		return classify(&f.piece, off, err)
	}
	f.raw = raw
	stored := &storedReader{r: f.summed(&contextReader{f.ctx, raw}, begin.At)}
	window, widen := uint64(narrowWindow), f.widen
	if f.piece.In != nil && f.piece.In.Stream { // which may have the one wide window
		widen = nil
	}
	if f.live != nil { // it cannot be read again, and nothing else reads it
		window, widen = maxWindow, nil
	}
	dec, err := f.comp.reader(stored, window)
	if f.comp != plain && f.piece.Size == 0 {
		err = io.ErrUnexpectedEOF // an empty file is not a compressed file
	}
	f.stream = &stream{piece: &f.piece, stored: stored, dec: dec, begin: begin, off: begin.From, widen: widen}
	if err != nil {
		return f.stream.fail(err)
	}
	if _, err := io.CopyN(io.Discard, f.stream, off-begin.From); err != io.EOF { // at the end is nothing to read
		return err
	}
	return nil
}

// memberBefore is where a reader of the bytes from off on begins.
func (f *File) memberBefore(off int64) Member {
	p := &f.piece
	switch {
	case f.comp == plain:
		return Member{off, off}
	case off >= p.From:
		return Member{p.Start, p.From}
	case off >= p.Before.From:
		return p.Before
	}
	return Member{}
}

// open returns a reader of the stored bytes from off on, of the state that was listed.
// It is opened again where it stopped after a transient fault, or when there are
// fewer bytes than were listed.
func (f *File) open(ctx context.Context, off int64) (io.ReadCloser, error) {
	if f.live != nil {
		return f.live.open()
	}
	return f.openRange(ctx, off, f.piece.Size)
}

// openRange is open for the bytes [off, end).
func (f *File) openRange(ctx context.Context, off, end int64) (io.ReadCloser, error) {
	if f.here != nil {
		return io.NopCloser(bytes.NewReader(f.here.data[off:end])), nil
	}
	if f.piece.In != nil {
		return f.openMember(ctx, off, end)
	}
	return store.NewReader(ctx, f.store, store.Info{Name: f.name, Version: f.piece.Version}, off, end-off)
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
	f.narrow()
}

// Truncate makes the file end at byte n of the stored bytes, before anything was read.
func (f *File) Truncate(n int64) { f.piece.Size, f.piece.End = n, n }

// Verify returns an *Error of kind Changed if the file is no longer the one that was
// listed. Call it after the last byte was read.
func (f *File) Verify() error {
	if f.live != nil || store.IsRemote(f.piece.stored()) {
		return nil
	}
	info, err := os.Stat(f.name)
	if errors.Is(err, fs.ErrNotExist) {
		return f.check(0, "gone")
	}
	if err != nil {
		return classify(&f.piece, 0, err)
	}
	return f.check(info.Size(), store.FileVersion(info))
}

// Close releases the file. It may be called more than once.
func (f *File) Close() error {
	f.closeStream()
	if f.live != nil {
		f.live.stop()
	}
	if f.here != nil {
		f.here.data = nil
		f.here.free()
	}
	return nil
}
