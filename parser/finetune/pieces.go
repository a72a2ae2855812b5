package finetune

import (
	"github.com/treebeam/treebeam/parser/encode"
	"github.com/treebeam/treebeam/parser/piece"
	"github.com/treebeam/treebeam/parser/syntax"
)

// A vocabulary tells pieces that learn, which have slots 0, 1, ... in the table
// that is learned, from the others of an encoder, whose rows stay as they are.
type vocabulary struct {
	p     *encode.Params
	slot  []int32 // of a piece, or -1
	known []int32 // piece of a slot
}

// An example is a sentence in pieces, with both marks: their slots, or the
// number of slots plus a piece that has none.
type example struct {
	sent   *syntax.Sentence
	ids    []int32
	words  []span // from the first mark
	weight float32
}

// cut returns a sentence in pieces by their ids.
func cut(p *encode.Params, s *syntax.Sentence) example {
	v := p.Pieces
	e := example{sent: s, ids: []int32{v.Begin}, weight: 1}
	var ends []int32
	e.ids, ends = v.Sentence(e.ids, nil, s)
	e.ids = append(e.ids, v.End)
	at := int32(1)
	for _, end := range ends {
		e.words = append(e.words, span{at, end})
		at = end
	}
	return e
}

// newVocabulary gives slots to the pieces of examples, in the order of ids.
func newVocabulary(p *encode.Params, examples []example) *vocabulary {
	v := &vocabulary{p: p, slot: make([]int32, len(p.Pieces.Pieces))}
	for i := range v.slot {
		v.slot[i] = -1
	}
	for i := range examples {
		for _, id := range examples[i].ids {
			v.slot[id] = 0
		}
	}
	for id, used := range v.slot {
		if used == 0 {
			v.slot[id] = int32(len(v.known))
			v.known = append(v.known, int32(id))
		}
	}
	return v
}

// place replaces ids by slots.
func (v *vocabulary) place(examples []example) {
	for i := range examples {
		ids := examples[i].ids
		for j, id := range ids {
			if ids[j] = v.slot[id]; ids[j] < 0 {
				ids[j] = int32(len(v.known)) + id
			}
		}
	}
}

// learned returns a copy of the rows of pieces that learn.
func (v *vocabulary) learned() []float32 {
	w := v.p.Width
	rows := make([]float32, 0, len(v.known)*w)
	for _, id := range v.known {
		rows = append(rows, v.p.Word[int(id)*w:(int(id)+1)*w]...)
	}
	return rows
}

// names is a vocabulary of the pieces that learn.
func (v *vocabulary) names() *piece.Vocabulary {
	names := make([]string, len(v.known))
	for slot, id := range v.known {
		names[slot] = v.p.Pieces.Pieces[id]
	}
	return &piece.Vocabulary{Pieces: names}
}

// whole returns the table of all pieces, given that of those that learn.
func (v *vocabulary) whole(learned []float32) []float32 {
	w := v.p.Width
	rows := append([]float32(nil), v.p.Word...)
	for slot, id := range v.known {
		copy(rows[int(id)*w:(int(id)+1)*w], learned[slot*w:])
	}
	return rows
}

// join returns a batch of examples.
func join(examples []*example) *batch {
	b := &batch{start: []int{0}}
	for _, e := range examples {
		at := int32(len(b.ids))
		b.sents, b.ids, b.weight = append(b.sents, e.sent), append(b.ids, e.ids...), append(b.weight, e.weight)
		words := make([]span, len(e.words))
		for i, w := range e.words {
			words[i] = span{at + w.lo, at + w.hi}
		}
		b.words, b.start = append(b.words, words), append(b.start, len(b.ids))
	}
	return b
}

// batches cuts a list of examples, in an order, into batches of so many pieces
// at most, or one example.
func batches(examples []example, order []int, most int) (list [][]*example) {
	size := most
	for _, i := range order {
		e := &examples[i]
		if size += len(e.ids); size > most {
			list, size = append(list, nil), len(e.ids)
		}
		last := &list[len(list)-1]
		*last = append(*last, e)
	}
	return list
}

// usualVocabulary is how many pieces a vocabulary has, unless more occur in the
// sentences. A piece takes some 400 bytes of a model at width 384: these are 14 MB.
const usualVocabulary = 36_000

// restrict returns a copy of the first layers of p, all if layers is 0, whose
// vocabulary has the pieces of the sentences and others of the same scripts, see
// piece.Restrict.
func restrict(p *encode.Params, layers int, lists ...[]syntax.Sentence) *encode.Params {
	seen := make([]int, len(p.Pieces.Pieces))
	var ids, ends []int32
	for _, list := range lists {
		for i := range list {
			ids, ends = p.Pieces.Sentence(ids[:0], ends[:0], &list[i])
			for _, id := range ids {
				seen[id]++
			}
		}
	}
	c := *p
	var old []int32
	c.Pieces, old = p.Pieces.Restrict(seen, usualVocabulary)
	c.Word = make([]float32, 0, len(old)*p.Width)
	for _, id := range old {
		c.Word = append(c.Word, p.Word[int(id)*p.Width:(int(id)+1)*p.Width]...)
	}
	if layers > 0 && layers < len(p.Layers) {
		c.Layers = p.Layers[:layers]
	}
	c.Layers = append([]encode.Layer(nil), c.Layers...)
	return &c
}
