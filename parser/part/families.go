package part

import (
	"cmp"
	"fmt"
	"strings"
)

// Kinds of the families. Models and keys depend on the numbers. Families that have left
// (lab/notes/ablation.md) had those between, 14 and 15; a new family begins at 16.
const (
	Grandparents Kind = 0
	Siblings     Kind = 1
	TriSiblings  Kind = 3
	HeadBigrams  Kind = 4
	Crossings    Kind = 5
	Valencies    Kind = 13
)

// families is the list of all of them, by Kind. Those without a name have left.
var families = []Family{
	Grandparents: grandparents,
	Siblings:     siblings,
	TriSiblings:  triSiblings,
	HeadBigrams:  headBigrams,
	Crossings:    crossings,
	Valencies:    valencies,
	15:           {},
}

// Families is the set of families that a model scores in addition to arcs: bit k stands
// for Kind k. A family outside the set costs nothing: its parts are not visited and
// have no weights. A model stores its set, because its weights fit no other.
type Families uint32

// Locals are the families that count in the gain of every move. Globals count only in
// the scores of whole trees. Fast and Standard are the presets of training, All are all
// families.
var (
	Locals   = where(func(f *Family) bool { return f.Gain != nil })
	Globals  = where(func(f *Family) bool { return f.Gain == nil })
	Fast     = where(func(f *Family) bool { return f.fast })
	Standard = where(func(f *Family) bool { return f.standard })
	All      = Locals | Globals
)

func where(wanted func(f *Family) bool) (set Families) {
	for k := range families {
		if f := &families[k]; f.Name != "" && wanted(f) {
			set |= 1 << k
		}
	}
	return set
}

// SetOf returns the set of the given kinds.
func SetOf(kinds ...Kind) (f Families) {
	for _, k := range kinds {
		f |= 1 << k
	}
	return f
}

// Has reports whether f contains a kind.
func (f Families) Has(k Kind) bool { return f>>k&1 != 0 }

// Any reports whether f contains any family of want.
func (f Families) Any(want Families) bool { return f&want != 0 }

// Valid reports whether all bits of f belong to families.
func (f Families) Valid() bool { return f&^All == 0 }

// String lists the names of the families in f, separated by commas, in the order of
// their kinds; it is "arcs" if f is empty.
func (f Families) String() string {
	var names []string
	for k := range families {
		if f.Has(Kind(k)) {
			names = append(names, families[k].Name)
		}
	}
	return cmp.Or(strings.Join(names, ","), "arcs")
}

// Preset returns the families of the preset "fast" or "standard". Other names are an
// error.
func Preset(name string) (Families, error) {
	if f := map[string]Families{"fast": Fast, "standard": Standard}[name]; f != 0 {
		return f, nil
	}
	return 0, fmt.Errorf("preset %q: must be fast or standard", name)
}

// With returns f changed by a list such as "-hb,+ts,+valency". Each item is + or -, then
// the name of a family.
func (f Families) With(changes string) (Families, error) {
	for item := range strings.SplitSeq(changes, ",") {
		if item = strings.TrimSpace(item); item == "" {
			continue
		}
		sign, name := item[0], item[1:]
		if sign != '+' && sign != '-' {
			return 0, fmt.Errorf("family %q: write + or - before each name, as in -hb,+ts", item)
		}
		set := where(func(f *Family) bool { return f.Name == name })
		if set == 0 {
			return 0, fmt.Errorf("family %q: must be one of %s; lab/notes/ablation.md has what others earned", name, All)
		}
		if f &^= set; sign == '+' {
			f |= set
		}
	}
	return f, nil
}
