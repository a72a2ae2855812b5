package label

import "math/bits"

// maxKeys bounds the features of one arc.
const maxKeys = 128

// A keyList collects the keys of an arc's features. A key is a hash of the
// template's number and its atoms.
type keyList struct {
	keys [maxKeys]uint64
	n    int
}

const (
	mul0 = 0x9fb21c651e98df25
	mul1 = 0xa0761d6478bd642f
	mul2 = 0xe7037ed1a0b428db
)

func (l *keyList) push(x uint64) {
	x ^= x >> 29
	x *= mul0
	x ^= x >> 32
	if l.n < maxKeys {
		l.keys[l.n] = x
		l.n++
	}
}

// add1 to add4 add the feature of template t with its atoms. Templates are
// numbered with gaps: a number is part of the trained model (see ourHeader).
func (l *keyList) add1(t uint64, a atom) { l.push((t<<32 | uint64(a)) * mul1) }

func (l *keyList) add2(t uint64, a, b atom) {
	l.push((t<<32|uint64(a))*mul1 ^ bits.RotateLeft64(uint64(b)*mul2, 31))
}

func (l *keyList) add3(t uint64, a, b, c atom) {
	x := (t<<32|uint64(a))*mul1 ^ bits.RotateLeft64(uint64(b)*mul2, 31)
	l.push((x ^ x>>31 ^ uint64(c)) * mul1)
}

func (l *keyList) add4(t uint64, a, b, c, d atom) {
	x := (t<<32|uint64(a))*mul1 ^ bits.RotateLeft64(uint64(b)*mul2, 31)
	l.push((x^x>>31^uint64(c))*mul1 ^ bits.RotateLeft64(uint64(d)*mul2, 27))
}

// distBin is the distance between head and modifier in five classes.
func distBin(h, m int32) atom {
	d := h - m
	if d < 0 {
		d = -d
	}
	switch {
	case d < 3:
		return atom(d)
	case d < 5:
		return 3
	case d < 9:
		return 4
	case d < 17:
		return 5
	}
	return 6
}

func atMost(x uint8, limit atom) atom { return min(atom(x), limit) }

// An arc gathers what many templates of one arc share.
type arc struct {
	m, h, g    *word // modifier, head, head's head (the root's is the root)
	prev, next *word // the modifier's siblings; the root word if none
	um, uh     atom  // tags, the modifier's with the direction
	pair       atom  // both tags and the direction
	far        atom  // pair and distance
	before     *word // word m-1
	after      *word // word m+1
	between    atom  // punctuation and verbs between head and modifier
}

// of sets l to the features of the arc into word m. words comes from
// readSentence.
func (l *keyList) of(words []word, m int32) {
	l.n = 0
	var a arc
	a.read(words, m)
	l.tags(&a)
	l.lexical(&a)
	l.morphology(&a)
	l.modifiers(&a)
	l.siblings(&a)
	l.context(words, &a, m)
}

func (a *arc) read(words []word, m int32) {
	a.m = &words[m]
	head := a.m.head
	a.h = &words[head]
	a.g = &words[max(a.h.head, 0)]
	a.prev, a.next = &words[a.m.prevSib], &words[a.m.nextSib]
	a.before, a.after = &words[m-1], &words[0]
	if int(m)+1 < len(words) {
		a.after = &words[m+1]
	}
	dir := atom(a.m.side)
	a.um = atom(a.m.pos)<<1 | dir
	a.uh = atom(a.h.pos)
	a.pair = a.uh<<6 | a.um
	a.far = a.pair<<3 | distBin(head, m)
	lo, hi := min(head, m), max(head, m)
	last := &words[hi-1]
	first := &words[lo]
	if head == 0 {
		first = last
	}
	commas := min(last.commaUpTo-first.commaUpTo, 2)
	others := min(last.punctUpTo-first.punctUpTo-(last.commaUpTo-first.commaUpTo), 2)
	verbs := min(last.verbsUpTo-first.verbsUpTo, 2)
	a.between = atom(commas*9+others*3) + atom(verbs)
}

func (l *keyList) tags(a *arc) {
	l.add1(1, a.um)
	l.add1(2, a.pair)
	l.add1(3, a.far)
	l.add2(4, a.h.fine, a.um)
	l.add2(5, a.m.fine, a.uh)
	l.add3(6, a.h.fine, a.m.fine, a.far&7|a.um<<3&8)
	l.add2(7, a.between, a.pair)
	l.add2(8, atom(a.g.pos)<<1|atom(a.h.side), a.pair)
	l.add2(9, atom(a.before.pos)<<8|atom(a.after.pos), a.pair)
}

func (l *keyList) lexical(a *arc) {
	l.add2(16, a.m.form, a.um)
	l.add2(17, a.m.lemma, a.pair)
	l.add2(18, a.m.form, a.far)
	l.add2(19, a.h.lemma, a.um)
	l.add3(20, a.h.lemma, a.m.lemma, a.um)
	l.add3(21, a.h.form, a.m.fine, a.um)
	l.add3(22, a.h.lemma, a.m.morph, a.um)
	l.add2(23, a.m.lemma, a.h.morph)
	l.add2(24, a.m.suffix[0], a.pair)
	l.add2(25, a.m.suffix[1], a.pair)
	l.add2(26, a.h.suffix[1], a.pair)
	l.add2(27, atom(a.m.shape)<<3|atom(a.h.shape), a.far)
	l.add3(28, a.m.lemma, a.um, atMost(a.m.nLeft, 2)<<2|atMost(a.m.nRight, 2))
}

func (l *keyList) morphology(a *arc) {
	l.add2(32, a.m.feats, a.pair)
	l.add3(33, a.m.feats, a.h.feats, a.pair)
	l.add3(34, a.m.morph, a.h.morph, a.far)
	l.add3(35, a.m.morph, a.h.morph, a.um)
	agree := atom(0)
	for i, at := range [...]int{atNumber, atPerson, atGender, atCase} {
		x, y := a.m.attr[at], a.h.attr[at]
		switch {
		case x == 0 || y == 0:
		case x == y:
			agree |= 1 << (2 * i)
		default:
			agree |= 2 << (2 * i)
		}
	}
	l.add2(36, agree, a.pair)
	l.add3(37, agree, a.m.morph, a.uh)
	for _, f := range a.m.each[:a.m.nEach] {
		l.add2(38, f, a.pair)
	}
	for _, f := range a.h.each[:a.h.nEach] {
		l.add2(39, f, a.pair)
	}
	l.add4(40, a.m.attr[atCase], a.h.attr[atVoice], a.h.attr[atVerbForm], a.pair)
	l.add3(41, a.m.attr[atCase], a.h.attr[atCase], a.pair)
}

// modifiers: what hangs on m and on h.
func (l *keyList) modifiers(a *arc) {
	f, g := &a.m.funcs, &a.h.funcs
	adp, sconj, aux := f[posADP], f[posSCONJ], f[posAUX]
	l.add2(48, adp, a.pair)
	l.add3(49, adp, a.h.lemma, a.um)
	l.add3(50, adp, a.m.lemma, a.um)
	l.add3(51, adp, a.m.morph, a.pair)
	l.add3(52, sconj, f[posPART], a.pair)
	l.add3(53, sconj, a.h.lemma, a.um)
	l.add3(54, aux, a.m.morph, a.pair)
	l.add3(55, f[posCCONJ], f[posPUNCT], a.pair)
	l.add2(56, f[posDET], a.pair)
	l.add2(57, f[posADV], a.pair)
	l.add3(58, a.m.relative, a.m.morph, a.pair)
	l.add2(59, a.m.masks[0], a.pair)
	l.add2(60, a.m.masks[1], a.pair)
	l.add2(61, a.h.masks[0], a.pair)
	l.add2(62, a.h.masks[1], a.pair)
	l.add3(63, g[posADP], g[posSCONJ], a.pair)
	l.add3(64, g[posAUX], a.m.morph, a.pair)
	l.add3(65, g[posCCONJ], a.m.morph, a.pair)
	leaf := atom(0)
	if a.m.firstKid == 0 {
		leaf = 1
	}
	l.add3(66, leaf, a.m.lemma, a.uh)
	l.add3(67, atMost(a.m.nLeft, 3)<<4|atMost(a.m.nRight, 3), a.um, a.far)
	l.add3(68, adp, sconj, a.um)
}

// siblings: m among the other modifiers of h.
func (l *keyList) siblings(a *arc) {
	up, un := atom(a.prev.pos), atom(a.next.pos)
	l.add2(80, up, a.pair)
	l.add2(81, un, a.pair)
	l.add2(82, up<<8|un, a.pair)
	l.add3(83, a.prev.morph, a.m.morph, a.pair)
	l.add3(84, a.next.morph, a.m.morph, a.pair)
	l.add2(85, a.prev.lemma, a.pair)
	l.add2(86, a.next.lemma, a.pair)
	rank := atMost(a.m.rank, 4)
	l.add2(87, rank, a.pair)
	bare := atom(0)
	if a.m.bare {
		bare = atMost(a.m.bareRank, 3)<<2 | atMost(a.h.nBare, 3)
	}
	l.add3(88, bare, a.h.lemma, a.um)
	l.add2(89, bare, a.pair)
	l.add3(90, bare, a.h.morph, a.um)
	l.add3(91, atom(a.m.sameCase), a.m.attr[atCase], a.pair)
	l.add4(92, atom(a.m.sameCase), rank, a.m.morph, a.pair)
	l.add3(93, a.h.masks[0]&nominalMask, a.h.masks[1]&nominalMask, a.pair)
}

const nominalMask = 1<<posNOUN | 1<<posPROPN | 1<<posPRON | 1<<posAUX | 1<<posVERB

// context: the words around in the text, and the head's own place.
func (l *keyList) context(words []word, a *arc, m int32) {
	l.add2(100, a.before.form, a.pair)
	l.add2(101, a.after.form, a.pair)
	l.add3(102, a.before.fine, a.after.fine, a.um)
	l.add2(103, a.g.lemma, a.pair)
	l.add3(104, atom(a.g.pos)<<1|atom(a.h.side), a.h.morph, a.um)
	edge := atom(0)
	if m == 1 {
		edge = 1
	}
	if int(m) == len(words)-1 {
		edge |= 2
	}
	l.add3(105, edge, words[len(words)-1].form, a.um)
	l.add3(106, a.between, a.m.morph, a.h.morph)
	l.add3(107, a.h.funcs[posPUNCT], a.between, a.pair)
}
