package label

import (
	"github.com/treebeam/treebeam/parser/hash"
	"github.com/treebeam/treebeam/parser/syntax"
	"github.com/treebeam/treebeam/parser/word"
)

// A tree holds a sentence and its heads as the templates read them. nodes[0] is
// the root, nodes[m] word m; order has the words, heads before modifiers.
type tree struct {
	nodes []node
	order []int32
}

// A node holds the encoding of a word and its properties in the tree. An absent
// atom is 0.
type node struct {
	*word.Word
	form, lemma uint64 // in lower case, digits alike
	morph       uint64 // coarse tag and the attributes that decide about syntax

	head     int32 // 0..n; 0 for a word without a valid head
	detached bool  // starts a tree of its own: no valid head, or on a cycle
	placed   bool  // already in the order
	side     uint8 // 1 right of its head

	// The modifiers on the left and on the right: their number, at most 255,
	// and the set of their coarse tags.
	count [2]uint8
	tags  [2]uint64
	first [numClosed]uint64 // lemma and side of the first modifier with a closed-class tag

	firstChild, lastChild, next, prev int32

	puncts, verbs int32 // among words 1..m
}

func newNode(w *word.Word, head int32) node {
	x := node{Word: w, form: w.OfForm.Folded, lemma: w.OfLemma.Folded, morph: uint64(w.Coarse), head: head}
	for _, a := range [...]int{word.Case, word.VerbForm, word.PronType, word.Mood, word.Voice, word.Poss} {
		x.morph = hash.Pair(x.morph, w.Feats.Attr[a])
	}
	if w.Feats.Attr[word.NumberPsor] != 0 {
		x.morph++
	}
	return x
}

// read fills t from the sentence and its heads.
func (t *tree) read(s *syntax.Sentence, words *word.Sentence) {
	n := len(s.Words)
	t.nodes, t.order = resize(t.nodes, n+1), t.order[:0]
	t.nodes[0] = newNode(words.At(0), -1)
	for m := 1; m <= n; m++ {
		head := s.Words[m-1].Head
		detached := head < 0 || int(head) > n || int(head) == m
		if detached {
			head = 0
		}
		t.nodes[m] = newNode(words.At(m), head)
		t.nodes[m].detached = detached
	}
	t.link()
	t.traverse()
}

// link chains the modifiers of each head from left to right, and fills what a
// node holds about them.
func (t *tree) link() {
	for m := 1; m < len(t.nodes); m++ {
		x, prev := &t.nodes[m], &t.nodes[m-1]
		x.puncts, x.verbs = prev.puncts, prev.verbs
		switch x.Coarse {
		case word.PUNCT:
			x.puncts++
		case word.VERB, word.AUX:
			x.verbs++
		}
		if x.detached {
			continue
		}
		h := &t.nodes[x.head]
		if h.firstChild == 0 {
			h.firstChild = int32(m)
		} else {
			t.nodes[h.lastChild].next = int32(m)
			x.prev = h.lastChild
		}
		h.lastChild = int32(m)
		if int32(m) > x.head {
			x.side = 1
		}
		h.tags[x.side] |= 1 << x.Coarse
		h.count[x.side] += min(1, 255-h.count[x.side])
		if i := closed[x.Coarse]; i > 0 && h.first[i] == 0 {
			h.first[i] = hash.Pair(x.lemma, uint64(x.side))
		}
	}
}

// traverse fills the order: what hangs on the root, then the trees of detached
// words, then every cycle, which is cut at its first word.
func (t *tree) traverse() {
	done := 0
	visit := func(m int32) {
		t.nodes[m].placed = true
		t.order = append(t.order, m)
	}
	spread := func() {
		for ; done < len(t.order); done++ {
			for m := t.nodes[t.order[done]].firstChild; m != 0; m = t.nodes[m].next {
				if !t.nodes[m].placed {
					visit(m)
				}
			}
		}
	}
	for m := t.nodes[0].firstChild; m != 0; m = t.nodes[m].next {
		visit(m)
	}
	spread()
	for _, cycles := range [...]bool{false, true} {
		for m := 1; m < len(t.nodes) && len(t.order)+1 < len(t.nodes); m++ {
			if x := &t.nodes[m]; !x.placed && (x.detached || cycles) {
				x.detached = true
				visit(int32(m))
				spread()
			}
		}
	}
}

// closed numbers, from 1, the closed-class tags: a head's features have the
// lemmas of modifiers with these tags.
var closed = [word.CoarseTags]uint8{word.ADP: adp, word.SCONJ: sconj, word.AUX: aux, word.PART: part,
	word.CCONJ: cconj, word.PUNCT: punct}

const (
	adp = iota + 1
	sconj
	aux
	part
	cconj
	punct
	numClosed
)
