package pattern

import (
	"slices"
	"strings"

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

// Unknown returns the relations in the pattern, without subtypes, that are not among
// Relations, in order. Such a pattern is valid, because other schemes have other
// relations. But if it finds nothing, the reason may be a typing error.
func (p *Pattern) Unknown() (list []string) {
	for t := range p.exact {
		name := syntax.Universal(t.value.text)
		if t.value.fold {
			name = strings.ToLower(name)
		}
		if t.attr == Deprel && name != "" && !slices.Contains(Relations, name) && !slices.Contains(list, name) {
			list = append(list, name)
		}
	}
	return list
}

// Named returns the relations and the features, such as Number=Plur, that the pattern spells
// out, each once, in their order.
func (p *Pattern) Named() (relations, features []string) {
	add := func(list *[]string, name string) {
		if !slices.Contains(*list, name) {
			*list = append(*list, name)
		}
	}
	for t := range p.exact {
		switch v := &t.value; {
		case v.text == "" || v.tree || v.fold:
		case t.attr == Deprel:
			add(&relations, v.text)
		case t.attr == Feats && t.key != "":
			add(&features, t.key+"="+v.text)
		}
	}
	return relations, features
}

// exact yields the tests of columns, and of the relations of links, that have one value.
func (p *Pattern) exact(yield func(test) bool) {
	var walk func(f *formula) bool
	see := func(t test) bool { return t.value.how != exactly || yield(t) }
	walk = func(f *formula) bool {
		if f.kind == kindTest && !see(*f.test) {
			return false
		}
		if f.kind == kindLink {
			for _, v := range f.link.labels {
				if !see(test{attr: Deprel, value: v}) {
					return false
				}
			}
		}
		return !slices.ContainsFunc(f.args, func(a *formula) bool { return !walk(a) })
	}
	walk(p.root)
}
