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
	fine        uint64
	feats       uint64 // of all
	items       []uint64
	attr        [word.Attributes]uint64
	morph       uint64 // coarse tag and the attributes that decide about syntax
	pos         uint8  // coarse tag
	commas      int32  // among words 1..m
}

func atomsOf(w *word.Word) atoms {
	a := atoms{
		form:   w.OfForm.Folded,
		lemma:  w.OfLemma.Folded,
		suffix: [2]uint64{w.OfForm.Suffix[1], w.OfForm.Suffix[2]},
		fine:   uint64(w.Fine),
		feats:  w.Feats.Hash,
		items:  w.Feats.Items,
		attr:   w.Feats.Attr,
		morph:  uint64(w.Coarse),
		pos:    w.Coarse,
		commas: w.Commas,
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
	head   int32 // 0..n; 0 for a word without a valid head
	loose  bool  // starts a tree of its own: no valid head, or on a cycle
	placed bool  // already in the order
	side   uint8 // 1 right of its head

	// Of the modifiers left and right: how many, at most 255, and the set of
	// their coarse tags.
	count [2]uint8
	tags  [2]uint64
	first [numClosed]uint64 // lemma and side of the first modifier with a closed-class tag

	firstKid, lastKid, nextSib, prevSib int32

	puncts, verbs int32 // among words 1..m
}

// headed reports whether the word has a head, though it may be on a cycle.
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
}

// link chains the modifiers of each head from left to right, and fills what a
// word knows of them.
func (t *tree) link() {
	for m := 1; m < len(t.nodes); m++ {
		x, prev := &t.nodes[m], &t.nodes[m-1]
		x.puncts, x.verbs = prev.puncts, prev.verbs
		switch x.pos {
		case word.PUNCT:
			x.puncts++
		case word.VERB, word.AUX:
			x.verbs++
		}
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
		h.tags[x.side] |= 1 << x.pos
		h.count[x.side] += min(1, 255-h.count[x.side])
		if i := closed[x.pos]; i > 0 && h.first[i] == 0 {
			h.first[i] = hash.Pair(x.lemma, uint64(x.side))
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

// closed numbers, from 1, the tags of modifiers that a head knows by their
// lemmas.
var closed = [word.CoarseTags]uint8{word.ADP: adp, word.SCONJ: sconj, word.AUX: aux, word.PART: part, word.CCONJ: cconj, word.PUNCT: punct}

const (
	adp = iota + 1
	sconj
	aux
	part
	cconj
	punct
	numClosed
)
