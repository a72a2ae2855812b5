package piece

import "unicode"

// The cases of a word, for a vocabulary in lowercase.
const (
	small       int32 = iota // no capital
	capitalised              // a capital as the first character, and no other
	capitals                 // two capitals or more, and no small letter
	mixed                    // anything else, as "iPhone" and "3D"

	// Cases is the number of cases.
	Cases
)

// caseShift is the bit of an id from which on the case is kept: above those of maxVocab.
const caseShift = 24

// Split divides an id that Word returned into the id of the piece and the case of its word,
// from 0 to Cases-1. The case is 0 if the vocabulary is not in lowercase.
func Split(id int32) (piece, cased int32) { return id & (1<<caseShift - 1), id >> caseShift }

// caseOf returns the case of a word, of which it looks at the first maxText bytes.
func caseOf(form string) int32 {
	first, upper, lower := false, 0, 0
	for i, r := range form[:min(len(form), maxText)] {
		switch {
		case unicode.IsUpper(r) || unicode.IsTitle(r):
			upper++
			first = first || i == 0
		case unicode.IsLower(r):
			lower++
		}
	}
	switch {
	case upper == 0:
		return small
	case upper == 1 && first:
		return capitalised
	case upper > 1 && lower == 0:
		return capitals
	}
	return mixed
}
