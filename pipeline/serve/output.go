package serve

import (
	"strconv"
	"strings"

	"github.com/treebeam/treebeam/io/conllu"
	"github.com/treebeam/treebeam/parser/syntax"
)

// A writer appends sentences in one of UDPipe's output formats.
type writer interface {
	sentence(dst []byte, s *syntax.Sentence) []byte
	finish(dst []byte) []byte // the end of the document
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
	case "matxin":
		return &matxinWriter{}
	case "epe":
		return &epeWriter{}
	}
	return nil
}

type conlluWriter struct{}

func (conlluWriter) sentence(dst []byte, s *syntax.Sentence) []byte { return conllu.Append(dst, s) }
func (conlluWriter) finish(dst []byte) []byte                       { return dst }

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

func (w *lineWriter) finish(dst []byte) []byte { return dst }

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

func (textWriter) finish(dst []byte) []byte { return dst }

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

func (w *normalWriter) finish(dst []byte) []byte { return dst }

// children are the words below each word, 0 the root, in order.
func children(s *syntax.Sentence) [][]int {
	list := make([][]int, len(s.Words)+1)
	for i := range s.Words {
		if head := s.Words[i].Head; head >= 0 {
			list[head] = append(list[head], i+1)
		}
	}
	return list
}

// A matxinWriter writes the XML of Matxin, a system for machine translation.
type matxinWriter struct{ n int }

var xmlEscapes = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;")

func (w *matxinWriter) sentence(dst []byte, s *syntax.Sentence) []byte {
	if w.n == 0 {
		dst = append(dst, "<corpus>"...)
	}
	w.n++
	dst = append(dst, "\n<SENTENCE ord=\""...)
	dst = strconv.AppendInt(dst, int64(w.n), 10)
	dst = append(dst, "\" alloc=\"0\">\n"...)
	below := children(s)
	for _, root := range below[0] {
		dst = matxinNode(dst, s, below, root, 1)
	}
	return append(dst, "</SENTENCE>\n"...)
}

// matxinNode appends a word and all below it. The depth of a tree is bounded by
// the words of a sentence.
func matxinNode(dst []byte, s *syntax.Sentence, below [][]int, word, depth int) []byte {
	w := &s.Words[word-1]
	dst = append(dst, strings.Repeat(" ", depth)...)
	dst = append(dst, `<NODE ord="`...)
	dst = strconv.AppendInt(dst, int64(word), 10)
	dst = append(dst, `" alloc="0"`...)
	for _, a := range [...][2]string{{"form", w.Form}, {"lem", w.Lemma}, {"mi", w.Feats}, {"si", w.Deprel}} {
		dst = append(append(append(dst, ' '), a[0]...), `="`...)
		dst = append(append(dst, xmlEscapes.Replace(a[1])...), '"')
	}
	if len(below[word]) == 0 {
		return append(dst, "/>\n"...)
	}
	dst = append(dst, ">\n"...)
	for _, next := range below[word] {
		dst = matxinNode(dst, s, below, next, depth+1)
	}
	return append(append(dst, strings.Repeat(" ", depth)...), "</NODE>\n"...)
}

func (w *matxinWriter) finish(dst []byte) []byte {
	if w.n == 0 {
		dst = append(dst, "<corpus>\n"...)
	}
	return append(dst, "</corpus>\n"...)
}

// An epeWriter writes a line of JSON a sentence, as the shared task on Extrinsic
// Parser Evaluation (Fares et al. 2018) wants it.
type epeWriter struct{ n int }

func (w *epeWriter) sentence(dst []byte, s *syntax.Sentence) []byte {
	w.n++
	dst = append(strconv.AppendInt(append(dst, `{"id":`...), int64(w.n), 10), `, "nodes":[`...)
	below := children(s)
	for i := range s.Words {
		if i > 0 {
			dst = append(dst, ", "...)
		}
		dst = epeNode(dst, s, below, i)
	}
	return append(dst, "]}\n"...)
}

func epeNode(dst []byte, s *syntax.Sentence, below [][]int, i int) []byte {
	w := &s.Words[i]
	dst = strconv.AppendInt(append(dst, `{"id":`...), int64(i+1), 10)
	dst = appendJSON(append(dst, `, "form":`...), w.Form)
	if place, ok := syntax.Value(w.Misc, "TokenRange"); ok {
		if start, end, both := strings.Cut(place, ":"); both && number(start) && number(end) {
			dst = append(append(append(append(dst, `, "start":`...), start...), `, "end":`...), end...)
		}
	}
	if w.Head == syntax.Root {
		dst = append(dst, `, "top":true`...)
	}
	dst = appendJSON(append(dst, `, "properties":{"lemma":`...), w.Lemma)
	dst = appendJSON(append(dst, `, "upos":`...), w.UPOS)
	dst = appendJSON(append(dst, `, "xpos":`...), w.XPOS)
	for item := range strings.SplitSeq(w.Feats, "|") {
		if name, value, ok := strings.Cut(item, "="); ok {
			dst = appendJSON(append(appendJSON(append(dst, ", "...), name), ':'), value)
		}
	}
	dst = append(dst, '}')
	for k, next := range below[i+1] {
		if k == 0 {
			dst = append(dst, `, "edges":[`...)
		} else {
			dst = append(dst, ", "...)
		}
		dst = appendJSON(append(dst, `{"label":`...), s.Words[next-1].Deprel)
		dst = append(strconv.AppendInt(append(dst, `, "target":`...), int64(next), 10), '}')
		if k == len(below[i+1])-1 {
			dst = append(dst, ']')
		}
	}
	return append(dst, '}')
}

func (w *epeWriter) finish(dst []byte) []byte { return dst }

// number reports whether s is a number without a sign.
func number(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }
