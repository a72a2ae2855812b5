package word

import (
	"strings"

	"github.com/treebeam/treebeam/parser/hash"
)

const (
	memoEntries = 8192 // of a full Memo
	memoSlots   = 2 * memoEntries
	memoChunk   = 64  // entries that are allocated together
	memoString  = 256 // bytes; longer strings are not kept
)

// A Memo keeps a value for every string that it was asked for, up to a bound,
// at which it starts again. It belongs to the scratch of one goroutine; what it
// has returned stays valid. The zero value is empty.
type Memo[T any] struct {
	slots []*entry[T] // open addressing
	spare []entry[T]
	used  int
}

type entry[T any] struct {
	key   string
	value T
}

// Find returns the value of s. A fresh one is zero: the caller fills it.
func (m *Memo[T]) Find(s string) (value *T, fresh bool) {
	if len(s) > memoString {
		return new(T), true
	}
	if m.slots == nil {
		m.slots = make([]*entry[T], memoSlots)
	}
	i := hash.String(s) % memoSlots
	for ; m.slots[i] != nil; i = (i + 1) % memoSlots {
		if m.slots[i].key == s {
			return &m.slots[i].value, false
		}
	}
	if m.used++; m.used > memoEntries {
		clear(m.slots)
		m.used = 1
		i = hash.String(s) % memoSlots
	}
	if len(m.spare) == 0 {
		m.spare = make([]entry[T], memoChunk)
	}
	e := &m.spare[0]
	m.spare = m.spare[1:]
	e.key = strings.Clone(s) // s may hold a whole document
	m.slots[i] = e
	return &e.value, true
}
