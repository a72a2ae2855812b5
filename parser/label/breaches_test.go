package label

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/treebeam/treebeam/parser/syntax"
)

// Breaches are as many as the rules that are counted from the strings.
func TestBreachesAgainstOracle(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	all := strings.Fields("punct case nsubj csubj obj nsubj:pass nsubj:outer cop obl:tmod fixed advmod det mark aux conj nmod cc flat root")
	found := 0
	for _, s := range strictly(rng, 3000, 9) {
		for i := range s.Words {
			s.Words[i].Deprel = all[rng.IntN(len(all))]
		}
		got := Breaches(s.Words)
		if want := brokenRules(s.Words); len(got) != want {
			t.Fatalf("%+v\n%v, want %d", s.Words, got, want)
		}
		found += len(got)
	}
	if found < 1000 {
		t.Errorf("only %d rules were broken", found)
	}
}

func TestBreaches(t *testing.T) {
	tree := func(lines string) (words []syntax.Word) {
		for line := range strings.SplitSeq(lines, "; ") {
			var w syntax.Word
			fmt.Sscan(line, &w.Form, &w.UPOS, &w.Head, &w.Deprel, &w.Feats)
			words = append(words, w)
		}
		return words
	}
	for lines, want := range map[string]string{
		"She PRON 2 nsubj; left VERB 0 root; . PUNCT 2 punct":   "[]",
		"She PRON 2 nsubj; he PRON 3 nsubj; left VERB 0 root":   "[]",
		"She PRON 3 nsubj; he PRON 3 nsubj; left VERB 0 root":   "[{2 nsubj: left has one already}]",
		"She VERB 2 det; left VERB 0 root":                      "[{1 det does not suit the tag VERB}]",
		"that SCONJ 2 mark ExtPos=PRON; left VERB 0 root":       "[{1 mark does not suit the tag PRON of ExtPos}]",
		"on ADP 3 case; the DET 1 det; boat NOUN 0 root":        "[{2 det cannot depend on a word that is case}]",
		"and CCONJ 2 conj; left VERB 0 root":                    "[{1 conj must come after its head}]",
		"saw VERB 0 root; boats NOUN 1 obj; port NOUN 2 obl":    "[{2 a noun as obj has no obl: what depends on it is nmod}]",
		"x X 9 det; y PUNCT -1 nsubj; z NOUN 2 conj; q NOUN 0 ": "[{1 det does not suit the tag X} {2 nsubj does not suit the tag PUNCT}]",
	} {
		if got := fmt.Sprint(Breaches(tree(lines))); got != want {
			t.Errorf("%s: %s, want %s", lines, got, want)
		}
	}
}
