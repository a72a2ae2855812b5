package tag

import (
	"github.com/treebeam/treebeam/parser/linear"
	"github.com/treebeam/treebeam/parser/pack"
)

// A layer is a linear model over labels that are made of parts. It is
// read-only.
type layer struct {
	labels labels
	table  linear.Table // scores of parts
	pairs  []int32      // units x units: left neighbour, word
}

func (m *layer) layout(l *pack.Layout) {
	ls := &m.labels
	pack.Array(l, "start", &ls.start)
	pack.Array(l, "parts", &ls.parts)
	pack.Bounds(l, "start", ls.start, len(ls.parts))
	l.Check("start", len(ls.start) <= maxLabels+1, "has too many labels")
	sizes := []uint32{uint32(ls.n), uint32(ls.units)}
	pack.Array(l, "sizes", &sizes)
	l.Check("sizes", len(sizes) == 2 && sizes[0] <= maxLabels && sizes[1] <= min(sizes[0], maxUnits), "is out of range")
	if l.Reading() {
		ls.n, ls.units = int(sizes[0]), int(sizes[1])
	}
	pack.Below(l, "parts", ls.parts, ls.n)
	m.table.Layout(l, "table", ls.n)
	pack.Array(l, "pairs", &m.pairs)
	l.Check("pairs", len(m.pairs) == ls.units*ls.units, "does not fit the labels")
}

func (m *Model) layout(l *pack.Layout) {
	m.layoutTags(l)
	l.Nested(lemmaSections, m.lemma.layout)
}

// layoutTags is all but the lemmas.
func (m *Model) layoutTags(l *pack.Layout) {
	l.Strings("upos", &m.upos)
	l.Strings("xpos", &m.xpos)
	l.Bool("fine", &m.fine)
	l.Strings("feats", &m.feats)
	l.Strings("finexpos", &m.fineXPOS)
	links := []uint16{} // pairs: label of the first layer, of the second
	for tag, list := range m.morphOf {
		for _, x := range list {
			links = append(links, uint16(tag), x)
		}
	}
	pack.Array(l, "links", &links)
	l.Nested("lexicon", m.lex.layout)
	l.Nested("tags", m.tags.layout)
	l.Nested("morphs", m.morph.layout)
	l.Check("tags.start", len(m.upos) > 0 && m.tags.labels.count() == len(m.upos) && len(m.xpos) == len(m.upos), "does not fit the tags")
	l.Check("morphs.start", m.morph.labels.count() == len(m.feats) && len(m.fineXPOS) == len(m.feats), "does not fit the tags")
	l.Check("links", len(links)%2 == 0, "is not made of pairs")
	if l.Reading() {
		m.link(l, links)
	}
	for i := 0; i < len(m.lex.facts) && l.Reading(); i += entry {
		l.Check("lexicon.facts", int(m.lex.facts[i+factSure]) <= len(m.upos), "names a label that there is not")
	}
}

// link lists the labels of the second layer under those of the first.
func (m *Model) link(l *pack.Layout, links []uint16) {
	m.morphOf = make([][]uint16, len(m.upos))
	last := [2]uint16{}
	for i := 0; i < len(links); i += 2 {
		tag, x := links[i], links[i+1]
		ok := int(tag) < len(m.upos) && int(x) < len(m.feats)
		ok = ok && (i == 0 || tag > last[0] || tag == last[0] && x > last[1])
		if l.Check("links", ok, "is out of order"); !ok {
			return
		}
		m.morphOf[tag] = append(m.morphOf[tag], x)
		last = [2]uint16{tag, x}
	}
	for _, list := range m.morphOf {
		l.Check("links", len(list) > 0, "leaves a tag without FEATS")
	}
}

// finish fills in what follows from the rest.
func (m *Model) finish() *Model {
	m.all = make([]uint16, len(m.upos))
	for i := range m.all {
		m.all[i] = uint16(i)
	}
	m.lemma.casing = m.lex.casing
	return m
}

// Pack puts the model into s.
func (m *Model) Pack(s *pack.Sub) { pack.Write(s, m.layout) }

// Open returns the model packed as component. Its large arrays alias v's
// bytes. Every number in it is checked, so that a damaged model is an error
// here and never a panic in Tag.
func Open(v *pack.View, component string) (*Model, error) {
	m := newModel()
	if err := pack.Read(v, component, m.layout); err != nil {
		return nil, err
	}
	return m.finish(), nil
}

func newModel() *Model { return &Model{lex: &lexicon{}, lemma: &lemmatizer{}} }
