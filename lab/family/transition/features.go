package transition

import "github.com/treebeam/treebeam/parser/hash"

// A Word is what the perceptron sees of a word: hashes of its form and its tag.
type Word struct{ Form, Tag uint64 }

// Atoms of positions that there are not.
var (
	atRoot  = Word{1, 1}
	outside = Word{2, 2}
	missing = Word{3, 3} // a modifier
)

// features appends the 50 templates of Huang and Sagae (2010) over the tags and
// forms of three words of the stack and three of the rest, and the tags of the
// outermost modifiers.
func features(v *View, words []Word, keys []hash.Key) []hash.Key {
	at := func(p int32) Word {
		switch {
		case p == 0:
			return atRoot
		case p < 0 || int(p) > len(words):
			return outside
		}
		return words[p-1]
	}
	tag := func(p int32) uint64 {
		if p == None {
			return missing.Tag
		}
		return at(p).Tag
	}
	s0, s1, s2, q0, q1, q2 := at(v.S0), at(v.S1), at(v.S2), at(v.Next), at(v.Next+1), at(v.Next+2)
	l0, r0, l1, r1 := tag(v.L0), tag(v.R0), tag(v.L1), tag(v.R1)
	t := uint64(0)
	one := func(list ...uint64) {
		for _, a := range list {
			keys = append(keys, hash.Key(hash.Pair(t, a)))
			t++
		}
	}
	two := func(a, b uint64) {
		keys = append(keys, hash.Key(hash.Pair(hash.Pair(t, a), b)))
		t++
	}
	three := func(a, b, c uint64) {
		keys = append(keys, hash.Key(hash.Pair(hash.Pair(hash.Pair(t, a), b), c)))
		t++
	}
	one(s0.Tag, s1.Tag, s2.Tag, q0.Tag, q1.Tag, q2.Tag, s0.Form, s1.Form, q0.Form, q1.Form, l0, r0, l1, r1)
	two(s2.Tag, s1.Tag)
	two(s1.Tag, s0.Tag)
	two(s0.Tag, q0.Tag)
	two(q0.Tag, q1.Tag)
	two(q1.Tag, q2.Tag)
	two(s0.Tag, q1.Tag)
	three(s2.Tag, s1.Tag, s0.Tag)
	three(s1.Tag, s0.Tag, q0.Tag)
	three(s0.Tag, q0.Tag, q1.Tag)
	three(q0.Tag, q1.Tag, q2.Tag)
	two(s0.Form, s0.Tag)
	two(s1.Form, s1.Tag)
	two(q0.Form, q0.Tag)
	two(q1.Form, q1.Tag)
	two(s1.Form, s0.Form)
	two(s0.Form, q0.Form)
	two(q0.Form, q1.Form)
	two(r1, l0)
	two(s2.Tag, l1)
	two(r1, s0.Tag)
	two(s1.Tag, l0)
	two(r0, q0.Tag)
	three(s0.Tag, s1.Form, s1.Tag)
	three(s0.Form, q0.Tag, q1.Tag)
	three(hash.Pair(s0.Form, s0.Tag), s1.Form, s1.Tag)
	three(s0.Form, s0.Tag, s1.Form)
	three(s0.Form, s1.Form, s1.Tag)
	three(s0.Form, s0.Tag, s1.Tag)
	three(s1.Tag, s0.Tag, l0)
	three(s1.Tag, s0.Tag, r0)
	three(s1.Tag, s0.Form, q0.Tag)
	three(s1.Tag, s0.Form, l0)
	three(s1.Tag, l1, s0.Tag)
	three(s1.Tag, l1, s0.Form)
	three(s1.Tag, r1, s0.Tag)
	three(s1.Tag, r1, s0.Form)
	return keys
}
