package syntax

// Choices are the tags that the words of a sentence may have, with what a tagger
// thinks of them: a chain, in which the score of a path is that of its choices
// and of the pairs of neighbours.
type Choices struct {
	Words [][]Choice // by word minus 1; the first is that of the tagger's best path
	Pairs [][]int64  // of words i and i+1, choices a and b: Pairs[i][a*len(Words[i+1])+b], in 1/1024 nat
}

// A Choice is all that a word has beside its form if it has one of its tags.
type Choice struct {
	UPOS, XPOS, Feats, Lemma string
	Score                    int64 // in 1/1024 nat, without its neighbours
}

// Open returns the number of words that have more than one choice.
func (c *Choices) Open() int {
	open := 0
	for i := range c.Words {
		if len(c.Words[i]) > 1 {
			open++
		}
	}
	return open
}

// Score returns the score of a path, one choice for each word, in 1/1024 nat.
func (c *Choices) Score(path []int) int64 {
	total := int64(0)
	for i, k := range path {
		total += c.Words[i][k].Score
		if i > 0 {
			total += c.Pairs[i-1][path[i-1]*len(c.Words[i])+k]
		}
	}
	return total
}

// Set gives the words of s the tags of a path.
func (c *Choices) Set(s *Sentence, path []int) {
	for i, k := range path {
		w, x := &s.Words[i], &c.Words[i][k]
		w.UPOS, w.XPOS, w.Feats, w.Lemma = x.UPOS, x.XPOS, x.Feats, x.Lemma
	}
}
