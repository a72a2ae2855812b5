package segment

import "github.com/treebeam/treebeam/parser/hash"

// pairKey is the key of two tokens that a white space may join.
func pairKey(left, right *token) hash.Key { return hash.Key2(tableKeys, left.word, right.word) }

// joinFeatures appends the features of the white space between tokens i and
// i+1.
func joinFeatures(buf []hash.Key, toks []token, i int) []hash.Key {
	a, b := &toks[i], &toks[i+1]
	before, after := around(toks, i-1), around(toks, i+2)
	return append(buf,
		hash.Key0(joinKeys),
		hash.Key2(joinKeys+1, a.word, b.word), hash.Key2(joinKeys+2, a.shape, b.shape),
		hash.Key3(joinKeys+3, before.word, a.word, b.word), hash.Key3(joinKeys+4, a.word, b.word, after.word),
		hash.Key3(joinKeys+5, before.shape, a.shape, b.shape), hash.Key3(joinKeys+6, a.shape, b.shape, after.shape),
		hash.Key2(joinKeys+7, uint64(min(a.end-a.start, 9)), uint64(min(b.end-b.start, 9))),
		hash.Key2(joinKeys+8, b.word, after.word), hash.Key2(joinKeys+9, before.word, a.word),
		hash.Key1(joinKeys+10, a.word), hash.Key1(joinKeys+11, b.word),
	)
}

// mayJoin reports whether a white space between tokens i and i+1 was seen inside a token,
// or may be inside one for other reasons: a space between two words of a language whose
// words have spaces.
func (m *Model) mayJoin(toks []token, i int) bool {
	if i+1 >= len(toks) || toks[i].end >= toks[i+1].start {
		return false
	}
	if m.spaces && toks[i].end+1 == toks[i+1].start && toks[i].role&toks[i+1].role&roleWord != 0 {
		return true
	}
	return m.pairs.Has(pairKey(&toks[i], &toks[i+1]))
}

// join merges tokens across white space where the model says so.
func (w *workspace) join(m *Model) {
	if m.pairs.Len() == 0 {
		return
	}
	toks, kept, open := w.tokens, 0, false // open: the last kept token goes on
	for i := range toks {
		next := false
		if m.mayJoin(toks, i) {
			w.buf = joinFeatures(w.buf[:0], toks, i)
			score := m.weights.Score(w.buf)
			if len(w.odds) > 0 {
				score = m.begins.join.add(score, -w.odds[toks[i+1].start])
			}
			next = score > 0
			toks[i].doubt(score)
			toks[i+1].doubt(score)
		}
		if open {
			t := &toks[kept-1]
			t.end, t.odds = toks[i].end, min(t.odds, toks[i].odds)
			if !next { // read once, however many tokens it joins
				odds := t.odds
				*t = newToken(&w.layout, t.span)
				t.odds = odds
			}
		} else {
			// Later features read tokens from i on: kept <= i.
			toks[kept] = toks[i]
			kept++
		}
		open = next
	}
	w.tokens = toks[:kept]
}
