package piece

import (
	"sync"
	"unicode/utf8"
)

// unreached is below every sum of scores.
const unreached = -1e30

// A cut is the best cut of the bytes before each place of a text: the sum of its scores, its
// last piece, and the place where that piece begins. to leads back.
type cut struct {
	text     text
	best     [maxText + 1]float32
	last     [maxText + 1]int32
	from, to [maxText + 1]int16
}

var cuts = sync.Pool{New: func() any { return new(cut) }}

// unigrams appends the pieces of the cut of form with the highest sum of scores, as long as
// ids has fewer than limit. Sums are taken from the left in float32. If two sums are equal,
// the cut with the longer last piece wins.
func (v *Vocabulary) unigrams(ids []int32, form string, space bool, limit int) []int32 {
	c := cuts.Get().(*cut)
	defer cuts.Put(c)
	c.text.fill(v, form, space)
	s := c.text.bytes()
	best, last, from, to := &c.best, &c.last, &c.from, &c.to
	best[0] = 0
	for i := 1; i <= len(s); i++ {
		best[i] = unreached
	}
	penalty := v.Scores[v.Unknown]
	for i := 0; i < len(s); {
		_, size := utf8.DecodeRune(s[i:])
		h := uint64(hashStart)
		for end := i; end < len(s) && end-i < v.index.longest; {
			h = (h ^ uint64(s[end])) * hashPrime
			end++
			if end < len(s) && !utf8.RuneStart(s[end]) {
				continue
			}
			if id := v.index.find(v.Pieces, h, s[i:end]); id >= 0 {
				if sum := best[i] + v.Scores[id]; sum > best[end] {
					best[end], last[end], from[end] = sum, id, int16(i)
				}
			}
		}
		if sum := best[i] + penalty; sum > best[i+size] {
			best[i+size], last[i+size], from[i+size] = sum, v.Unknown, int16(i)
		}
		i += size
	}
	// Link the places forwards, then read the pieces in order.
	for i := int16(len(s)); i > 0; i = from[i] {
		to[from[i]] = i
	}
	for i, unknown := int16(0), false; int(i) < len(s) && len(ids) < limit; {
		i = to[i]
		if id := last[i]; id != v.Unknown || !unknown {
			ids = append(ids, id)
		}
		unknown = last[i] == v.Unknown
	}
	return ids
}
