package tag

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/treebeam/treebeam/parser/sequence"
	"github.com/treebeam/treebeam/parser/syntax"
)

const (
	MaxUPOS  = 100 // values of UPOS that a treebank may have; UD has 17
	maxPairs = 200 // pairs of UPOS and XPOS that are chosen together; with more pairs, XPOS is fine and chosen with FEATS
)

// An inventory numbers the labels of a treebank, in sorted order.
type inventory struct {
	fine  bool               // XPOS is chosen with FEATS
	upos  map[string]uint16  // parts of labels
	tag   map[columns]uint16 // labels of the first layer
	morph map[columns]uint16 // labels of the second
	links map[[2]uint16]int  // words of a label of the first and one of the second
}

// columns are UPOS, FEATS and XPOS. A column that a layer does not choose is
// empty.
type columns [3]string

func (v *inventory) tagColumns(w *syntax.Word) columns {
	if v.fine {
		return columns{w.UPOS}
	}
	return columns{w.UPOS, "", w.XPOS}
}

func (v *inventory) morphColumns(w *syntax.Word) columns {
	if v.fine {
		return columns{w.UPOS, w.Feats, w.XPOS}
	}
	return columns{w.UPOS, w.Feats}
}

func (v *inventory) tagOf(w *syntax.Word) uint16   { return v.tag[v.tagColumns(w)] }
func (v *inventory) morphOf(w *syntax.Word) uint16 { return v.morph[v.morphColumns(w)] }

// has reports whether the inventory has the tags of all words of s, and their
// combinations.
func (v *inventory) has(s *syntax.Sentence) bool {
	return !slices.ContainsFunc(s.Words, func(w syntax.Word) bool {
		tag, first := v.tag[v.tagColumns(&w)]
		morph, second := v.morph[v.morphColumns(&w)]
		return !first || !second || v.links[[2]uint16{tag, morph}] == 0
	})
}

// numbered numbers the keys of a count in sorted order.
func numbered[K comparable](count map[K]int, compare func(a, b K) int) ([]K, map[K]uint16) {
	list := slices.SortedFunc(maps.Keys(count), compare)
	numbers := make(map[K]uint16, len(list))
	for i, x := range list {
		numbers[x] = uint16(i)
	}
	return list, numbers
}

func compareColumns(a, b columns) int { return slices.Compare(a[:], b[:]) }

// counted counts the values of f over all words.
func counted[K comparable](sents []syntax.Sentence, f func(*syntax.Word) K) map[K]int {
	count := map[K]int{}
	for w := range syntax.Words(sents) {
		count[f(w)]++
	}
	return count
}

// takeInventory fills in the labels of m and returns their numbers.
//
// The parts of a label of the first layer are its UPOS and, if there are more
// pairs than UPOS, the pair. All parts are units.
func (m *Model) takeInventory(sents []syntax.Sentence) *inventory {
	v := &inventory{}
	v.fine = len(counted(sents, v.tagColumns)) > maxPairs
	m.fine = v.fine
	_, v.upos = numbered(counted(sents, func(w *syntax.Word) string { return w.UPOS }), strings.Compare)
	var pairs []columns
	pairs, v.tag = numbered(counted(sents, v.tagColumns), compareColumns)
	ls := &m.tags.Labels
	for i, x := range pairs {
		m.upos, m.xpos = append(m.upos, x[0]), append(m.xpos, x[2])
		parts := []uint16{v.upos[x[0]], uint16(len(v.upos) + i)}
		if len(pairs) == len(v.upos) {
			parts = parts[:1]
		}
		ls.Add(parts...)
	}
	ls.N = len(v.upos) + len(pairs)
	ls.Units = ls.N
	m.numberMorphs(v, counted(sents, v.morphColumns))
	v.links = counted(sents, func(w *syntax.Word) [2]uint16 { return [2]uint16{v.tagOf(w), v.morphOf(w)} })
	for _, x := range slices.SortedFunc(maps.Keys(v.links),
		func(a, b [2]uint16) int { return slices.Compare(a[:], b[:]) }) {
		m.links = append(m.links, x[:]...)
	}
	return v
}

// numberMorphs makes the labels of the second layer. Their parts are the UPOS,
// each attribute with its value, and the whole, so that an unknown form can get
// FEATS that were never seen with its suffix. The units are the UPOS and the
// commonest attributes.
func (m *Model) numberMorphs(v *inventory, count map[columns]int) {
	var list []columns
	list, v.morph = numbered(count, compareColumns)
	values := map[string]int{}
	for _, x := range list {
		for _, f := range attributes(x) {
			values[f] += count[x]
		}
	}
	_, value := numbered(values, func(a, b string) int { // the commonest first
		return cmp.Or(cmp.Compare(values[b], values[a]), strings.Compare(a, b))
	})
	ls := &m.morph.Labels
	ls.Units = min(len(v.upos)+len(values), sequence.MaxUnits)
	ls.N = len(v.upos) + len(values) + len(list)
	for i, x := range list {
		m.feats, m.fineXPOS = append(m.feats, x[1]), append(m.fineXPOS, x[2])
		parts := []uint16{v.upos[x[0]], uint16(ls.N - len(list) + i)}
		for _, f := range attributes(x) {
			parts = append(parts, uint16(len(v.upos))+value[f])
		}
		slices.Sort(parts)
		ls.Add(slices.Compact(parts)...)
	}
}

// attributes returns the first syntax.MaxFeats items of FEATS, and XPOS if it
// is fine.
func attributes(x columns) []string {
	var list []string
	if x[1] != "" {
		list = strings.Split(x[1], "|")
		list = list[:min(len(list), syntax.MaxFeats)]
	}
	if x[2] != "" {
		list = append(list, "XPOS "+x[2])
	}
	return list
}
