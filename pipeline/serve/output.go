package serve

import (
	"strings"

	"github.com/treebeam/treebeam/io/conllu"
	"github.com/treebeam/treebeam/parser/syntax"
)

// A writer appends sentences in one of UDPipe's output formats.
type writer interface {
	sentence(dst []byte, s *syntax.Sentence) []byte
}

// newWriter returns a writer of a format, which may have an option behind "=", or
// nil if there is no such format.
func newWriter(format string) writer {
	switch format {
	case "conllu", "conllu=v2", "conllu=v1":
		return conlluWriter{}
	case "horizontal":
		return &lineWriter{}
	case "horizontal=paragraphs":
		return &lineWriter{paragraphs: true}
	case "vertical":
		return &lineWriter{vertical: true}
	case "vertical=paragraphs":
		return &lineWriter{vertical: true, paragraphs: true}
	case "plaintext":
		return textWriter{}
	case "plaintext=normalized_spaces":
		return &normalWriter{}
	}
	return nil
}

type conlluWriter struct{}

func (conlluWriter) sentence(dst []byte, s *syntax.Sentence) []byte { return conllu.Append(dst, s) }

// A lineWriter writes words: those of a sentence in a line, with a no-break space
// for a space inside a word, or a word a line and a blank line after a sentence.
// One more blank line may separate paragraphs.
type lineWriter struct{ vertical, paragraphs, begun bool }

func (w *lineWriter) sentence(dst []byte, s *syntax.Sentence) []byte {
	if w.paragraphs && w.begun && conllu.BeginsParagraph(s.Comments) {
		dst = append(dst, '\n')
	}
	w.begun = true
	for i := range s.Words {
		switch form := s.Words[i].Form; {
		case w.vertical:
			dst = append(append(dst, form...), '\n')
		case i > 0:
			dst = append(dst, ' ')
			fallthrough
		default:
			dst = append(dst, strings.ReplaceAll(form, " ", "\u00a0")...)
		}
	}
	return append(dst, '\n')
}

// A textWriter writes the text with its own white space, as far as MISC has it.
type textWriter struct{}

func (textWriter) sentence(dst []byte, s *syntax.Sentence) []byte {
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

// A normalWriter writes a sentence a line, and a blank line between paragraphs.
type normalWriter struct{ begun bool }

func (w *normalWriter) sentence(dst []byte, s *syntax.Sentence) []byte {
	if w.begun && conllu.BeginsParagraph(s.Comments) {
		dst = append(dst, '\n')
	}
	w.begun = true
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
