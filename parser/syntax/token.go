package syntax

import "iter"

// A Token is a token of the text: a word, or a multiword token that covers words First
// to Last, numbered from 1.
type Token struct {
	Form, Misc  string
	First, Last int
}

// Tokens iterates over the tokens of a sentence, in order.
func (s *Sentence) Tokens() iter.Seq[Token] {
	return func(yield func(Token) bool) {
		mwts := s.MWTs
		for i := 0; i < len(s.Words); i++ {
			t := Token{s.Words[i].Form, s.Words[i].Misc, i + 1, i + 1}
			if len(mwts) > 0 && int(mwts[0].First) == i+1 {
				t = Token{mwts[0].Form, mwts[0].Misc, i + 1, int(mwts[0].Last)}
				i, mwts = t.Last-1, mwts[1:]
			}
			if !yield(t) {
				return
			}
		}
	}
}
