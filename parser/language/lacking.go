package language

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"unicode/utf8"

	"github.com/treebeam/treebeam/parser/hash"
)

// The likeliest of the languages may be a relative of a text's language that the model
// does not know: Indonesian of Javanese, Persian of Urdu. Then the text lacks what is
// common in the likeliest language, and the answer is None.
const (
	commonest  = 2000 // n-grams of a language are common
	commonBits = 14   // of the number of a bit; n-grams share bits
	commonSize = 1 << commonBits / 64
	fewest     = 5       // size of the shortest texts that are judged so: 32 letters
	rejected   = 0.95    // probability that is taken from a language whose common n-grams a text lacks
	counted    = 1 << 18 // letters of a language's samples at most in which n-grams are counted
)

// trigrams calls f with the hash of each n-gram of 3 and 4 characters within a word and
// the spaces around it. It leaves out those around a Latin letter unless latin.
func trigrams(text []rune, latin bool, f func(uint64)) {
	for at := 2; at < len(text); at++ {
		if r := text[at-1]; r == ' ' || !latin && r < utf8.RuneSelf {
			continue
		}
		h := hash.Step(hash.Step(hash.Start, text[at]), text[at-1])
		h = hash.Step(h, text[at-2])
		f(hash.Mix(h))
		if at > 2 && text[at-2] != ' ' {
			f(hash.Mix(hash.Step(h, text[at-3])))
		}
	}
}

// isLatin reports whether most letters are Latin ones. Text in another script says little by
// the foreign names in it.
func isLatin(text []rune) bool {
	plain, other := 0, 0
	for _, r := range text {
		switch {
		case r >= utf8.RuneSelf:
			other++
		case r != ' ':
			plain++
		}
	}
	return plain > other
}

// share returns how many of a text's n-grams are common in a language, of how many.
func (m *Model) share(text []rune, code int) (found, all int) {
	common := m.common[code*commonSize:][:commonSize]
	trigrams(text, m.latin[code] == 1, func(h uint64) {
		h >>= 64 - commonBits
		found += int(common[h/64] >> (h % 64) & 1)
		all++
	})
	return found, all
}

// lacks reports whether a text of so many letters lacks what is common in a language.
func (m *Model) lacks(text []rune, letters, code int) bool {
	s := size(letters)
	if s < fewest {
		return false
	}
	found, all := m.share(text, code)
	return all >= letters/2 && found*1000 < all*int(m.floors[code*sizes+s])
}

// count sets the common n-grams of each language.
func (m *Model) count(w *windows) {
	m.common, m.latin = make([]uint64, len(w.codes)*commonSize), make([]uint8, len(w.codes))
	for code, text := range w.texts {
		if isLatin(text) {
			m.latin[code] = 1
		}
		seen := map[uint64]int{}
		trigrams(text[:min(len(text), counted)], m.latin[code] == 1, func(h uint64) { seen[h]++ })
		list := slices.SortedFunc(maps.Keys(seen), func(a, b uint64) int {
			return cmp.Or(cmp.Compare(seen[b], seen[a]), cmp.Compare(a, b))
		})
		for _, h := range list[:min(len(list), commonest)] {
			h >>= 64 - commonBits
			m.common[code*commonSize+int(h/64)] |= 1 << (h % 64)
		}
	}
}

// judge sets the floor of the share of common n-grams for each language and size, in
// thousandths: far below what text of the language has, because text of another kind has
// less than the text that is known. A language whose text is all of one kind has more of
// them than others, and is judged like the median language. Sizes without text take the
// floor of the size below.
func (m *Model) judge(w *windows, seed uint64) {
	m.floors = make([]uint16, len(w.codes)*sizes)
	r := hash.Rand(hash.Pair(seed, 1))
	for size := fewest; size < sizes; size++ {
		means, spreads := make([]float64, len(w.codes)), make([]float64, len(w.codes))
		var known []float64
		for code, text := range w.texts {
			if length := 6 << size / 5; len(text) > 2*length && code != w.none {
				means[code], spreads[code] = m.shares(&r, text, code, length)
				known = append(known, means[code])
			}
		}
		slices.Sort(known)
		for code, mean := range means {
			floor := &m.floors[code*sizes+size]
			if *floor = m.floors[code*sizes+size-1]; mean > 0 {
				mean = min(mean, known[len(known)/2])
				*floor = uint16(1000 * max(0, min(float64(0.65*mean), mean-float64(6*spreads[code]))))
			}
		}
	}
}

// shares returns the mean share of common n-grams in windows of a text, and how far it
// spreads.
func (m *Model) shares(r *hash.Rand, text []rune, code, length int) (mean, spread float64) {
	var sum, square float64
	for range fitted {
		found, all := m.share(cut(r, text, length), code)
		x := float64(found) / float64(max(1, all))
		sum, square = sum+x, square+float64(x*x)
	}
	mean = sum / fitted
	return mean, math.Sqrt(max(0, square/fitted-float64(mean*mean)))
}
