package label

import (
	"slices"

	"github.com/treebeam/treebeam/parser/syntax"
	"github.com/treebeam/treebeam/parser/word"
)

// Narrowed returns a model that gives an arc only the relations of which there
// is a fair chance beforehand, given the tags of its ends and its direction:
// those that have at least this share of what the commonest has in the gold
// trees of train, which must have tags as those of a parse. What is known of
// too few arcs stays as it is. It is the
// pruning of labelled arcs by Carreras, Collins and Koo (2008), with what is
// left of it where labels follow the search: the head is known then, and 40
// relations need no factored models.
func (m *Model) Narrowed(train []syntax.Sentence, least float64) *Model {
	n := len(m.rel.names)
	count := make([]float64, len(m.rel.setOf)*n)
	m.arcs(train, func(pair, relation int) {
		if relation >= 0 {
			count[pair*n+relation]++
		}
	})
	t := newSetTable(relations{names: m.rel.names, setOf: slices.Clone(m.rel.setOf)})
	t.intern(m.rel.set(0))
	for pair, id := range m.rel.setOf {
		seen, sum := count[pair*n:][:n], 0.0
		for _, k := range seen {
			sum += k
		}
		if sum < rareTagPair {
			t.setOf[pair] = t.intern(m.rel.set(id))
			continue
		}
		set := slices.DeleteFunc(slices.Clone(m.rel.set(id)), func(l uint8) bool { return seen[l] < float64(least*slices.Max(seen)) })
		if len(set) == 0 {
			set = m.rel.set(id)
		}
		t.setOf[pair] = t.intern(set)
	}
	narrow := newModel(m.vocabulary)
	narrow.rel, narrow.table, narrow.pair = t.relations, m.table, m.pair
	narrow.derive()
	return narrow
}

// Coverage counts the words of gold trees, those whose relation the model may
// give them, those that it gives their only one without looking at features,
// and the relations of all.
func (m *Model) Coverage(gold []syntax.Sentence) (words, kept, single, relations int) {
	m.arcs(gold, func(pair, relation int) {
		set := m.rel.set(m.rel.setOf[pair])
		words++
		relations += len(set)
		if slices.Contains(set, uint8(relation)) && relation >= 0 {
			kept++
		}
		if len(set) == 1 {
			single++
		}
	})
	return words, kept, single, relations
}

// arcs calls f with the tag pair and the relation of every word of the trees;
// -1 is one that the model does not know.
func (m *Model) arcs(trees []syntax.Sentence, f func(pair, relation int)) {
	var t tree
	encoder := word.NewEncoder(m.vocabulary)
	for _, s := range trees {
		t.read(&s, encoder.Encode(&s))
		for i := range s.Words {
			x := &t.nodes[i+1]
			f(tagPair(t.nodes[x.head].Coarse, context(x.Coarse, x.side)), slices.Index(m.rel.names, goldName(&s.Words[i])))
		}
	}
}
