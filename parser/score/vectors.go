package score

import (
	"fmt"
	"math"

	"github.com/treebeam/treebeam/parser/hash"
	"github.com/treebeam/treebeam/parser/word"
	"gonum.org/v1/gonum/floats"
)

// MaxVectors bounds the words that a model keeps.
const MaxVectors = 16_000

// Vectors are real-valued features of words: those of the word to the left,
// the word itself and the one to the right (Lei et al. 2014). They are scaled
// so that a vector counts about as much as one feature that is on. Vectors are
// read-only; the zero value has none.
type Vectors struct {
	words  hash.Set // of plain forms (word.Plain)
	size   int
	values []float64 // [place*size + d]
	count  int       // of different words
}

// NewVectors returns the vectors of words, values[i*size:(i+1)*size] that of
// words[i]. The word "" is the unknown one. Of words that are equal as plain
// forms the first counts. It copies both.
func NewVectors(words []string, values []float32, size int) (*Vectors, error) {
	if size < 1 || len(values) != len(words)*size {
		return nil, fmt.Errorf("%d numbers for %d vectors of %d dimensions", len(values), len(words), size)
	}
	if len(words) == 0 || len(words) > MaxVectors {
		return nil, fmt.Errorf("vectors of %d words: want 1 to %d", len(words), MaxVectors)
	}
	keys := make([]hash.Key, len(words))
	for i, w := range words {
		keys[i] = hash.String(word.Plain(w))
	}
	set, places := hash.NewSet(keys)
	v := &Vectors{words: set, size: size, values: make([]float64, len(set)*size)}
	for i, place := range places {
		if place < 0 {
			continue
		}
		v.count++
		for d, x := range values[i*size : (i+1)*size] {
			v.values[place*size+d] = float64(x)
		}
	}
	norm := floats.Norm(v.values, 2)
	if math.IsNaN(norm) || math.IsInf(norm, 0) || norm == 0 {
		return nil, fmt.Errorf("vectors that are all zero, or not numbers")
	}
	floats.Scale(math.Sqrt(float64(v.count))/norm, v.values)
	return v, nil
}

// Len returns the number of words.
func (v *Vectors) Len() int { return v.count }

// of returns the vector of a word.
func (v *Vectors) of(place int) []float64 { return v.values[place*v.size:][:v.size] }

// wordAt returns the place of the word at a position of a sentence, or -1. Its
// plain form is looked up as it is, then in lower case, then as the unknown
// word; positions outside the sentence, and the root, are unknown words.
func wordAt(words hash.Set, c *word.Sentence, pos int) int {
	if len(words) == 0 {
		return -1
	}
	if pos >= 1 && pos <= c.Len() {
		form := c.At(pos).OfForm
		if place := words.Find(form.Hash); place >= 0 {
			return place
		}
		if place := words.Find(form.Lower); place >= 0 {
			return place
		}
	}
	return words.Find(unknown)
}

var unknown = hash.String("")
