package tensor

import (
	"fmt"
	"math"

	"github.com/treebeam/treebeam/parser/feature"
	"github.com/treebeam/treebeam/parser/pack"
	"github.com/treebeam/treebeam/parser/syntax"
)

// Vectors are real-valued features of words: those of the word to the left,
// the word itself and the one to the right (Lei et al. 2014). A word is
// looked up as it is, then in lower case, then as the unknown word if there
// is one; positions outside the sentence, and the root, are unknown words.
// They are scaled so that a vector counts about as much as one feature that
// is on. Vectors are read-only; nil is a tensor without them.
type Vectors struct {
	lexicon lexicon
	size    int
	values  []float32 // [word*size + d]
}

// MaxVectors bounds the words that a model keeps.
const MaxVectors = 16_000

// NewVectors returns the vectors of words, values[i*size:(i+1)*size] that of
// words[i]. The word "" is the unknown one. Of equal words the first counts.
// It copies both.
func NewVectors(words []string, values []float32, size int) (*Vectors, error) {
	if size < 1 || len(values) != len(words)*size {
		return nil, fmt.Errorf("%d numbers for %d vectors of %d dimensions", len(values), len(words), size)
	}
	if len(words) == 0 || len(words) > MaxVectors {
		return nil, fmt.Errorf("vectors of %d words: want 1 to %d", len(words), MaxVectors)
	}
	v := &Vectors{size: size, lexicon: lexicon{unknown: -1}}
	prints := make([]uint32, 0, len(words))
	seen := make(map[uint32]bool)
	sum := 0.0
	for i, w := range words {
		p := print32(feature.HashString(w))
		if seen[p] {
			continue
		}
		seen[p] = true
		if w == "" {
			v.lexicon.unknown = int32(len(prints))
		}
		prints = append(prints, p)
		v.values = append(v.values, values[i*size:(i+1)*size]...)
	}
	for _, x := range v.values {
		sum += float64(x) * float64(x)
	}
	if math.IsNaN(sum) || math.IsInf(sum, 0) || sum == 0 {
		return nil, fmt.Errorf("vectors that are all zero, or not numbers")
	}
	scale := float32(math.Sqrt(float64(len(prints)) / sum))
	for i := range v.values {
		v.values[i] *= scale
	}
	v.lexicon.words = newDictionary(prints)
	return v, nil
}

// Len returns the number of words.
func (v *Vectors) Len() int { return v.lexicon.size() }

func (v *Vectors) dim() int {
	if v == nil {
		return 0
	}
	return v.size
}

func (v *Vectors) lexiconOf() lexicon {
	if v == nil {
		return lexicon{unknown: -1}
	}
	return v.lexicon
}

// of returns the vector of a word of the lexicon.
func (v *Vectors) of(word int32) []float32 { return v.values[int(word)*v.size:][:v.size] }

// at returns the vector at a position of s, or nil.
func (v *Vectors) at(s *syntax.Sentence, pos int) []float32 {
	if v == nil {
		return nil
	}
	if word := v.lexicon.at(s, pos); word >= 0 {
		return v.of(word)
	}
	return nil
}

// A lexicon is the words that have a vector.
type lexicon struct {
	words   dictionary // of hashed forms
	unknown int32      // number of the unknown word, or -1
}

func (x *lexicon) size() int { return x.words.n }

// at returns the number of the word at a position of s, or -1. It does not
// allocate.
func (x *lexicon) at(s *syntax.Sentence, pos int) int32 {
	if x.words.n == 0 {
		return -1
	}
	if pos >= 1 && pos <= len(s.Words) {
		form := s.Words[pos-1].Form
		if w := x.words.row(feature.HashString(form)); w >= 0 {
			return w
		}
		if w := x.words.row(feature.HashLower(form)); w >= 0 {
			return w
		}
	}
	return x.unknown
}

func (x *lexicon) pack(s *pack.Sub) {
	if x.words.n > 0 {
		x.words.pack(s, "tensor.words")
		pack.Put(s, "tensor.unknown", []int32{x.unknown})
	}
}

// openLexicon is the inverse of pack.
func openLexicon(v *pack.View, component string) (lexicon, error) {
	x := lexicon{unknown: -1}
	if !v.Has(component, "tensor.unknown") {
		return x, nil
	}
	var err error
	if x.words, err = openDictionary(v, component, "tensor.words"); err != nil {
		return x, err
	}
	unknown, err := pack.Get[int32](v, component, "tensor.unknown")
	if err != nil {
		return x, err
	}
	if len(unknown) != 1 || unknown[0] < -1 || int(unknown[0]) >= x.words.n {
		return x, feature.ErrDamaged(component + ".tensor.unknown")
	}
	x.unknown = unknown[0]
	return x, nil
}
