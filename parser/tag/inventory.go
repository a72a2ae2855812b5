package tag

import (
	"cmp"
	"slices"
	"strings"

	"github.com/treebeam/treebeam/parser/syntax"
)

// An inventory numbers the tags of a treebank, in sorted order.
type inventory struct {
	upos, xpos, feats map[string]uint16
	tag               map[[2]string]uint16 // UPOS, XPOS
	morph             map[[3]string]uint16 // UPOS, XPOS if fine, FEATS
	fineXPOS          bool
}

// maxLabels is what 16-bit numbers can count.
const maxLabels = 1<<16 - 1

// MaxUPOS is how many values of UPOS a treebank may have; UD has 17. Three in a
// row are scored, so that the model grows with their cube.
const MaxUPOS = 100

// maxUnits is how many parts of a layer are scored in pairs of neighbours: the
// UPOS and the commonest attributes with their values. The model grows with
// their square, and a treebank may have thousands of XPOS.
const maxUnits = 1000

// takeInventory fills in the tags of m and returns their numbers.
func (m *Model) takeInventory(sents []syntax.Sentence) *inventory {
	v := &inventory{tag: map[[2]string]uint16{}, morph: map[[3]string]uint16{}}
	upos, xpos, feats := map[string]bool{}, map[string]bool{}, map[string]bool{}
	pairs := map[[2]string]bool{}
	eachWord(sents, func(w *syntax.Word) {
		upos[w.UPOS], xpos[w.XPOS], feats[w.Feats] = true, true, true
		pairs[[2]string{w.UPOS, w.XPOS}] = true
	})
	m.upos, v.upos = sorted(upos)
	m.xpos, v.xpos = sorted(xpos)
	m.feats, v.feats = sorted(feats)
	m.fineXPOS = len(pairs) > maxTagPairs
	v.fineXPOS = m.fineXPOS
	m.numberTags(v, pairs)
	m.numberMorphs(v, sents)
	return v
}

func eachWord(sents []syntax.Sentence, f func(*syntax.Word)) {
	for i := range sents {
		for j := range sents[i].Words {
			f(&sents[i].Words[j])
		}
	}
}

func sorted(set map[string]bool) ([]string, map[string]uint16) {
	list := make([]string, 0, len(set))
	for x := range set {
		list = append(list, x)
	}
	slices.Sort(list)
	numbers := make(map[string]uint16, len(list))
	for i, x := range list {
		numbers[x] = uint16(i)
	}
	return list, numbers
}

// numberTags makes the labels of the first layer: their parts are the UPOS
// and the pair.
func (m *Model) numberTags(v *inventory, pairs map[[2]string]bool) {
	if m.fineXPOS {
		pairs = map[[2]string]bool{}
		for _, u := range m.upos {
			pairs[[2]string{u, ""}] = true
		}
	}
	list := make([][2]string, 0, len(pairs))
	for p := range pairs {
		list = append(list, p)
	}
	slices.SortFunc(list, func(a, b [2]string) int { return slices.Compare(a[:], b[:]) })
	ls := labels{start: []uint32{0}, prims: len(m.upos)}
	for i, p := range list {
		v.tag[p] = uint16(i)
		u := v.upos[p[0]]
		m.tagUPOS = append(m.tagUPOS, u)
		m.tagXPOS = append(m.tagXPOS, v.xpos[p[1]])
		ls.parts = append(ls.parts, u)
		if len(list) > len(m.upos) {
			ls.parts = append(ls.parts, uint16(len(m.upos)+i))
		}
		ls.start = append(ls.start, uint32(len(ls.parts)))
	}
	ls.n = len(m.upos) + len(list)
	ls.units = ls.n
	m.tags = &layer{labels: ls}
}

// numberMorphs makes the labels of the second layer: their parts are the
// UPOS, each attribute with its value, alone and with the UPOS, and the
// whole. XPOS counts as an attribute if it is fine. The units are the UPOS and
// the commonest attributes.
func (m *Model) numberMorphs(v *inventory, sents []syntax.Sentence) {
	set := map[[3]string]int{}
	eachWord(sents, func(w *syntax.Word) { set[v.morphName(w)]++ })
	list := make([][3]string, 0, len(set))
	for x := range set {
		list = append(list, x)
	}
	slices.SortFunc(list, func(a, b [3]string) int { return slices.Compare(a[:], b[:]) })
	values, bound := map[string]int{}, map[string]bool{}
	for _, x := range list {
		for _, f := range attributes(x) {
			values[f] += set[x]
			bound[x[0]+" "+f] = true
		}
	}
	numbers, units := unitsFirst(values, maxUnits-len(m.upos))
	_, boundNumbers := sorted(bound)
	ls := labels{start: []uint32{0}, prims: len(m.upos), units: len(m.upos) + units}
	single := len(m.upos) + len(values)
	for i, x := range list {
		v.morph[x] = uint16(i)
		m.morphFeats = append(m.morphFeats, v.feats[x[2]])
		m.morphXPOS = append(m.morphXPOS, v.xpos[x[1]])
		ls.parts = append(ls.parts, v.upos[x[0]])
		from := len(ls.parts)
		for _, f := range attributes(x) {
			ls.parts = append(ls.parts, uint16(len(m.upos)+numbers[f]))
		}
		if units < len(values) { // else they are units, in the order of FEATS
			slices.Sort(ls.parts[from:])
		}
		for _, f := range attributes(x) {
			ls.parts = append(ls.parts, uint16(single)+boundNumbers[x[0]+" "+f])
		}
		ls.parts = append(ls.parts, uint16(single+len(bound)+i))
		ls.start = append(ls.start, uint32(len(ls.parts)))
	}
	ls.n = single + len(bound) + len(list)
	m.morph = &layer{labels: ls}
	seen := map[[2]uint16]int{} // label of the first layer, of the second
	eachWord(sents, func(w *syntax.Word) { seen[[2]uint16{v.tagOf(w), v.morphOf(w)}]++ })
	m.link(seen)
}

// unitsFirst numbers the values in sorted order, but the limit commonest before
// all others, and returns how many these are.
func unitsFirst(count map[string]int, limit int) (numbers map[string]int, units int) {
	list := make([]string, 0, len(count))
	for x := range count {
		list = append(list, x)
	}
	slices.Sort(list)
	units = min(len(list), limit)
	if units < len(list) {
		slices.SortStableFunc(list, func(a, b string) int { return cmp.Compare(count[b], count[a]) })
		slices.Sort(list[:units])
		slices.Sort(list[units:])
	}
	numbers = make(map[string]int, len(list))
	for i, x := range list {
		numbers[x] = i
	}
	return numbers, units
}

// attributes returns what a label of the second layer is scored by: the first
// syntax.MaxFeats items of FEATS, and XPOS if it is fine.
func attributes(x [3]string) []string {
	var list []string
	if x[2] != "" {
		list = strings.Split(x[2], "|")
		list = list[:min(len(list), syntax.MaxFeats)]
	}
	if x[1] != "" {
		list = append(list, "XPOS "+x[1])
	}
	return list
}

// link lists the labels of the second layer under those of the first.
func (m *Model) link(seen map[[2]uint16]int) {
	m.morphOf = make([][]uint16, len(m.tagUPOS))
	for p := range seen {
		m.morphOf[p[0]] = append(m.morphOf[p[0]], p[1])
	}
	m.ofUPOS = make([][]uint16, len(m.upos))
	m.allTags = nil
	for l, u := range m.tagUPOS {
		slices.Sort(m.morphOf[l])
		m.ofUPOS[u] = append(m.ofUPOS[u], uint16(l))
		m.allTags = append(m.allTags, uint16(l))
	}
}

func (v *inventory) tagOf(w *syntax.Word) uint16 {
	if v.fineXPOS {
		return v.tag[[2]string{w.UPOS, ""}]
	}
	return v.tag[[2]string{w.UPOS, w.XPOS}]
}

func (v *inventory) morphName(w *syntax.Word) [3]string {
	if v.fineXPOS {
		return [3]string{w.UPOS, w.XPOS, w.Feats}
	}
	return [3]string{w.UPOS, "", w.Feats}
}

func (v *inventory) morphOf(w *syntax.Word) uint16 { return v.morph[v.morphName(w)] }
