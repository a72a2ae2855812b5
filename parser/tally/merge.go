package tally

import (
	"bytes"
	"cmp"
	"container/heap"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/treebeam/treebeam/parser/cluster"
)

// MaxBigrams is the most bigrams that Merge keeps: 384 MB. With them, 100 million words are
// clustered within 2 GB.
const MaxBigrams = 24 << 20

// Errors of Merge, beside those of opening a run.
var (
	ErrDamaged = errors.New("counts of words are damaged")
	ErrTooMany = fmt.Errorf("more than %d words of text: take a part of it", cluster.MaxTokens)
)

// Limits of Merge: what it keeps of the counts of a text.
type Limits struct {
	Least   int64 // words that occur less often are left out
	Words   int   // at most so many words, the most frequent ones
	Bigrams int   // at most so many bigrams, the most frequent ones
}

// A Merged is what Merge has found.
type Merged struct {
	cluster.Counts
	Forms int64 // words that differ, with those that were left out
	Rare  int64 // bigrams that occur so often or less were left out, 0: none were
}

// Merge adds up the runs of Tallies, each of which it opens twice and closes. The
// result depends on the text alone, not on how it was cut into runs. It needs
// memory for what is kept, some 60 KB and 4 bytes for each word of every run. If there
// are more bigrams than wanted, those that occur once are left out, then those that
// occur twice, and so on. Runs that are damaged, and more words than cluster.MaxTokens,
// are an error.
func Merge(runs []func() (io.ReadCloser, error), limits Limits) (*Merged, error) {
	m := &Merged{}
	if err := m.words(runs, limits); err != nil {
		return nil, err
	}
	alphabet := make([]int32, len(m.Words)) // places, by rank
	for i := range alphabet {
		alphabet[i] = int32(i)
	}
	slices.SortFunc(alphabet, func(a, b int32) int { return strings.Compare(m.Words[a], m.Words[b]) })
	ranked := make([]string, len(alphabet))
	for i, p := range alphabet {
		ranked[i] = m.Words[p]
	}
	place := func(rank uint64) int32 { // plus 1
		if rank == 0 {
			return cluster.Edge
		}
		return alphabet[rank-1]
	}
	err := mergeRuns(runs,
		func(r *runReader) error { return r.beginPairs(ranked) },
		(*runReader).nextPair,
		func(a, b *runReader) int { return cmp.Compare(a.key(), b.key()) },
		func(r *runReader, count int64) error {
			if count <= m.Rare {
				return nil
			}
			key := r.key()
			m.Bigrams = append(m.Bigrams, cluster.Bigram{A: place(key >> 32), B: place(key & (1<<32 - 1)), Count: count})
			for len(m.Bigrams) > limits.Bigrams {
				m.Rare++
				m.Bigrams = slices.DeleteFunc(m.Bigrams, func(b cluster.Bigram) bool { return b.Count <= m.Rare })
			}
			return nil
		})
	return m, err
}

// words adds up the counts of words and keeps those that are wanted.
func (m *Merged) words(runs []func() (io.ReadCloser, error), limits Limits) error {
	type entry struct {
		word  string
		count int64
	}
	var list []entry
	keep := func() {
		slices.SortFunc(list, func(a, b entry) int {
			return cmp.Or(cmp.Compare(b.count, a.count), strings.Compare(a.word, b.word))
		})
		list = list[:min(len(list), limits.Words)]
	}
	total := int64(0)
	err := mergeRuns(runs, nil, (*runReader).nextWord,
		func(a, b *runReader) int { return bytes.Compare(a.word, b.word) },
		func(r *runReader, count int64) error {
			m.Forms++
			if total += count; total > cluster.MaxTokens {
				return ErrTooMany
			}
			if count < limits.Least {
				return nil
			}
			if list = append(list, entry{string(r.word), count}); len(list) > 2*limits.Words+1024 {
				keep()
			}
			return nil
		})
	keep()
	for _, e := range list {
		m.Words, m.Count = append(m.Words, e.word), append(m.Count, e.count)
	}
	return err
}

// mergeRuns calls each for what any of the runs has, in order, with its count in all
// of them. begin, if not nil, is called for every run after it was opened.
func mergeRuns(runs []func() (io.ReadCloser, error), begin func(*runReader) error, next func(*runReader) (bool, error),
	compare func(a, b *runReader) int, each func(r *runReader, count int64) error) (err error) {
	h := &runHeap{compare: compare}
	defer func() {
		for _, r := range h.list {
			r.close()
		}
	}()
	// advance moves a run on; at its end, it is closed.
	advance := func(r *runReader) (more bool, err error) {
		if more, err = next(r); err != nil {
			return false, fmt.Errorf("%w: %w", ErrDamaged, err)
		}
		if !more {
			err = r.close()
		}
		return more, err
	}
	for _, open := range runs {
		r, err := newRunReader(open)
		if err != nil {
			return err
		}
		h.list = append(h.list, r)
		if begin != nil {
			if err := begin(r); err != nil {
				return fmt.Errorf("%w: %w", ErrDamaged, err)
			}
		}
		more, err := advance(r)
		if err != nil {
			return err
		}
		if !more {
			h.list = h.list[:len(h.list)-1]
		}
	}
	heap.Init(h)
	for len(h.list) > 0 {
		count := int64(0)
		first := *h.list[0] // what it has read, while it reads on
		first.word = slices.Clone(first.word)
		for len(h.list) > 0 && compare(h.list[0], &first) == 0 {
			if count += h.list[0].count; count > math.MaxInt64/2 {
				return ErrTooMany
			}
			more, err := advance(h.list[0])
			if err != nil {
				return err
			}
			if more {
				heap.Fix(h, 0)
			} else {
				heap.Pop(h)
			}
		}
		if err := each(&first, count); err != nil {
			return err
		}
	}
	return nil
}

// A runHeap has the run with the first word or pair in front.
type runHeap struct {
	list    []*runReader
	compare func(a, b *runReader) int
}

func (h *runHeap) Len() int           { return len(h.list) }
func (h *runHeap) Less(i, j int) bool { return h.compare(h.list[i], h.list[j]) < 0 }
func (h *runHeap) Swap(i, j int)      { h.list[i], h.list[j] = h.list[j], h.list[i] }
func (h *runHeap) Push(x any)         { h.list = append(h.list, x.(*runReader)) }
func (h *runHeap) Pop() any {
	last := h.list[len(h.list)-1]
	h.list = h.list[:len(h.list)-1]
	return last
}
