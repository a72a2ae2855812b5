// Package language identifies the language of a text (Model.Identify), or finds that it
// is none of the languages that the model knows.
//
// A model adds up the vectors of a text's words and letter n-grams. The score of a
// language is the product of this sum and the vector of the language. This is the
// classifier of Joulin et al. (2017), with weights of 8 bits. Integers decide, so the
// answer is the same on every machine. The probability is a softmax of the scores,
// scaled by a factor for the length of the text. A text that lacks the common n-grams
// of the likeliest language is in none.
package language

import (
	"slices"

	"github.com/treebeam/treebeam/parser/graph"
	"github.com/treebeam/treebeam/parser/pack"
	"github.com/treebeam/treebeam/parser/syntax"
)

// None is the code for text in none of the languages of a model.
const None = "und"

const (
	width     = 16      // numbers of a vector
	lanes     = 8       // of them are in a word of 64 bits
	maxRows   = 1 << 20 // of a model
	maxCodes  = 256
	sizes     = 13 // of texts with a factor each: up to 4,095 letters
	maxFactor = 1e-2
	maxBias   = 1 << 30
	enough    = 60 // letters of a text that may surely be in no language
)

// A Model identifies some languages. It is read-only and safe for concurrent use.
type Model struct {
	codes   []string  // sorted, None among them
	vectors []uint64  // width numbers a row of n-grams, each a byte with 128 added, the first in the lowest
	output  []int16   // width numbers a code
	bias    []int32   // a code: what each n-gram adds to its score
	factors []float32 // of scores, by the number of binary digits of the number of letters
	common  []uint64  // commonSize words a code, a bit for each n-gram that is common
	latin   []uint8   // a code: 1 if it is written in Latin letters
	floors  []uint16  // sizes a code: the least share of common n-grams, in thousandths
}

// A Guess is a language and how likely the text is in it.
type Guess struct {
	Code string  // one of Codes
	Conf float32 // in [0, 1]; 0 if the text has no letters, and Code is None
	Odds float32 // how many times as likely as English it is, at most MaxOdds; 0 if unknown
}

// MaxOdds is the largest value of Guess.Odds.
const MaxOdds = 1e6

// Codes returns the codes of the languages of a model, sorted. None is among them. The
// caller must not change the list.
func (m *Model) Codes() []string { return m.codes }

// Identify returns the likeliest language of a text. It reads at most 4,000
// characters, so its time is bounded. It does not allocate.
func (m *Model) Identify(text string) Guess {
	var p [maxCodes]float64
	best, letters := m.probabilities(text, &p)
	if letters == 0 {
		return Guess{Code: None}
	}
	conf := p[best]
	if m.codes[best] == None && letters < enough {
		conf /= 2 // a short text may be anything
	}
	g := Guess{Code: m.codes[best], Conf: float32(conf)}
	if en, ok := slices.BinarySearch(m.codes, syntax.English); ok {
		g.Odds = float32(min(MaxOdds, conf/max(p[en], 1e-30)))
	}
	return g
}

// probabilities sets p to the probability of each language, and returns the likeliest and
// the number of letters that were looked at. Without letters it sets nothing.
func (m *Model) probabilities(text string, p *[maxCodes]float64) (best, letters int) {
	var place [looked + 2*parts]rune
	folded := fold(place[:0], text)
	for _, r := range folded {
		if r != ' ' {
			letters++
		}
	}
	if letters == 0 {
		return 0, 0
	}
	var scores [maxCodes]int64
	m.scores(folded, &scores)
	for i := range m.codes {
		if scores[i] > scores[best] {
			best = i
		}
	}
	factor := float64(m.factors[size(letters)])
	for i := range m.codes {
		p[i] = float64(scores[i]-scores[best]) * factor
	}
	softmax(p[:len(m.codes)])
	if none := m.none(); best != none && m.lacks(folded, letters, best) {
		for i := range m.codes {
			p[i] *= 1 - rejected
		}
		p[none] += rejected
		best = none
	}
	return best, letters
}

// softmax turns logarithms of odds into probabilities.
func softmax(p []float64) {
	top, total := slices.Max(p), 0.0
	for i, x := range p {
		p[i] = graph.Exp(max(-700, x-top))
		total += p[i]
	}
	for i := range p {
		p[i] /= total
	}
}

func (m *Model) none() int {
	i, _ := slices.BinarySearch(m.codes, None)
	return i
}

// scores sets the score of each language for folded text, and returns the number of its
// n-grams.
func (m *Model) scores(folded []rune, scores *[maxCodes]int64) (count int64) {
	var sum [width]int64
	var rows [250]uint32 // at most 256: the sums below have 16 bits
	g := grams{text: folded, at: 1, word: 1, rows: uint64(len(m.vectors) / (width / lanes))}
	for {
		list := g.next(rows[:0])
		if len(list) == 0 {
			break
		}
		count += int64(len(list))
		var even, odd [width / lanes]uint64 // four sums of 16 bits in each
		const low = 0x00FF00FF00FF00FF
		for _, row := range list {
			v := m.vectors[row*(width/lanes):][:width/lanes]
			even[0] += v[0] & low
			odd[0] += v[0] >> 8 & low
			even[1] += v[1] & low
			odd[1] += v[1] >> 8 & low
		}
		for k := range sum {
			x := even[k/lanes]
			if k%2 == 1 {
				x = odd[k/lanes]
			}
			sum[k] += int64(x>>(k%lanes/2*16)&0xFFFF) - 128*int64(len(list))
		}
	}
	for i := range m.codes {
		out, score := m.output[i*width:][:width], count*int64(m.bias[i])
		for k, x := range sum {
			score += x * int64(out[k])
		}
		scores[i] = score
	}
	return count
}

// Pack stores the model in s.
func (m *Model) Pack(s *pack.Sub) { pack.Write(s, m.layout) }

// Open is the inverse of Pack. Arrays alias the bytes of v. An error names the section
// that is missing or wrong.
func Open(v *pack.View, component string) (*Model, error) {
	m := new(Model)
	if err := pack.Read(v, component, m.layout); err != nil {
		return nil, err
	}
	return m, nil
}

func (m *Model) layout(l *pack.Layout) {
	l.Strings("codes", &m.codes)
	pack.Array(l, "vectors", &m.vectors)
	pack.Array(l, "output", &m.output)
	pack.Array(l, "bias", &m.bias)
	pack.Array(l, "factors", &m.factors)
	pack.Array(l, "common", &m.common)
	pack.Array(l, "latin", &m.latin)
	pack.Array(l, "floors", &m.floors)
	l.Check("codes", len(m.codes) <= maxCodes, "has too many languages")
	l.Check("codes", slices.IsSorted(m.codes) && slices.Contains(m.codes, None), "is not sorted, or lacks "+None)
	for i := 1; l.Reading() && i < len(m.codes); i++ {
		l.Check("codes", m.codes[i] != m.codes[i-1], "has a language twice")
	}
	rows := len(m.vectors) / (width / lanes)
	l.Check("vectors", rows > 0 && rows <= maxRows && len(m.vectors)%(width/lanes) == 0, "has a wrong length")
	l.Check("output", len(m.output) == len(m.codes)*width, "has another length than the languages")
	l.Check("bias", len(m.bias) == len(m.codes), "has another length than the languages")
	for _, x := range m.bias {
		l.Check("bias", x >= -maxBias && x <= maxBias, "has a number out of its range")
	}
	l.Check("common", len(m.common) == len(m.codes)*commonSize, "has another length than the languages")
	l.Check("latin", len(m.latin) == len(m.codes), "has another length than the languages")
	l.Check("floors", len(m.floors) == len(m.codes)*sizes, "has another length than the languages")
	l.Check("factors", len(m.factors) == sizes, "has a wrong length")
	for _, x := range m.factors {
		l.Check("factors", x >= 0 && x <= maxFactor, "has a factor out of its range")
	}
}
