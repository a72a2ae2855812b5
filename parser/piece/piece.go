// Package piece cuts words into the pieces of an encoder's vocabulary.
package piece

import (
	"errors"
	"fmt"
	"math"
	"sync"
	"unicode/utf8"

	"github.com/treebeam/treebeam/parser/pack"
)

// MaxPieces is the number of pieces of a word that are read; the rest of a
// longer word is passed over.
const MaxPieces = 24

const (
	maxText   = 1024    // bytes of a normalised word that are looked at, and of a piece
	maxVocab  = 1 << 20 // pieces
	metaspace = "▁"     // U+2581 stands for a space (Kudo and Richardson 2018)
	inside    = "##"    // begins the pieces of WordPiece that do not begin a word
)

// A Kind is the way in which a vocabulary cuts.
type Kind uint8

const (
	Unigram   Kind = iota // the cut of the highest sum of scores (Kudo 2018), U+2581 for a space
	WordPiece             // the longest piece first, "##" inside of words (Devlin and others 2019)
)

// A Vocabulary is the list of pieces of an encoder. It is read-only once Word
// was called, and then safe for concurrent use.
//
// No text is cut into Begin, End or Unknown, whatever their names, nor into a
// piece whose name is empty: that is how importers write further marks.
type Vocabulary struct {
	Kind       Kind
	Pieces     []string  // by id
	Scores     []float32 // of Unigram, by id; Scores[Unknown] is that of a character that no piece covers
	Begin, End int32     // ids of the marks around a sentence
	Unknown    int32     // id of what no piece covers; a run of such characters is one piece
	Lower      bool      // WordPiece: letters are lowered and lose their accents

	once  sync.Once
	index index
}

// Penalty is what UnknownScore takes from the lowest score of all pieces.
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

// Word appends the ids of the pieces of a word, at least one and at most
// MaxPieces. space says that white space stands before it, as before the first
// word of a sentence. Of a word of more than 1,024 bytes the first are looked
// at. It allocates nothing if ids has room.
func (v *Vocabulary) Word(ids []int32, form string, space bool) []int32 {
	v.once.Do(func() { v.index.build(v) })
	before := len(ids)
	if v.Kind == WordPiece {
		ids = v.wordPieces(ids, form, before+MaxPieces)
	} else {
		ids = v.unigrams(ids, form, space, before+MaxPieces)
	}
	if len(ids) == before {
		return append(ids, v.Unknown)
	}
	return ids
}

// Check says what is wrong with a vocabulary that was read from somewhere.
func (v *Vocabulary) Check() error {
	n := len(v.Pieces)
	switch {
	case v.Kind > WordPiece:
		return fmt.Errorf("the vocabulary is of the unknown kind %d", v.Kind)
	case n == 0 || n > maxVocab:
		return fmt.Errorf("the vocabulary has %d pieces, want 1 to %d", n, maxVocab)
	case v.Kind == Unigram && len(v.Scores) != n:
		return fmt.Errorf("the vocabulary has %d pieces and %d scores", n, len(v.Scores))
	case v.Kind == WordPiece && len(v.Scores) != 0:
		return errors.New("a vocabulary of WordPiece has no scores")
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

// Layout names the sections of v in a component.
func (v *Vocabulary) Layout(l *pack.Layout, name string) {
	l.Nested(name, func(l *pack.Layout) {
		marks := []int32{v.Begin, v.End, v.Unknown}
		l.Strings("names", &v.Pieces)
		pack.Array(l, "scores", &v.Scores)
		pack.Array(l, "marks", &marks)
		pack.Value(l, "kind", (*uint8)(&v.Kind))
		l.Bool("lower", &v.Lower)
		l.Check("marks", len(marks) == 3, "are not three")
		if l.Reading() {
			v.Begin, v.End, v.Unknown = marks[0], marks[1], marks[2]
			if err := v.Check(); err != nil {
				l.Check("names", false, "is wrong: "+err.Error())
			}
		}
	})
}
