package tag

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/treebeam/treebeam/parser/syntax"
)

const (
	// MaxUPOS is how many values of UPOS a treebank may have; UD has 17.
	MaxUPOS = 100
	// maxLabels is what 16-bit numbers can count.
	maxLabels = 1<<16 - 1
	// maxPairs is how many pairs of UPOS and XPOS are chosen together: if a
	// treebank has more, XPOS is fine, and chosen with FEATS.
	maxPairs = 200
	// maxUnits is how many parts of a layer are scored in pairs of neighbours:
	// the UPOS and the commonest attributes with their values. The model grows
	// with their square, and a treebank may have thousands of XPOS.
	maxUnits = 1000
)

// An inventory numbers the labels of a treebank, in sorted order.
type inventory struct {
	fine  bool                 // XPOS is chosen with FEATS
	upos  map[string]uint16    // parts of labels
	tag   map[[2]string]uint16 // label of the first layer: UPOS, XPOS if it is not fine
	morph map[[3]string]uint16 // label of the second: UPOS, FEATS, XPOS if it is fine
}

func (v *inventory) tagName(w *syntax.Word) [2]string {
	if v.fine {
		return [2]string{w.UPOS, ""}
	}
	return [2]string{w.UPOS, w.XPOS}
}

func (v *inventory) morphName(w *syntax.Word) [3]string {
	if v.fine {
		return [3]string{w.UPOS, w.Feats, w.XPOS}
	}
	return [3]string{w.UPOS, w.Feats, ""}
}

func (v *inventory) tagOf(w *syntax.Word) uint16   { return v.tag[v.tagName(w)] }
func (v *inventory) morphOf(w *syntax.Word) uint16 { return v.morph[v.morphName(w)] }

// numbered numbers the keys of a count in sorted order.
func numbered[K comparable](count map[K]int, compare func(a, b K) int) ([]K, map[K]uint16) {
	list := slices.SortedFunc(maps.Keys(count), compare)
	numbers := make(map[K]uint16, len(list))
	for i, x := range list {
		numbers[x] = uint16(i)
	}
	return list, numbers
}

// counted counts the values of f over all words.
func counted[K comparable](sents []syntax.Sentence, f func(*syntax.Word) K) map[K]int {
	count := map[K]int{}
	for i := range sents {
		for j := range sents[i].Words {
			count[f(&sents[i].Words[j])]++
		}
	}
	return count
}

// takeInventory fills in the labels of m and returns their numbers.
//
// The parts of a label of the first layer are its UPOS and the pair, if there
// are more pairs than UPOS; all are units.
//
// Those of the second are its UPOS, each attribute with its value, and the
// whole, so that a form never seen gets FEATS that its suffix was never seen
// with. A fine XPOS counts as an attribute. The units
// are the UPOS and the commonest attributes.
func (m *Model) takeInventory(sents []syntax.Sentence) *inventory {
	v := &inventory{}
	v.fine = len(counted(sents, v.tagName)) > maxPairs
	_, v.upos = numbered(counted(sents, func(w *syntax.Word) string { return w.UPOS }), strings.Compare)
	var pairs [][2]string
	pairs, v.tag = numbered(counted(sents, v.tagName), func(a, b [2]string) int { return slices.Compare(a[:], b[:]) })
	m.fine = v.fine
	ls := &m.tags.labels
	for i, x := range pairs {
		m.upos, m.xpos = append(m.upos, x[0]), append(m.xpos, x[1])
		parts := []uint16{v.upos[x[0]]}
		if len(pairs) > len(v.upos) {
			parts = append(parts, uint16(len(v.upos)+i))
		}
		ls.add(parts...)
	}
	ls.n = len(v.upos) + len(pairs)
	ls.units = ls.n
	m.numberMorphs(v, counted(sents, v.morphName))
	linked := counted(sents, func(w *syntax.Word) [2]uint16 { return [2]uint16{v.tagOf(w), v.morphOf(w)} })
	m.morphOf = make([][]uint16, len(pairs))
	for x := range linked {
		m.morphOf[x[0]] = append(m.morphOf[x[0]], x[1])
	}
	for _, list := range m.morphOf {
		slices.Sort(list)
	}
	return v
}

// numberMorphs makes the labels of the second layer.
func (m *Model) numberMorphs(v *inventory, count map[[3]string]int) {
	var list [][3]string
	list, v.morph = numbered(count, func(a, b [3]string) int { return slices.Compare(a[:], b[:]) })
	values := map[string]int{}
	for _, x := range list {
		for _, f := range attributes(x) {
			values[f] += count[x]
		}
	}
	_, value := numbered(values, func(a, b string) int { // the commonest first
		return cmp.Or(cmp.Compare(values[b], values[a]), strings.Compare(a, b))
	})
	ls := &m.morph.labels
	ls.units = min(len(v.upos)+len(values), maxUnits)
	ls.n = len(v.upos) + len(values) + len(list)
	for i, x := range list {
		m.feats, m.fineXPOS = append(m.feats, x[1]), append(m.fineXPOS, x[2])
		parts := []uint16{v.upos[x[0]], uint16(ls.n - len(list) + i)}
		for _, f := range attributes(x) {
			parts = append(parts, uint16(len(v.upos))+value[f])
		}
		slices.Sort(parts)
		ls.add(slices.Compact(parts)...)
	}
}

// attributes returns what a label of the second layer is scored by: the first
// syntax.MaxFeats items of FEATS, and XPOS if it is fine.
func attributes(x [3]string) []string {
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
