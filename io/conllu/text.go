package conllu

import (
	"bufio"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/treebeam/treebeam/parser/syntax"
)

// RawText writes the raw text of sentences: the sentences of a paragraph on one line,
// with a space between two tokens unless the first has SpaceAfter=No, and a blank line
// between paragraphs, which begin at the comments "# newpar" and "# newdoc".
func RawText(w io.Writer, sents []syntax.Sentence) error {
	out := bufio.NewWriter(w)
	space := false // one is due before the next token
	for i := range sents {
		s := &sents[i]
		if i > 0 && BeginsParagraph(s.Comments) {
			out.WriteString("\n\n")
			space = false
		}
		space = writeTokens(out, s, space)
	}
	if len(sents) > 0 {
		out.WriteByte('\n')
	}
	return out.Flush()
}

// BeginsParagraph reports whether one of a sentence's comments opens a
// paragraph or document: "# newpar" or "# newdoc".
func BeginsParagraph(comments []string) bool {
	for _, c := range comments {
		key := strings.TrimLeft(strings.TrimPrefix(c, "#"), " \t")
		for _, opening := range [...]string{"newpar", "newdoc"} {
			rest, ok := strings.CutPrefix(key, opening)
			if ok && (rest == "" || rest[0] == ' ' || rest[0] == '\t' || rest[0] == '=') {
				return true
			}
		}
	}
	return false
}

// Comment is the key and the value of a comment line "# key = value"; the key is
// the whole comment, and the value "", if there is no "=".
func Comment(line string) (key, value string) {
	key, value, _ = strings.Cut(strings.TrimPrefix(line, "#"), "=")
	return strings.TrimSpace(key), strings.TrimSpace(value)
}

// surfaceText joins the tokens of a sentence that has no text comment.
func surfaceText(s *syntax.Sentence) string {
	var b strings.Builder
	writeTokens(&b, s, false)
	return b.String()
}

// writeTokens writes the tokens of a sentence, the first one after a space if one is
// due, and returns whether one is due after the last.
func writeTokens(w io.StringWriter, s *syntax.Sentence, space bool) bool {
	for t := range s.Tokens() {
		if space {
			w.WriteString(" ")
		}
		w.WriteString(t.Form)
		space = !syntax.NoSpaceAfter(t.Misc)
	}
	return space
}

// locateWords sets the words' code points in s.Text. If the tokens are not
// found there in order with only white space between them, all stay 0.
func locateWords(s *syntax.Sentence) {
	rest, at, ok := s.Text, int32(0), true
	for t := range s.Tokens() {
		for rest != "" {
			r, size := utf8.DecodeRuneInString(rest)
			if !unicode.IsSpace(r) || strings.HasPrefix(rest, t.Form) {
				break
			}
			rest = rest[size:]
			at++
		}
		if ok = strings.HasPrefix(rest, t.Form); !ok {
			break
		}
		end := at + int32(utf8.RuneCountInString(t.Form))
		for i := t.First; i <= t.Last; i++ {
			s.Words[i-1].StartChar, s.Words[i-1].EndChar = at, end
		}
		rest, at = rest[len(t.Form):], end
	}
	if !ok {
		for i := range s.Words {
			s.Words[i].StartChar, s.Words[i].EndChar = 0, 0
		}
	}
}
