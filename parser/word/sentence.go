package word

import (
	"iter"
	"slices"
	"strings"

	"github.com/treebeam/treebeam/parser/hash"
	"github.com/treebeam/treebeam/parser/syntax"
)

// A Word holds the atoms of one position of a sentence.
type Word struct {
	Form, Lemma uint64 // codes (Form.Code); the form's if there is no lemma
	Marker      uint64 // code of the lemma of the adposition or subordinator that marks the word from its left; 0 none
	Coarse      uint8  // below CoarseTags
	Fine        uint8  // of the Vocabulary; the coarse tag if it has none
	Punct       uint8  // kind of punctuation
	Case        uint8  // value of Case, hashed to 1..255; 0 none
	Commas      int32  // number of commas at positions up to this one
	Depth       uint16 // of open brackets after this position
	Quotes      uint16 // number of straight quotes up to this position

	OfForm, OfLemma *Form
	Feats           *Feats
}

// Feats has all properties that depend only on the FEATS of a word.
type Feats struct {
	Hash  uint64             // of all, 0 if there are none
	Items []uint64           // hashes of the items, syntax.MaxFeats at most
	Attr  [Attributes]uint64 // hash of the item of an attribute, 0 if it is not there
	fine  uint64             // of the attributes in the fine tag
}

// A Sentence is the encoding of a sentence of n words by a Vocabulary. It is read-only.
type Sentence struct {
	words      []Word // of position p at p+pad
	sources    []source
	vocabulary *Vocabulary
}

// A source is what an encoding depends on.
type source struct{ form, lemma, upos, xpos, feats string }

func sourceOf(w *syntax.Word) source { return source{w.Form, w.Lemma, w.UPOS, w.XPOS, w.Feats} }

const pad = 2

// Len returns the number of words n.
func (s *Sentence) Len() int { return len(s.sources) }

// At returns the atoms of position p: 0 is the root, 1..n are the words, and -2, -1,
// n+1 and n+2 are outside the sentence.
func (s *Sentence) At(p int) *Word { return &s.words[p+pad] }

// All returns the atoms of all positions. Position p is at index p+2.
func (s *Sentence) All() []Word { return s.words }

// fits reports whether s is the encoding of x under v.
func (s *Sentence) fits(v *Vocabulary, x *syntax.Sentence) bool {
	// Most equal strings are the same in memory: then no byte is compared.
	return s.vocabulary == v && slices.EqualFunc(s.sources, x.Words,
		func(a source, w syntax.Word) bool { return a == sourceOf(&w) })
}

// An Encoder makes Sentences. It is scratch for one goroutine.
type Encoder struct {
	vocabulary *Vocabulary
	forms      Memo[Form]
	feats      Memo[Feats]
}

// NewEncoder returns an Encoder for v.
func NewEncoder(v *Vocabulary) *Encoder { return &Encoder{vocabulary: v} }

// Encode returns the encoding of x and stores it as the memo of x. It makes a new one
// only if the words or the Vocabulary have changed since the last.
func (e *Encoder) Encode(x *syntax.Sentence) *Sentence {
	if s, ok := x.Memo().(*Sentence); ok && s.fits(e.vocabulary, x) {
		return s
	}
	s := e.encode(x)
	x.SetMemo(s)
	return s
}

func (e *Encoder) encode(x *syntax.Sentence) *Sentence {
	n := len(x.Words)
	s := &Sentence{words: make([]Word, n+1+2*pad), sources: make([]source, n), vocabulary: e.vocabulary}
	*s.At(-2), *s.At(-1), *s.At(0) = outside(Outside, codeBefore), outside(Outside, codeBefore), outside(Root, codeRoot)
	for i := range x.Words {
		s.sources[i] = sourceOf(&x.Words[i])
		e.word(&x.Words[i], s.At(i+1), s.At(i))
	}
	after := outside(Outside, codeAfter)
	after.Commas, after.Depth, after.Quotes = s.At(n).Commas, s.At(n).Depth, s.At(n).Quotes
	*s.At(n + 1), *s.At(n + 2) = after, after
	for m := 1; m <= n; m++ {
		s.At(m).Marker = s.marker(m)
	}
	return s
}

var (
	noForm  = new(Form)
	noFeats = new(Feats)
)

// Codes of positions without a word, and of numbers.
var codeRoot, codeBefore, codeAfter, codeNumber = hash.Key1(0, 0), hash.Key1(0, 1), hash.Key1(0, 2), hash.Key1(0, 3)

// outside returns the atoms of a position that has no word.
func outside(coarse uint8, code uint64) Word {
	return Word{Form: code, Lemma: code, Coarse: coarse, Fine: coarse, OfForm: noForm, OfLemma: noForm, Feats: noFeats}
}

// word fills w from x, given the word before.
func (e *Encoder) word(x *syntax.Word, w, before *Word) {
	w.OfForm = e.form(x.Form)
	w.OfLemma = w.OfForm
	if x.Lemma != "" {
		w.OfLemma = e.form(x.Lemma)
	}
	w.Form, w.Lemma = w.OfForm.Code, w.OfLemma.Code
	w.Feats = e.featsOf(x.Feats)
	if h := w.Feats.Attr[Case]; h != 0 {
		w.Case = uint8(h>>8)%255 + 1
	}
	w.Coarse = Coarse(x.UPOS)
	w.Fine = w.Coarse
	v := e.vocabulary
	if id, known := v.tags.Find(v.tagHash(x.UPOS, x.XPOS, w.Feats.fine)); known {
		w.Fine = id
	}
	if w.Coarse == PUNCT || x.UPOS == "" {
		w.Punct = w.OfForm.Punct
		if w.Punct == NoPunct && w.Coarse == PUNCT {
			w.Punct = OtherPunct
		}
	}
	w.Commas, w.Depth, w.Quotes = before.Commas, before.Depth, before.Quotes
	switch w.Punct {
	case Comma:
		w.Commas++
	case Opening:
		w.Depth++
	case Closing:
		w.Depth -= min(w.Depth, 1)
	case Quote:
		w.Quotes++
	}
}

func (e *Encoder) form(s string) *Form {
	f, fresh := e.forms.Find(s)
	if fresh {
		v := e.vocabulary
		f.Read(s, v.casing)
		if v.bare {
			f.strip()
		}
		switch {
		case f.Number:
			f.Code = codeNumber
		case v.words.Has(f.Hash):
			f.Code = f.Hash
		case f.Suffix[1] != 0:
			f.Code = hash.Pair(f.Suffix[1], uint64(f.Signs))
		default:
			f.Code = hash.Pair(f.Suffix[0], uint64(f.Signs))
		}
	}
	return f
}

// strip leaves of a form what a bare Vocabulary sees.
func (f *Form) strip() {
	if f.Signs&(Letter|Digit) == 0 {
		return
	}
	signs := hash.Key1(1, uint64(f.Signs))
	*f = Form{Hash: signs, Lower: signs, Folded: signs, Signs: f.Signs, Punct: f.Punct, Number: f.Number}
}

func (e *Encoder) featsOf(feats string) *Feats {
	f, fresh := e.feats.Find(feats)
	if !fresh {
		return f
	}
	f.fine = e.vocabulary.attrHash(feats)
	if feats != "" {
		f.Hash = hash.String(feats)
	}
	for item := range items(feats) {
		h := hash.String(item)
		f.Items = append(f.Items, h)
		name, _, valued := strings.Cut(item, "=")
		if a := slices.Index(attributes[:], name); a >= 0 && valued {
			f.Attr[a] = h
		}
	}
	return f
}

// items returns the items of FEATS, the first syntax.MaxFeats of them.
func items(feats string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for k := 0; feats != "" && k < syntax.MaxFeats; k++ {
			var item string
			item, feats, _ = strings.Cut(feats, "|")
			if !yield(item) {
				return
			}
		}
	}
}

// marker guesses, before there is a tree, the function word that marks word
// m: the nearest ADP, SCONJ or PART up to five words to its left with no
// clause or phrase boundary between. In UD these are leaves under m, so an
// arc alone would not see them.
func (s *Sentence) marker(m int) uint64 {
	c := s.At(m).Coarse
	switch c {
	case ADP, SCONJ, PUNCT, CCONJ, DET, PART:
		return 0
	}
	nominal := c == NOUN || c == PROPN
	for q := m - 1; q >= max(1, m-5); q-- {
		switch s.At(q).Coarse {
		case ADP, SCONJ, PART:
			return s.At(q).Lemma
		case VERB, PUNCT, CCONJ, PRON:
			return 0
		case NOUN, PROPN:
			if !nominal {
				return 0
			}
		}
	}
	return 0
}

// CommasBetween returns the number of commas at the positions between a and b.
func (s *Sentence) CommasBetween(a, b int) int {
	lo, hi := min(a, b), max(a, b)
	return int(max(0, s.At(hi-1).Commas-s.At(lo).Commas))
}

// PairsBetween returns two bits for positions lo <= hi. Bit 0 is set if the depth of
// brackets differs between them. Bit 1 is set if a quotation is open at only one of
// them.
func (s *Sentence) PairsBetween(lo, hi int) uint64 {
	a, b := s.At(lo), s.At(hi)
	x := uint64(a.Quotes^b.Quotes) & 1 << 1
	if a.Depth != b.Depth {
		x++
	}
	return x
}
