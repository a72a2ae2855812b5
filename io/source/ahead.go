package source

import (
	"context"
	"io"
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
		if !store.IsRemote(p.URI) || p.Path != "" || !p.Whole() || p.Size == 0 || p.Size > maxAheadFile {
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
	data := make([]byte, p.Size)
	_, err = io.ReadFull(r, data)
	return data, err
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
