package pick

import (
	"cmp"
	"slices"

	"github.com/treebeam/treebeam/io/parquet"
)

// A Lowest keeps the N least certain of the trees that it is given, in memory
// for twice that many. Trees without probabilities are the last to be kept.
type Lowest struct {
	N    int
	list []doubted
}

type doubted struct {
	doubt Doubt
	tree  *parquet.Tree
}

// Add offers a tree, whose lists must not change afterwards.
func (l *Lowest) Add(t *parquet.Tree) {
	d := Of(t)
	if len(l.list) >= 2*l.N {
		l.cut()
	}
	kept := *t // t itself would keep all rows that were read with it
	l.list = append(l.list, doubted{d, &kept})
}

func (l *Lowest) cut() {
	known := func(d Doubt) int {
		if d.Words > 0 {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(l.list, func(a, b doubted) int {
		return cmp.Or(cmp.Compare(known(a.doubt), known(b.doubt)), a.doubt.Compare(b.doubt))
	})
	if len(l.list) > l.N {
		clear(l.list[l.N:])
		l.list = l.list[:l.N]
	}
}

// Trees returns the trees, the least certain first; those that are equally
// certain in the order in which they came.
func (l *Lowest) Trees() []*parquet.Tree {
	l.cut()
	trees := make([]*parquet.Tree, len(l.list))
	for i := range l.list {
		trees[i] = l.list[i].tree
	}
	return trees
}
