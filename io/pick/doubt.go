// Package pick chooses trees of an output: the least certain ones, the ones most worth
// a correction, and a random sample. It reads all trees once, and the number of wanted
// trees bounds what it keeps. The same rows give the same choice, because it depends on
// integers and places alone. A choice in progress belongs to one goroutine.
package pick

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"github.com/treebeam/treebeam/io/parquet"
)

// A Doubt is the expected number of wrong words of a tree. It leaves out punctuation,
// whose heads rarely matter.
type Doubt struct {
	Wrong int64  // the expected number of wrong words, in units of 1/4096
	Words int    // that are not punctuation and have a probability
	By    string // the column that says so, as Probabilities names it
}

// Expected is the expected number of wrong words.
func (d Doubt) Expected() float64 { return float64(d.Wrong) / grain }

// grain is the number of steps of a probability from 0 to 1.
const grain = 4096

// sureWords is how many correct words are added to every sentence when sentences are
// compared. Without them the least certain sentences would all be odd fragments of a
// word or two; and a sentence costs its reader something before its first word. On
// en_ewt dev, each half calibrated on the other, the 25 least certain sentences of both
// halves had, per 100 words to read, 46 wrong ones with 0, in 4 to 11 words (the middle
// half of them), 38 with 5 in 9 to 19, 34 with 20 in 16 to 32; and 33 by the least
// certain head alone.
const sureWords = 5

// Compare orders by the share of words that are expected to be wrong, the
// larger first: -1 if a is less certain than b.
func (a Doubt) Compare(b Doubt) int {
	return cmp.Compare(b.Wrong*int64(a.Words+sureWords), a.Wrong*int64(b.Words+sureWords))
}

// Of returns the doubt about a tree, the zero Doubt if no word has a probability.
func Of(t *parquet.Tree) (d Doubt) {
	list, column := Probabilities(t)
	for i := range t.Tokens[:min(len(list), len(t.Tokens))] {
		if !IsPunctuation(t, i) {
			d.Words++
			d.Wrong += grain - steps(list[i])
			d.By = column
		}
	}
	return d
}

// Probabilities returns the best available probabilities of a tree's arcs by word, and
// their column: deprel_conf, head_conf, or, without calibration, head_marginal. The
// last orders words by certainty but is overconfident or underconfident. The list is
// nil if there is none; in rows from other sources its length may differ from the
// sentence's.
func Probabilities(t *parquet.Tree) (list []float32, column string) {
	switch {
	case len(t.DeprelConf) > 0:
		return t.DeprelConf, "deprel_conf"
	case len(t.HeadConf) > 0:
		return t.HeadConf, "head_conf"
	case len(t.HeadMarginal) > 0:
		return t.HeadMarginal, Raw
	}
	return nil, ""
}

// Raw is the column of Probabilities that is not calibrated.
const Raw = "head_marginal"

// steps is p in units of 1/4096, for any value in a row.
func steps(p float32) int64 {
	switch {
	case !(p > 0): // NaN, too
		return 0
	case p >= 1:
		return grain
	}
	return int64(p*grain + 0.5)
}

// Words returns the number of words of a tree, without punctuation.
func Words(t *parquet.Tree) (n int) {
	for i := range t.Tokens {
		if !IsPunctuation(t, i) {
			n++
		}
	}
	return n
}

// IsPunctuation reports whether word i is tagged as punctuation or, without a tag,
// consists of nothing else. Signs such as "&" or "%" are punctuation in Unicode, but
// words in a treebank.
func IsPunctuation(t *parquet.Tree, i int) bool {
	if i < len(t.UPOS) && t.UPOS[i] != "" {
		return t.UPOS[i] == "PUNCT"
	}
	return !strings.ContainsFunc(t.Tokens[i], func(r rune) bool { return !unicode.IsPunct(r) })
}

// A Best keeps the first elements, in the order of Compare, of all that are added: as
// few as have the size N together. Among equal elements, the earlier one is better. It
// holds up to twice as many. The zero value with N and Compare is ready.
type Best[T any] struct {
	N       int
	Compare func(a, b T) int
	Size    func(T) int // nil: every element has the size 1

	list  []T
	size  int // of list
	full  bool
	worst T // of the elements that were in list when it was full
}

// Wants reports whether Add would keep x.
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

// Sorted returns the kept elements, the best first.
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

// A Lowest keeps the least certain of the trees that are added. It keeps trees without
// probabilities last.
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
