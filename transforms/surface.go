package transforms

import (
	"strings"

	"github.com/treebeam/treebeam/io/conllu"
	"github.com/treebeam/treebeam/io/output"
)

// surface is the text of s for a failure row: its text, else its forms.
func (s *Sentence) surface() string {
	if s.Text != "" {
		return s.Text
	}
	var b strings.Builder
	for i := range s.Words {
		if i > 0 {
			b.WriteByte(' ')
		}
		if b.WriteString(s.Words[i].Form); b.Len() > output.FailureText {
			break
		}
	}
	return b.String()
}

// unparsed is s as CoNLL-U without its tree and with the reason in a comment:
// what convert gives back for a sentence that failed.
func (s *Sentence) unparsed(reason string) string {
	return string(conllu.Append(nil, conllu.Failed(&s.Sentence, reason)))
}
