package label

import (
	"github.com/treebeam/treebeam/parser/hash"
	"github.com/treebeam/treebeam/parser/syntax"
	"github.com/treebeam/treebeam/parser/word"
)

// An arc gathers what many templates of one arc share.
type arc struct {
	m, h, g    *node  // modifier, head, head's head (the root's is the root)
	prev, next *node  // the modifier's siblings; the root if none
	before     *node  // word m-1
	after      *node  // word m+1
	up, down   uint64 // tags of head and modifier, the modifier's with the direction
	pair       uint64 // both
	far        uint64 // pair and distance
	between    uint64 // punctuation and verbs between head and modifier
	place      uint64 // of the head under its own: tag and direction
	edge       uint64 // bits: m is the first, the last word
	last       *node  // of the sentence
}

func (t *tree) arc(m int) (a arc) {
	a.m = &t.nodes[m]
	head := int(a.m.head)
	a.h = &t.nodes[head]
	a.g = &t.nodes[max(a.h.head, 0)]
	a.prev, a.next = &t.nodes[a.m.prev], &t.nodes[a.m.next]
	a.before, a.after, a.last = &t.nodes[m-1], &t.nodes[0], &t.nodes[len(t.nodes)-1]
	if m == 1 {
		a.edge = 1
	}
	if m == len(t.nodes)-1 {
		a.edge |= 2
	} else {
		a.after = &t.nodes[m+1]
	}
	a.up, a.down = uint64(a.h.Coarse), uint64(context(a.m.Coarse, a.m.side))
	a.pair = a.up<<6 | a.down
	a.far = a.pair<<4 | word.Distance(head, m)
	a.place = uint64(context(a.g.Coarse, a.h.side))
	to := &t.nodes[max(head, m)-1]
	from := &t.nodes[min(head, m)]
	if head == 0 {
		from = to
	}
	commas := to.Commas - from.Commas
	others := max(to.puncts-from.puncts-commas, 0)
	a.between = uint64(min(commas, 2)*9 + min(others, 2)*3 + min(to.verbs-from.verbs, 2))
	return a
}

// keys appends the keys of the features of the arc into word m. A template is
// a line, and has a number of its own.
func (t *tree) keys(m int, k []hash.Key) []hash.Key {
	a := t.arc(m)
	k = a.words(k)
	k = a.morphology(k)
	return a.around(k)
}

func (a *arc) words(k []hash.Key) []hash.Key {
	return append(k,
		hash.Key1(1, a.down),
		hash.Key1(2, a.pair),
		hash.Key1(3, a.far),
		hash.Key2(4, uint64(a.h.Fine), a.down),
		hash.Key2(5, uint64(a.m.Fine), a.up),
		hash.Key3(6, uint64(a.h.Fine), uint64(a.m.Fine), a.far&15),
		hash.Key2(7, a.between, a.pair),
		hash.Key2(8, a.place, a.pair),
		hash.Key3(9, uint64(a.before.Coarse), uint64(a.after.Coarse), a.pair),

		hash.Key2(10, a.m.form, a.down),
		hash.Key2(11, a.m.lemma, a.pair),
		hash.Key2(12, a.m.form, a.far),
		hash.Key2(13, a.h.lemma, a.down),
		hash.Key3(14, a.h.lemma, a.m.lemma, a.down),
		hash.Key3(15, a.h.form, uint64(a.m.Fine), a.down),
		hash.Key3(16, a.h.lemma, a.m.morph, a.down),
		hash.Key2(17, a.m.lemma, a.h.morph),
		hash.Key2(18, a.m.OfForm.Suffix[1], a.pair),
		hash.Key2(19, a.m.OfForm.Suffix[2], a.pair),
		hash.Key2(20, a.h.OfForm.Suffix[2], a.pair),
		hash.Key4(21, a.m.lemma, a.down, uint64(min(a.m.count[0], 2)), uint64(min(a.m.count[1], 2))))
}

func (a *arc) morphology(k []hash.Key) []hash.Key {
	agree := uint64(0)
	for i, at := range [...]int{word.Number, word.Person, word.Gender, word.Case} {
		x, y := a.m.Feats.Attr[at], a.h.Feats.Attr[at]
		switch {
		case x == 0 || y == 0:
		case x == y:
			agree |= 1 << (2 * i)
		default:
			agree |= 2 << (2 * i)
		}
	}
	for _, x := range a.m.Feats.Items {
		k = append(k, hash.Key2(30, x, a.pair))
	}
	for _, x := range a.h.Feats.Items {
		k = append(k, hash.Key2(31, x, a.pair))
	}
	return append(k,
		hash.Key2(32, a.m.Feats.Hash, a.pair),
		hash.Key2(33, agree, a.pair),
		hash.Key3(34, agree, a.m.morph, a.up),
		hash.Key4(35, a.m.Feats.Attr[word.Case], a.h.Feats.Attr[word.Voice], a.h.Feats.Attr[word.VerbForm], a.pair),
		hash.Key3(36, a.m.Feats.Attr[word.Case], a.h.Feats.Attr[word.Case], a.pair))
}

// around: what hangs on m and on h, the siblings, the words around in the
// text, and the head's own place.
func (a *arc) around(k []hash.Key) []hash.Key {
	f, leaf := &a.m.first, uint64(0)
	if a.m.firstChild == 0 {
		leaf = 1
	}
	left, right := uint64(a.prev.Coarse), uint64(a.next.Coarse)
	return append(k,
		hash.Key2(40, f[adp], a.pair),
		hash.Key3(41, f[adp], a.h.lemma, a.down),
		hash.Key3(42, f[adp], a.m.lemma, a.down),
		hash.Key3(43, f[adp], a.m.morph, a.pair),
		hash.Key3(44, f[sconj], f[part], a.pair),
		hash.Key3(45, f[sconj], a.h.lemma, a.down),
		hash.Key3(46, f[aux], a.m.morph, a.pair),
		hash.Key3(47, f[cconj], f[punct], a.pair),
		hash.Key2(48, a.m.tags[0], a.pair),
		hash.Key2(49, a.m.tags[1], a.pair),
		hash.Key2(50, a.h.tags[0], a.pair),
		hash.Key2(51, a.h.tags[1], a.pair),
		hash.Key3(52, leaf, a.m.lemma, a.up),
		hash.Key3(53, uint64(min(a.m.count[0], 3)), uint64(min(a.m.count[1], 3)), a.far),
		hash.Key3(54, f[adp], f[sconj], a.down),

		hash.Key2(60, left, a.pair),
		hash.Key2(61, right, a.pair),
		hash.Key3(62, left, right, a.pair),
		hash.Key3(63, a.prev.morph, a.m.morph, a.pair),
		hash.Key3(64, a.next.morph, a.m.morph, a.pair),

		hash.Key2(70, a.before.form, a.pair),
		hash.Key2(71, a.after.form, a.pair),
		hash.Key3(72, uint64(a.before.Fine), uint64(a.after.Fine), a.down),
		hash.Key2(73, a.g.lemma, a.pair),
		hash.Key3(74, a.place, a.h.morph, a.down),
		hash.Key3(75, a.edge, a.last.form, a.down),
		hash.Key3(76, a.between, a.m.morph, a.h.morph),
		hash.Key3(77, a.h.first[punct], a.between, a.pair))
}

// maxKeys bounds the features of one arc.
const maxKeys = 55 + 2*syntax.MaxFeats
