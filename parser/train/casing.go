package train

import (
	"fmt"

	"golang.org/x/text/cases"

	"github.com/treebeam/treebeam/parser/eval"
	"github.com/treebeam/treebeam/parser/hash"
	"github.com/treebeam/treebeam/parser/syntax"
)

// MaxCased is the largest Options.Cased, in percent.
const MaxCased = 50

// A caseFolder writes sentences in one case, by the rules of the treebank's
// language.
type caseFolder struct{ upper, lower cases.Caser }

func newCaseFolder(gold []syntax.Sentence) *caseFolder {
	of := eval.LanguageOf(gold)
	return &caseFolder{cases.Upper(of), cases.Lower(of)}
}

// fold returns the sentence in capitals or in small letters, with ok, for the
// given percentage of sentences in each case. A hash of the forms decides, so
// copies of a sentence are treated alike. A sentence that looks the same in that
// case is left out.
func (x *caseFolder) fold(s *syntax.Sentence, percent uint64) (out syntax.Sentence, ok bool) {
	var to cases.Caser
	switch at := hash.Mix(formsHash(s)) % 100; {
	case at < percent:
		to = x.upper
	case at < 2*percent:
		to = x.lower
	default:
		return out, false
	}
	out = eval.Recased([]syntax.Sentence{*s}, to)[0]
	out.Comments = nil // otherwise the copy would begin the document again
	return out, formsHash(&out) != formsHash(s)
}

// recased returns a data set with sentences in one case: behind gold
// sentences, and in place of silver ones, which are plentiful.
func (t *trainer) recased(b dataset) dataset {
	if t.Cased == 0 {
		return b
	}
	return dataset{withCases(b.train, uint64(t.Cased)), b.dev, hashKey("cased", b.key, fmt.Sprint(t.Cased))}
}

func withCases(list []syntax.Sentence, percent uint64) []syntax.Sentence {
	x := newCaseFolder(syntax.Gold(list))
	var out []syntax.Sentence
	for i := range list {
		s := &list[i]
		c, ok := x.fold(s, percent)
		if !ok || s.Gold() {
			out = append(out, *s)
		}
		if ok {
			out = append(out, c)
		}
	}
	return out
}
