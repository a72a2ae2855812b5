package word

import (
	"strings"

	"github.com/treebeam/treebeam/parser/syntax"
)

// sentence makes a sentence of words "form/lemma/UPOS/XPOS/FEATS/head/deprel"
// separated by blanks; "_" is an empty column.
func sentence(words string) syntax.Sentence {
	var s syntax.Sentence
	for _, item := range strings.Fields(words) {
		f := strings.Split(item, "/")
		for i := range f {
			if f[i] == "_" && i > 0 {
				f[i] = ""
			}
		}
		head := int32(0)
		for _, digit := range f[5] {
			head = head*10 + digit - '0'
		}
		s.Words = append(s.Words, syntax.Word{Form: f[0], Lemma: f[1], UPOS: f[2], XPOS: f[3], Feats: f[4], Head: head, Deprel: f[6]})
	}
	return s
}

// fixture is a sentence of our own with all that templates look at: case,
// agreement, an adposition as marker, a number, commas, brackets, quotes.
func fixture() syntax.Sentence {
	return sentence(`Anna/Anna/PROPN/NNP/Case=Nom|Number=Sing/2/nsubj
		gave/give/VERB/VBD/Tense=Past/0/root
		him/he/PRON/PRP/Case=Acc|Number=Sing/2/iobj
		3/3/NUM/CD/NumType=Card/6/nummod
		(/(/PUNCT/-LRB-/_/6/punct
		boxes/box/NOUN/NNS/Number=Plur/2/obj
		)/)/PUNCT/-RRB-/_/6/punct
		,/,/PUNCT/,/_/10/punct
		from/from/ADP/IN/_/12/case
		"/"/PUNCT/''/_/12/punct
		old/old/ADJ/JJ/Degree=Pos/12/amod
		Xenia/Xenia/PROPN/NNP/Number=Sing/6/nmod
		"/"/PUNCT/''/_/12/punct
		./././././2/punct`)
}

// bank is a small treebank in which the words of the fixture but "Xenia" are
// known.
func bank() []syntax.Sentence {
	known := fixture()
	known.Words[11].Form, known.Words[11].Lemma = "Berta", "Berta"
	var list []syntax.Sentence
	for range 10 {
		list = append(list, known)
	}
	return list
}
