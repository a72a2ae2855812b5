package finetune

import (
	"slices"

	"github.com/treebeam/treebeam/parser/encode"
	"github.com/treebeam/treebeam/parser/piece"
	"github.com/treebeam/treebeam/parser/syntax"
)

// A vocabulary separates the pieces of an encoder that learn from the others. Pieces that
// learn have slots 0, 1, ... in the learned table. The rows of the others stay as they are.
type vocabulary struct {
	p     *encode.Params
	slot  []int32 // of a piece, or -1
	known []int32 // piece of a slot
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

// learned returns a copy of the encoder whose vocabulary has only the pieces that learn.
func (v *vocabulary) learned() *encode.Params {
	c, names := *v.p, make([]string, len(v.known))
	c.Word = nil
	for slot, id := range v.known {
		names[slot] = v.p.Pieces.Pieces[id]
		c.Word = append(c.Word, v.p.Word[int(id)*c.Width:(int(id)+1)*c.Width]...)
	}
	c.Pieces, c.Layers = &piece.Vocabulary{Pieces: names}, slices.Clone(c.Layers)
	return &c
}

// whole returns the table of all pieces, given the table of the pieces that learn.
func (v *vocabulary) whole(learned []float32) []float32 {
	w := v.p.Width
	rows := slices.Clone(v.p.Word)
	for slot, id := range v.known {
		copy(rows[int(id)*w:(int(id)+1)*w], learned[slot*w:])
	}
	return rows
}

// usualVocabulary is the number of pieces in a vocabulary, unless more occur in the
// sentences. A piece takes about 400 bytes of a model at width 384, so this is 14 MB.
const usualVocabulary = 36_000

// restrict returns a copy of the first layers of p, or of all if layers is 0. The
// vocabulary of the copy has the pieces of the sentences and others of the same scripts,
// see piece.Restrict.
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
	if layers > 0 {
		c.Layers = p.Layers[:layers]
	}
	return &c
}
