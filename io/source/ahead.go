package source

import (
	"cmp"
	"context"
	"io"
	"slices"
	"sync"

	"golang.org/x/sync/semaphore"

	"github.com/treebeam/treebeam/io/store"
)

// Bounds of what is fetched from object stores before it is needed. A request takes
// tens of milliseconds, however small the object is: two thousand requests one after
// the other would take minutes.
const (
	maxAheadBytes = 32 << 20 // of all ranges of the process
	maxAheadFile  = 8 << 20  // larger ones are read as they come
	maxAheadFiles = 32       // of one range, requests under way and objects waiting
)

var aheadBudget = semaphore.NewWeighted(maxAheadBytes)

// Files opens the pieces of a range one after the other. Small objects of
// object stores are fetched whole, the next ones while one is read. It is not
// safe for concurrent use.
type Files struct {
	ctx    context.Context
	cancel context.CancelFunc
	r      *Range
	next   int // the first piece that was not considered
	ahead  map[int]*fetch
	wait   sync.WaitGroup
}

// A fetch is an object that is on its way, or here.
type fetch struct {
	done chan struct{} // closed when data and err are set
	data []byte
	err  error
	free func() // gives its part of the budget back; may be called more than once
}

// NewFiles returns the files of r. Always defer Close.
func NewFiles(ctx context.Context, r *Range) *Files {
	ctx, cancel := context.WithCancel(ctx)
	return &Files{ctx: ctx, cancel: cancel, r: r, ahead: map[int]*fetch{}}
}

// Open is the function Open for piece i of the range. Pieces must be opened in
// order, and each closed before the next is opened.
func (f *Files) Open(i int) (*File, error) {
	f.gather(i)
	f.begin(i)
	p := &f.r.Pieces[i]
	got := f.ahead[i]
	if got == nil {
		return Open(f.ctx, f.r, p)
	}
	delete(f.ahead, i)
	<-got.done // the context ends it, too
	if got.err != nil {
		got.free()
		return nil, classify(p, 0, got.err)
	}
	file, err := Open(f.ctx, f.r, p)
	if err != nil {
		got.free()
		return nil, err
	}
	file.here = got
	f.begin(i + 1)
	return file, nil
}

// begin starts to fetch pieces from i on, as many as there is room for. A piece that is
// alone is read as it comes: it may not be text.
func (f *Files) begin(i int) {
	if len(f.r.Pieces) == 1 {
		return
	}
	for f.next = max(f.next, i); f.next < len(f.r.Pieces) && len(f.ahead) < maxAheadFiles; f.next++ {
		p := &f.r.Pieces[f.next]
		if !store.IsRemote(p.URI) || p.Path != "" && p.In == nil || p.In != nil && (p.In.Stream || p.In.Reason != "") || !p.Whole() || p.Size == 0 || p.Size > maxAheadFile {
			continue
		}
		if !aheadBudget.TryAcquire(p.Size) {
			return
		}
		got := &fetch{done: make(chan struct{}), free: sync.OnceFunc(func() { aheadBudget.Release(p.Size) })}
		f.ahead[f.next] = got
		f.wait.Go(func() {
			defer close(got.done)
			got.data, got.err = f.fetch(p)
		})
	}
}

func (f *Files) fetch(p *Piece) ([]byte, error) {
	file, err := Open(f.ctx, f.r, p)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	r, err := file.open(f.ctx, 0)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return readWhole(r, p.Size)
}

// gather reads small members of a compressed tar, from piece i on, in one pass: each alone
// would take one from the beginning of the archive.
func (f *Files) gather(i int) {
	var list []int
	first := &f.r.Pieces[i]
	for j := i; j < len(f.r.Pieces); j++ {
		p := &f.r.Pieces[j]
		if p.In == nil || !p.In.Stream || p.In.Reason != "" || p.Path != first.Path || p.Size > maxAheadFile ||
			f.ahead[j] != nil || !aheadBudget.TryAcquire(p.Size) {
			break
		}
		list = append(list, j)
	}
	if len(list) == 0 {
		return
	}
	slices.SortStableFunc(list, func(a, b int) int { return cmp.Compare(f.r.Pieces[a].In.At, f.r.Pieces[b].In.At) })
	var in *File
	var archive io.Reader
	file, err := Open(f.ctx, f.r, first)
	if err == nil {
		if in, err = file.openStream(f.ctx); err == nil {
			defer in.Close()
			archive, err = in.At(0)
		}
	}
	at := int64(0)
	for _, j := range list {
		p := &f.r.Pieces[j]
		got := &fetch{done: make(chan struct{}), free: sync.OnceFunc(func() { aheadBudget.Release(p.Size) }), err: err}
		close(got.done)
		f.ahead[j] = got
		r := &memberReader{piece: p, dec: archive, left: p.Size}
		if err == nil {
			if _, err = io.CopyN(io.Discard, archive, p.In.At-at); err == nil {
				got.data, err = readWhole(r, p.Size)
			}
			if err != nil {
				err = r.fault(err)
			}
			got.err, at = err, p.In.At+p.Size
		} else {
			got.err = r.fault(err)
		}
	}
}

// Close cancels requests under way and drops files that were fetched but not opened.
func (f *Files) Close() {
	f.cancel()
	f.wait.Wait()
	for _, got := range f.ahead {
		got.free()
	}
	clear(f.ahead)
}
