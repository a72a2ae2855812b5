package source

import (
	"bufio"
	"encoding/gob"
	"errors"
	"io"
	"iter"
	"os"
	"slices"

	"github.com/klauspost/compress/s2"
)

// spooled is how many inputs a spool holds in memory: some 40 MB. Tests make it smaller.
var spooled = 1 << 17

// spoolBlock is what is compressed at once.
const spoolBlock = 64 << 10

// A spool sorts any number of inputs. It keeps those that it does not hold in sorted runs
// in a temporary file.
type spool struct {
	compare func(a, b *found) int
	held    []found
	file    *os.File
	runs    []int64 // the ends of the runs in the file
	err     error   // of the file: it stays
}

// found is an input as a pattern has found it.
type found struct {
	Input
	Place string // absolute path or URI: what tells one file from another
}

// add adds an input. If it cannot, all says so.
func (s *spool) add(f found) {
	s.held = append(s.held, f)
	if len(s.held) == spooled {
		s.err = errors.Join(s.err, s.spill())
	}
}

// spill writes the inputs that are held as a run.
func (s *spool) spill() (err error) {
	if s.file == nil {
		if s.file, err = os.CreateTemp("", "treebeam-*"); err != nil {
			return err
		}
		os.Remove(s.file.Name()) // it lives until it is closed; where that cannot be, close removes it
	}
	slices.SortFunc(s.held, func(a, b found) int { return s.compare(&a, &b) })
	w := s2.NewWriter(s.file, s2.WriterConcurrency(1), s2.WriterBlockSize(spoolBlock))
	e := gob.NewEncoder(w)
	for i := range s.held {
		if err := e.Encode(&s.held[i]); err != nil {
			return err
		}
	}
	if err := w.Close(); err != nil {
		return err
	}
	end, err := s.file.Seek(0, io.SeekCurrent)
	s.runs = append(s.runs, end)
	clear(s.held)
	s.held = s.held[:0]
	return err
}

// all yields the inputs in order, more than once if it is asked to. None may be added
// afterwards. The pair with an error is the last.
func (s *spool) all() iter.Seq2[*found, error] {
	if len(s.runs) > 0 && len(s.held) > 0 {
		s.err = errors.Join(s.err, s.spill())
		s.held = nil
	}
	slices.SortFunc(s.held, func(a, b found) int { return s.compare(&a, &b) })
	return func(yield func(*found, error) bool) {
		if s.err != nil {
			yield(nil, s.err)
			return
		}
		for i := range s.held {
			if !yield(&s.held[i], nil) {
				return
			}
		}
		if len(s.runs) > 0 {
			s.merge(yield)
		}
	}
}

// merge yields the inputs of all runs.
func (s *spool) merge(yield func(*found, error) bool) {
	next := make([]func() (*found, error, bool), len(s.runs))
	first := make([]*found, len(s.runs)) // that have not been yielded; nil at the end of a run
	start := int64(0)
	for i, end := range s.runs {
		pull, stop := iter.Pull2(s.run(start, end))
		defer stop()
		next[i], start = pull, end
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
		for i, f := range first {
			if f != nil && (least < 0 || s.compare(f, first[least]) < 0) {
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

// run yields the inputs of the run between two places in the file.
func (s *spool) run(start, end int64) iter.Seq2[*found, error] {
	return func(yield func(*found, error) bool) {
		r := s2.NewReader(io.NewSectionReader(s.file, start, end-start), s2.ReaderMaxBlockSize(spoolBlock))
		d := gob.NewDecoder(bufio.NewReader(r))
		for {
			f := new(found)
			if err := d.Decode(f); err != nil {
				if err != io.EOF {
					yield(nil, err)
				}
				return
			}
			if !yield(f, nil) {
				return
			}
		}
	}
}

func (s *spool) close() {
	if s.file != nil {
		s.file.Close()
		os.Remove(s.file.Name())
	}
}
