// Package tally counts the words and bigrams of a text in parts of bounded size, and
// adds them up for package cluster.
package tally

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/treebeam/treebeam/parser/cluster"
)

// Bounds of a Tally. What has more is written as several runs.
const (
	maxPairs = 2 << 20
	maxBytes = 64 << 20
)

// A Tally counts the words and bigrams of a part of a text, in under 200 MB. When it
// is Full, write what it has as a run: runs of any parts add up to the same counts
// (Merge). It is not for two goroutines.
type Tally struct {
	limit int // of pairs; 0 is maxPairs
	ids   map[string]uint32
	words []string // id 1 is words[0]; 0 is the edge
	count []int64
	bytes int
	pairs map[uint64]int64 // id << 32 | id of the next word
}

// Add counts a sentence, and not again after an error.
func (t *Tally) Add(words []string) {
	if len(words) == 0 {
		return
	}
	if t.ids == nil {
		t.ids, t.pairs = map[string]uint32{}, map[uint64]int64{}
	}
	before, known := uint32(0), true
	for _, w := range words {
		if len(w) > cluster.MaxWord || w == "" {
			known = false
			continue
		}
		id, ok := t.ids[w]
		if !ok {
			w = strings.Clone(w)
			t.words, t.count = append(t.words, w), append(t.count, 0)
			id = uint32(len(t.words))
			t.ids[w] = id
			t.bytes += len(w)
		}
		t.count[id-1]++
		if known {
			t.pairs[uint64(before)<<32|uint64(id)]++
		}
		before, known = id, true
	}
	if known {
		t.pairs[uint64(before)<<32]++
	}
}

// Empty reports whether nothing is counted.
func (t *Tally) Empty() bool { return len(t.ids) == 0 }

// Full reports whether the counts should be written now. A sentence more does no
// harm.
func (t *Tally) Full() bool {
	return len(t.pairs) >= cmp.Or(t.limit, maxPairs) || t.bytes >= maxBytes
}

// Run returns the counts as bytes that Merge reads, and empties the Tally: the words
// with their counts, then the bigrams with theirs, in the order of the words' bytes.
// The same sentences make the same bytes.
func (t *Tally) Run() []byte {
	order := make([]uint32, len(t.words)) // ids
	for i := range order {
		order[i] = uint32(i + 1)
	}
	slices.SortFunc(order, func(a, b uint32) int { return strings.Compare(t.words[a-1], t.words[b-1]) })
	rank := make([]uint64, len(t.words)+1) // by id, 1-based; the edge is 0
	b := binary.AppendUvarint(nil, uint64(len(order)))
	for i, id := range order {
		rank[id] = uint64(i + 1)
		w := t.words[id-1]
		b = append(binary.AppendUvarint(b, uint64(len(w))), w...)
		b = binary.AppendUvarint(b, uint64(t.count[id-1]))
	}
	type entry struct {
		pair  uint64
		count int64
	}
	list := make([]entry, 0, len(t.pairs))
	for p, n := range t.pairs {
		list = append(list, entry{rank[p>>32]<<32 | rank[p&(1<<32-1)], n})
	}
	slices.SortFunc(list, func(a, b entry) int { return cmp.Compare(a.pair, b.pair) })
	b = binary.AppendUvarint(b, uint64(len(list)))
	last := uint64(0)
	for _, e := range list {
		b = binary.AppendUvarint(b, e.pair-last)
		b = binary.AppendUvarint(b, uint64(e.count))
		last = e.pair
	}
	*t = Tally{limit: t.limit}
	return seal(b)
}

// runMagic begins a run.
const runMagic = "treebeam counts 2\n"

// A runReader reads a run from its beginning.
type runReader struct {
	r      *blockReader
	close  func() error
	left   uint64 // words, or pairs, to come
	word   []byte // the last word that was read
	pair   uint64
	paired bool // a pair was read
	count  int64
	ranks  []int32 // by rank in the run: that among all words, -1: not one of them
}

func newRunReader(open func() (io.ReadCloser, error)) (*runReader, error) {
	file, err := open()
	if err != nil {
		return nil, err
	}
	r := &runReader{r: &blockReader{r: file}, close: file.Close}
	magic := make([]byte, len(runMagic))
	if _, err = io.ReadFull(file, magic); err == nil && string(magic) != runMagic {
		err = fmt.Errorf("these are no counts of words")
	}
	if err == nil {
		r.left, err = r.number(1 << 32)
	}
	if err != nil {
		file.Close()
		return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	return r, nil
}

// number reads a number up to most.
func (r *runReader) number(most uint64) (uint64, error) {
	n, err := binary.ReadUvarint(r.r)
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	if err == nil && n > most {
		err = fmt.Errorf("%d is more than %d", n, most)
	}
	return n, err
}

// nextWord reads a word and its count; more is false behind the last.
func (r *runReader) nextWord() (more bool, err error) {
	if r.left == 0 {
		return false, nil
	}
	r.left--
	n, err := r.number(cluster.MaxWord)
	if err != nil {
		return false, err
	}
	last := string(r.word)
	r.word = slices.Grow(r.word[:0], int(n))[:n]
	if _, err = io.ReadFull(r.r, r.word); err != nil {
		return false, err
	}
	if bytes.Compare(r.word, []byte(last)) <= 0 {
		return false, fmt.Errorf("word %q follows %q", r.word, last)
	}
	count, err := r.number(cluster.MaxTokens)
	r.count = int64(count)
	return true, err
}

// beginPairs goes behind the words, of which ranked are those that matter.
func (r *runReader) beginPairs(ranked []string) error {
	r.ranks = append(make([]int32, 0, min(r.left, 1<<20)+1), cluster.Edge)
	at := 0
	for {
		more, err := r.nextWord()
		if err != nil {
			return err
		}
		if !more {
			break
		}
		for at < len(ranked) && ranked[at] < string(r.word) {
			at++
		}
		rank := int32(unranked)
		if at < len(ranked) && ranked[at] == string(r.word) {
			rank = int32(at)
		}
		r.ranks = append(r.ranks, rank)
	}
	r.word = nil
	var err error
	r.left, err = r.number(1 << 40)
	return err
}

// unranked is the rank of words that are not clustered.
const unranked = -2

// nextPair reads on to a pair of ranked words, in the order of ranks: see key.
func (r *runReader) nextPair() (more bool, err error) {
	for r.left > 0 {
		r.left--
		step, err := r.number(1<<64 - 1)
		if err != nil {
			return false, err
		}
		count, err := r.number(cluster.MaxTokens)
		if err != nil {
			return false, err
		}
		if next := r.pair + step; r.paired && next <= r.pair { // 0, or beyond all pairs
			return false, fmt.Errorf("pair %d of words follows %d", next, r.pair)
		}
		r.pair, r.paired = r.pair+step, true
		r.count = int64(count)
		a, b := r.pair>>32, r.pair&(1<<32-1)
		if a >= uint64(len(r.ranks)) || b >= uint64(len(r.ranks)) {
			return false, fmt.Errorf("a pair of words %d and %d, of %d", a, b, len(r.ranks)-1)
		}
		if r.ranks[a] != unranked && r.ranks[b] != unranked {
			return true, nil
		}
	}
	return false, nil
}

// key orders pairs of ranks.
func (r *runReader) key() uint64 {
	a, b := r.ranks[r.pair>>32], r.ranks[r.pair&(1<<32-1)]
	return uint64(a+1)<<32 | uint64(b+1)
}
