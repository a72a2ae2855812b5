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
	a.prev, a.next = &t.nodes[a.m.prevSib], &t.nodes[a.m.nextSib]
	a.before, a.after, a.last = &t.nodes[m-1], &t.nodes[0], &t.nodes[len(t.nodes)-1]
	if m == 1 {
		a.edge = 1
	}
	if m == len(t.nodes)-1 {
		a.edge |= 2
	} else {
		a.after = &t.nodes[m+1]
	}
	a.up, a.down = uint64(a.h.pos), uint64(context(a.m.pos, a.m.side))
	a.pair = a.up<<6 | a.down
	a.far = a.pair<<4 | word.Distance(head, m)
	a.place = uint64(context(a.g.pos, a.h.side))
	to := &t.nodes[max(head, m)-1]
	from := &t.nodes[min(head, m)]
	if head == 0 {
		from = to
	}
	commas := to.commas - from.commas
	others := to.puncts - from.puncts - commas
	a.between = uint64(min(commas, 2)*9 + min(others, 2)*3 + min(to.verbs-from.verbs, 2))
	return a
}

// keys appends the keys of the features of the arc into word m. The first
// atom of a template's key is its number.
func (t *tree) keys(m int, k []hash.Key) []hash.Key {
	a := t.arc(m)
	k = a.tags(k)
	k = a.words(k)
	k = a.morphology(k)
	k = a.modifiers(k)
	k = a.siblings(k)
	k = a.context(k)
	return k
}

func (a *arc) tags(k []hash.Key) []hash.Key {
	return append(k,
		hash.Key1(1, a.down),
		hash.Key1(2, a.pair),
		hash.Key1(3, a.far),
		hash.Key2(4, a.h.fine, a.down),
		hash.Key2(5, a.m.fine, a.up),
		hash.Key3(6, a.h.fine, a.m.fine, a.far&15),
		hash.Key2(7, a.between, a.pair),
		hash.Key2(8, a.place, a.pair),
		hash.Key3(9, uint64(a.before.pos), uint64(a.after.pos), a.pair))
}

func (a *arc) words(k []hash.Key) []hash.Key {
	return append(k,
		hash.Key2(16, a.m.form, a.down),
		hash.Key2(17, a.m.lemma, a.pair),
		hash.Key2(18, a.m.form, a.far),
		hash.Key2(19, a.h.lemma, a.down),
		hash.Key3(20, a.h.lemma, a.m.lemma, a.down),
		hash.Key3(21, a.h.form, a.m.fine, a.down),
		hash.Key3(22, a.h.lemma, a.m.morph, a.down),
		hash.Key2(23, a.m.lemma, a.h.morph),
		hash.Key2(24, a.m.suffix[0], a.pair),
		hash.Key2(25, a.m.suffix[1], a.pair),
		hash.Key2(26, a.h.suffix[1], a.pair),
		hash.Key3(27, a.m.shape, a.h.shape, a.far),
		hash.Key4(28, a.m.lemma, a.down, uint64(min(a.m.count[0], 2)), uint64(min(a.m.count[1], 2))))
}

func (a *arc) morphology(k []hash.Key) []hash.Key {
	agree := uint64(0)
	for i, at := range [...]int{word.Number, word.Person, word.Gender, word.Case} {
		x, y := a.m.attr[at], a.h.attr[at]
		switch {
		case x == 0 || y == 0:
		case x == y:
			agree |= 1 << (2 * i)
		default:
			agree |= 2 << (2 * i)
		}
	}
	for _, x := range a.m.items {
		k = append(k, hash.Key2(38, x, a.pair))
	}
	for _, x := range a.h.items {
		k = append(k, hash.Key2(39, x, a.pair))
	}
	return append(k,
		hash.Key2(32, a.m.feats, a.pair),
		hash.Key3(33, a.m.feats, a.h.feats, a.pair),
		hash.Key3(34, a.m.morph, a.h.morph, a.far),
		hash.Key3(35, a.m.morph, a.h.morph, a.down),
		hash.Key2(36, agree, a.pair),
		hash.Key3(37, agree, a.m.morph, a.up),
		hash.Key4(40, a.m.attr[word.Case], a.h.attr[word.Voice], a.h.attr[word.VerbForm], a.pair),
		hash.Key3(41, a.m.attr[word.Case], a.h.attr[word.Case], a.pair))
}

// modifiers: what hangs on m and on h.
func (a *arc) modifiers(k []hash.Key) []hash.Key {
	f, g := &a.m.first, &a.h.first
	leaf := uint64(0)
	if a.m.firstKid == 0 {
		leaf = 1
	}
	return append(k,
		hash.Key2(48, f[adp], a.pair),
		hash.Key3(49, f[adp], a.h.lemma, a.down),
		hash.Key3(50, f[adp], a.m.lemma, a.down),
		hash.Key3(51, f[adp], a.m.morph, a.pair),
		hash.Key3(52, f[sconj], f[part], a.pair),
		hash.Key3(53, f[sconj], a.h.lemma, a.down),
		hash.Key3(54, f[aux], a.m.morph, a.pair),
		hash.Key3(55, f[cconj], f[punct], a.pair),
		hash.Key2(56, f[det], a.pair),
		hash.Key2(57, f[adv], a.pair),
		hash.Key3(58, a.m.relative, a.m.morph, a.pair),
		hash.Key2(59, a.m.tags[0], a.pair),
		hash.Key2(60, a.m.tags[1], a.pair),
		hash.Key2(61, a.h.tags[0], a.pair),
		hash.Key2(62, a.h.tags[1], a.pair),
		hash.Key3(63, g[adp], g[sconj], a.pair),
		hash.Key3(64, g[aux], a.m.morph, a.pair),
		hash.Key3(65, g[cconj], a.m.morph, a.pair),
		hash.Key3(66, leaf, a.m.lemma, a.up),
		hash.Key3(67, uint64(min(a.m.count[0], 3)), uint64(min(a.m.count[1], 3)), a.far),
		hash.Key3(68, f[adp], f[sconj], a.down))
}

// nominals are the tags of template 93.
const nominals = 1<<word.NOUN | 1<<word.PROPN | 1<<word.PRON | 1<<word.AUX | 1<<word.VERB

// siblings: m among the other modifiers of h.
func (a *arc) siblings(k []hash.Key) []hash.Key {
	left, right := uint64(a.prev.pos), uint64(a.next.pos)
	rank, same, bare := uint64(min(a.m.rank, 4)), uint64(a.m.sameCase), uint64(0)
	if a.m.bare {
		bare = uint64(min(a.m.bareRank, 3)<<2 | min(a.h.nBare, 3))
	}
	return append(k,
		hash.Key2(80, left, a.pair),
		hash.Key2(81, right, a.pair),
		hash.Key3(82, left, right, a.pair),
		hash.Key3(83, a.prev.morph, a.m.morph, a.pair),
		hash.Key3(84, a.next.morph, a.m.morph, a.pair),
		hash.Key2(85, a.prev.lemma, a.pair),
		hash.Key2(86, a.next.lemma, a.pair),
		hash.Key2(87, rank, a.pair),
		hash.Key3(88, bare, a.h.lemma, a.down),
		hash.Key2(89, bare, a.pair),
		hash.Key3(90, bare, a.h.morph, a.down),
		hash.Key3(91, same, a.m.attr[word.Case], a.pair),
		hash.Key4(92, same, rank, a.m.morph, a.pair),
		hash.Key3(93, a.h.tags[0]&nominals, a.h.tags[1]&nominals, a.pair))
}

// context: the words around in the text, and the head's own place.
func (a *arc) context(k []hash.Key) []hash.Key {
	return append(k,
		hash.Key2(100, a.before.form, a.pair),
		hash.Key2(101, a.after.form, a.pair),
		hash.Key3(102, a.before.fine, a.after.fine, a.down),
		hash.Key2(103, a.g.lemma, a.pair),
		hash.Key3(104, a.place, a.h.morph, a.down),
		hash.Key3(105, a.edge, a.last.form, a.down),
		hash.Key3(106, a.between, a.m.morph, a.h.morph),
		hash.Key3(107, a.h.first[punct], a.between, a.pair))
}

// maxKeys bounds the features of one arc.
const maxKeys = 80 + 2*syntax.MaxFeats
