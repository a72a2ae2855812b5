package tag

import (
	"fmt"

	"github.com/treebeam/treebeam/parser/pack"
)

// header is the part of a packed model that is not an array.
type header struct {
	Version  int
	FineXPOS bool
	Turkish  bool
}

// version of the packed form and of the features, which must be the same in
// training and tagging.
const version = 2

// Pack puts the model into s.
func (m *Model) Pack(s *pack.Sub) {
	s.PutJSON("header", header{version, m.fineXPOS, m.lex.turkish})
	s.PutStrings("upos", m.upos)
	s.PutStrings("xpos", m.xpos)
	s.PutStrings("feats", m.feats)
	pack.Put(s, "tag.upos", m.tagUPOS)
	pack.Put(s, "tag.xpos", m.tagXPOS)
	pack.Put(s, "morph.feats", m.morphFeats)
	pack.Put(s, "morph.xpos", m.morphXPOS)
	var links []uint16
	for l, list := range m.morphOf {
		for _, x := range list {
			links = append(links, uint16(l), x)
		}
	}
	pack.Put(s, "morph.of", links)
	m.lex.pack(s)
	m.tags.pack(s, "tags")
	m.morph.pack(s, "morphs")
	m.lemma.pack(s)
}

// Open returns the model packed as component. Its large arrays alias v's
// bytes. Every number in it is checked, so that a damaged model is an error
// here and never a panic in Tag.
func Open(v *pack.View, component string) (*Model, error) {
	m, err := openWithoutLemmas(v, component)
	if err != nil {
		return nil, err
	}
	m.lemma, err = openLemmatizer(v, component, m.lex.turkish)
	return m, err
}

func openWithoutLemmas(v *pack.View, component string) (*Model, error) {
	var h header
	if err := v.GetJSON(component, "header", &h); err != nil {
		return nil, err
	}
	if h.Version != version {
		return nil, fmt.Errorf("model component %q has version %d, this program reads %d; train the model again", component, h.Version, version)
	}
	m := &Model{fineXPOS: h.FineXPOS}
	if err := m.openTags(v, component); err != nil {
		return nil, err
	}
	var err error
	if m.lex, err = openLexicon(v, component, h.Turkish); err != nil {
		return nil, err
	}
	if m.tags, err = openLayer(v, component, "tags"); err != nil {
		return nil, err
	}
	if m.morph, err = openLayer(v, component, "morphs"); err != nil {
		return nil, err
	}
	if err := m.openLinks(v, component); err != nil {
		return nil, err
	}
	return m, nil
}

func (m *Model) openTags(v *pack.View, component string) error {
	for _, x := range []struct {
		name string
		list *[]string
	}{{"upos", &m.upos}, {"xpos", &m.xpos}, {"feats", &m.feats}} {
		var err error
		if *x.list, err = v.GetStrings(component, x.name); err != nil {
			return err
		}
	}
	for _, x := range []struct {
		name  string
		list  *[]uint16
		limit int
	}{
		{"tag.upos", &m.tagUPOS, len(m.upos)},
		{"tag.xpos", &m.tagXPOS, len(m.xpos)},
		{"morph.feats", &m.morphFeats, len(m.feats)},
		{"morph.xpos", &m.morphXPOS, len(m.xpos)},
	} {
		var err error
		if *x.list, err = pack.Get[uint16](v, component, x.name); err != nil {
			return err
		}
		for _, i := range *x.list {
			if int(i) >= x.limit {
				return fmt.Errorf("model component %q: section %q names a tag that there is not; train the model again", component, x.name)
			}
		}
	}
	return nil
}

// openLinks reads which FEATS go with which tags.
func (m *Model) openLinks(v *pack.View, component string) error {
	damaged := fmt.Errorf("model component %q: its lists of tags do not fit together; train the model again", component)
	if n := len(m.tagUPOS); n == 0 || len(m.tagXPOS) != n || m.tags.labels.count() != n ||
		len(m.morphXPOS) != len(m.morphFeats) || m.morph.labels.count() != len(m.morphFeats) ||
		len(m.tags.triples) == 0 {
		return damaged
	}
	links, err := pack.Get[uint16](v, component, "morph.of")
	if err != nil {
		return err
	}
	if len(links)%2 != 0 {
		return damaged
	}
	seen := map[[2]uint16]int{}
	for i := 0; i < len(links); i += 2 {
		l, x := links[i], links[i+1]
		if int(l) >= len(m.tagUPOS) || int(x) >= len(m.morphFeats) {
			return damaged
		}
		seen[[2]uint16{l, x}] = 1
	}
	m.link(seen)
	for _, list := range m.morphOf {
		if len(list) == 0 {
			return damaged
		}
	}
	return nil
}
