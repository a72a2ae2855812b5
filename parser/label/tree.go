package label

import "github.com/treebeam/treebeam/parser/syntax"

// readSentence fills words[0..n] from the sentence and its heads, and order
// with the word numbers so that heads come before their modifiers. words and
// order must have length n+1 and n. Words without a valid head, and one word
// of every cycle, are marked loose.
func readSentence(s *syntax.Sentence, words []word, order []int32) {
	n := len(s.Words)
	words[0] = word{form: 3, lemma: 3, fine: 3, morph: 3, head: -1}
	for i := range s.Words {
		w := &words[i+1]
		w.read(&s.Words[i])
		w.head = s.Words[i].Head
		if w.head < 0 || int(w.head) > n || int(w.head) == i+1 {
			w.head, w.loose = 0, true
		}
	}
	link(words)
	traverse(words, order)
	describe(words)
}

// link chains the modifiers of each head in increasing order.
func link(words []word) {
	for i := 1; i < len(words); i++ {
		w := &words[i]
		if w.loose {
			continue
		}
		h := &words[w.head]
		if h.firstKid == 0 {
			h.firstKid = int32(i)
		} else {
			words[h.lastKid].nextSib = int32(i)
			w.prevSib = h.lastKid
		}
		h.lastKid = int32(i)
		if int32(i) > w.head {
			w.side = 1
		}
	}
}

// traverse writes a top-down order; a cycle is cut at its first word.
func traverse(words []word, order []int32) {
	k, done := 0, 0
	visit := func(i int32) {
		words[i].placed = true
		order[k] = i
		k++
	}
	spread := func() {
		for ; done < k; done++ {
			for c := words[order[done]].firstKid; c != 0; c = words[c].nextSib {
				if !words[c].placed {
					visit(c)
				}
			}
		}
	}
	for c := words[0].firstKid; c != 0; c = words[c].nextSib {
		visit(c)
	}
	spread()
	for i := 1; i < len(words) && k < len(order); i++ {
		if !words[i].placed && words[i].loose {
			visit(int32(i))
			spread()
		}
	}
	for i := 1; i < len(words) && k < len(order); i++ {
		if !words[i].placed {
			words[i].loose = true
			visit(int32(i))
			spread()
		}
	}
}

// describe fills what a word knows of its modifiers and siblings.
func describe(words []word) {
	for i := 1; i < len(words); i++ {
		w, prev := &words[i], &words[i-1]
		w.punctUpTo, w.commaUpTo, w.verbsUpTo = prev.punctUpTo, prev.commaUpTo, prev.verbsUpTo
		switch w.pos {
		case posPUNCT:
			w.punctUpTo++
			if w.form == commaForm {
				w.commaUpTo++
			}
		case posVERB, posAUX:
			w.verbsUpTo++
		}
		if w.loose {
			continue
		}
		h := &words[w.head]
		h.masks[w.side] |= 1 << w.pos
		if w.side == 0 {
			inc(&h.nLeft)
		} else {
			inc(&h.nRight)
			w.rank = h.nRight
		}
		if closed(w.pos) && h.funcs[w.pos] == 0 {
			h.funcs[w.pos] = hash2(w.lemma, atom(w.side))
		}
	}
	for i := 1; i < len(words); i++ {
		w := &words[i]
		w.bare = nominal(w.pos) && (w.masks[0]|w.masks[1])&(1<<posADP) == 0
		w.relative = relativeUnder(words, w)
	}
	for h := range words {
		describeKids(words, int32(h))
	}
}

var commaForm = hashFolded(",")

// relativeUnder finds the PronType of a relative or interrogative word among
// w's modifiers and their left modifiers.
func relativeUnder(words []word, w *word) atom {
	steps := 0
	for c := w.firstKid; c != 0 && steps < 12; c = words[c].nextSib {
		steps++
		if isRelative(words[c].attr[atPronType]) {
			return hash2(words[c].attr[atPronType], atom(words[c].pos))
		}
		if d := words[c].firstKid; d != 0 && isRelative(words[d].attr[atPronType]) {
			return hash2(words[d].attr[atPronType], 99)
		}
	}
	return 0
}

var (
	relHash    = hashString("PronType=Rel")
	intHash    = hashString("PronType=Int")
	intRelHash = hashString("PronType=Int,Rel")
)

func isRelative(v atom) bool { return v == relHash || v == intHash || v == intRelHash }

// describeKids fills rank, bareRank and sameCase of the modifiers of h.
func describeKids(words []word, h int32) {
	hw := &words[h]
	for c := hw.firstKid; c != 0; c = words[c].nextSib {
		w := &words[c]
		if w.loose {
			continue
		}
		if w.side == 0 {
			w.rank = hw.nLeft
			if p := w.prevSib; p != 0 && words[p].rank > 1 {
				w.rank = words[p].rank - 1
			}
		}
		if w.bare {
			inc(&hw.nBare)
			w.bareRank = hw.nBare
		}
		if w.attr[atCase] == 0 {
			continue
		}
		for p, k := w.prevSib, 0; p != 0 && k < 6; p, k = words[p].prevSib, k+1 {
			if words[p].attr[atCase] == w.attr[atCase] && nominal(words[p].pos) {
				w.sameCase |= 1
			}
		}
		for p, k := w.nextSib, 0; p != 0 && k < 6; p, k = words[p].nextSib, k+1 {
			if words[p].attr[atCase] == w.attr[atCase] && nominal(words[p].pos) {
				w.sameCase |= 2
			}
		}
	}
}
