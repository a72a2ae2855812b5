package hash

import (
	"math/bits"
	"slices"

	"github.com/treebeam/treebeam/parser/pack"
)

// A Set holds keys in 32 bits each, by open addressing; 0 is an empty place.
// A look-up of a key that is not in the set succeeds about once in a thousand million
// times. A Set is read-only. It may be used in place from the bytes of a model if it
// is Valid.
type Set []uint32

// NewSet returns the set of keys, and the place of each key in it. If the set cannot
// tell keys apart, the first has the place and the others have -1. Without keys the
// set is empty.
func NewSet(keys []Key) (s Set, places []int) {
	if len(keys) == 0 {
		return nil, nil
	}
	n := len(keys)*10/8 + 2
	s, places = make(Set, n), make([]int, len(keys))
	for k, key := range keys {
		i, found := s.search(key)
		if found {
			places[k] = -1
			continue
		}
		s[i], places[k] = uint32(key)|1, i
	}
	return s, places
}

// search returns the place of key, or the empty place where it belongs.
func (s Set) search(key Key) (place int, found bool) {
	hi, _ := bits.Mul64(key, uint64(len(s)))
	i, x := int(hi), uint32(key)|1
	for s[i] != 0 {
		if s[i] == x {
			return i, true
		}
		if i++; i == len(s) {
			i = 0
		}
	}
	return i, false
}

// Find returns the place of key, 0 <= place < len(s), or -1.
func (s Set) Find(key Key) int {
	if len(s) == 0 {
		return -1
	}
	if i, found := s.search(key); found {
		return i
	}
	return -1
}

// Has reports whether key is in the set.
func (s Set) Has(key Key) bool { return s.Find(key) >= 0 }

// Valid reports whether every search in s ends: s has no place at all, or an empty
// place.
func (s Set) Valid() bool { return len(s) == 0 || slices.Contains(s, 0) }

// A Map maps the keys of a Set to numbers. It is read-only.
type Map[V pack.Number] struct {
	keys   Set
	values []V // by place in keys
}

// NewMap returns the map of keys[i] to values[i]. If the set cannot tell keys apart,
// the first decides.
func NewMap[V pack.Number](keys []Key, values []V) (m Map[V]) {
	var places []int
	m.keys, places = NewSet(keys)
	m.values = make([]V, len(m.keys))
	for i, at := range places {
		if at >= 0 {
			m.values[at] = values[i]
		}
	}
	return m
}

// Find returns the value of a key.
func (m *Map[V]) Find(key Key) (value V, found bool) {
	if at := m.keys.Find(key); at >= 0 {
		return m.values[at], true
	}
	return 0, false
}

// Layout names the sections of the map.
func (m *Map[V]) Layout(l *pack.Layout, keys, values string) {
	m.keys.Layout(l, keys)
	pack.Array(l, values, &m.values)
	l.Check(values, len(m.values) == len(m.keys), "has another length than the keys")
}

// Values returns the values by place. Values of empty places mean nothing.
func (m *Map[V]) Values() []V { return m.values }

// Layout names the section of the set.
func (s *Set) Layout(l *pack.Layout, name string) {
	pack.Array(l, name, (*[]uint32)(s))
	l.Check(name, s.Valid(), "has no empty place")
}
