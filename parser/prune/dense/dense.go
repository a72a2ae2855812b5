// Package dense is the first stage of the pruner. It scores every pair of words of a
// sentence by dense tables over tags, the commonest words and the distance (Scorer).
// Scoring a pair hashes nothing.
package dense

import (
	"encoding/binary"
	"slices"

	"github.com/treebeam/treebeam/parser/hash"
	"github.com/treebeam/treebeam/parser/pack"
	"github.com/treebeam/treebeam/parser/score"
	"github.com/treebeam/treebeam/parser/word"
)

// Everything that depends on one end of an arc and on the tag, or the distance,
// of the other end is summed once a word, in rows of 64 weights. A pair then
// takes only a few look-ups.
//
// A weight is a byte: 128 plus log-odds in 1/unit nat. The tables are, behind
// each other:
//
//	contexts of one end: [context][end: head, modifier][40 by direction and the
//	                     other end's coarse tag, then 24 by direction and bin]
//	distances:           [modifier's coarse tag][head's][direction][bin]
//	fine tags:           [modifier's fine tag][head's][direction]
//	words between:       [modifier's coarse tag][head's][direction][kind]
//
// where direction is 1 if the head stands left.
const (
	unit  = 16                // one nat
	zero  = 128               // the byte of a weight of 0
	scale = score.Unit / unit // makes a score of the tables one in 1/score.Unit
)

const (
	tags     = word.CoarseTags
	bins     = 12 // of the distance to one side
	byTag    = 2 * tags
	byBin    = 2 * bins
	rowSize  = byTag + byBin
	both     = 2 * rowSize // of the two ends
	between  = 108         // kinds of what stands between two words
	contexts = 6           // of a word, see read

	leftContexts   = 0
	aroundContexts = leftContexts + tags*tags*tags
	rightContexts  = aroundContexts + tags*tags*tags
	fineContexts   = rightContexts + tags*tags*tags
	lemmaContexts  = fineContexts + word.FineTags // for words that are not in the lexicon
	formContexts   = lemmaContexts + 1            // likewise
	wordContexts   = formContexts + 1             // by place in the lexicon

	maxLexicon = 2700 // forms and lemmas
	formSalt   = 0x5bd1e9955bd1e995
)

// The look-ups of a sentence: a row is one look-up, and a sum of rows is none.
const (
	LookupsPerPair = 3
	LookupsPerWord = 2 * contexts
)

// Tables are the trained weights. They are read-only and safe for concurrent use.
type Tables struct {
	lexicon hash.Set // commonest lemmas and, salted, forms
	weights []uint8
	at      places
}

// Layout names the sections of the tables.
func (t *Tables) Layout(l *pack.Layout) {
	t.lexicon.Layout(l, "lexicon")
	pack.Array(l, "dense", &t.weights)
	t.at = placesOf(t.lexicon)
	l.Check("dense", len(t.weights) == t.at.size, "has another length than its lexicon asks for")
}

// places says where the tables of a lexicon begin.
type places struct{ distance, fine, between, size int }

func placesOf(lexicon hash.Set) (t places) {
	t.distance = (wordContexts + lexicon.Len()) * both
	t.fine = t.distance + tags*tags*byBin
	t.between = t.fine + word.FineTags*word.FineTags*2
	t.size = t.between + tags*tags*2*between
	return t
}

// binOf is the bin of a distance; that of 36 is for all beyond.
var binOf = func() (bin [37]uint8) {
	for d := range bin {
		for _, last := range []int{1, 2, 3, 4, 5, 6, 8, 11, 15, 22, 35} {
			if d > last {
				bin[d]++
			}
		}
	}
	return bin
}()

func binAt(d int) int { return int(binOf[min(d, len(binOf)-1)]) }

// A Scorer scores the arcs of one sentence at a time. It is scratch for one goroutine.
// The zero value is ready for Read.
type Scorer struct {
	tables   *Tables
	words    *word.Sentence
	contexts [][contexts]int32 // by position 0..n
	sums     []int32           // [position][end][rowSize]: sums of the rows of its contexts
}

// Read prepares g to score the arcs of s with the tables t.
func (g *Scorer) Read(s *word.Sentence, t *Tables) {
	g.tables = t
	g.read(s, t.lexicon)
	g.addUp(t.weights)
}

// Scores sets out[h] to the score of the arc h -> m, 0 <= h <= n, in units of
// 1/score.Unit. out[m] has no meaning. Scores allocates nothing.
func (g *Scorer) Scores(m int, out []int32) {
	scores(g, m, &g.tables.at, g.sums, g.tables.weights, out)
	for h := range out {
		out[h] = (out[h] - 3*zero) * scale
	}
}

// read finds the contexts of all positions.
func (g *Scorer) read(s *word.Sentence, lexicon hash.Set) {
	g.words = s
	g.contexts = resize(g.contexts, s.Len()+1)
	place := func(code uint64, other int32) int32 {
		if at := lexicon.Find(code); at >= 0 {
			return wordContexts + int32(at)
		}
		return other
	}
	for p := range g.contexts {
		tag := func(d int) int32 { return int32(s.At(p + d).Coarse) }
		w, t := s.At(p), tag(0)
		g.contexts[p] = [contexts]int32{
			leftContexts + (tag(-2)*tags+tag(-1))*tags + t,
			aroundContexts + (tag(-1)*tags+t)*tags + tag(1),
			rightContexts + (t*tags+tag(1))*tags + tag(2),
			fineContexts + int32(w.Fine),
			place(w.Lemma, lemmaContexts),
			place(w.Form^formSalt, formContexts),
		}
	}
}

// addUp fills the sums. Eight weights are added at once, in lanes of 16 bits.
func (g *Scorer) addUp(weights []uint8) {
	const lanes = 0x00ff00ff00ff00ff
	const bias = contexts * zero // what a sum has too much; those of a pair are taken off in Scores
	g.sums = resize(g.sums, both*len(g.contexts))
	for p := range g.contexts {
		var even, odd [both / 8]uint64
		for _, c := range g.contexts[p] {
			row := weights[int(c)*both:][:both]
			for i := range even {
				x := binary.LittleEndian.Uint64(row[8*i:])
				even[i] += x & lanes
				odd[i] += x >> 8 & lanes
			}
		}
		sums := g.sums[p*both:][:both]
		for i := range even {
			x, y, to := even[i], odd[i], sums[8*i:][:8]
			for k := 0; k < 8; k += 2 {
				to[k], to[k+1] = int32(x&0xffff)-bias, int32(y&0xffff)-bias
				x, y = x>>16, y>>16
			}
		}
	}
}

// A walk goes from a modifier outwards, to one side, and counts what it
// passes.
type walk struct {
	passed              [tags]uint8 // words by tag, as far as 2
	verbs, commas, noun int
}

func (w *walk) pass(x *word.Word) {
	w.passed[x.Coarse] = min(w.passed[x.Coarse]+1, 2)
	switch x.Coarse {
	case word.VERB, word.AUX:
		w.verbs = min(w.verbs+1, 2)
	case word.NOUN, word.PROPN, word.PRON:
		w.noun = 1
	case word.PUNCT:
		if x.Punct == word.Comma || x.Punct == word.Colon {
			w.commas = min(w.commas+1, 2)
		}
	}
}

// kind is that of what stands between the modifier and a head, below between.
func (w *walk) kind(head, modifier uint8) int {
	clauses := w.verbs*6 + w.commas*2 + w.noun
	return (clauses*3+int(w.passed[head]))*2 + int(min(w.passed[modifier], 1))
}

// scores puts the score of every arc h -> m, 0 <= h <= n, into out[h], in the
// unit of the weights; out[m] stays. sums are those of the contexts.
func scores[S int32 | float32, W uint8 | float32](g *Scorer, m int, t *places, sums []S, weights []W, out []S) {
	n, all := g.words.Len(), g.words.All()[2:]
	cm, fm := int(all[m].Coarse), int(all[m].Fine)
	mine := sums[m*both+rowSize:][:rowSize]
	distance := weights[t.distance+cm*tags*byBin:][:tags*byBin]
	fine := weights[t.fine+fm*word.FineTags*2:][:word.FineTags*2]
	middle := weights[t.between+cm*tags*2*between:][:tags*2*between]
	for left := 1; left >= 0; left-- {
		var w walk
		step, end := 1-2*left, (1-left)*(n+1)-left
		for h, d := m+step, 1; h != end; h, d = h+step, d+1 {
			x := &all[h]
			ch, far := int(x.Coarse), left*bins+binAt(d)
			its := sums[h*both:][:rowSize]
			out[h] = its[left*tags+cm] + mine[left*tags+ch] + its[byTag+far] + mine[byTag+far] +
				S(distance[ch*byBin+far]) + S(fine[int(x.Fine)*2+left]) + S(middle[(ch*2+left)*between+w.kind(x.Coarse, uint8(cm))])
			w.pass(x)
		}
	}
}

// cells appends the places of all weights of the arc h -> m.
func (g *Scorer) cells(h, m int, t *places, list []int32) []int32 {
	left, d := int(word.Direction(h, m)), max(h-m, m-h)
	x, y := g.words.At(h), g.words.At(m)
	ch, cm, far := int(x.Coarse), int(y.Coarse), left*bins+binAt(d)
	for i := range contexts {
		head, modifier := int(g.contexts[h][i])*both, int(g.contexts[m][i])*both+rowSize
		list = append(list, int32(head+left*tags+cm), int32(head+byTag+far), int32(modifier+left*tags+ch),
			int32(modifier+byTag+far))
	}
	var w walk
	for p := min(h, m) + 1; p < max(h, m); p++ {
		w.pass(g.words.At(p))
	}
	return append(list, int32(t.distance+(cm*tags+ch)*byBin+far),
		int32(t.fine+(int(y.Fine)*word.FineTags+int(x.Fine))*2+left),
		int32(t.between+((cm*tags+ch)*2+left)*between+w.kind(x.Coarse, y.Coarse)))
}

const cellsOfArc = 4*contexts + 3

func resize[T any](a []T, n int) []T { return slices.Grow(a[:0], n)[:n] }
