package tag

import "github.com/treebeam/treebeam/parser/pack"

func (m *Model) layout(l *pack.Layout) {
	m.layoutTags(l)
	l.Nested(lemmaName, m.lemma.layout)
}

// layoutTags is all but the lemmas.
func (m *Model) layoutTags(l *pack.Layout) {
	l.Strings("upos", &m.upos)
	l.Strings("xpos", &m.xpos)
	l.Bool("fine", &m.fine)
	l.Strings("feats", &m.feats)
	l.Strings("finexpos", &m.fineXPOS)
	pack.Array(l, "links", &m.links)
	l.Nested("lexicon", m.lex.layout)
	l.Nested("tags", m.tags.layout)
	l.Nested("morphs", m.morph.layout)
	l.Check("tags.start", len(m.upos) > 0 && m.tags.labels.count() == len(m.upos) && len(m.xpos) == len(m.upos), "does not fit the tags")
	l.Check("morphs.start", m.morph.labels.count() == len(m.feats) && len(m.fineXPOS) == len(m.feats), "does not fit the tags")
	l.Check("links", len(m.links)%2 == 0, "is not made of pairs")
	if l.Reading() {
		l.Check("links", m.inOrder(), "is out of order")
	}
	for i := 0; i < len(m.lex.facts) && l.Reading(); i += entry {
		l.Check("lexicon.facts", int(m.lex.facts[i+factSure]) <= len(m.upos), "names a label that there is not")
	}
}

// inOrder reports whether links names every label of the first layer, rising,
// and behind each its labels of the second, rising.
func (m *Model) inOrder() bool {
	tag, last := -1, -1
	for i := 0; i < len(m.links); i += 2 {
		t, x := int(m.links[i]), int(m.links[i+1])
		if x >= len(m.feats) || t != tag+1 && (t != tag || x <= last) {
			return false
		}
		tag, last = t, x
	}
	return tag == len(m.upos)-1
}

// finish fills in what follows from the rest.
func (m *Model) finish() *Model {
	m.all = make([]uint16, len(m.upos))
	for i := range m.all {
		m.all[i] = uint16(i)
	}
	m.morphOf = make([][]uint16, len(m.upos))
	for i := 0; i < len(m.links); i += 2 {
		tag := m.links[i]
		m.morphOf[tag] = append(m.morphOf[tag], m.links[i+1])
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

func newModel() *Model { return &Model{lex: &lexicon{}, lemma: &Lemmatizer{}} }
