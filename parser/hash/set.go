package hash

import (
	"math/bits"
	"slices"

	"github.com/treebeam/treebeam/parser/pack"
)

// A Set holds a fingerprint of each key, by open addressing. A look-up of a key that is
// not in the set succeeds about 5 times in 10^9, or in a narrow Set 3 times in 1,000,
// because it meets a dozen fingerprints. A Set is read-only. It may be used in place from
// the bytes of a model.
type Set struct {
	prints []uint32 // by place; 0 is an empty place
	narrow bool     // prints have narrowBits, of a key's 32 otherwise
}

const narrowBits = 12

// NewSet returns the set of keys, and the place of each key in it. Of keys that the set
// cannot tell apart, the first has the place and the others have -1. A narrow set takes
// a third of the bytes in a compressed file.
func NewSet(keys []Key, narrow bool) (s Set, places []int) {
	if s.narrow = narrow; len(keys) == 0 {
		return s, nil
	}
	s.prints, places = make([]uint32, len(keys)*10/8+2), make([]int, len(keys))
	for k, key := range keys {
		i, found := s.search(key)
		if found {
			places[k] = -1
			continue
		}
		s.prints[i], places[k] = s.print(key), i
	}
	return s, places
}

func (s *Set) print(key Key) uint32 {
	if s.narrow {
		return max(uint32(key)&(1<<narrowBits-1), 1)
	}
	return uint32(key) | 1
}

// home returns the place where the search for key begins.
func (s *Set) home(key Key) int {
	hi, _ := bits.Mul64(key, uint64(len(s.prints)))
	return int(hi)
}

// search returns the place of key, or the empty place where it belongs.
func (s *Set) search(key Key) (place int, found bool) {
	i, x := s.home(key), s.print(key)
	for s.prints[i] != 0 {
		if s.prints[i] == x {
			return i, true
		}
		if i++; i == len(s.prints) {
			i = 0
		}
	}
	return i, false
}

// Len returns the number of places.
func (s *Set) Len() int { return len(s.prints) }

// Find returns the place of key, below Len, or -1.
func (s *Set) Find(key Key) int {
	if len(s.prints) == 0 {
		return -1
	}
	if i, found := s.search(key); found {
		return i
	}
	return -1
}

// ahead is how many keys FindAll looks for at once, so that it does not wait for memory
// one key at a time.
const ahead = 32

// FindAll appends the places of the keys that are in the set.
func (s *Set) FindAll(places []int32, keys []Key) []int32 {
	if len(s.prints) == 0 {
		return places
	}
	var first [ahead]uint32
	for batch := range slices.Chunk(keys, ahead) {
		for i, key := range batch {
			first[i%ahead] = s.prints[s.home(key)]
		}
		for i, key := range batch {
			switch first[i%ahead] {
			case 0:
			case s.print(key):
				places = append(places, int32(s.home(key)))
			default:
				if place, found := s.search(key); found {
					places = append(places, int32(place))
				}
			}
		}
	}
	return places
}

// Equal reports whether both sets have the same fingerprints in the same places.
func (s *Set) Equal(x *Set) bool { return s.narrow == x.narrow && slices.Equal(s.prints, x.prints) }

// Has reports whether key is in the set.
func (s *Set) Has(key Key) bool { return s.Find(key) >= 0 }

// Layout names the section of the set. It refuses a set in which a search might not
// end.
func (s *Set) Layout(l *pack.Layout, name string) {
	if s.narrow = l.Optional(name+".narrow", s.narrow); s.narrow {
		small := make([]uint16, len(s.prints))
		for i, x := range s.prints {
			small[i] = uint16(x)
		}
		pack.Array(l, name+".narrow", &small)
		if l.Reading() {
			s.prints = make([]uint32, len(small))
			for i, x := range small {
				s.prints[i] = uint32(x)
			}
		}
	} else {
		pack.Array(l, name, &s.prints)
	}
	l.Check(name, len(s.prints) == 0 || slices.Contains(s.prints, 0), "has no empty place")
}

// A Map maps the keys of a Set to numbers. It is read-only.
type Map[V pack.Number] struct {
	keys   Set
	values []V // by place in keys
}

// NewMap returns the map of keys[i] to values[i], with a narrow set of keys if narrow
// is true. Of keys that the set cannot tell apart, the first decides.
func NewMap[V pack.Number](keys []Key, values []V, narrow bool) (m Map[V]) {
	var places []int
	m.keys, places = NewSet(keys, narrow)
	m.values = make([]V, m.keys.Len())
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
	l.Check(values, len(m.values) == m.keys.Len(), "has another length than the keys")
}

// Values returns the values by place. Values of empty places have no meaning.
func (m *Map[V]) Values() []V { return m.values }
