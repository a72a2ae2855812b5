// Package piece cuts words into the pieces (subwords) of an encoder's vocabulary
// (Vocabulary.Word): those with the highest sum of scores, as in Unigram (Kudo 2018), or the
// longest from the left, as in WordPiece (Wu et al. 2016).
package piece

import (
	"fmt"
	"math"
	"sync"
	"unicode/utf8"

	"github.com/treebeam/treebeam/parser/pack"
	"github.com/treebeam/treebeam/parser/syntax"
)

// MaxPieces is the largest number of pieces of a word. The rest of a longer word is
// ignored.
const MaxPieces = 24

const (
	maxText   = 1024    // bytes of a normalised word that are looked at, and of a piece
	maxVocab  = 1 << 20 // pieces
	metaspace = "▁"     // U+2581 stands for a space (Kudo and Richardson 2018)
)

// A Vocabulary is the list of pieces of an encoder. A piece that begins a word begins with
// U+2581. After the first call of Word the Vocabulary is read-only, and safe for concurrent
// use.
//
// No text is cut into Begin, End or Unknown, whatever their names. Neither is any text cut
// into a piece with an empty name, which is how importers write further marks.
type Vocabulary struct {
	Pieces     []string  // by id
	Scores     []float32 // by id; Scores[Unknown] is the score of a character that no piece covers
	Begin, End int32     // ids of the marks around a sentence
	Unknown    int32     // id of characters that no piece covers; a run of them is one piece

	// WordPiece says that a word is cut from the left, always with the longest piece that
	// fits (Wu et al. 2016). U+2581 precedes every word, punctuation mark and ideograph, and
	// what follows such a mark (Devlin et al. 2019), with white space or without. Scores then
	// only order the pieces.
	WordPiece bool
	// Lower says that the pieces are in lowercase and have no accents.
	Lower bool

	once  sync.Once
	index index
}

// Penalty is the amount that UnknownScore subtracts from the lowest score of all pieces.
const Penalty = 10

// UnknownScore returns the score that the reference implementation of Unigram
// gives a character that no piece covers.
func UnknownScore(scores []float32) float32 {
	least := float32(0)
	for _, s := range scores {
		least = min(least, s)
	}
	return least - Penalty
}

// Word appends the ids of the pieces of a word, at least one and at most MaxPieces. space
// says that white space precedes the word, as it precedes the first word of a sentence.
// Word looks only at the first 1,024 bytes of a longer word. It allocates nothing if ids
// has room. The ids of a vocabulary in lowercase carry the case of the word, see Split.
func (v *Vocabulary) Word(ids []int32, form string, space bool) []int32 {
	v.once.Do(func() { v.index.build(v) })
	before := len(ids)
	if v.WordPiece {
		ids = v.longest(ids, form, before+MaxPieces)
	} else {
		ids = v.unigrams(ids, form, space, before+MaxPieces)
	}
	if len(ids) == before {
		ids = append(ids, v.Unknown)
	}
	if v.Lower {
		c := caseOf(form) << caseShift
		for i := before; i < len(ids); i++ {
			ids[i] |= c
		}
	}
	return ids
}

// Sentence appends to ids the pieces of the words of s, without marks, and to ends the
// length of ids after each word. White space precedes the first word, and every other word
// unless MISC of the preceding word says SpaceAfter=No. Inside a multiword token there is
// no white space; after it, MISC of the token counts.
func (v *Vocabulary) Sentence(ids, ends []int32, s *syntax.Sentence) (_, _ []int32) {
	space, tokens := true, s.MWTs
	for i := range s.Words {
		w, m := &s.Words[i], int32(i+1)
		ids = v.Word(ids, w.Form, space)
		ends = append(ends, int32(len(ids)))
		for len(tokens) > 0 && tokens[0].Last < m {
			tokens = tokens[1:]
		}
		switch {
		case len(tokens) == 0 || m < tokens[0].First:
			space = !syntax.NoSpaceAfter(w.Misc)
		case m < tokens[0].Last:
			space = false
		default:
			space = !syntax.NoSpaceAfter(tokens[0].Misc)
		}
	}
	return ids, ends
}

// Check returns an error if a vocabulary that was read is wrong.
func (v *Vocabulary) Check() error {
	n := len(v.Pieces)
	switch {
	case n == 0 || n > maxVocab:
		return fmt.Errorf("the vocabulary has %d pieces, want 1 to %d", n, maxVocab)
	case len(v.Scores) != n:
		return fmt.Errorf("the vocabulary has %d pieces and %d scores", n, len(v.Scores))
	}
	for _, id := range [...]int32{v.Begin, v.End, v.Unknown} {
		if id < 0 || int(id) >= n {
			return fmt.Errorf("the vocabulary has %d pieces, no mark %d", n, id)
		}
	}
	for id, s := range v.Scores {
		if !(math.Abs(float64(s)) < 1e6) {
			return fmt.Errorf("piece %d has the score %v", id, s)
		}
	}
	for id, p := range v.Pieces {
		if len(p) > maxText || !utf8.ValidString(p) {
			return fmt.Errorf("piece %d has over %d bytes or is not UTF-8", id, maxText)
		}
	}
	return nil
}

// kindWordPiece is WordPiece in a file. Unigram is 0. Older files have 1 for a WordPiece
// with other names of pieces.
const kindWordPiece = 2

// Layout names the sections of v in a component.
func (v *Vocabulary) Layout(l *pack.Layout, name string) {
	l.Nested(name, func(l *pack.Layout) {
		marks := []int32{v.Begin, v.End, v.Unknown}
		kind, lower := uint8(0), uint8(0)
		if v.WordPiece {
			kind = kindWordPiece
		}
		if v.Lower {
			lower = 1
		}
		l.Strings("names", &v.Pieces)
		pack.Array(l, "scores", &v.Scores)
		pack.Array(l, "marks", &marks)
		pack.Value(l, "kind", &kind)
		pack.Value(l, "lower", &lower)
		l.Check("kind", kind == 0 || kind == kindWordPiece, "is one that is not read any more")
		l.Check("lower", lower <= 1, "is neither 0 nor 1")
		l.Check("marks", len(marks) == 3, "are not three")
		if l.Reading() {
			v.Begin, v.End, v.Unknown = marks[0], marks[1], marks[2]
			v.WordPiece, v.Lower = kind == kindWordPiece, lower == 1
			if err := v.Check(); err != nil {
				l.Check("names", false, "is wrong: "+err.Error())
			}
		}
	})
}
