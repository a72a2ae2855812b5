package pattern

import (
	"slices"

	"github.com/treebeam/treebeam/parser/syntax"
)

// Relations are the relations of Universal Dependencies, version 2, without subtypes (de
// Marneffe, Manning, Nivre and Zeman 2021), in the order of its table: arguments first. The
// slice must not be changed.
var Relations = []string{"nsubj", "obj", "iobj", "csubj", "ccomp", "xcomp", "obl", "vocative", "expl", "dislocated",
	"advcl", "advmod", "discourse",
	"aux", "cop", "mark", "nmod", "appos", "nummod", "acl", "amod", "det", "clf", "case", "conj", "cc", "fixed",
	"flat", "list", "parataxis",
	"compound", "orphan", "goeswith", "reparandum", "punct", "root", "dep"}

// Unknown returns the relations in the pattern, without their subtypes, that are not among
// Relations, in their order. Other schemes have other relations, so such a pattern is valid.
// But if it finds nothing, the reason may be a slip.
func (p *Pattern) Unknown() (list []string) {
	see := func(v *value) {
		name := syntax.Universal(v.text)
		if v.how == exactly && v.re == nil && name != "" && !slices.Contains(Relations, name) &&
			!slices.Contains(list, name) {
			list = append(list, name)
		}
	}
	var walk func(f *formula)
	walk = func(f *formula) {
		if f.kind == kindTest && f.test.attr == Deprel {
			see(&f.test.value)
		}
		if f.kind == kindLink {
			for i := range f.link.labels {
				see(&f.link.labels[i])
			}
		}
		for _, a := range f.args {
			walk(a)
		}
	}
	walk(p.root)
	return list
}
