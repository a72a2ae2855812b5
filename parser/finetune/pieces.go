package finetune

import (
	"maps"
	"math"
	"slices"

	"github.com/treebeam/treebeam/parser/encode"
	"github.com/treebeam/treebeam/parser/graph"
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

// newVocabulary gives slots to the pieces of examples, in the order of ids, if pieces learn
// and the vectors of p are not coarse.
func newVocabulary(p *encode.Params, examples []example, learn bool) *vocabulary {
	v := &vocabulary{p: p, slot: make([]int32, len(p.Pieces.Pieces))}
	for i := range v.slot {
		v.slot[i] = -1
	}
	for i := range examples {
		for _, id := range examples[i].ids {
			if learn && p.Coarse == nil {
				v.slot[id] = 0
			}
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
	c.Word, c.Coarse = nil, nil
	for slot, id := range v.known {
		names[slot] = v.p.Pieces.Pieces[id]
		c.Word = append(c.Word, v.p.Word[int(id)*c.Width:(int(id)+1)*c.Width]...)
	}
	c.Pieces, c.Layers = &piece.Vocabulary{Pieces: names, Lower: v.p.Pieces.Lower}, slices.Clone(c.Layers)
	return &c
}

// frozen returns the table of all pieces as they were at first.
func (v *vocabulary) frozen() []float32 {
	if v.p.Coarse != nil {
		return v.p.Coarse.Floats()
	}
	return v.p.Word
}

// whole returns the table of all pieces, given the table of the pieces that learn.
func (v *vocabulary) whole(learned []float32) []float32 {
	if v.p.Coarse != nil {
		return nil
	}
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

// Of the vocabulary of an encoder for many treebanks: the number of pieces, and how many
// of them, the most frequent, have vectors of 4 bits an element. Others have 2.
const (
	manyPieces = 98_000
	finePieces = 28_000
)

// restrict returns a copy of the first layers of p, or of all if layers is 0. The
// vocabulary of the copy has the pieces of the sentences and others of the same scripts,
// see piece.Restrict. If the sentences are of many treebanks, it has the pieces that are
// likeliest in a treebank, and their vectors are coarse.
func restrict(p *encode.Params, layers int, many bool, lists ...[]syntax.Sentence) *encode.Params {
	seen := make([]int, len(p.Pieces.Pieces))
	count := map[string]map[int32]int{} // by language
	var ids, ends []int32
	for _, list := range lists {
		for i := range list {
			ids, ends = p.Pieces.Sentence(ids[:0], ends[:0], &list[i])
			own := count[list[i].Language]
			if own == nil {
				own = map[int32]int{}
				count[list[i].Language] = own
			}
			for _, id := range ids {
				id, _ = piece.Split(id)
				seen[id]++
				own[id]++
			}
		}
	}
	c := *p
	var old []int32
	if many {
		c.Pieces, old = p.Pieces.Select(seen, rank(p.Pieces, count), manyPieces)
	} else {
		c.Pieces, old = p.Pieces.Restrict(seen, usualVocabulary)
	}
	c.Word = make([]float32, 0, len(old)*p.Width)
	for _, id := range old {
		c.Word = append(c.Word, p.Word[int(id)*p.Width:(int(id)+1)*p.Width]...)
	}
	if many {
		c.Coarse, c.Word = encode.NewCodes(c.Word, c.Width, finePieces), nil
	}
	if layers > 0 {
		c.Layers = p.Layers[:layers]
	}
	return &c
}

// likely is the weight of the probability that the encoder's own vocabulary gives a
// piece, beside how often the treebanks have it.
const likely = 1000

// rank returns how much a vocabulary for many languages wants each piece. A language
// counts by the square root of its size, as in the training.
func rank(v *piece.Vocabulary, count map[string]map[int32]int) []float64 {
	out := make([]float64, len(v.Pieces))
	for id, score := range v.Scores {
		out[id] = likely * graph.Exp(float64(score))
	}
	for _, language := range slices.Sorted(maps.Keys(count)) {
		total := 0
		for _, n := range count[language] {
			total += n
		}
		for id, n := range count[language] {
			out[id] += float64(n) / math.Sqrt(float64(total))
		}
	}
	return out
}
