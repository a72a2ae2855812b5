package shift

import (
	"bytes"
	"slices"
	"strings"

	"golang.org/x/text/cases"
	"golang.org/x/text/language"

	"github.com/treebeam/treebeam/io/conllu"
	"github.com/treebeam/treebeam/lab/bench/layouts"
	"github.com/treebeam/treebeam/parser/syntax"
)

// A way is one to write a text.
type way struct {
	name    string
	wrapped bool
	forms   func() func(string) string // changes the forms of a sentence, in order; nil leaves them
	glued   bool                       // no spaces around dashes
}

// ways returns all of them, for a language.
func ways(of language.Tag) []way {
	lower, upper := cases.Lower(of), cases.Upper(of)
	return []way{
		{name: "plain"},
		{name: "wrapped", wrapped: true},
		{name: "lower", forms: each(lower.String)},
		{name: "upper", forms: each(upper.String)},
		{name: "curly", forms: curly},
		{name: "dashes", forms: each(dash), glued: true},
		{name: "signs", forms: each(sign)},
		{name: "printed", forms: printed, glued: true},
	}
}

// apply returns the sentences with their forms changed.
func (x *way) apply(sents []syntax.Sentence) []syntax.Sentence {
	out := syntax.Clone(sents)
	for i := range out {
		s := &out[i]
		s.MWTs = slices.Clone(s.MWTs)
		if x.forms == nil {
			continue
		}
		form := x.forms()
		for j := range s.Words {
			s.Words[j].Form = form(s.Words[j].Form)
		}
		form = x.forms() // multiword tokens have apostrophes, no quotes
		for j := range s.MWTs {
			s.MWTs[j].Form = form(s.MWTs[j].Form)
		}
		if x.glued {
			glue(s)
		}
	}
	return out
}

// each changes every form by itself.
func each(form func(string) string) func() func(string) string {
	return func() func(string) string { return form }
}

// curly returns a function that makes the quotes of a sentence, form by form,
// typographic: every other one closes.
func curly() func(string) string {
	open := false
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
		return strings.ReplaceAll(form, "'", "’")
	}
}

// dash makes a dash of hyphens that stand for one.
func dash(form string) string {
	if form == "--" || form == "---" {
		return "—"
	}
	return form
}

// glue takes the spaces around the dashes between two words.
func glue(s *syntax.Sentence) {
	for i := 1; i+1 < len(s.Words); i++ {
		if s.Words[i].Form != "—" {
			continue
		}
		for _, at := range []int{i - 1, i} {
			misc := &s.Words[at].Misc
			for k := range s.MWTs {
				if int(s.MWTs[k].First) <= at+1 && at+1 <= int(s.MWTs[k].Last) {
					misc = &s.MWTs[k].Misc
				}
			}
			*misc = "SpaceAfter=No"
		}
	}
}

// sign makes one character of three dots, and euros of dollars.
func sign(form string) string {
	switch form {
	case "...":
		return "…"
	case "$":
		return "€"
	}
	return form
}

// printed does what curly, dash and sign do.
func printed() func(string) string {
	quote := curly()
	return func(form string) string { return sign(dash(quote(form))) }
}

// text returns the raw text of sentences.
func (x *way) text(sents []syntax.Sentence) ([]byte, error) {
	var raw bytes.Buffer
	if err := conllu.RawText(&raw, sents); err != nil || !x.wrapped {
		return raw.Bytes(), err
	}
	paragraphs := bytes.Split(raw.Bytes(), []byte("\n\n"))
	for i, p := range paragraphs {
		paragraphs[i] = layouts.Fold(p)
	}
	return bytes.Join(paragraphs, []byte("\n\n")), nil
}
