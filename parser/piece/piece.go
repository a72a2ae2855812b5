// Package piece cuts words into the pieces of an encoder's vocabulary.
package piece

// MaxPieces is the number of pieces of a word that are read; the rest of a
// longer word is passed over.
const MaxPieces = 24

// A Kind is the way in which a vocabulary cuts.
type Kind uint8

const (
	Unigram   Kind = iota // the cut of the highest sum of scores (Kudo 2018), U+2581 for a space
	WordPiece             // the longest piece first, "##" inside of words (Devlin and others 2019)
)

// A Vocabulary is the list of pieces of an encoder. It is read-only and safe
// for concurrent use.
type Vocabulary struct {
	Kind       Kind
	Pieces     []string  // by id
	Scores     []float32 // of Unigram, by id
	Begin, End int32     // ids of the marks around a sentence
	Unknown    int32     // id of what no piece covers
	Lower      bool      // WordPiece: letters are lowered and lose their accents
}

// Word appends the ids of the pieces of a word, at least one and at most
// MaxPieces. space says that white space stands before it, as before the first
// word of a sentence.
func (v *Vocabulary) Word(ids []int32, form string, space bool) []int32 {
	return append(ids, v.Unknown)
}
