package calibrate

import "github.com/treebeam/treebeam/parser/pack"

// depth is the number of splits of a tree.
const depth = 3

// mostTrees bounds a forest, and so the time that a word takes.
const mostTrees = 1000

// A forest adds up trees (gradient boosting, Friedman 2001) that are oblivious:
// all nodes of a level have the same split, whether a feature is above a bound, so
// that the results are the number of a leaf (Prokhorenkova et al. 2018).
type forest struct {
	features []uint8 // of split k of tree t at [t*depth+k]
	bounds   []int32
	leaves   []int32 // of tree t at [t<<depth:], in units of 1/one
}

func (f *forest) trees() int { return len(f.leaves) >> depth }

// sum returns the sum of the leaves of a case.
func (f *forest) sum(x *row) (z int32) {
	leaves := f.leaves
	splits, bounds := f.features[:len(leaves)/(1<<depth)*depth], f.bounds
	bounds = bounds[:len(splits)]
	for len(leaves) >= 1<<depth && len(splits) >= depth && len(bounds) >= depth {
		leaf := uint32(bounds[0]-x[splits[0]%width])>>31 |
			uint32(bounds[1]-x[splits[1]%width])>>31<<1 |
			uint32(bounds[2]-x[splits[2]%width])>>31<<2
		z += leaves[leaf&(1<<depth-1)]
		leaves, splits, bounds = leaves[1<<depth:], splits[depth:], bounds[depth:]
	}
	return z
}

// Bounds and features are within mostValue, so that their differences do not
// overflow, and leaves within mostLeaf.
const (
	mostValue = 1 << 24
	mostLeaf  = 4 * one
)

func (f *forest) layout(l *pack.Layout) {
	pack.Array(l, "features", &f.features)
	pack.Array(l, "bounds", &f.bounds)
	pack.Array(l, "leaves", &f.leaves)
	n := f.trees()
	l.Check("leaves", len(f.leaves) == n<<depth && n <= mostTrees, "holds another number of leaves, or too many")
	l.Check("features", len(f.features) == n*depth, "does not fit the leaves")
	l.Check("bounds", len(f.bounds) == n*depth, "does not fit the leaves")
	pack.Below(l, "features", f.features, width)
	within(l, "bounds", f.bounds, mostValue)
	within(l, "leaves", f.leaves, mostLeaf)
}

// within checks that the absolute values of numbers are at most most.
func within(l *pack.Layout, name string, list []int32, most int32) {
	if !l.Reading() {
		return
	}
	for _, x := range list {
		if x < -most || x > most {
			l.Check(name, false, "holds a number out of range")
			return
		}
	}
}
