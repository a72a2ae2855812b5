// Package word encodes sentences as the atoms that feature templates combine.
// Encoder.Encode makes a Sentence, with the atoms of every position, for the templates
// of all stages. A Form has the properties that depend on the form alone. A Vocabulary
// knows the tags and words of a treebank.
//
// The package knows three facts about languages. In some languages I is the capital of
// dotless ı (Casing). Greek has a special sigma at the end of a word. Vowel harmony and
// voicing exchange certain letters of suffixes (Form.Broad).
package word

import "slices"

// Ids of the coarse tags: UPOS in alphabetical order, then the root, the positions
// outside the sentence, and any other tag.
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

// Attributes of FEATS that templates read by name (Feats.Attr). Other attributes are
// only in Feats.Items and Feats.Hash.
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

// Distance returns the bin of the signed distance h - m (Lei et al. 2014): 1..5 for
// 1..5, 6 for 6..10, 7 beyond; 8..14 likewise for heads on the left.
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

// Direction returns 1 if a is before b, else 0.
func Direction(a, b int) uint64 {
	if a < b {
		return 1
	}
	return 0
}
