package piece

import "github.com/treebeam/treebeam/parser/syntax"

// Sentence appends to ids the pieces of the words of s, without marks, and to
// ends the length of ids after each word. White space stands before the first
// word and before every word unless MISC of what comes before it says
// SpaceAfter=No; inside of a multiword token there is none, and MISC is the
// token's.
func (v *Vocabulary) Sentence(ids, ends []int32, s *syntax.Sentence) (_, _ []int32) {
	space, tokens := true, s.MWTs
	for i := range s.Words {
		w, m := &s.Words[i], int32(i+1)
		ids = v.Word(ids, w.Form, space)
		ends = append(ends, int32(len(ids)))
		for len(tokens) > 0 && tokens[0].Last < m {
			tokens = tokens[1:]
		}
		switch {
		case len(tokens) == 0 || m < tokens[0].First:
			space = !syntax.NoSpaceAfter(w.Misc)
		case m < tokens[0].Last:
			space = false
		default:
			space = !syntax.NoSpaceAfter(tokens[0].Misc)
		}
	}
	return ids, ends
}
