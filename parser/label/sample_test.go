package label

import (
	"fmt"
	"math/rand/v2"
	"sync"

	"github.com/treebeam/treebeam/parser/syntax"
	"github.com/treebeam/treebeam/parser/word"
)

// The sentences of the tests are made up: random trees over a few words whose
// relations follow from the tags, the case and the siblings, with some noise.

var lexicon = []syntax.Word{
	{Form: "the", Lemma: "the", UPOS: "DET", Feats: "Definite=Def|PronType=Art"},
	{Form: "Cat", Lemma: "cat", UPOS: "NOUN", Feats: "Case=Nom|Number=Sing"},
	{Form: "dogs", Lemma: "dog", UPOS: "NOUN", Feats: "Case=Acc|Number=Plur"},
	{Form: "hers", Lemma: "she", UPOS: "PRON", Feats: "Case=Gen|Poss=Yes"},
	{Form: "sees", Lemma: "see", UPOS: "VERB", Feats: "Number=Sing|VerbForm=Fin"},
	{Form: "of", Lemma: "of", UPOS: "ADP"},
	{Form: "über", Lemma: "", UPOS: "ADP", XPOS: "IN"},
	{Form: ",", Lemma: ",", UPOS: "PUNCT"},
	{Form: "2nd", Lemma: "2", UPOS: "ADJ", Feats: "odd"},
	{Form: "zap", Lemma: "zap", UPOS: "strange"},
}

// sample returns made-up gold trees of 1 to longest words.
func sample(rng *rand.Rand, trees, longest int) []syntax.Sentence {
	list := make([]syntax.Sentence, trees)
	for k := range list {
		s := &list[k]
		s.ID = fmt.Sprint("made-up-", k)
		n := 1 + rng.IntN(longest)
		perm := rng.Perm(n)
		for range n {
			s.Words = append(s.Words, lexicon[rng.IntN(len(lexicon))])
		}
		for i, m := range perm {
			if i > 0 {
				s.Words[m].Head = int32(perm[rng.IntN(i)] + 1)
			}
		}
		for m := range s.Words {
			s.Words[m].Deprel = madeUpRelation(rng, s, m)
		}
	}
	return list
}

func madeUpRelation(rng *rand.Rand, s *syntax.Sentence, m int) string {
	w := &s.Words[m]
	if w.Head == 0 {
		return "root"
	}
	head := s.Words[w.Head-1].UPOS
	if rng.IntN(20) == 0 {
		return "dep"
	}
	switch w.UPOS {
	case "DET":
		return "det"
	case "ADP":
		return "case"
	case "PUNCT":
		return "punct"
	case "ADJ":
		return "amod"
	case "NOUN", "PRON":
		if head != "VERB" {
			return "nmod:poss"
		}
		if w.Feats == "Case=Nom|Number=Sing" {
			return "nsubj"
		}
		return "obj"
	}
	return "conj"
}

// vocabulary is that of the made-up language.
var vocabulary = sync.OnceValue(func() *word.Vocabulary { return word.Learn(sample(rand.New(rand.NewPCG(3, 4)), 200, 9)) })

// small is a model of the made-up language.
var small = sync.OnceValue(func() *Model {
	rng := rand.New(rand.NewPCG(3, 4))
	m, err := Train(vocabulary(), sample(rng, 200, 9), sample(rng, 50, 9), Options{Seed: 1, Epochs: 4})
	if err != nil {
		panic(err)
	}
	return m
})

// noisy is small with random pair factors, so that they matter.
func noisy(rng *rand.Rand) *Model {
	m := *small()
	m.pair = append([]int16(nil), m.pair...)
	for i := range m.pair {
		m.pair[i] = int16(rng.IntN(6*unit) - 3*unit)
	}
	m.derive()
	return &m
}
