package label

import "slices"

// Only returns a model that chooses only root and the listed relations. If the tags of
// an arc allow none of these, the arc may have any listed one. Relations that the model
// does not have are ignored. The result shares the weights of m, and Relations stays
// the same.
func (m *Model) Only(relations []string) *Model {
	c := *m
	c.rel.start, c.rel.member = []uint32{0}, nil
	root := uint8(slices.Index(m.rel.names, rootName))
	var listed relationSet
	for l, name := range m.rel.names {
		if uint8(l) != root && slices.Contains(relations, name) {
			listed = append(listed, uint8(l))
		}
	}
	if len(listed) == 0 {
		return m
	}
	for i := range len(m.rel.start) - 1 {
		before := len(c.rel.member)
		for _, l := range m.rel.set(uint16(i)) {
			if l == root || slices.Contains(listed, l) {
				c.rel.member = append(c.rel.member, l)
			}
		}
		if len(c.rel.member) == before {
			c.rel.member = append(c.rel.member, listed...)
		}
		c.rel.start = append(c.rel.start, uint32(len(c.rel.member)))
	}
	c.rules = newRules(&c.rel, m.rules.language)
	c.charts = newModel(m.vocabulary).charts
	return &c
}

// Gives reports whether Label can give the relation to any arc.
func (m *Model) Gives(relation string) bool {
	l := slices.Index(m.rel.names, relation)
	return l >= 0 && slices.Contains(m.rel.member, uint8(l))
}
