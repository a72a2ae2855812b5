package word

import "strings"

const (
	memoEntries = 8192 // of a full Memo
	memoString  = 256  // bytes; longer strings are not kept
)

// A Memo keeps a value for every string that it was asked for. At a bound it starts
// again from empty. It belongs to the scratch of one goroutine. Values that it has
// returned stay valid. The zero value is empty.
type Memo[T any] struct{ values map[string]*T }

// Find returns the value of s. A fresh one is zero: the caller fills it.
func (m *Memo[T]) Find(s string) (value *T, fresh bool) {
	if value = m.values[s]; value != nil {
		return value, false
	}
	value = new(T)
	if len(s) > memoString {
		return value, true
	}
	if len(m.values) == memoEntries {
		clear(m.values)
	}
	if m.values == nil {
		m.values = make(map[string]*T)
	}
	m.values[strings.Clone(s)] = value // s may hold a whole document
	return value, true
}
