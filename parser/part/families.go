package part

import (
	"cmp"
	"strings"
)

// Kinds of the families. Models and keys depend on the numbers: a new family takes the
// next one. Numbers 2 and 3 belonged to families that have left the program.
const (
	Grandparents Kind = 0
	Siblings     Kind = 1
	HeadBigrams  Kind = 4
	Crossings    Kind = 5
)

// families has the family of every Kind; one without a name does not exist.
var families = []Family{
	Grandparents: grandparents,
	Siblings:     siblings,
	HeadBigrams:  headBigrams,
	Crossings:    crossings,
}

// Families is a set of families, by their indexes in the list: the parts of a
// tree that are scored in addition to its arcs. A family that is not in the set
// costs nothing: its parts are not visited and have no weights. A model stores
// its set, because its weights fit no other.
type Families uint32

// Presets that training offers.
const (
	Fast     Families = 1<<Grandparents | 1<<Siblings
	Standard          = Fast | 1<<HeadBigrams | 1<<Crossings
)

// SetOf returns the set of the families of the kinds.
func SetOf(kinds ...Kind) (f Families) {
	for _, k := range kinds {
		f |= 1 << k
	}
	return f
}

// Has reports whether the family of a kind is in f.
func (f Families) Has(k Kind) bool { return f>>k&1 != 0 }

// Valid reports whether all bits of f belong to families.
func (f Families) Valid() bool {
	for k := range families {
		if families[k].Name != "" {
			f &^= 1 << k
		}
	}
	return f == 0
}

// String lists the names of the families in f, separated by commas, in the
// order of the list; "arcs" if there are none.
func (f Families) String() string {
	var names []string
	for k := range families {
		if f.Has(Kind(k)) {
			names = append(names, families[k].Name)
		}
	}
	return cmp.Or(strings.Join(names, ","), "arcs")
}
