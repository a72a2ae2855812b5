package label

import (
	"unicode"
	"unicode/utf8"

	"github.com/treebeam/treebeam/parser/syntax"
)

// The universal tags as small numbers. 0 is the artificial root; an unknown
// or absent tag is posOther.
const (
	posRoot = iota
	posADJ
	posADP
	posADV
	posAUX
	posCCONJ
	posDET
	posINTJ
	posNOUN
	posNUM
	posPART
	posPRON
	posPROPN
	posPUNCT
	posSCONJ
	posSYM
	posVERB
	posX
	posOther
	numPos
)

func posOf(upos string) uint8 {
	switch upos {
	case "ADJ":
		return posADJ
	case "ADP":
		return posADP
	case "ADV":
		return posADV
	case "AUX":
		return posAUX
	case "CCONJ":
		return posCCONJ
	case "DET":
		return posDET
	case "INTJ":
		return posINTJ
	case "NOUN":
		return posNOUN
	case "NUM":
		return posNUM
	case "PART":
		return posPART
	case "PRON":
		return posPRON
	case "PROPN":
		return posPROPN
	case "PUNCT":
		return posPUNCT
	case "SCONJ":
		return posSCONJ
	case "SYM":
		return posSYM
	case "VERB":
		return posVERB
	case "X":
		return posX
	}
	return posOther
}

// Attributes of FEATS that the templates name. The others are seen through
// the whole FEATS string and one by one.
const (
	atCase = iota
	atNumber
	atPerson
	atGender
	atVerbForm
	atPronType
	atMood
	atVoice
	atPoss
	atNumberPsor
	atTense
	atDegree
	numAttr
)

func attrOf(name string) int {
	switch name {
	case "Case":
		return atCase
	case "Number":
		return atNumber
	case "Person":
		return atPerson
	case "Gender":
		return atGender
	case "VerbForm":
		return atVerbForm
	case "PronType":
		return atPronType
	case "Mood":
		return atMood
	case "Voice":
		return atVoice
	case "Poss":
		return atPoss
	case "Number[psor]":
		return atNumberPsor
	case "Tense":
		return atTense
	case "Degree":
		return atDegree
	}
	return -1
}

// An atom is the hash of one value of a column; 0 stands for no value.
type atom = uint32

// A word is what the templates see of one word of the sentence: hashes of its
// columns, and its place in the tree. Index 0 is the artificial root. An
// absent value is 0; so is a word number that does not exist.
type word struct {
	form   atom // lower case, digits alike
	lemma  atom // of the form if absent
	fine   atom // UPOS and XPOS, or UPOS and FEATS if there is no XPOS
	feats  atom
	morph  atom // UPOS and the attributes that decide about syntax
	suffix [2]atom
	attr   [numAttr]atom

	each      [maxFeats]atom // single attributes with their values
	nEach     uint8
	pos       uint8
	shape     uint8
	side      uint8 // 1 right of its head
	head      int32 // 0..n; for a word without a valid head see loose
	loose     bool  // starts a component of its own: no head, or on a cycle
	bare      bool  // nominal without a case child
	placed    bool  // already in the top-down order
	sameCase  uint8 // bits: a sibling before, after with the same Case
	rank      uint8 // among the modifiers on its side of the head, from the head
	bareRank  uint8 // among the bare nominals under its head, from the left
	nLeft     uint8 // modifiers left, right; at most 255
	nRight    uint8
	nBare     uint8 // bare nominals among its modifiers
	masks     [2]uint32
	funcs     [numPos]atom // lemma of the first modifier with a closed-class tag
	relative  atom         // PronType of a relative or interrogative in the subtree, to depth 2
	firstKid  int32
	lastKid   int32
	nextSib   int32
	prevSib   int32
	punctUpTo int32 // punctuation marks among words 1..i
	commaUpTo int32
	verbsUpTo int32
}

const maxFeats = 16

const (
	hashSeed  = 0x9e3779b97f4a7c15
	hashPrime = 0x100000001b3
)

func hashString(s string) atom {
	if s == "" {
		return 0
	}
	h := uint64(hashSeed)
	for i := 0; i < len(s); i++ {
		h = (h ^ uint64(s[i])) * hashPrime
	}
	return finish(h)
}

func finish(h uint64) atom {
	h ^= h >> 32
	h *= 0xd6e8feb86659fd93
	return atom(h>>32) | 1
}

// hash2 combines two atoms into one that is not 0.
func hash2(a, b atom) atom { return finish((hashSeed^uint64(a))*hashPrime ^ uint64(b)<<17) }

// hashFolded hashes s in lower case with all digits alike.
func hashFolded(s string) atom {
	if s == "" {
		return 0
	}
	h := uint64(hashSeed)
	for i := 0; i < len(s); {
		c := s[i]
		if c < utf8.RuneSelf {
			if c >= 'A' && c <= 'Z' {
				c += 'a' - 'A'
			} else if c >= '0' && c <= '9' {
				c = '0'
			}
			h = (h ^ uint64(c)) * hashPrime
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		h = (h ^ uint64(unicode.ToLower(r))) * hashPrime
		i += size
	}
	return finish(h)
}

// suffixHash hashes the last k letters of s, folded; the whole of a shorter s.
func suffixHash(s string, k int) atom {
	i := len(s)
	for ; k > 0 && i > 0; k-- {
		_, size := utf8.DecodeLastRuneInString(s[:i])
		i -= size
	}
	return hashFolded(s[i:])
}

// shapeOf classes a form: 0 other, 1 lower case, 2 capitalised, 3 all upper
// case, 4 has a digit, 5 no letter.
func shapeOf(s string) uint8 {
	letters, upper, first := 0, 0, true
	cap1 := false
	for _, r := range s {
		switch {
		case r >= '0' && r <= '9':
			return 4
		case unicode.IsUpper(r):
			letters++
			upper++
			cap1 = cap1 || first
		case unicode.IsLetter(r):
			letters++
		}
		first = false
	}
	switch {
	case letters == 0:
		return 5
	case upper == 0:
		return 1
	case upper == letters && letters > 1:
		return 3
	case cap1:
		return 2
	}
	return 0
}

// read fills w from the columns of x.
func (w *word) read(x *syntax.Word) {
	*w = word{}
	w.pos = posOf(x.UPOS)
	w.form = hashFolded(x.Form)
	w.lemma = w.form
	if x.Lemma != "" {
		w.lemma = hashFolded(x.Lemma)
	}
	w.shape = shapeOf(x.Form)
	w.suffix = [2]atom{suffixHash(x.Form, 2), suffixHash(x.Form, 3)}
	w.feats = hashString(x.Feats)
	w.readFeats(x.Feats)
	w.fine = hash2(atom(w.pos), w.feats)
	if x.XPOS != "" && x.XPOS != x.UPOS {
		w.fine = hash2(atom(w.pos), hashString(x.XPOS))
	}
	w.morph = atom(w.pos) + 1
	for _, a := range [...]int{atCase, atVerbForm, atPronType, atMood, atVoice, atPoss} {
		w.morph = hash2(w.morph, w.attr[a])
	}
	if w.attr[atNumberPsor] != 0 {
		w.morph++
	}
}

// readFeats splits "A=b|C=d".
func (w *word) readFeats(s string) {
	for s != "" {
		end, eq := len(s), -1
		for i := 0; i < len(s); i++ {
			if s[i] == '=' && eq < 0 {
				eq = i
			}
			if s[i] == '|' {
				end = i
				break
			}
		}
		item := s[:end]
		if end < len(s) {
			s = s[end+1:]
		} else {
			s = ""
		}
		if eq < 0 {
			continue
		}
		h := hashString(item)
		if w.nEach < maxFeats {
			w.each[w.nEach] = h
			w.nEach++
		}
		if a := attrOf(item[:eq]); a >= 0 {
			w.attr[a] = h
		}
	}
}

// closed reports whether a modifier with this tag is known to its head by
// its lemma.
func closed(pos uint8) bool {
	switch pos {
	case posADP, posSCONJ, posAUX, posDET, posPART, posCCONJ, posPUNCT, posADV, posPRON, posVERB:
		return true
	}
	return false
}

func nominal(pos uint8) bool {
	return pos == posNOUN || pos == posPROPN || pos == posPRON || pos == posNUM || pos == posX || pos == posSYM
}

func inc(x *uint8) {
	if *x < 255 {
		*x++
	}
}
