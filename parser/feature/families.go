package feature

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"
)

// Families is a set of part families: what of a tree is scored beside its
// arcs, which always are. A family that is not in the set costs nothing: its
// parts are not enumerated, have no table and no weights. A model keeps its
// set, for its weights are of no use with another.
type Families uint32

// The families, in the order of String. Local ones are in the gain of
// every move, global ones only in the second level of a climb.
const (
	Grandparents         Families = 1 << iota // gp: head of the head
	Siblings                                  // cs: neighbours in the extended child list
	GrandSiblings                             // gs: neighbours and the head of their head
	TriSiblings                               // ts: three in a row
	HeadBigrams                               // hb: heads of two adjacent words
	Crossings                                 // cross: arcs that cross
	GreatGrandparents                         // ggp: head of the head of the head
	SiblingGrandchildren                      // psc: neighbours and a child of one of them
	RightBranches                             // right: length of the rightmost chain
	Coordinations                             // coord: conjunction, conjuncts and their head
	Attachments                               // pp: case-marked word, its adposition and its head
	Spans                                     // span: length of what is below a word
	Neighbours                                // near: tags on both sides of a span
	Valencies                                 // valency: number and tags of children
	NonProjective                             // nonproj: words under an arc that hang outside it
	PunctuationPairs                          // pairs: brackets and quotes with one head
	Lean                                      // lean: no family, but half of the arcs' templates
	families             = iota
)

// Locals are the families of gain evaluation, Globals those of whole trees.
const (
	Locals  = Grandparents | Siblings | GrandSiblings | TriSiblings | HeadBigrams | Crossings | GreatGrandparents | SiblingGrandchildren
	Globals = RightBranches | Coordinations | Attachments | Spans | Neighbours | Valencies | NonProjective | PunctuationPairs
)

// Presets that training offers by name.
const (
	Fast     = Lean | Siblings | Grandparents
	Standard = Grandparents | Siblings | TriSiblings | HeadBigrams | Crossings
	Full     = Locals | Globals
)

var familyNames = [families]string{"gp", "cs", "gs", "ts", "hb", "cross", "ggp", "psc",
	"right", "coord", "pp", "span", "near", "valency", "nonproj", "pairs", "lean"}

// All reports whether every family of want is in f.
func (f Families) All(want Families) bool { return f&want == want }

// Any reports whether some family of want is in f.
func (f Families) Any(want Families) bool { return f&want != 0 }

// Valid reports whether f has no bits but those above.
func (f Families) Valid() bool { return f>>families == 0 }

// String lists the names of the families in f, separated by commas, in the
// order of the constants; "arcs" if there are none.
func (f Families) String() string {
	if f == 0 {
		return "arcs"
	}
	var names []string
	for g := f; g != 0; g &= g - 1 {
		i := bits.TrailingZeros32(uint32(g))
		if i >= families {
			names = append(names, "unknown")
			break
		}
		names = append(names, familyNames[i])
	}
	return strings.Join(names, ",")
}

// Preset returns the families of "fast", "standard" or "full".
func Preset(name string) (Families, error) {
	switch name {
	case "fast":
		return Fast, nil
	case "standard":
		return Standard, nil
	case "full":
		return Full, nil
	}
	return 0, fmt.Errorf("preset %q: want fast, standard or full", name)
}

// With returns f changed by a list such as "-gs,+ggp,-coord": names of
// families, "globals" for all global ones, or "all", each after + or -.
func (f Families) With(changes string) (Families, error) {
	for item := range strings.SplitSeq(changes, ",") {
		if item = strings.TrimSpace(item); item == "" {
			continue
		}
		if item[0] != '+' && item[0] != '-' {
			return 0, fmt.Errorf("family %q: want + or - before each name, as in -gs,+ggp", item)
		}
		set, err := named(item[1:])
		if err != nil {
			return 0, err
		}
		if item[0] == '+' {
			f |= set
		} else {
			f &^= set
		}
	}
	return f, nil
}

func named(name string) (Families, error) {
	switch name {
	case "all":
		return Full, nil
	case "globals":
		return Globals, nil
	}
	if i := slices.Index(familyNames[:], name); i >= 0 {
		return 1 << i, nil
	}
	return 0, fmt.Errorf("family %q: want one of %s, globals or all", name, strings.Join(familyNames[:], ", "))
}
