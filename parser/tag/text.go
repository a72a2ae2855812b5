package tag

import (
	"github.com/treebeam/treebeam/parser/hash"
	"github.com/treebeam/treebeam/parser/syntax"
	"github.com/treebeam/treebeam/parser/word"
)

// A form holds what templates read of one form, and what depends on the form
// alone.
type form struct {
	word.Form
	class     uint64 // ambiguity class, or a stand-in by suffix and shape
	morph     uint64 // the same over FEATS
	anyCase   uint64 // ambiguity class of the form in any case, or that stand-in
	stem      uint64 // the longest prefix that is a lemma; 0: none
	stemClass uint64 // its ambiguity class
	rest      uint64 // what follows the stem; 0: more than word.MaxSuffix runes, or there is no stem
	broadRest uint64 // the same in broad letters
	sure      uint16 // the only label of the first layer of a frequent form, plus 1; 0: any
	sureMorph uint16 // the same of the second
	known     bool   // class comes from the lexicon
	foreign   bool   // it is not known, and its letters are not Latin
	mark      bool   // it is not known, and punctuation (isMark)
	past      verbal // what an irregular past can be, if the treebank does not decide
	plain     string // word.Plain of the form; "" if that is the form

	ownTags     []int32     // scores of all labels of the first layer by ownTagKeys; nil until asked for
	ownMorphs   []int32     // scores of labels of the second layer by ownMorphKeys
	ownMorphsOf uint16      // with this label of the first, plus 1; 0 until asked for
	lemmas      []lemmaMemo // at most maxLemmas
}

// A position is a word in its sentence.
type position struct {
	*form
	part uint64 // position in a multiword token
}

// Positions of a word in a multiword token.
const (
	whole = iota // none: it is a token by itself
	firstPart
	middlePart
	lastPart
)

// A text is a sentence as the templates read it, with two positions of padding
// at both ends. It is reused between sentences.
type text struct {
	forms   word.Memo[form]
	words   []position
	caps    uint64 // share of upper case in the sentence, 0..3; plus 4 if it is one word
	small   bool   // the sentence has words enough, and no capital in front of any
	lexical int32  // words that begin with a letter
	unknown int32  // those of them not in the lexicon
}

const pad = 2

// leastSmall is how many words with letters it takes to see that a sentence is
// in small letters, where a name looks like any word. Fewer words may be a part
// of a sentence.
const leastSmall = 3

// outside are the positions beyond the ends.
var outside = func() (list [2 * pad]position) {
	for i := range list {
		h := hash.Mix(uint64(i) + 1)
		f := &form{class: h, morph: h}
		f.Lower, f.Shape, f.Long = h, h, h
		f.Suffix = [word.MaxSuffix]uint64{h, h, h}
		list[i].form = f
	}
	return list
}()

func (t *text) at(i int) *position { return &t.words[i+pad] }

// read fills t with the forms of s. All texts of one t must be read with the
// same lexicon.
func (t *text) read(s *syntax.Sentence, lex *lexicon) {
	t.words = append(t.words[:0], outside[:pad]...)
	t.lexical, t.unknown = 0, 0
	upper := 0
	for i := range s.Words {
		f, fresh := t.forms.Find(s.Words[i].Form)
		if fresh {
			f.readPlain(s.Words[i].Form, lex)
		}
		t.words = append(t.words, position{form: f})
		switch f.First {
		case 'X', 'x', 'o':
			t.lexical++
			if !f.known {
				t.unknown++
			}
		}
		if f.First == 'X' {
			upper++
		}
	}
	t.words = append(t.words, outside[pad:]...)
	t.markParts(s)
	t.caps = 0
	if t.lexical > 0 {
		t.caps = uint64(4*upper/int(t.lexical+1)) & 3
	}
	if len(s.Words) == 1 {
		t.caps += 4
	}
	t.small = upper == 0 && t.lexical >= leastSmall
}

// readPlain fills f for a form s.
func (f *form) readPlain(s string, lex *lexicon) {
	f.Read(s, lex.casing)
	lex.look(f)
	f.foreign, f.mark = !f.known && isForeign(s), !f.known && isMark(s)
	if f.sure == 0 {
		f.past = verbalOf(s)
	}
	if p := word.Plain(s); p != s { // otherwise s, which may keep a whole document in memory, is not stored
		f.plain = p
	}
}

// markParts sets part of the words of multiword tokens.
func (t *text) markParts(s *syntax.Sentence) {
	n := int32(len(s.Words))
	for _, x := range s.MWTs {
		for i := max(x.First, 1); i <= min(x.Last, n); i++ {
			switch w := t.at(int(i) - 1); i {
			case x.First:
				w.part = firstPart
			case x.Last:
				w.part = lastPart
			default:
				w.part = middlePart
			}
		}
	}
}
