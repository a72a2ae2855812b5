package pick

import (
	"slices"

	"github.com/treebeam/treebeam/io/parquet"
)

// A Best has the first elements, in the order of Compare, of all that it is given: as
// few as have the size N together. Among equal elements the earlier one is better. It
// holds twice as many. The zero value with N and Compare is ready.
type Best[T any] struct {
	N       int
	Compare func(a, b T) int
	Size    func(T) int // nil: every element has the size 1

	list  []T
	size  int // of list
	full  bool
	worst T // of the elements that were in list when it was full
}

// Wants says whether Add would keep x.
func (b *Best[T]) Wants(x T) bool { return b.N > 0 && (!b.full || b.Compare(x, b.worst) < 0) }

// Add offers an element.
func (b *Best[T]) Add(x T) {
	if !b.Wants(x) {
		return
	}
	b.list = append(b.list, x)
	if b.size += b.sizeOf(x); b.size >= 2*b.N {
		b.Sorted()
	}
}

func (b *Best[T]) sizeOf(x T) int {
	if b.Size == nil {
		return 1
	}
	return b.Size(x)
}

// Sorted returns what is kept, the best first.
func (b *Best[T]) Sorted() []T {
	slices.SortStableFunc(b.list, b.Compare)
	b.size = 0
	for i, x := range b.list {
		if b.size += b.sizeOf(x); b.size >= b.N {
			clear(b.list[i+1:])
			b.list = b.list[:i+1]
			b.full, b.worst = true, x
			break
		}
	}
	return b.list
}

// A Lowest has the least certain of the trees that it is given. Trees without
// probabilities are the last to be kept.
type Lowest struct{ best Best[doubted] }

type doubted struct {
	doubt Doubt
	tree  *parquet.Tree
}

// NewLowest returns the Lowest of n trees.
func NewLowest(n int) *Lowest {
	return &Lowest{Best[doubted]{N: n, Compare: func(a, b doubted) int {
		if known := a.doubt.Words > 0; known != (b.doubt.Words > 0) {
			if known {
				return -1
			}
			return 1
		}
		return a.doubt.Compare(b.doubt)
	}}}
}

// Add offers a tree, which must not change afterwards.
func (l *Lowest) Add(t *parquet.Tree) { l.best.Add(doubted{Of(t), t}) }

// Trees returns the trees, the least certain first; equally certain trees are in the
// order in which they came.
func (l *Lowest) Trees() (trees []*parquet.Tree) {
	for _, d := range l.best.Sorted() {
		trees = append(trees, d.tree)
	}
	return trees
}
