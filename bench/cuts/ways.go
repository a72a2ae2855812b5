package main

import (
	"slices"
	"strings"

	"github.com/treebeam/treebeam/parser/syntax"
)

// A way is one to write a text.
type way struct {
	name                       string
	curly, dashes, dots, signs bool
	glued                      bool // no spaces around dashes
}

var ways = []way{
	{name: "plain"},
	{name: "curly", curly: true},
	{name: "dashes", dashes: true, glued: true},
	{name: "dots", dots: true},
	{name: "signs", signs: true},
	{name: "all", curly: true, dashes: true, dots: true, signs: true},
}

// apply returns the sentences with their forms changed.
func (x *way) apply(list []syntax.Sentence) []syntax.Sentence {
	out, open := syntax.Clone(list), false
	for i := range out {
		s := &out[i]
		s.MWTs = slices.Clone(s.MWTs)
		for j := range s.Words {
			if x.dashes && isDash(s, j) {
				s.Words[j].Form = "—"
				if x.glued {
					glue(s, j)
				}
			}
			s.Words[j].Form = x.form(s.Words[j].Form, &open)
		}
		for j := range s.MWTs {
			s.MWTs[j].Form = x.form(s.MWTs[j].Form, &open)
		}
	}
	return out
}

// isDash reports whether word j stands for a dash between two others.
func isDash(s *syntax.Sentence, j int) bool {
	if j == 0 || j+1 == len(s.Words) {
		return false
	}
	switch s.Words[j].Form {
	case "--":
		return true
	case "-":
		return s.Words[j].Misc == "" && s.Words[j-1].Misc == ""
	}
	return false
}

// glue takes the spaces around word j.
func glue(s *syntax.Sentence, j int) {
	s.Words[j].Misc, s.Words[j-1].Misc = "SpaceAfter=No", "SpaceAfter=No"
	for k := range s.MWTs {
		if int(s.MWTs[k].Last) == j {
			s.MWTs[k].Misc = "SpaceAfter=No"
		}
	}
}

// form changes a form; open says whether a quotation is open.
func (x *way) form(form string, open *bool) string {
	if x.curly {
		switch form {
		case `"`:
			if *open = !*open; *open {
				return "“"
			}
			return "”"
		case "``":
			return "“"
		case "''":
			return "”"
		}
		form = strings.ReplaceAll(form, "'", "’")
	}
	if x.dots {
		form = strings.ReplaceAll(form, "...", "…")
	}
	if x.signs {
		form = strings.ReplaceAll(form, "$", "£")
	}
	return form
}
