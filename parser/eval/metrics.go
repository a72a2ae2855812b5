package eval

import "slices"

// parents returns the gold word that each side of a pair has as its parent;
// they are equal if the attachment is right.
func (e *evaluator) parents(g, s *word) (gold, system int) {
	return g.parent, e.goldParent(s.parent)
}

// goldParent maps a parent in the system corpus to gold. What has no
// counterpart there becomes notAligned, which no gold parent is.
func (e *evaluator) goldParent(parent int) int {
	switch parent {
	case rootParent:
		return rootParent
	case noParent:
		return notAligned
	}
	return e.goldOf[parent]
}

// scoreWords computes the metrics over aligned words.
func (e *evaluator) scoreWords() {
	goldSentence := e.sentencesOfSystemWords()
	all := func(*word) bool { return true }
	content := func(w *word) bool { return w.content }
	punct := func(w *word) bool { return w.punct }
	noPunct := func(w *word) bool { return !w.punct }

	sameHead := func(g, s *word) bool { gp, sp := e.parents(g, s); return gp == sp }
	sameArc := func(g, s *word) bool { return sameHead(g, s) && g.deprel == s.deprel }
	sameFull := func(g, s *word) bool { return sameHead(g, s) && g.full == s.full }
	sameTags := func(g, s *word) bool { return g.upos == s.upos && g.feats == s.feats }
	sameLemma := func(g, s *word) bool { return g.lemma == "" || g.lemma == s.lemma }

	for _, m := range []struct {
		metric Metric
		over   func(*word) bool
		same   func(g, s *word) bool
	}{
		{Words, all, func(g, s *word) bool { return true }},
		{UPOS, all, func(g, s *word) bool { return g.upos == s.upos }},
		{XPOS, all, func(g, s *word) bool { return g.xpos == s.xpos }},
		{UFeats, all, func(g, s *word) bool { return g.feats == s.feats }},
		{AllTags, all, func(g, s *word) bool { return sameTags(g, s) && g.xpos == s.xpos }},
		{Lemmas, all, sameLemma},
		{UAS, all, sameHead},
		{LAS, all, sameArc},
		{CLAS, content, sameArc},
		{MLAS, content, func(g, s *word) bool { return sameArc(g, s) && sameTags(g, s) && e.sameChildren(g, s) }},
		{BLEX, content, func(g, s *word) bool { return sameArc(g, s) && sameLemma(g, s) }},
		{LASFull, all, sameFull},
		{UASNoPunct, noPunct, sameHead},
		{LASNoPunct, noPunct, sameArc},
		{LASFullNoPunct, noPunct, sameFull},
		{UASPunct, punct, sameHead},
		{LASPunct, punct, sameArc},
	} {
		e.score(m.metric, goldSentence, m.over, m.same)
	}
	e.r.Scores[Words].Aligned = -1
}

// score counts one metric: over the words that over accepts, on the gold
// side for pairs, a pair is correct if same says so.
func (e *evaluator) score(m Metric, goldSentence []int, over func(*word) bool, same func(g, s *word) bool) {
	var score Score
	counts := make([]sentenceCount, len(e.gold.sentences))
	for i := range e.gold.words {
		if w := &e.gold.words[i]; over(w) {
			score.Gold++
			counts[w.sentence].gold++
		}
	}
	for i := range e.system.words {
		if over(&e.system.words[i]) {
			score.System++
			counts[goldSentence[i]].system++
		}
	}
	for _, p := range e.pairs {
		g, s := &e.gold.words[p.gold], &e.system.words[p.system]
		if !over(g) {
			continue
		}
		score.Aligned++
		if same(g, s) {
			score.Correct++
			counts[g.sentence].correct++
		}
	}
	e.r.Scores[m], e.r.sentences[m] = score, counts
}

// sameChildren compares the functional modifiers, in order: which words they
// are, their deprels and tags.
func (e *evaluator) sameChildren(g, s *word) bool {
	return slices.EqualFunc(g.children, s.children, func(gi, si int) bool {
		gc, sc := &e.gold.words[gi], &e.system.words[si]
		return gi == e.goldOf[si] && gc.deprel == sc.deprel && gc.upos == sc.upos && gc.feats == sc.feats
	})
}

// sentencesOfSystemWords returns for each system word the gold sentence of
// its first character.
func (e *evaluator) sentencesOfSystemWords() []int {
	out := make([]int, len(e.system.words))
	k := 0
	for i := range e.system.words {
		for e.gold.sentences[k].end <= e.system.words[i].start {
			k++
		}
		out[i] = k
	}
	return out
}

// scoreGraphs computes the metrics on the enhanced graphs: every pair of a
// gold and a system dependency of aligned words with the same parent and
// path counts, as in udeval.
func (e *evaluator) scoreGraphs() {
	var elas, eulas Score
	for i := range e.gold.words {
		elas.Gold += len(e.gold.words[i].deps)
	}
	for i := range e.system.words {
		elas.System += len(e.system.words[i].deps)
	}
	elas.Aligned = -1
	eulas = elas
	for _, p := range e.pairs {
		for _, g := range e.gold.words[p.gold].deps {
			for _, s := range e.system.words[p.system].deps {
				if g.bare != s.bare || g.parent != e.goldParent(s.parent) {
					continue
				}
				eulas.Correct++
				if g.path == s.path {
					elas.Correct++
				}
			}
		}
	}
	e.r.Scores[ELAS], e.r.Scores[EULAS] = elas, eulas
}

// A LengthBin holds the attachment of gold sentences of Min to Max words.
type LengthBin struct {
	Min, Max  int // Max 0 is without limit
	Sentences int
	Words     int // gold words
	UAS, LAS  int // of these, how many are aligned and rightly attached
}

var lengthBounds = []int{1, 6, 11, 16, 21, 31, 41, 51}

// scoreLengths sums UAS and LAS by the length of the gold sentence.
func (e *evaluator) scoreLengths() {
	for i, low := range lengthBounds {
		bin := LengthBin{Min: low}
		if i+1 < len(lengthBounds) {
			bin.Max = lengthBounds[i+1] - 1
		}
		e.r.Lengths = append(e.r.Lengths, bin)
	}
	for k := range e.gold.sentences {
		n, i := e.gold.firstWord[k+1]-e.gold.firstWord[k], len(lengthBounds)-1
		if n == 0 {
			continue
		}
		for n < lengthBounds[i] {
			i--
		}
		bin := &e.r.Lengths[i]
		bin.Sentences++
		bin.Words += n
		bin.UAS += int(e.r.sentences[UAS][k].correct)
		bin.LAS += int(e.r.sentences[LAS][k].correct)
	}
}

// Crossing counts the arcs that cross another arc of their sentence, the arc
// from the root, left of the first word, included.
type Crossing struct {
	Gold        int `json:"gold"`
	GoldFound   int `json:"gold_found"` // gold crossing arcs that the system has
	System      int `json:"system"`
	SystemRight int `json:"system_right"` // system crossing arcs that gold has
}

func (e *evaluator) scoreCrossing() {
	c := &e.r.Crossing
	for i := range e.gold.words {
		if e.gold.words[i].crossing {
			c.Gold++
		}
	}
	for i := range e.system.words {
		if e.system.words[i].crossing {
			c.System++
		}
	}
	for _, p := range e.pairs {
		g, s := &e.gold.words[p.gold], &e.system.words[p.system]
		if gp, sp := e.parents(g, s); gp != sp {
			continue
		}
		if g.crossing {
			c.GoldFound++
		}
		if s.crossing {
			c.SystemRight++
		}
	}
}
