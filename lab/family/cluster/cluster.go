// Package cluster learns classes of words from text without trees or tags, for
// features that treebanks alone are too small for (Koo, Carreras and Collins 2008).
// Brown makes a hierarchy of classes by merging (Brown et al. 1992), HMM and Type
// make flat ones. A Table is what they return, and what its file contains.
//
// Integers decide. Logarithms have 24 binary digits behind the point, so that a sum
// of them is the same in any order, and two merges that cost the same are a tie on
// every machine.
package cluster

import (
	"cmp"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"strings"
	"sync"
)

// Limits of what is clustered.
const (
	MaxClasses = 4096    // classes
	MaxTokens  = 1 << 31 // words of text, with the ends of its sentences
	MaxWord    = 255     // bytes of a word; longer ones are as unknown as rare ones
)

// A Bigram says how often word B follows word A. Both are places in
// Counts.Words, or Edge.
type Bigram struct {
	A, B  int32
	Count int64
}

// Edge stands before the first and behind the last word of a sentence.
const Edge int32 = -1

// Counts are all that Brown reads of a text: its words, the most frequent first
// and the equally frequent in the order of their bytes, how often each occurs, and
// which follow which. Bigrams with words that are not in the list may be missing.
type Counts struct {
	Words   []string
	Count   []int64
	Bigrams []Bigram // in any order; equal pairs are added up
}

// CountSentences returns the counts of the words of sentences that occur least times
// or more, but of at most most words. It is for texts that fit into memory.
func CountSentences(sentences [][]string, least int64, most int) *Counts {
	all := map[string]int64{}
	for _, s := range sentences {
		for _, w := range s {
			all[w]++
		}
	}
	c, place := Rank(all, least, most)
	pairs := map[[2]int32]int64{}
	for _, s := range sentences {
		before := Edge
		known := true
		for _, w := range s {
			at, ok := place[w]
			if ok && known {
				pairs[[2]int32{before, at}]++
			}
			before, known = at, ok
		}
		if known && len(s) > 0 {
			pairs[[2]int32{before, Edge}]++
		}
	}
	for p, n := range pairs {
		c.Bigrams = append(c.Bigrams, Bigram{p[0], p[1], n})
	}
	slices.SortFunc(c.Bigrams, func(a, b Bigram) int { return cmp.Or(cmp.Compare(a.A, b.A), cmp.Compare(a.B, b.B)) })
	return c
}

// Rank returns the words of all that occur least times or more, but at most most, as
// Counts without bigrams, and the place of each word there.
func Rank(all map[string]int64, least int64, most int) (*Counts, map[string]int32) {
	type entry struct {
		word  string
		count int64
	}
	var list []entry
	for w, n := range all {
		if n >= least {
			list = append(list, entry{w, n})
		}
	}
	slices.SortFunc(list, func(a, b entry) int {
		return cmp.Or(cmp.Compare(b.count, a.count), strings.Compare(a.word, b.word))
	})
	list = list[:min(len(list), most)]
	c, place := &Counts{}, make(map[string]int32, len(list))
	for i, e := range list {
		c.Words, c.Count = append(c.Words, e.word), append(c.Count, e.count)
		place[e.word] = int32(i)
	}
	return c, place
}

// check reports what Brown cannot work with.
func (c *Counts) check() error {
	if len(c.Words) == 0 {
		return fmt.Errorf("no words to cluster")
	}
	if len(c.Count) != len(c.Words) {
		return fmt.Errorf("%d counts for %d words", len(c.Count), len(c.Words))
	}
	total := int64(0)
	for i, n := range c.Count {
		if n < 1 || n > MaxTokens || i > 0 && n > c.Count[i-1] {
			return fmt.Errorf("word %d occurs %d times: must be 1 to %d, the most frequent first", i, n, MaxTokens)
		}
		total += n
	}
	if total > MaxTokens {
		return fmt.Errorf("the words occur %d times, at most %d are supported", total, MaxTokens)
	}
	if len(c.Bigrams) > math.MaxInt32 {
		return fmt.Errorf("%d bigrams, at most %d are supported", len(c.Bigrams), math.MaxInt32)
	}
	pairs := int64(0)
	for _, b := range c.Bigrams {
		if b.A < Edge || b.B < Edge || int(b.A) >= len(c.Words) || int(b.B) >= len(c.Words) || b.A == b.B && b.A == Edge || b.Count < 1 || b.Count > MaxTokens {
			return fmt.Errorf("bigram %v: must have two of %d words and a count", b, len(c.Words))
		}
		pairs += b.Count
	}
	if pairs > 2*MaxTokens {
		return fmt.Errorf("the bigrams occur %d times, at most %d are supported", pairs, 2*MaxTokens)
	}
	return nil
}

// fraction is how many binary digits of a logarithm are kept.
const fraction = 24

// tabled is up to which number entropy looks up.
const tabled = 1 << 18

// table has n log2 n of small n once fillTable was called, which takes a while: no
// other command waits for it.
var table []int64

var fillTable = sync.OnceFunc(func() {
	list := make([]int64, tabled)
	for n := range list {
		list[n] = int64(n) * log2(uint64(n))
	}
	table = list
})

// entropy returns n log2 n, 0 <= n <= 2*MaxTokens, in units of 2^-24.
func entropy(n int64) int64 {
	if n < int64(len(table)) {
		return table[n]
	}
	return n * log2(uint64(n))
}

// gain is what n log2 n gains if two numbers become one.
func gain(a, b int64) int64 {
	if a == 0 || b == 0 {
		return 0
	}
	return entropy(a+b) - entropy(a) - entropy(b)
}

// log2 returns the logarithm of n to the base 2 in units of 2^-24, rounded down; 0
// has none, and gets 0. Squaring a number in [1, 2) brings out one digit at a time.
func log2(n uint64) int64 {
	if n == 0 {
		return 0
	}
	whole := bits.Len64(n) - 1
	m := n << (63 - whole) // m / 2^63 is in [1, 2)
	log := int64(whole)
	for range fraction {
		hi, lo := bits.Mul64(m, m) // / 2^126, in [1, 4)
		log <<= 1
		if hi>>63 != 0 {
			log |= 1
			m = hi
		} else {
			m = hi<<1 | lo>>63
		}
	}
	return log
}

// checkClasses reports a number of classes that is out of bounds.
func checkClasses(n int) error {
	if n < 1 || n > MaxClasses {
		return fmt.Errorf("%d classes: must be 1 to %d", n, MaxClasses)
	}
	return nil
}
