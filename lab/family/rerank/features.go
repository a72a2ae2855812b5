package rerank

import (
	"slices"

	"github.com/treebeam/treebeam/parser/hash"
	"github.com/treebeam/treebeam/parser/syntax"
)

// Indicators are on if a feature of the tree occurs at least once, twice, three times.
const maxCount = 3

// outline is what features see of a sentence and one tree. Index 0 is the root.
type outline struct {
	tag, lemma, word []uint64  // word is the lemma of words with closed-class tags, else the tag
	heads            []int32   // by word minus 1
	kids             [][]int32 // modifiers, from left to right
}

// closedTags are those whose lemmas features know (Collins and Koo 2005: "further
// lexicalization").
var closedTags = map[string]bool{"ADP": true, "AUX": true, "CCONJ": true, "DET": true, "PART": true, "PRON": true, "SCONJ": true}

func newOutline(s *syntax.Sentence, heads []int32) *outline {
	n := len(heads)
	o := &outline{heads: heads, tag: make([]uint64, n+1), lemma: make([]uint64, n+1), word: make([]uint64, n+1), kids: make([][]int32, n+1)}
	for i, h := range heads {
		w := &s.Words[i]
		o.tag[i+1], o.lemma[i+1] = hash.String(w.UPOS), hash.String(w.Lemma)
		o.word[i+1] = o.tag[i+1]
		if closedTags[w.UPOS] {
			o.word[i+1] = hash.Pair(o.tag[i+1], o.lemma[i+1])
		}
		o.kids[h] = append(o.kids[h], int32(i+1))
	}
	return o
}

// above returns the head of word m, 0 for the root itself.
func (o *outline) above(m int32) int32 {
	if m == 0 {
		return 0
	}
	return o.heads[m-1]
}

// Kinds of features.
const (
	rule uint64 = iota + 1
	grandRule
	bigram
	grandBigram
	closedBigram
	trigram
	headModifier
	lexicalPair
	phrase
	barePhrase
	distance
	valency
	depth
	parallel
	stop // not a kind: the end of a list of modifiers
)

// Indicators returns the indicators of a tree, sorted, each once: those of Collins and Koo
// (2005, section 5.1) as far as dependencies have them, with tags for nonterminals. For
// each head: its modifiers in order (rules), two and three of them next to each other on a
// side, with the ends, all also below the head's head; head and modifier with
// direction and distance; prepositional phrases with what they hang on; and, of whole trees (as
// the global features of Zhang and others 2014), the number of modifiers, the depth, and whether
// conjuncts are alike.
func Indicators(s *syntax.Sentence, heads []int32) []hash.Key {
	o := newOutline(s, heads)
	count := map[hash.Key]int{}
	add := func(values ...uint64) {
		k := values[0]
		for _, v := range values[1:] {
			k = hash.Pair(k, v)
		}
		count[k]++
	}
	for h := range o.tag {
		o.family(int32(h), add)
	}
	for m := int32(1); int(m) < len(o.tag); m++ {
		o.attachment(m, add)
	}
	var list []hash.Key
	for k, n := range count {
		for at := 1; at <= min(n, maxCount); at++ {
			list = append(list, hash.Pair(k, uint64(at)))
		}
	}
	slices.Sort(list)
	return list
}

// family adds the features of a head and all its modifiers.
func (o *outline) family(h int32, add func(...uint64)) {
	kids := o.kids[h]
	if len(kids) == 0 {
		return
	}
	tag, grand := o.tag[h], o.tag[o.above(h)]
	all := tag
	for _, m := range kids {
		all = hash.Pair(all, hash.Pair(o.tag[m], right(h, m)))
	}
	add(rule, all)
	add(grandRule, all, grand)
	add(valency, tag, uint64(min(len(kids), 8)))
	for side := range uint64(2) {
		before, earlier := uint64(stop), uint64(stop)
		wordBefore := uint64(stop)
		var list []int32 // outwards
		for _, m := range kids {
			if right(h, m) == side {
				list = append(list, m)
			}
		}
		if side == 0 {
			slices.Reverse(list)
		}
		for i := 0; i <= len(list); i++ {
			now, word := uint64(stop), uint64(stop)
			if i < len(list) {
				now, word = o.tag[list[i]], o.word[list[i]]
			}
			add(bigram, side, tag, before, now)
			add(grandBigram, side, tag, before, now, grand)
			add(closedBigram, side, o.word[h], wordBefore, word)
			if i > 0 {
				add(trigram, side, tag, earlier, before, now)
			}
			earlier, before, wordBefore = before, now, word
		}
	}
}

// attachment adds the features of a word and its head.
func (o *outline) attachment(m int32, add func(...uint64)) {
	h := o.above(m)
	side, far := right(h, m), uint64(max(h-m, m-h))
	next := uint64(0)
	if far == 1 {
		next = 1
	}
	add(headModifier, o.tag[o.above(h)], o.tag[h], o.tag[m], side, next)
	add(lexicalPair, o.lemma[h], o.lemma[m], side)
	add(distance, o.tag[h], o.tag[m], side, min(far, 10))
	steps := uint64(0)
	for at := m; at != 0 && steps < 12; at = o.above(at) {
		steps++
	}
	add(depth, steps)
	for _, k := range o.kids[m] {
		if o.tag[k] == adposition {
			add(phrase, o.tag[h], o.lemma[h], o.lemma[k], o.lemma[m])
			add(barePhrase, o.tag[h], o.lemma[k], o.lemma[m])
			add(barePhrase, o.lemma[h], o.lemma[k])
		}
		if o.tag[k] == conjunction && h != 0 { // m is a conjunct of h
			alike := uint64(0)
			if o.tag[h] == o.tag[m] {
				alike = 1
			}
			kids := uint64(min(max(len(o.kids[h])-len(o.kids[m]), -4), 4) + 4)
			add(parallel, o.tag[h], alike, kids)
		}
	}
}

var adposition, conjunction = hash.String("ADP"), hash.String("CCONJ")

// right is 1 if m is to the right of h.
func right(h, m int32) uint64 {
	if m > h {
		return 1
	}
	return 0
}

// A Numbering numbers the features of hidden trees, those of words and those of arcs apart.
type Numbering struct {
	words, arcs map[uint64]int32
	closed      bool
}

// NewNumbering returns an empty one.
func NewNumbering() *Numbering {
	return &Numbering{words: map[uint64]int32{}, arcs: map[uint64]int32{}}
}

// Close ends the numbering: features that it does not have are left out from now on.
func (n *Numbering) Close() { n.closed = true }

// Words and Arcs return how many there are.
func (n *Numbering) Words() int { return len(n.words) }
func (n *Numbering) Arcs() int  { return len(n.arcs) }

func (n *Numbering) number(table map[uint64]int32, list []int32, values ...uint64) []int32 {
	k := values[0]
	for _, v := range values[1:] {
		k = hash.Pair(k, v)
	}
	id, known := table[k]
	if !known {
		if n.closed {
			return list
		}
		id = int32(len(table))
		table[k] = id
	}
	return append(list, id)
}

// Hidden returns a tree with the features of Koo and Collins (2005, figure 2) as far as
// dependencies have them: of a word with its class, the tag, the lemma if its class is
// closed, the tags of its modifiers, those of its head and its head's head; of an arc with the
// classes of both ends, the tags with direction, whether they are neighbours, and none.
func (n *Numbering) Hidden(s *syntax.Sentence, heads []int32, base float64, correct int) HiddenTree {
	o := newOutline(s, heads)
	t := HiddenTree{Base: base, Right: correct, Heads: heads, Word: make([][]int32, len(heads)), Arc: make([][]int32, len(heads))}
	for i := range heads {
		m := int32(i + 1)
		h := o.above(m)
		side := right(h, m)
		all := o.tag[m]
		for _, k := range o.kids[m] {
			all = hash.Pair(all, hash.Pair(o.tag[k], right(m, k)))
		}
		list := n.number(n.words, nil, 1, o.tag[m])
		list = n.number(n.words, list, 2, o.word[m])
		list = n.number(n.words, list, 3, all)
		list = n.number(n.words, list, 4, o.tag[m], o.tag[h], side)
		list = n.number(n.words, list, 5, o.word[m], o.tag[h], o.tag[o.above(h)], side)
		t.Word[i] = list
		if h == 0 {
			continue
		}
		next := uint64(0)
		if h-m == 1 || m-h == 1 {
			next = 1
		}
		t.Arc[i] = n.number(n.arcs, nil, 1, side)
		t.Arc[i] = n.number(n.arcs, t.Arc[i], 2, o.tag[h], o.tag[m], side, next)
	}
	return t
}
