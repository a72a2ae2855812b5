package main

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/language"

	"github.com/treebeam/treebeam/io/conllu"
	"github.com/treebeam/treebeam/parser/syntax"
)

// A way is one to write a text.
type way struct {
	name    string
	wrapped bool
	form    func(string) string // changes a form; nil leaves it
	curly   bool
}

// ways returns all of them, for a language.
func ways(of language.Tag) []way {
	lower, upper := cases.Lower(of), cases.Upper(of)
	return []way{
		{name: "plain"},
		{name: "wrapped", wrapped: true},
		{name: "lower", form: lower.String},
		{name: "upper", form: upper.String},
		{name: "curly", curly: true},
	}
}

// apply returns the sentences with their forms changed.
func (x *way) apply(sents []syntax.Sentence) []syntax.Sentence {
	out := syntax.Clone(sents)
	for i := range out {
		s := &out[i]
		s.MWTs = slices.Clone(s.MWTs)
		form := x.form
		if x.curly {
			form = curly()
		}
		if form == nil {
			continue
		}
		for j := range s.Words {
			s.Words[j].Form = form(s.Words[j].Form)
		}
		if x.curly {
			form = curly() // multiword tokens have apostrophes, no quotes
		}
		for j := range s.MWTs {
			s.MWTs[j].Form = form(s.MWTs[j].Form)
		}
	}
	return out
}

// curly returns a function that makes the quotes of a sentence, form by form,
// typographic: every other one closes.
func curly() func(string) string {
	open := false
	apostrophe := strings.NewReplacer("'", "’")
	return func(form string) string {
		switch form {
		case `"`:
			open = !open
			if open {
				return "“"
			}
			return "”"
		case "``":
			return "“"
		case "''":
			return "”"
		}
		return apostrophe.Replace(form)
	}
}

// text returns the raw text of sentences.
func (x *way) text(sents []syntax.Sentence) ([]byte, error) {
	var raw bytes.Buffer
	if err := conllu.RawText(&raw, sents); err != nil || !x.wrapped {
		return raw.Bytes(), err
	}
	paragraphs := bytes.Split(raw.Bytes(), []byte("\n\n"))
	for i, p := range paragraphs {
		paragraphs[i] = fold(p)
	}
	return bytes.Join(paragraphs, []byte("\n\n")), nil
}

const columns = 72

// fold breaks the lines of a paragraph at spaces, so that none has more
// characters than columns unless a word does.
func fold(p []byte) []byte {
	var out []byte
	line := 0
	for i, word := range bytes.Split(p, []byte(" ")) {
		n := utf8.RuneCount(word)
		switch {
		case i == 0:
		case line+1+n > columns:
			out, line = append(out, '\n'), 0
		default:
			out, line = append(out, ' '), line+1
		}
		out, line = append(out, word...), line+n
	}
	return out
}
