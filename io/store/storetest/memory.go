package storetest

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing/iotest"

	"github.com/treebeam/treebeam/io/store"
)

// Memory is a store in memory. It is safe for concurrent use; its field must
// be set before it is used.
type Memory struct {
	// Gzip names the files that are declared to be compressed.
	Gzip map[string]bool

	mu     sync.Mutex
	fault  FaultFunc
	files  map[string]memoryFile
	writes int
	opened int
	read   map[string]int64
}

type memoryFile struct {
	data    []byte
	version string
}

// A FaultFunc is asked when a range of a file is opened. It returns how many bytes
// arrive (a negative number: all of them) and with which error they end: nil or
// io.EOF is a clean end, though too early.
type FaultFunc func(name string, off, n int64) (arrive int64, err error)

// Break makes a store ask fault from now on, or nobody if it is nil. It returns whom
// the store asked before. What a failed job still reads may ask either.
func (m *Memory) Break(fault FaultFunc) (before FaultFunc) {
	m.mu.Lock()
	defer m.mu.Unlock()
	before, m.fault = m.fault, fault
	return before
}

// Opened returns how many ranges were opened so far.
func (m *Memory) Opened() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.opened
}

// BytesRead returns how many bytes of a file were read so far.
func (m *Memory) BytesRead(name string) int64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.read[name]
}

// Put puts a file there.
func (m *Memory) Put(name string, data []byte) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.put(name, data)
}

func (m *Memory) put(name string, data []byte) {
	if m.files == nil {
		m.files = map[string]memoryFile{}
	}
	m.writes++
	m.files[name] = memoryFile{bytes.Clone(data), fmt.Sprintf("v%d.", m.writes)}
}

func (m *Memory) info(name string) store.Info {
	f := m.files[name]
	return store.Info{Name: name, Size: int64(len(f.data)), Version: f.version, Gzip: m.Gzip[name]}
}

// List implements store.Store.
func (m *Memory) List(ctx context.Context, prefix string) iter.Seq2[store.Info, error] {
	return func(yield func(store.Info, error) bool) {
		m.mu.Lock()
		names := slices.Sorted(maps.Keys(m.files))
		m.mu.Unlock()
		for _, name := range names {
			if err := ctx.Err(); err != nil {
				yield(store.Info{}, err)
				return
			}
			m.mu.Lock()
			info := m.info(name)
			m.mu.Unlock()
			if strings.HasPrefix(name, prefix) && !yield(info, nil) {
				return
			}
		}
	}
}

// Stat implements store.Store.
func (m *Memory) Stat(_ context.Context, name string) (store.Info, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, ok := m.files[name]; !ok {
		return store.Info{}, &store.Error{Name: name, Kind: fs.ErrNotExist, Err: errors.New("404")}
	}
	return m.info(name), nil
}

// Open implements store.Store.
func (m *Memory) Open(ctx context.Context, name, version string, off, n int64) (io.ReadCloser, error) {
	m.mu.Lock()
	f, ok := m.files[name]
	fault := m.fault
	m.opened++
	m.mu.Unlock()
	switch {
	case !ok:
		return nil, &store.Error{Name: name, Kind: fs.ErrNotExist, Err: errors.New("404")}
	case version != "" && version != f.version:
		return nil, &store.Error{Name: name, Kind: store.ErrVersion, Err: errors.New("412")}
	}
	data, end := f.data[off:off+n], io.EOF
	if fault != nil {
		arrive, err := fault(name, off, n)
		if arrive == 0 && err != nil {
			return nil, err
		}
		if arrive >= 0 && arrive < n {
			data, end = data[:arrive], cmp.Or(err, io.EOF)
		}
	}
	return &counted{io.MultiReader(bytes.NewReader(data), iotest.ErrReader(end)), m, name}, ctx.Err()
}

// counted counts what is read of a file.
type counted struct {
	io.Reader
	m    *Memory
	name string
}

func (c *counted) Read(b []byte) (int, error) {
	n, err := c.Reader.Read(b)
	c.m.mu.Lock()
	defer c.m.mu.Unlock()
	if c.m.read == nil {
		c.m.read = map[string]int64{}
	}
	c.m.read[c.name] += int64(n)
	return n, err
}

func (c *counted) Close() error { return nil }

// Create implements store.Store.
func (m *Memory) Create(_ context.Context, name string, o store.Options) (store.Writer, error) {
	return &memoryWriter{m: m, name: name, expect: o.Expect}, nil
}

// Delete implements store.Store.
func (m *Memory) Delete(_ context.Context, name string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.files, name)
	return nil
}

type memoryWriter struct {
	bytes.Buffer
	m            *Memory
	name, expect string
	done         bool
}

func (w *memoryWriter) Commit() error {
	if w.done {
		return errors.New("Commit after Abort or Commit")
	}
	w.m.mu.Lock()
	defer w.m.mu.Unlock()
	w.done = true
	if w.expect != store.Anything && w.expect != w.m.files[w.name].version {
		return &store.Error{Name: w.name, Kind: store.ErrCondition, Err: errors.New("412")}
	}
	w.m.put(w.name, w.Bytes())
	return nil
}

func (w *memoryWriter) Abort() { w.done = true }
