package label

import (
	"cmp"
	"slices"

	"github.com/treebeam/treebeam/parser/graph"
	"github.com/treebeam/treebeam/parser/syntax"
)

// Where the best labels of a tree break rules, one of its heads is usually wrong:
// a second subject belongs to another verb. mend tries trees that differ from it
// in the heads of the words involved, one after another. A tree and its labels are
// worth the sum of the heads' gains in the search (syntax.Candidates.Gains) and
// the score of the best labelling under the rules, both in 1/1024 nat.

const (
	maxMoves  = 3 // of a tree
	maxTrials = 6 // trees looked at for a move

	// The gains of heads count twice, because scores around the best tree of the
	// search overrate other trees. On dev the exact factor matters little.
	headShare = 2
)

// A move is another head of a word.
type move struct {
	word, head int32
	gain       int32  // gain over the head that the search chose
	with       []move // of other words, whose gains the gain includes
}

// try makes the move, without a change of confidence.
func (v *move) try(s *syntax.Sentence) {
	s.Words[v.word-1].Head = v.head
	for i := range v.with {
		v.with[i].try(s)
	}
}

// undo gives all words of the move the head before.
func (v *move) undo(s *syntax.Sentence, before int32) {
	s.Words[v.word-1].Head = before
	for i := range v.with {
		v.with[i].undo(s, before)
	}
}

// mend changes heads of a tree whose best labels, the ones chosen in c, break
// rules, where tree and labels under the rules are worth more with other heads.
// refresh computes c again for the current heads. mend reports whether a head has
// changed, and whether the best labels now obey the rules.
func (m *Model) mend(c *chart, s *syntax.Sentence, refresh func()) (moved, obeys bool) {
	for range maxMoves {
		v, found := m.bestMove(c, s, refresh)
		if !found {
			return moved, false
		}
		c.take(s, v)
		moved = true
		refresh()
		c.maximise(m.pair)
		if !c.broken(m.rules, s) {
			return moved, true
		}
		c.readWords(m.rules, s)
	}
	return moved, false
}

// bestMove returns the move after which the tree and its labels are worth most, if
// that is more than they are worth now.
func (m *Model) bestMove(c *chart, s *syntax.Sentence, refresh func()) (v move, found bool) {
	c.suspect(m)
	free := m.scoreOf(c)
	best := c.maximiseStrictly(m)
	c.listMoves(s, free-best)
	for _, other := range c.moves {
		before := s.Words[other.word-1].Head // of all that move
		other.try(s)
		refresh()
		c.readWords(m.rules, s)
		if x := c.maximiseStrictly(m) + headShare*int64(other.gain); x > best {
			best, v, found = x, other, true
		}
		other.undo(s, before)
	}
	if !found && len(c.moves) > 0 {
		refresh()
		c.readWords(m.rules, s)
	}
	return v, found
}

// scoreOf returns the score of the labelling that was chosen.
func (m *Model) scoreOf(c *chart) (sum int64) {
	for i := 1; i <= c.n; i++ {
		sum += int64(c.score[int(c.off[i])+int(c.choice[i])])
		if h := c.head[i]; h > 0 {
			sum += int64(rowOf(m.pair, len(m.rel.names), c.ctx[i], c.relation(int(h)))[c.relation(i)])
		}
	}
	return sum
}

// take makes a move, and sets the confidence of the new head.
func (c *chart) take(s *syntax.Sentence, v move) {
	for _, x := range v.with {
		c.take(s, x)
		v.gain -= x.gain
	}
	i, w, odds := v.word-1, &s.Words[v.word-1], &s.Candidates
	from, to := slices.Index(odds.Of(int(v.word)), w.Head), slices.Index(odds.Of(int(v.word)), v.head)
	w.Head = v.head
	x := &s.Confidence
	if from < 0 || to < 0 || len(x.HeadMarginal) != c.n {
		return
	}
	lo := int(odds.Start[i])
	rest := func(marginal, doubt []float32, gain int32) {
		p := min(float64(doubt[i]), float64(marginal[i])*graph.Exp(float64(gain)/unit))
		marginal[i], doubt[i] = round4096(p), float32(1-p)
	}
	rest(x.HeadMarginal, x.HeadDoubt, v.gain)
	rest(x.FirstOrder, x.FirstDoubt, odds.LogOdds[lo+to]-odds.LogOdds[lo+from])
	x.HeadMargin[i] = 0
}

// suspect lists in c.suspects the words that break rules in the chosen
// labelling, and the words with which they break them. It needs readWords.
func (c *chart) suspect(m *Model) {
	r := m.rules
	list := c.suspects[:0]
	words := c.obey.words
	for w := int32(1); int(w) <= c.n; w++ {
		l, has := c.relation(int(w)), uint8(0)
		for child := range c.children(w) {
			k := c.relation(int(child))
			if kind := kinds[r.kind[k]]; more(has, kind) > 0 {
				for other := range c.children(w) {
					if kinds[r.kind[c.relation(int(other))]]&kind&single != 0 {
						list = append(list, other)
					}
				}
			}
			if r.pair(&words[w], &words[child], l, k) > 0 {
				list = append(list, child, w)
			}
			has |= kinds[r.kind[k]]
		}
		if c.head[w] > 0 && r.alone(&words[w], l)+r.all(&words[w], l, has) > 0 {
			list = append(list, w)
		}
	}
	slices.Sort(list)
	c.suspects = slices.Compact(list)
}

// listMoves lists in c.moves the best other heads of suspects, unless a head
// loses more in the search than the rules have cost the labels.
func (c *chart) listMoves(s *syntax.Sentence, cost int64) {
	list := c.moves[:0]
	for _, w := range c.suspects {
		now := s.Words[w-1].Head
		if now == syntax.Root {
			continue
		}
		lo, heads := s.Candidates.Start[w-1], s.Candidates.Of(int(w))
		base := int32(0)
		if i := slices.Index(heads, now); i >= 0 {
			base = s.Candidates.Gains[int(lo)+i]
		}
		for i, h := range heads {
			gain := s.Candidates.Gains[int(lo)+i] - base
			if v, ok := c.recipientMove(s, w, h, gain); ok {
				list = append(list, v)
				continue
			}
			if h != syntax.Root && h != now && -headShare*int64(gain) < cost && !isBelow(s, h, w) && !crosses(s, h, w) {
				list = append(list, move{word: w, head: h, gain: gain})
			}
		}
	}
	slices.SortStableFunc(list, func(a, b move) int { return cmp.Compare(b.gain, a.gain) })
	c.moves = list[:min(len(list), maxTrials)]
}

// recipientMove returns the move of word w to head h, by gain, with the words between
// the two that have the same head as w, if w is a recipient (english.go) and h the verb.
func (c *chart) recipientMove(s *syntax.Sentence, w, h, gain int32) (v move, ok bool) {
	now := c.head[w]
	if c.obey.words[w].bars&barRecipient == 0 || h == syntax.Root || h != c.head[now] {
		return v, false
	}
	v = move{word: w, head: h, gain: gain}
	for k := h + 1; k < w; k++ {
		if c.head[k] != now {
			continue
		}
		heads := s.Candidates.Of(int(k))
		from, to := slices.Index(heads, now), slices.Index(heads, w)
		if from < 0 || to < 0 {
			return v, false
		}
		gains := s.Candidates.Gains[s.Candidates.Start[k-1]:]
		x := move{word: k, head: w, gain: gains[to] - gains[from]}
		v.with, v.gain = append(v.with, x), v.gain+x.gain
	}
	return v, true
}

// isBelow reports whether h is w or below it.
func isBelow(s *syntax.Sentence, h, w int32) bool {
	for h != syntax.Root && h != w {
		h = s.Words[h-1].Head
	}
	return h == w
}

// crosses reports whether an arc from h to w would cross another one.
func crosses(s *syntax.Sentence, h, w int32) bool {
	for i := range s.Words {
		k, g := int32(i+1), s.Words[i].Head
		if k != w && g != syntax.Root && syntax.Cross(h, w, g, k) {
			return true
		}
	}
	return false
}
