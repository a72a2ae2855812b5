// Package word encodes sentences. A Form has the properties that depend only on a
// form. A Vocabulary knows the tags and words of a treebank. A Sentence has the atoms
// of every position; it is made once and read by the templates of all stages.
//
// The package knows three facts about languages: some write I for the capital of
// dotless ı (Casing), Greek has its own sigma for the end of a word, and vowel harmony
// and voicing exchange certain letters of suffixes (Form.Broad).
package word

import "slices"

// Ids of the coarse tags: UPOS, in the order of the alphabet, then the root,
// the positions outside the sentence, and any other tag.
const (
	ADJ = iota
	ADP
	ADV
	AUX
	CCONJ
	DET
	INTJ
	NOUN
	NUM
	PART
	PRON
	PROPN
	PUNCT
	SCONJ
	SYM
	VERB
	X
	Root
	Outside
	Other
	CoarseTags
)

var upos = [...]string{"ADJ", "ADP", "ADV", "AUX", "CCONJ", "DET", "INTJ", "NOUN", "NUM",
	"PART", "PRON", "PROPN", "PUNCT", "SCONJ", "SYM", "VERB", "X"}

// Coarse returns the id of a UPOS tag.
func Coarse(tag string) uint8 {
	if i := slices.Index(upos[:], tag); i >= 0 {
		return uint8(i)
	}
	return Other
}

// Attributes of FEATS that templates name (Feats.Attr). The others are seen
// through Feats.Items and Feats.Hash only.
const (
	Case = iota
	Number
	Person
	Gender
	VerbForm
	PronType
	Mood
	Voice
	Poss
	NumberPsor
	Tense
	Degree
	Attributes
)

var attributes = [Attributes]string{"Case", "Number", "Person", "Gender", "VerbForm", "PronType", "Mood", "Voice",
	"Poss", "Number[psor]", "Tense", "Degree"}

// Kinds of punctuation (Form.Punct, Word.Punct).
const (
	NoPunct = iota
	Comma
	Colon // : ;
	Final // . ! ?
	Opening
	Closing
	Quote
	OtherPunct
)

// punct returns the kind of punctuation that a form is, or NoPunct.
func punct(form string) uint8 {
	switch form {
	case ",", "،", "、", "，":
		return Comma
	case ":", ";", "·", "—", "–", "-", "--":
		return Colon
	case ".", "!", "?", "...", "…", "。":
		return Final
	case "(", "[", "{", "«", "“", "‘", "``", "-LRB-":
		return Opening
	case ")", "]", "}", "»", "”", "’", "''", "-RRB-":
		return Closing
	case "\"", "'", "`":
		return Quote
	}
	return NoPunct
}

// Distances is the number of bins of Distance; bin 0 stands for no arc.
const Distances = 15

// Distance returns the bin of the signed distance h - m (Lei et al. 2014): 1..5
// for 1..5, 6 for 6..10, 7 beyond; 8..14 likewise when the head is left.
func Distance(h, m int) uint64 {
	d, base := h-m, uint64(0)
	if d < 0 {
		d, base = -d, 7
	}
	switch {
	case d <= 5:
		return base + uint64(d)
	case d <= 10:
		return base + 6
	}
	return base + 7
}

// Direction returns 1 if a stands before b, else 0.
func Direction(a, b int) uint64 {
	if a < b {
		return 1
	}
	return 0
}
