package serve

import (
	"strings"

	"github.com/treebeam/treebeam/io/conllu"
	"github.com/treebeam/treebeam/parser/syntax"
)

// A writer appends a sentence in one of UDPipe's output formats.
type writer func(dst []byte, s *syntax.Sentence) []byte

// newWriter returns a writer of an answer in a format, which may have an option after
// "=", or nil if there is no such format.
func newWriter(format string) writer {
	switch format {
	case "conllu", "conllu=v2", "conllu=v1":
		return conllu.Append
	case "horizontal":
		return appendHorizontal
	case "horizontal=paragraphs":
		return paragraphs(appendHorizontal)
	case "vertical":
		return appendVertical
	case "vertical=paragraphs":
		return paragraphs(appendVertical)
	case "plaintext":
		return appendText
	case "plaintext=normalized_spaces":
		return paragraphs(appendLine)
	}
	return nil
}

// paragraphs separates paragraphs by a blank line.
func paragraphs(w writer) writer {
	begun := false
	return func(dst []byte, s *syntax.Sentence) []byte {
		if begun && conllu.BeginsParagraph(s.Comments) {
			dst = append(dst, '\n')
		}
		begun = true
		return w(dst, s)
	}
}

// appendHorizontal writes words in a line, with a no-break space for a space inside a
// word.
func appendHorizontal(dst []byte, s *syntax.Sentence) []byte {
	for i := range s.Words {
		if i > 0 {
			dst = append(dst, ' ')
		}
		dst = append(dst, strings.ReplaceAll(s.Words[i].Form, " ", "\u00a0")...)
	}
	return append(dst, '\n')
}

// appendVertical writes a word a line, and a blank line.
func appendVertical(dst []byte, s *syntax.Sentence) []byte {
	for i := range s.Words {
		dst = append(append(dst, s.Words[i].Form...), '\n')
	}
	return append(dst, '\n')
}

// appendText writes the text with its own white space, as far as MISC has it.
func appendText(dst []byte, s *syntax.Sentence) []byte {
	for t := range s.Tokens() {
		before, _ := syntax.Value(t.Misc, "SpacesBefore")
		dst = append(dst, unescape(before)...)
		if inside, ok := syntax.Value(t.Misc, "SpacesInToken"); ok {
			t.Form = unescape(inside)
		}
		dst = append(dst, t.Form...)
		after, some := syntax.Value(t.Misc, "SpacesAfter")
		if !some && !syntax.NoSpaceAfter(t.Misc) {
			after = " "
		}
		dst = append(dst, unescape(after)...)
	}
	return dst
}

// appendLine writes the text in a line, with single spaces.
func appendLine(dst []byte, s *syntax.Sentence) []byte {
	space := false
	for t := range s.Tokens() {
		if space {
			dst = append(dst, ' ')
		}
		dst = append(dst, t.Form...)
		space = !syntax.NoSpaceAfter(t.Misc)
	}
	return append(dst, '\n')
}
