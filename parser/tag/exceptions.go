package tag

import (
	"fmt"
	"strings"

	"github.com/treebeam/treebeam/parser/syntax"
	"github.com/treebeam/treebeam/parser/word"
)

// MaxExceptions bounds the rows of Exceptions.
const MaxExceptions = 1_000_000

// An Exception is what a caller knows of a form: its UPOS, its lemma or both. An
// empty column is left to the model. With several rows of a form the model
// chooses among their UPOS.
type Exception struct{ Form, UPOS, Lemma string }

// Exceptions are tags and lemmas of a caller's own, by form. They are read-only
// and safe for concurrent use. A nil *Exceptions has none.
type Exceptions struct {
	of map[string][]Exception // by word.Plain of the form
}

// NewExceptions makes Exceptions. Forms are matched as they are written, but for
// typographic characters. An error names the row, from 1, that cannot be used.
func NewExceptions(rows []Exception) (*Exceptions, error) {
	if len(rows) > MaxExceptions {
		return nil, fmt.Errorf("%d exceptions, at most %d are supported", len(rows), MaxExceptions)
	}
	x := &Exceptions{of: map[string][]Exception{}}
	for i, r := range rows {
		switch {
		case r.Form == "":
			return nil, fmt.Errorf("row %d has no form", i+1)
		case r.UPOS == "" && r.Lemma == "":
			return nil, fmt.Errorf("row %d, %.40q, has neither UPOS nor lemma", i+1, r.Form)
		case strings.ContainsAny(r.Form+r.UPOS+r.Lemma, "\t\n\r"):
			return nil, fmt.Errorf("row %d, %.40q, holds a tab or a line break", i+1, r.Form)
		case r.UPOS != "" && word.Coarse(r.UPOS) == word.Other:
			return nil, fmt.Errorf("row %d, %.40q: %.20q is no UPOS", i+1, r.Form, r.UPOS)
		}
		key := word.Plain(r.Form)
		x.of[key] = append(x.of[key], r)
	}
	return x, nil
}

// A Request is what a caller says of a sentence.
type Request struct {
	Retag      bool        // replace the columns that hold anything
	Heat       int32       // of TagProb, see TagAt; 0 is HeatUnit
	Exceptions *Exceptions // nil: none
}

// TagWith is Tag with more options.
func (m *Model) TagWith(s *syntax.Sentence, r Request) {
	if r.Heat == 0 {
		r.Heat = HeatUnit
	}
	m.TagAt(s, r.Retag, r.Heat)
}
