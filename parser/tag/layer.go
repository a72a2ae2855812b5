package tag

import (
	"fmt"

	"github.com/treebeam/treebeam/parser/pack"
)

// A layer is one linear model over labels that are made of parts: UPOS with
// XPOS, then FEATS, then the rewrite rules of lemmas. It is read-only.
type layer struct {
	labels  labels
	table   *table
	pairs   []int32 // units x units: left neighbour, word
	triples []int32 // (prims+1)^3; nil: first order
}

func (m *layer) pack(s *pack.Sub, name string) {
	pack.Put(s, name+".labels.start", m.labels.start)
	pack.Put(s, name+".labels.parts", m.labels.parts)
	pack.Put(s, name+".labels.sizes", []uint32{uint32(m.labels.n), uint32(m.labels.units), uint32(m.labels.prims)})
	m.table.pack(s, name)
	pack.Put(s, name+".pairs", m.pairs)
	pack.Put(s, name+".triples", m.triples)
}

func openLayer(v *pack.View, component, name string) (*layer, error) {
	m := &layer{}
	var err error
	if m.labels.start, err = pack.Get[uint32](v, component, name+".labels.start"); err != nil {
		return nil, err
	}
	if m.labels.parts, err = pack.Get[uint16](v, component, name+".labels.parts"); err != nil {
		return nil, err
	}
	sizes, err := pack.Get[uint32](v, component, name+".labels.sizes")
	if err != nil {
		return nil, err
	}
	if m.pairs, err = pack.Get[int32](v, component, name+".pairs"); err != nil {
		return nil, err
	}
	if m.triples, err = pack.Get[int32](v, component, name+".triples"); err != nil {
		return nil, err
	}
	damaged := fmt.Errorf("model component %q: labels of layer %q are damaged; train the model again", component, name)
	if len(sizes) != 3 || sizes[0] > 1<<16 || sizes[1] > sizes[0] || sizes[2] > sizes[0] {
		return nil, damaged
	}
	m.labels.n, m.labels.units, m.labels.prims = int(sizes[0]), int(sizes[1]), int(sizes[2])
	if !m.labels.valid() || len(m.pairs) != m.labels.units*m.labels.units {
		return nil, damaged
	}
	if d := m.labels.prims + 1; len(m.triples) != 0 && len(m.triples) != d*d*d {
		return nil, damaged
	}
	m.table, err = openTable(v, component, name, m.labels.n)
	return m, err
}

// valid reports whether every label has a primary and known parts.
func (l *labels) valid() bool {
	if len(l.start) == 0 || l.start[0] != 0 || int(l.start[len(l.start)-1]) != len(l.parts) || len(l.start) > 1<<16 {
		return false
	}
	for i := range l.count() {
		if l.start[i] >= l.start[i+1] || int(l.start[i+1]) > len(l.parts) || int(l.parts[l.start[i]]) >= l.prims {
			return false
		}
	}
	for _, p := range l.parts {
		if int(p) >= l.n {
			return false
		}
	}
	return true
}
