package eval

import "github.com/treebeam/treebeam/parser/syntax"

// Judge says what is right in every sentence of system, word by word, with the
// alignment of Evaluate: system may have other words and sentences than gold.
// The result is in the order of system. An error is that of Evaluate.
func Judge(gold, system []syntax.Sentence) ([]syntax.Judgement, error) {
	g, s, err := align(gold, system)
	if err != nil {
		return nil, err
	}
	n := len(s.words)
	flags := make([]bool, 4*n) // of all sentences
	lists := [4][]bool{flags[:n], flags[n : 2*n], flags[2*n : 3*n], flags[3*n:]}
	out := make([]syntax.Judgement, len(system))
	at := 0
	for k := range system {
		to := at + len(system[k].Words)
		words, j := s.words[at:to], &out[k]
		j.UPOS, j.Head, j.LAS, j.Deprel = lists[0][at:to:to], lists[1][at:to:to], lists[2][at:to:to], lists[3][at:to:to]
		j.Tree = len(words) > 0
		if j.Tree {
			j.Sentence = words[0].sentence
		}
		for i := range words {
			w := &words[i]
			if w.gold != nil {
				j.UPOS[i] = w.gold.UPOS == w.UPOS
				j.Head[i], j.LAS[i], j.Deprel[i] = sameHead(w.gold, w), sameArc(w.gold, w), sameFull(w.gold, w)
			}
			j.Tree = j.Tree && j.Deprel[i] && g.sentences[w.sentence] == s.sentences[k] && len(gold[w.sentence].Words) == len(words)
		}
		at = to
	}
	return out, nil
}
