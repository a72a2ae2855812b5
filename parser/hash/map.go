package hash

import "github.com/treebeam/treebeam/parser/pack"

// A Map maps the keys of a Set to numbers. It is read-only.
type Map[V pack.Number] struct {
	keys   Set
	values []V // by place in keys
}

// NewMap returns the map of keys[i] to values[i]. Of keys that cannot be told apart
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

// Values are the values by place; those of empty places mean nothing.
func (m *Map[V]) Values() []V { return m.values }

// Layout names the section of the set.
func (s *Set) Layout(l *pack.Layout, name string) {
	pack.Array(l, name, (*[]uint32)(s))
	l.Check(name, s.Valid(), "has no empty place")
}
