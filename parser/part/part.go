package part

import (
	"cmp"
	"slices"

	"github.com/treebeam/treebeam/parser/hash"
	"github.com/treebeam/treebeam/parser/syntax"
)

// A Part is a scored part of a tree: its Kind, and up to four numbers that its family
// defines, such as words, Start and End. Two parts are equal if and only if their
// integers are.
type Part uint64

// A Kind identifies a Family: it is the index of the Family in the list of families.
type Kind uint8

// arcs is the Kind of the arcs, which every tree has and every model scores:
// a = head, b = modifier.
const arcs Kind = 31

// Bits of the fields of a part. The last two fields also hold numbers other
// than words. Start and End are stored as 1 and 0.
const (
	wordBits  = 10
	fieldBits = 14
	partBits  = 5 + 2*wordBits + 2*fieldBits
	bias      = 2
)

// The bits suffice: a negative constant would not compile.
const _ = uint(1<<wordBits - 1 - bias - (syntax.MaxWholeWords + 1))

// Part returns the part of kind k with these numbers: a and b from End to 1<<10 - 3, c
// and d from End to 1<<14 - 3.
func (k Kind) Part(a, b, c, d int32) Part {
	const biases = bias<<(wordBits+2*fieldBits) + bias<<(2*fieldBits) + bias<<fieldBits + bias
	return Part(k)<<(2*wordBits+2*fieldBits) + Part(a)<<(wordBits+2*fieldBits) + Part(b)<<(2*fieldBits) +
		Part(c)<<fieldBits + Part(d) + biases
}

// Kind returns the Kind of p.
func (p Part) Kind() Kind { return Kind(p >> (2*wordBits + 2*fieldBits)) }

// Fields returns the four numbers of p.
func (p Part) Fields() (a, b, c, d int) {
	const words, fields = 1<<wordBits - 1, 1<<fieldBits - 1
	return int(p>>(wordBits+2*fieldBits)&words) - bias, int(p>>(2*fieldBits)&words) - bias,
		int(p>>fieldBits&fields) - bias, int(p&fields) - bias
}

// templates returns the number of the first of the 64 templates of p's family.
// Those of arcs are below 256.
func (p Part) templates() uint64 { return uint64(p.Kind()+4) << 6 }

// A Family defines one kind of parts; no other package knows more of it. Its functions
// may use the scratch in Scores and must not allocate in steady state.
type Family struct {
	Name string

	// Visit appends the parts of tree y that belong to a word. Every part belongs to
	// exactly one word. Training, totals and the tests of Gain enumerate parts only by
	// Visit.
	Visit func(k Kind, x *Scores, y *Tree, word int32, list []Part) []Part

	// Keys appends the feature keys of a part, one for each template.
	Keys func(x *Scores, p Part, buf []hash.Key) []hash.Key

	// Gain returns the score of the parts that y has because v.Word is a child of
	// v.Head, less the score of the parts that v.Head would have without it. It calls
	// Score for each part. A family without Gain is global: it is scored in whole trees
	// only.
	Gain func(k Kind, x *Scores, y *Tree, v *Move) int32

	Lists bool // Gain reads the neighbours in a Move

	fast, standard bool // it is in these presets
}

// A Move is a word and a possible head of it. Arc is the index of their arc.
type Move struct {
	Word, Head, Arc int32

	// Neighbours of Word in the extended child list of Head, if Head is not 0
	// and some family looks at Lists: left2 < left < Word < right < right2; left2
	// and right2 may be none.
	left2, left, right, right2 int32
}

// Difference returns the parts of a that are not in b as plus, and the parts of b that
// are not in a as minus, with multiplicity. It sorts a and b in place.
func Difference(a, b []Part) (plus, minus []Part) {
	slices.Sort(a)
	slices.Sort(b)
	for len(a) > 0 && len(b) > 0 {
		switch cmp.Compare(a[0], b[0]) {
		case -1:
			plus, a = append(plus, a[0]), a[1:]
		case 1:
			minus, b = append(minus, b[0]), b[1:]
		default:
			a, b = a[1:], b[1:]
		}
	}
	return append(plus, a...), append(minus, b...)
}
