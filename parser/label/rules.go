package label

import (
	"slices"
	"strings"

	"github.com/treebeam/treebeam/parser/syntax"
	"github.com/treebeam/treebeam/parser/word"
)

// The rules of Universal Dependencies that hold in every language, as far as
// labels can obey them: the third level of the validator of UD (udtools 0.2),
// by the names of its tests. Relations stand for themselves with all subtypes.
//
//   - rel-upos-*, upos-rel-punct: a relation suits the tag of its word (wrongTags).
//     The tag is that of FEATS ExtPos, if there is one. A word with a fixed
//     modifier may be anything: its own tag is not that of the expression.
//   - right-to-left-*: conj, fixed, flat, goeswith and appos stand behind their
//     heads (behind).
//   - leaf-*: below function words hangs what is known to hang there, and no more
//     (below). Negation may modify any of them but punctuation.
//   - too-many-subjects, too-many-objects: a head has at most one nsubj or csubj
//     that is not :outer, and at most one obj.
//   - obl-should-be-nmod: a nominal with a nominal's relation (nominal) has obl
//     only if it has a subject or a copula as well.

// wrongTags lists the tags that the word of a relation must not have.
var wrongTags = map[string]string{
	"det":    "ADJ ADP ADV AUX CCONJ INTJ NOUN NUM PART PROPN PUNCT SCONJ SYM VERB X",
	"nummod": "ADJ ADP ADV AUX CCONJ DET INTJ PART PRON PROPN PUNCT SCONJ VERB X",
	"advmod": "ADP AUX INTJ NOUN NUM PRON PROPN PUNCT SCONJ VERB X",
	"expl":   "ADJ ADP ADV AUX CCONJ INTJ NOUN NUM PROPN PUNCT SCONJ SYM VERB X",
	"aux":    "ADJ ADP ADV CCONJ DET INTJ NOUN NUM PART PRON PROPN PUNCT SCONJ SYM VERB X",
	"cop":    "ADJ ADP ADV CCONJ INTJ NOUN NUM PART PROPN PUNCT SCONJ VERB X",
	"case":   "ADJ AUX DET NUM PRON PROPN PUNCT",
	"mark":   "ADJ AUX DET INTJ NOUN NUM PRON PROPN PUNCT",
	"cc":     "ADJ AUX DET INTJ NOUN NUM PRON PROPN PUNCT VERB",
	"fixed":  "PROPN PUNCT",
	"punct":  "ADJ ADP ADV AUX CCONJ DET INTJ NOUN NUM PART PRON PROPN SCONJ SYM VERB X",
}

// behind lists the relations whose words stand behind their heads.
var behind = []string{"conj", "fixed", "flat", "goeswith", "appos"}

// below lists what may hang below the word of a relation.
var below = map[string]string{
	"mark":     "advmod obl goeswith fixed reparandum conj cc punct",
	"case":     "advmod obl goeswith fixed reparandum conj cc punct",
	"aux":      "goeswith fixed reparandum conj cc punct",
	"cop":      "goeswith fixed reparandum conj cc punct",
	"det":      "det case advmod obl clf goeswith fixed flat compound reparandum discourse parataxis conj cc punct",
	"clf":      "advmod obl goeswith fixed reparandum conj cc punct",
	"cc":       "goeswith fixed reparandum conj punct",
	"fixed":    "goeswith reparandum conj punct",
	"goeswith": "",
	"punct":    "punct",
}

// nominal lists the relations of a nominal that is no predicate.
var nominal = []string{"nsubj", "obj", "iobj", "obl", "vocative", "dislocated", "expl", "nmod"}

// A mask is a set of relations, by number.
type mask [4]uint64

func (m *mask) has(l uint8) bool { return m[l>>6]>>(l&63)&1 != 0 }
func (m *mask) add(l int)        { m[l>>6] |= 1 << (l & 63) }

// The state of a head: a set of properties of the modifiers that it has. A
// second subject or object breaks a rule.
const (
	hasSubject = 1 << iota
	hasObject
	hasFixed
	hasClause // a subject or a copula
	hasOblique
	states // the number of sets
	single = hasSubject | hasObject
)

// kinds are the sets that one modifier can make.
var kinds = [...]uint8{0, hasSubject | hasClause, hasClause, hasObject, hasFixed, hasOblique}

// rules are the rules above, for the relations of a model.
type rules struct {
	wrong    [word.CoarseTags]mask // by tag
	front    mask                  // wrong in front of the head
	under    []mask                // by relation of the head: wrong below it
	bound    []bool                // by relation: something is wrong below it
	negated  mask                  // right below function words where they negate
	poss     mask                  // right below a possessive det
	det      mask
	punct    mask
	nominal  mask
	language string
	object   mask    // obj and iobj, in English
	bar      []uint8 // by relation: the bars that it breaks, in English
	kind     []uint8 // by relation: index into kinds
	can      []uint8 // by number of a set of relations: all kinds of its relations
}

// newRules returns the rules for the relations of a model of a language.
func newRules(rel *relations, language string) *rules {
	names := rel.names
	r := &rules{language: language, under: make([]mask, len(names)), bound: make([]bool, len(names)),
		bar: make([]uint8, len(names)), kind: make([]uint8, len(names))}
	base := make([]string, len(names))
	for l, name := range names {
		base[l] = syntax.Universal(name)
	}
	for l, name := range base {
		for _, tag := range strings.Fields(wrongTags[name]) {
			r.wrong[word.Coarse(tag)].add(l)
		}
		if name != "punct" && name != rootName {
			r.wrong[word.PUNCT].add(l)
		}
		if slices.Contains(behind, name) {
			r.front.add(l)
		}
		if slices.Contains(nominal, name) {
			r.nominal.add(l)
		}
		allowed, bound := below[name]
		if r.bound[l] = bound; bound {
			for k, modifier := range base {
				if !slices.Contains(strings.Fields(allowed), modifier) {
					r.under[l].add(k)
				}
			}
		}
		for _, x := range [...]struct {
			to    *mask
			names string
		}{{&r.negated, "advmod"}, {&r.poss, "appos acl nmod"}, {&r.det, "det"}, {&r.punct, "punct"}} {
			if slices.Contains(strings.Fields(x.names), name) {
				x.to.add(l)
			}
		}
		r.kind[l] = uint8(slices.Index(kinds[:], kindOf(name, names[l])))
	}
	if language == english {
		r.addEnglish(names)
	}
	r.can = make([]uint8, max(len(rel.start)-1, 0))
	for i := range r.can {
		for _, l := range rel.set(uint16(i)) {
			r.can[i] |= kinds[r.kind[l]]
		}
	}
	return r
}

// kindOf returns what a head has because it has a modifier with a relation.
func kindOf(base, name string) uint8 {
	switch base {
	case "nsubj", "csubj":
		if name == base+":outer" {
			return hasClause
		}
		return hasSubject | hasClause
	case "cop":
		return hasClause
	case "obj":
		return hasObject
	case "fixed":
		return hasFixed
	case "obl":
		return hasOblique
	}
	return 0
}

// wordFacts are what the rules ask about a word besides its relation.
type wordFacts struct {
	tag      uint8 // coarse, of ExtPos if there is one
	right    bool  // of its head
	neg      bool  // may modify function words
	poss     bool
	nounlike bool  // may be a nominal
	bars     uint8 // relations that English bars
}

// factsOf reads the facts of a word.
func factsOf(w *syntax.Word, x *node) wordFacts {
	poss, _ := syntax.Value(w.Feats, "Poss")
	polarity, _ := syntax.Value(w.Feats, "Polarity")
	d := wordFacts{
		tag:      x.Coarse,
		right:    x.side == 1,
		neg:      (x.Coarse == word.PART || x.Coarse == word.ADV) && polarity == "Neg",
		poss:     poss == "Yes",
		nounlike: x.Coarse == word.NOUN || x.Coarse == word.PROPN || x.Coarse == word.PRON,
	}
	if tag, _ := syntax.Value(w.Feats, "ExtPos"); tag != "" {
		d.tag = word.Coarse(tag)
	}
	return d
}

// alone counts the rules that relation l of a word breaks on its own.
func (r *rules) alone(d *wordFacts, l uint8) int32 {
	broken := int32(0)
	if !d.right && r.front.has(l) {
		broken++
	}
	if d.bars&r.bar[l] != 0 {
		broken++
	}
	return broken
}

// pair counts the rules that relation l of a word breaks below relation above.
func (r *rules) pair(head, d *wordFacts, above, l uint8) int32 {
	switch {
	case !r.under[above].has(l),
		d.neg && r.negated.has(l) && !r.punct.has(above),
		head.poss && r.det.has(above) && r.poss.has(l),
		r.object.has(above) && d.tag != word.ADP:
		return 0
	}
	return 1
}

// more counts the rules that one more modifier of a kind breaks next to the
// others.
func more(others, kind uint8) int32 {
	if others&kind&single != 0 {
		return 1
	}
	return 0
}

// all counts the rules that relation l of a word breaks with all its modifiers.
func (r *rules) all(d *wordFacts, l, has uint8) int32 {
	broken := int32(0)
	if has&hasFixed == 0 && r.wrong[d.tag].has(l) || has&hasFixed != 0 && d.tag == word.PROPN {
		broken++
	}
	if d.nounlike && r.nominal.has(l) && has&hasOblique != 0 && has&hasClause == 0 {
		broken++
	}
	return broken
}

// Suits reports whether the rules allow a relation for a word with that UPOS.
func Suits(deprel, upos string) bool {
	base := syntax.Universal(deprel)
	if upos == "PUNCT" {
		return base == "punct" || base == rootName
	}
	return !slices.Contains(strings.Fields(wrongTags[base]), upos)
}
