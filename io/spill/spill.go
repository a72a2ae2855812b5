// Package spill sorts more values than fit in memory. A Sorter takes values of any type and
// gives them back in order; it keeps most of them in a temporary file (external merge sort).
package spill

import (
	"bufio"
	"io"
	"iter"
	"slices"

	"github.com/klauspost/compress/s2"

	"github.com/treebeam/treebeam/io/store"
)

// blockBytes is what is compressed at once. Merging takes about twice as much for each run.
const blockBytes = 16 << 10

// A Sorter sorts values. It holds some of them in memory, and the others, compressed, in
// sorted runs in a temporary file. It is not safe for concurrent use.
type Sorter[T any] struct {
	Compare func(a, b *T) int
	Size    func(*T) int // of a value in memory
	Limit   int          // of the sizes of the values in memory
	// Encoder and Decoder return how a value is written and read, one after the other.
	Encoder func(io.Writer) func(*T) error
	Decoder func(io.Reader) func(*T) error

	held []T
	size int // of held
	file store.Temporary
	runs []run
	err  error // of the file: it stays
}

// A run is a part of the file with sorted values.
type run struct {
	start, end int64
	n          int // values
}

// Add adds a value. All also returns its error.
func (s *Sorter[T]) Add(v T) error {
	if s.err != nil {
		return s.err
	}
	s.held = append(s.held, v)
	if s.size += s.Size(&v); s.size >= s.Limit {
		s.err = s.spill()
	}
	return s.err
}

func (s *Sorter[T]) sort() {
	slices.SortFunc(s.held, func(a, b T) int { return s.Compare(&a, &b) })
}

// spill writes the values in memory as a run.
func (s *Sorter[T]) spill() (err error) {
	if s.file.File == nil {
		if s.file, err = store.NewTemporary(); err != nil {
			return err
		}
	}
	r := run{n: len(s.held)}
	if len(s.runs) > 0 {
		r.start = s.runs[len(s.runs)-1].end
	}
	s.sort()
	w := s2.NewWriter(s.file, s2.WriterConcurrency(1), s2.WriterBlockSize(blockBytes))
	encode := s.Encoder(w)
	for i := range s.held {
		if err := encode(&s.held[i]); err != nil {
			return err
		}
	}
	if err := w.Close(); err != nil {
		return err
	}
	r.end, err = s.file.Seek(0, io.SeekCurrent)
	s.runs = append(s.runs, r)
	clear(s.held)
	s.held, s.size = s.held[:0], 0
	return err
}

// All yields the values in order. It may be called more than once, but none may be
// added afterwards. The last pair has the error, if any.
func (s *Sorter[T]) All() iter.Seq2[*T, error] {
	if len(s.runs) > 0 && len(s.held) > 0 && s.err == nil {
		s.err = s.spill()
		s.held = nil
	}
	s.sort()
	return func(yield func(*T, error) bool) {
		if s.err != nil {
			yield(nil, s.err)
			return
		}
		for i := range s.held {
			if !yield(&s.held[i], nil) {
				return
			}
		}
		s.merge(yield)
	}
}

// merge yields the values of all runs.
func (s *Sorter[T]) merge(yield func(*T, error) bool) {
	next := make([]func() (*T, error, bool), len(s.runs))
	first := make([]*T, len(s.runs)) // that have not been yielded; nil at the end of a run
	for i, r := range s.runs {
		pull, stop := iter.Pull2(s.values(r))
		defer stop()
		next[i] = pull
	}
	advance := func(i int) (err error) {
		first[i], err, _ = next[i]()
		return err
	}
	for i := range next {
		if err := advance(i); err != nil {
			yield(nil, err)
			return
		}
	}
	for {
		least := -1
		for i, v := range first {
			if v != nil && (least < 0 || s.Compare(v, first[least]) < 0) {
				least = i
			}
		}
		if least < 0 || !yield(first[least], nil) {
			return
		}
		if err := advance(least); err != nil {
			yield(nil, err)
			return
		}
	}
}

// values yields the values of a run.
func (s *Sorter[T]) values(r run) iter.Seq2[*T, error] {
	return func(yield func(*T, error) bool) {
		stored := io.NewSectionReader(s.file, r.start, r.end-r.start)
		decode := s.Decoder(bufio.NewReader(s2.NewReader(stored, s2.ReaderMaxBlockSize(blockBytes))))
		for range r.n {
			v := new(T)
			if err := decode(v); err != nil {
				yield(nil, err)
				return
			}
			if !yield(v, nil) {
				return
			}
		}
	}
}

// Close removes the file.
func (s *Sorter[T]) Close() {
	if s.file.File != nil {
		s.file.Close()
	}
}
