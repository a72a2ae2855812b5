package piece

import "unicode/utf8"

// longest appends the pieces of form from the left, always the longest that fits, as long
// as ids has fewer than limit. A character that no piece covers is unknown; in BERT, its
// whole word is.
func (v *Vocabulary) longest(ids []int32, form string, limit int) []int32 {
	c := cuts.Get().(*cut)
	defer cuts.Put(c)
	c.text.fill(v, form, true)
	s := c.text.bytes()
	for i, unknown := 0, false; i < len(s) && len(ids) < limit; {
		h, id, next := uint64(hashStart), v.Unknown, 0
		for end := i; end < len(s) && end-i < v.index.longest; {
			h = (h ^ uint64(s[end])) * hashPrime
			end++
			if end < len(s) && !utf8.RuneStart(s[end]) {
				continue
			}
			if found := v.index.find(v.Pieces, h, s[i:end]); found >= 0 {
				id, next = found, end
			}
		}
		if id == v.Unknown {
			if _, next = utf8.DecodeRune(s[i:]); string(s[i:i+next]) == metaspace {
				i += next
				_, next = utf8.DecodeRune(s[i:])
			}
			next += i
		}
		if id != v.Unknown || !unknown {
			ids = append(ids, id)
		}
		unknown = id == v.Unknown
		i = next
	}
	return ids
}
