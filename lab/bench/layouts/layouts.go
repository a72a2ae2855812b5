package layouts

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"github.com/treebeam/treebeam/io/conllu"
	"github.com/treebeam/treebeam/parser/syntax"
)

// Columns is the margin of wrapped text.
const Columns = 72

// layoutNames are the names of what layouts returns.
var layoutNames = []string{"plain", "wrapped", "paragraph", "unmarked", "sentence", "sentence+"}

// layouts writes the text of sentences in all ways.
func layouts(sents []syntax.Sentence) ([][]byte, error) {
	var plain bytes.Buffer
	if err := conllu.RawText(&plain, sents); err != nil {
		return nil, err
	}
	paragraphs := bytes.Split(bytes.TrimSuffix(plain.Bytes(), []byte("\n")), []byte("\n\n"))
	wrapped := make([][]byte, len(paragraphs))
	for i, p := range paragraphs {
		wrapped[i] = Fold(p)
	}
	each, err := sentences(sents)
	if err != nil {
		return nil, err
	}
	var lines [][]byte
	grouped := make([][]byte, len(each))
	for i, p := range each {
		lines = append(lines, p...)
		grouped[i] = bytes.Join(p, []byte("\n"))
	}
	return [][]byte{
		plain.Bytes(), join(wrapped, "\n\n"), join(paragraphs, "\n"), join(wrapped, "\n"),
		join(lines, "\n"), join(grouped, "\n\n"),
	}, nil
}

func join(parts [][]byte, sep string) []byte {
	return append(bytes.Join(parts, []byte(sep)), '\n')
}

// documents cuts sentences where documents begin.
func documents(sents []syntax.Sentence) [][]syntax.Sentence {
	var docs [][]syntax.Sentence
	start := 0
	for i := range sents {
		for _, c := range sents[i].Comments {
			if i > start && strings.HasPrefix(c, "# newdoc") {
				docs = append(docs, sents[start:i])
				start = i
			}
		}
	}
	return append(docs, sents[start:])
}

// sentences returns the text of each sentence, by paragraph.
func sentences(sents []syntax.Sentence) ([][][]byte, error) {
	var all [][][]byte
	for i := range sents {
		var one bytes.Buffer
		if err := conllu.RawText(&one, sents[i:i+1]); err != nil {
			return nil, err
		}
		if i == 0 || conllu.BeginsParagraph(sents[i].Comments) {
			all = append(all, nil)
		}
		last := &all[len(all)-1]
		*last = append(*last, bytes.TrimSuffix(one.Bytes(), []byte("\n")))
	}
	return all, nil
}

// Fold breaks the lines of a paragraph at spaces, so that none has more
// characters than Columns unless a word does.
func Fold(p []byte) []byte {
	var out []byte
	line := 0
	for i, word := range bytes.Split(p, []byte(" ")) {
		n := utf8.RuneCount(word)
		switch {
		case i == 0:
		case line+1+n > Columns:
			out, line = append(out, '\n'), 0
		default:
			out, line = append(out, ' '), line+1
		}
		out, line = append(out, word...), line+n
	}
	return out
}
