package label

import (
	"github.com/treebeam/treebeam/parser/hash"
	"github.com/treebeam/treebeam/parser/syntax"
	"github.com/treebeam/treebeam/parser/word"
)

// A tree is what the templates see of a sentence and its heads. nodes[0] is
// the root, nodes[m] word m; order has the words, heads before modifiers.
type tree struct {
	nodes []node
	order []int32
}

// atoms are what the templates use of a word's encoding. An absent one is 0.
type atoms struct {
	form, lemma uint64    // in lower case, digits alike
	suffix      [2]uint64 // of two and three letters
	fine, shape uint64
	feats       uint64 // of all
	items       []uint64
	attr        [word.Attributes]uint64
	morph       uint64 // coarse tag and the attributes that decide about syntax
	pos         uint8  // coarse tag
	comma       bool
}

func atomsOf(w *word.Word) atoms {
	a := atoms{
		form:   w.OfForm.Folded,
		lemma:  w.OfLemma.Folded,
		suffix: [2]uint64{w.OfForm.Suffix[1], w.OfForm.Suffix[2]},
		fine:   uint64(w.Fine),
		shape:  uint64(w.OfForm.Signs),
		feats:  w.Feats.Hash,
		items:  w.Feats.Items,
		attr:   w.Feats.Attr,
		morph:  uint64(w.Coarse),
		pos:    w.Coarse,
		comma:  w.Punct == word.Comma,
	}
	for _, x := range [...]int{word.Case, word.VerbForm, word.PronType, word.Mood, word.Voice, word.Poss} {
		a.morph = hash.Pair(a.morph, a.attr[x])
	}
	if a.attr[word.NumberPsor] != 0 {
		a.morph++
	}
	return a
}

// A node holds the atoms of a word, and what the tree says of it. An absent
// atom is 0; so is a node that does not exist.
type node struct {
	atoms
	head  int32 // 0..n; 0 for a word without a valid head
	loose bool  // starts a tree of its own: no valid head, or on a cycle

	placed bool  // already in the order
	side   uint8 // 1 right of its head
	rank   uint8 // among the modifiers on its side of the head, from the head
	// Nominals that have no case marker: whether it is one, its number from the
	// left among those of its head, and how many modify it.
	bare                                bool
	bareRank, nBare                     uint8
	sameCase                            uint8             // bits: a nominal sibling before, behind with the same Case
	count                               [2]uint8          // modifiers left, right; at most 255
	tags                                [2]uint64         // sets of their coarse tags
	first                               [numClosed]uint64 // lemma and side of the first one with a closed-class tag
	relative                            uint64            // PronType of a relative or interrogative below, to depth 2
	firstKid, lastKid, nextSib, prevSib int32
	// Punctuation marks, commas and verbs among words 1..m.
	puncts, commas, verbs int32
}

// headed reports whether the word has a head that exists, though it may be
// on a cycle.
func (x *node) headed() bool { return !x.loose || x.head > 0 }

// read fills t from the sentence and its heads.
func (t *tree) read(s *syntax.Sentence, words *word.Sentence) {
	n := len(s.Words)
	t.nodes, t.order = resize(t.nodes, n+1), t.order[:0]
	t.nodes[0] = node{atoms: atomsOf(words.At(0)), head: -1}
	for m := 1; m <= n; m++ {
		x := &t.nodes[m]
		*x = node{atoms: atomsOf(words.At(m)), head: s.Words[m-1].Head}
		if x.head < 0 || int(x.head) > n || int(x.head) == m {
			x.head, x.loose = 0, true
		}
	}
	t.link()
	t.traverse()
	t.describe()
}

// link chains the modifiers of each head from left to right.
func (t *tree) link() {
	for m := 1; m < len(t.nodes); m++ {
		x := &t.nodes[m]
		if x.loose {
			continue
		}
		h := &t.nodes[x.head]
		if h.firstKid == 0 {
			h.firstKid = int32(m)
		} else {
			t.nodes[h.lastKid].nextSib = int32(m)
			x.prevSib = h.lastKid
		}
		h.lastKid = int32(m)
		if int32(m) > x.head {
			x.side = 1
		}
	}
}

// traverse fills the order: what hangs on the root, then the trees of loose
// words, then every cycle, which is cut at its first word.
func (t *tree) traverse() {
	done := 0
	visit := func(m int32) {
		t.nodes[m].placed = true
		t.order = append(t.order, m)
	}
	spread := func() {
		for ; done < len(t.order); done++ {
			for m := t.nodes[t.order[done]].firstKid; m != 0; m = t.nodes[m].nextSib {
				if !t.nodes[m].placed {
					visit(m)
				}
			}
		}
	}
	for m := t.nodes[0].firstKid; m != 0; m = t.nodes[m].nextSib {
		visit(m)
	}
	spread()
	for _, cycles := range [...]bool{false, true} {
		for m := 1; m < len(t.nodes) && len(t.order)+1 < len(t.nodes); m++ {
			if x := &t.nodes[m]; !x.placed && (x.loose || cycles) {
				x.loose = true
				visit(int32(m))
				spread()
			}
		}
	}
}

// describe fills what a word knows of its modifiers and siblings.
func (t *tree) describe() {
	for m := 1; m < len(t.nodes); m++ {
		x, prev := &t.nodes[m], &t.nodes[m-1]
		x.puncts, x.commas, x.verbs = prev.puncts, prev.commas, prev.verbs
		switch x.pos {
		case word.PUNCT:
			x.puncts++
			if x.comma {
				x.commas++
			}
		case word.VERB, word.AUX:
			x.verbs++
		}
		if x.loose {
			continue
		}
		h := &t.nodes[x.head]
		h.tags[x.side] |= 1 << x.pos
		increment(&h.count[x.side])
		x.rank = h.count[x.side] // of those on the left, still from the left
		if i := closed[x.pos]; i > 0 && h.first[i] == 0 {
			h.first[i] = hash.Pair(x.lemma, uint64(x.side))
		}
	}
	for m := 1; m < len(t.nodes); m++ {
		x := &t.nodes[m]
		x.bare = nominal[x.pos] && (x.tags[0]|x.tags[1])&(1<<word.ADP) == 0
		x.relative = t.relativeBelow(x)
	}
	for h := range t.nodes {
		t.describeModifiers(&t.nodes[h])
	}
}

// relativeBelow finds the PronType of a relative or interrogative word among
// the modifiers of x and their first modifiers.
func (t *tree) relativeBelow(x *node) uint64 {
	steps := 0
	for m := x.firstKid; m != 0 && steps < 12; m = t.nodes[m].nextSib {
		steps++
		if y := &t.nodes[m]; isRelative(y.attr[word.PronType]) {
			return hash.Pair(y.attr[word.PronType], uint64(y.pos))
		} else if z := &t.nodes[y.firstKid]; y.firstKid != 0 && isRelative(z.attr[word.PronType]) {
			return hash.Pair(z.attr[word.PronType], word.Outside)
		}
	}
	return 0
}

var relatives = [...]uint64{hash.String("PronType=Rel"), hash.String("PronType=Int"), hash.String("PronType=Int,Rel")}

func isRelative(v uint64) bool { return v == relatives[0] || v == relatives[1] || v == relatives[2] }

// describeModifiers fills rank, bareRank and sameCase of the modifiers of h.
func (t *tree) describeModifiers(h *node) {
	for m := h.firstKid; m != 0; m = t.nodes[m].nextSib {
		x := &t.nodes[m]
		if x.loose {
			continue
		}
		if x.side == 0 {
			x.rank = h.count[0] - x.rank + 1
		}
		if x.bare {
			increment(&h.nBare)
			x.bareRank = h.nBare
		}
		if x.attr[word.Case] == 0 {
			continue
		}
		same := func(i int32) bool { return t.nodes[i].attr[word.Case] == x.attr[word.Case] && nominal[t.nodes[i].pos] }
		const far = 6 // siblings
		for i, k := x.prevSib, 0; i != 0 && k < far; i, k = t.nodes[i].prevSib, k+1 {
			if same(i) {
				x.sameCase |= 1
			}
		}
		for i, k := x.nextSib, 0; i != 0 && k < far; i, k = t.nodes[i].nextSib, k+1 {
			if same(i) {
				x.sameCase |= 2
			}
		}
	}
}

func increment(x *uint8) {
	if *x < 255 {
		*x++
	}
}

// closed numbers, from 1, the tags of modifiers that a head knows by their
// lemmas.
var closed = [word.CoarseTags]uint8{word.ADP: adp, word.SCONJ: sconj, word.AUX: aux, word.DET: det, word.PART: part,
	word.CCONJ: cconj, word.PUNCT: punct, word.ADV: adv}

const (
	adp = iota + 1
	sconj
	aux
	det
	part
	cconj
	punct
	adv
	numClosed
)

var nominal = [word.CoarseTags]bool{word.NOUN: true, word.PROPN: true, word.PRON: true, word.NUM: true, word.X: true, word.SYM: true}
