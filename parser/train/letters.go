package train

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/treebeam/treebeam/parser/hash"
	"github.com/treebeam/treebeam/parser/syntax"
)

// Text of another language has other trigrams of letters. In dev treebanks few
// words are in sentences with less than 80 % known trigrams; of English text
// under Turkish trigrams most are.
const (
	foreignShare = 0.8  // largest share of known trigrams below which a sentence is foreign
	foreignOfDev = 0.01 // largest share of dev's sentences that may be foreign
	leastLetters = 8    // trigrams that a sentence needs to be judged
	leastDev     = 20   // sentences of dev that can be judged, without which none is foreign
)

// trigrams are the trigrams of letters that occur twice or more in a treebank.
type trigrams struct {
	count map[uint64]int
	least float64 // share of known trigrams below which a sentence is foreign
}

func newTrigrams(train, dev []syntax.Sentence) *trigrams {
	x := &trigrams{count: map[uint64]int{}}
	for i := range train {
		eachTrigram(&train[i], func(h uint64) { x.count[h]++ })
	}
	var shares []float64
	for i := range dev {
		if share, ok := x.share(&dev[i]); ok {
			shares = append(shares, share)
		}
	}
	if slices.Sort(shares); len(shares) >= leastDev {
		x.least = min(foreignShare, shares[int(foreignOfDev*float64(len(shares)))])
	}
	return x
}

// eachTrigram calls f with the hash of every three runes that follow each other
// in a word that begins with a letter, its ends included.
func eachTrigram(s *syntax.Sentence, f func(uint64)) {
	for i := range s.Words {
		first, _ := utf8.DecodeRuneInString(s.Words[i].Form)
		if !unicode.IsLetter(first) {
			continue
		}
		a, b := uint64(' '), uint64(' ')
		for j, r := range strings.ToLower(s.Words[i].Form) + " " {
			if j > 0 {
				f(hash.Pair(hash.Pair(a, b), uint64(r)))
			}
			a, b = b, uint64(r)
		}
	}
}

// share returns the share of known trigrams, or false if s has too few.
func (x *trigrams) share(s *syntax.Sentence) (float64, bool) {
	known, all := 0, 0
	eachTrigram(s, func(h uint64) {
		all++
		if x.count[h] >= 2 {
			known++
		}
	})
	return float64(known) / float64(max(all, 1)), all >= leastLetters
}

func (x *trigrams) foreign(s *syntax.Sentence) bool {
	share, ok := x.share(s)
	return ok && share < x.least
}
