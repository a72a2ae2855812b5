package tag

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/treebeam/treebeam/parser/word"
)

// maxExceptions bounds the rows of Exceptions.
const maxExceptions = 1_000_000

// An Exception sets the UPOS of a form, its lemma, or both. The model decides on a
// column that is empty. If a form has several rows, the model chooses among their UPOS.
// The lemma is from the row with the chosen UPOS, or else from a row without UPOS.
type Exception struct{ Form, UPOS, Lemma string }

// Exceptions are a caller's own tags and lemmas, by form. They are read-only and safe
// for concurrent use. A nil *Exceptions is empty.
type Exceptions struct {
	of map[string][]Exception // by exceptionKey of the form
}

// NewExceptions makes Exceptions. Forms must match exactly, except for
// typographic characters. An error names the row, from 1, that cannot be used.
func NewExceptions(rows []Exception) (*Exceptions, error) {
	if len(rows) > maxExceptions {
		return nil, fmt.Errorf("%d exceptions, at most %d are supported", len(rows), maxExceptions)
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

// Allow reports whether a form may have a UPOS: whether a row of the form names it, or
// no row names any.
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

// exceptionKey returns the key by which forms are compared. A lone sign is its
// own key, for € is not $.
func exceptionKey(form string) string {
	if utf8.RuneCountInString(form) == 1 {
		return form
	}
	return word.Plain(form)
}

// lemmaFor returns the lemma that rows have for a UPOS, or "": from the first
// row with this UPOS, else from the first row without a UPOS.
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

// uposOf returns the only UPOS that rows allow, or "". open reports that no row
// names a UPOS.
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

// allowedByRows returns the labels of the first layer that rows allow, valid until
// the next call, and their UPOS if there is only one. some reports whether any row
// names a UPOS. If the model does not have the UPOS, all labels are allowed.
func (m *Model) allowedByRows(sc *scratch, rows []Exception) (labels []uint16, only string, some bool) {
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
