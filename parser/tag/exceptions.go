package tag

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/treebeam/treebeam/parser/word"
)

// MaxExceptions bounds the rows of Exceptions.
const MaxExceptions = 1_000_000

// An Exception is what a caller knows of a form: its UPOS, its lemma or both. An
// empty column is left to the model. With several rows of a form the model
// chooses among their UPOS, and the lemma comes from the row with the UPOS chosen,
// else of one without UPOS.
type Exception struct{ Form, UPOS, Lemma string }

// Exceptions are tags and lemmas of a caller's own, by form. They are read-only
// and safe for concurrent use. A nil *Exceptions has none.
type Exceptions struct {
	of map[string][]Exception // by exceptionKey of the form
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
		key := exceptionKey(r.Form)
		x.of[key] = append(x.of[key], r)
	}
	return x, nil
}

// rowsOf returns the rows of a form.
func (x *Exceptions) rowsOf(form string) []Exception {
	if x == nil {
		return nil
	}
	return x.of[exceptionKey(form)]
}

// Allow reports whether a form may have a UPOS: its rows name it, or none.
func (x *Exceptions) Allow(form, upos string) bool {
	named := false
	for _, r := range x.rowsOf(form) {
		if r.UPOS == upos {
			return true
		}
		named = named || r.UPOS != ""
	}
	return !named
}

// exceptionKey is what forms are compared by: a lone sign is itself, for € is not
// $.
func exceptionKey(form string) string {
	if utf8.RuneCountInString(form) == 1 {
		return form
	}
	return word.Plain(form)
}

// lemmaFor returns the lemma that rows have for a UPOS, "" for none: from the
// first row with this UPOS, else of the first without one.
func lemmaFor(rows []Exception, upos string) string {
	lemma := ""
	for _, r := range rows {
		switch {
		case r.Lemma == "":
		case r.UPOS == upos:
			return r.Lemma
		case r.UPOS == "" && lemma == "":
			lemma = r.Lemma
		}
	}
	return lemma
}

// uposOf returns the UPOS that rows leave a word if that is one; open says that
// none of them names any, and it is "".
func uposOf(rows []Exception) (upos string, open bool) {
	open = true
	for _, r := range rows {
		switch {
		case r.UPOS == "" || r.UPOS == upos:
		case open:
			upos, open = r.UPOS, false
		default:
			return "", false
		}
	}
	return upos, open
}

// excepted returns the labels of the first layer that rows leave a word, valid until
// the next call, and its UPOS if that is one; some reports whether rows say
// anything of it. If the model does not have the UPOS, all labels are left.
func (m *Model) excepted(sc *scratch, rows []Exception) (labels []uint16, only string, some bool) {
	if len(rows) == 0 {
		return m.all, "", false
	}
	only, open := uposOf(rows)
	if open {
		return m.all, "", false
	}
	return sc.narrow(m.all, func(l uint16) bool {
		return slices.ContainsFunc(rows, func(r Exception) bool { return r.UPOS == m.upos[l] })
	}), only, true
}
