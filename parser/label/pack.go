package label

import (
	"fmt"

	"github.com/treebeam/treebeam/parser/pack"
)

// A header is what a packed model says of itself.
type header struct {
	Version  int `json:"version"`
	Tags     int `json:"tags"`      // numPos
	Unit     int `json:"unit"`      // score units in a nat
	Template int `json:"templates"` // version of the templates
}

// ourHeader changes whenever a model would mean something else to the code.
var ourHeader = header{Version: 1, Tags: numPos, Unit: unit, Template: 1}

// Pack puts the model's arrays under s. The model must not be changed later.
func (m *Model) Pack(s *pack.Sub) {
	s.PutJSON("header", ourHeader)
	s.PutStrings("relations", m.rel.names)
	pack.Put(s, "set_of", m.rel.setOf)
	pack.Put(s, "set_start", m.rel.start)
	pack.Put(s, "set_member", m.rel.member)
	pack.Put(s, "row_start", m.table.start)
	pack.Put(s, "row_print", m.table.prints)
	pack.Put(s, "rows", m.table.rows)
	pack.Put(s, "pair", m.pair)
}

// Open reads a model that Pack put under the component's name. The arrays are
// used in place. Every index is checked: a model that Open returns cannot
// make Label panic, whatever its bytes.
func Open(v *pack.View, component string) (*Model, error) {
	var h header
	if err := v.GetJSON(component, "header", &h); err != nil {
		return nil, err
	}
	if h != ourHeader {
		return nil, fmt.Errorf("model component %q was written by another version (%+v, this one needs %+v): train it again", component, h, ourHeader)
	}
	m := new(Model)
	var err error
	if m.rel.names, err = v.GetStrings(component, "relations"); err != nil {
		return nil, err
	}
	for _, get := range []func() error{
		section(v, component, "set_of", &m.rel.setOf),
		section(v, component, "set_start", &m.rel.start),
		section(v, component, "set_member", &m.rel.member),
		section(v, component, "row_start", &m.table.start),
		section(v, component, "row_print", &m.table.prints),
		section(v, component, "rows", &m.table.rows),
		section(v, component, "pair", &m.pair),
	} {
		if err := get(); err != nil {
			return nil, err
		}
	}
	m.table.stride = len(m.rel.names) + 1
	if err := m.validate(); err != nil {
		return nil, fmt.Errorf("model component %q: %w: the file is corrupt, get it again", component, err)
	}
	m.fillExpPair()
	return m, nil
}

func section[T pack.Number](v *pack.View, component, name string, into *[]T) func() error {
	return func() (err error) {
		*into, err = pack.Get[T](v, component, name)
		return err
	}
}

func (m *Model) validate() error {
	if err := m.rel.validate(); err != nil {
		return err
	}
	if err := m.table.validate(); err != nil {
		return err
	}
	n := len(m.rel.names)
	if len(m.pair) != 2*numPos*n*n {
		return fmt.Errorf("%d pair factors, want %d", len(m.pair), 2*numPos*n*n)
	}
	for _, x := range m.pair {
		if x < -maxPair || x > maxPair {
			return fmt.Errorf("a pair factor is %d, not within %d", x, maxPair)
		}
	}
	return nil
}

// validate checks that every set is a non-empty increasing list of relations.
func (r *relations) validate() error {
	n := len(r.names)
	if n < 1 || n > maxRelations {
		return fmt.Errorf("%d relations, not 1 to %d", n, maxRelations)
	}
	if len(r.setOf) != numTagPairs || len(r.start) < 2 {
		return fmt.Errorf("%d tag pairs and %d sets", len(r.setOf), len(r.start)-1)
	}
	sets := len(r.start) - 1
	for _, s := range r.setOf {
		if int(s) >= sets {
			return fmt.Errorf("a tag pair has relation set %d of %d", s, sets)
		}
	}
	if r.start[0] != 0 || int(r.start[sets]) != len(r.member) {
		return fmt.Errorf("relation sets do not fit their %d members", len(r.member))
	}
	for i := range sets {
		if r.start[i] >= r.start[i+1] || int(r.start[i+1]) > len(r.member) {
			return fmt.Errorf("relation set %d is empty or broken", i)
		}
		last := -1
		for _, l := range r.set(uint16(i)) {
			if int(l) <= last || int(l) >= n {
				return fmt.Errorf("relation set %d is not increasing or has a relation beyond %d", i, n)
			}
			last = int(l)
		}
	}
	if s := r.set(0); len(s) != 1 || r.names[s[0]] != rootName {
		return fmt.Errorf("relation set 0 is not {%s}", rootName)
	}
	return nil
}
