package pick

import (
	"cmp"
	"slices"

	"github.com/treebeam/treebeam/io/parquet"
)

// An Uncertain sample has the N sentences that are most worth a correction: in
// which, for the words that have to be read, most are expected to be wrong
// (Doubt.Compare), and which are not all alike:
//
//   - Sentences of four classes of length are chosen apart, as many of each as
//     the output has sentences of such a length (highest averages, Sainte-Laguë).
//   - In a class, a document gives up to 1 in 40 of N. Only if all documents
//     together have too few, each gives as many again, and so on in rounds.
//   - A text comes once (TextKey).
//
// What it has in memory are 16N sentences at most: of each class 2N of the
// document that passes by, and 2N of those before. They are the same as if all
// had been kept.
type Uncertain struct {
	N int

	// How many of the sentences that were given cannot be chosen.
	Unknown int // they have no probabilities
	Sure    int // nothing in them is expected to be wrong

	documents documents
	document  int // number of that which passes by
	classes   [len(classEnds) + 1]class
}

// classEnds are the longest sentences of each class but the last, in words
// without punctuation.
var classEnds = [...]int{9, 17, 27}

// perDocument is which part of N a document gives to a class in a round: all
// classes together a tenth.
const perDocument = 40

// A class has the sentences of some lengths.
type class struct {
	sentences int64 // that were offered
	passing   top   // of the document that passes by: all of round 0
	before    top   // of the documents before, each in its round
}

// An item may be chosen.
type item struct {
	Chosen
	key   uint64 // of its text
	round int
}

func (a *item) compare(b *item) int {
	return cmp.Or(cmp.Compare(a.round, b.round), a.Doubt.Compare(b.Doubt), cmp.Compare(a.at, b.at))
}

// A top keeps the n best items, each text once.
type top struct {
	list  []*item
	byKey map[uint64]*item
	worst *item // that a new one has to beat; nil if there are less than n
}

// offer takes x unless there are n better ones, or a better one of the same
// text, and says whether it did.
func (t *top) offer(x *item, n int) bool {
	if old := t.byKey[x.key]; old != nil {
		if old.compare(x) <= 0 {
			return false
		}
		*old = *x
		return true
	}
	if t.worst != nil && x.compare(t.worst) >= 0 {
		return false
	}
	if t.byKey == nil {
		t.byKey = map[uint64]*item{}
	}
	t.list, t.byKey[x.key] = append(t.list, x), x
	if len(t.list) >= 2*n {
		t.cut(n)
	}
	return true
}

// cut sorts the list and leaves no more than n.
func (t *top) cut(n int) {
	slices.SortFunc(t.list, (*item).compare)
	if len(t.list) < n {
		return
	}
	for _, x := range t.list[n:] {
		delete(t.byKey, x.key)
	}
	clear(t.list[n:])
	t.list = t.list[:n]
	worst := *t.list[n-1] // what is replaced in its place is only better
	t.worst = &worst
}

func (t *top) clear() {
	if len(t.list) > 0 {
		clear(t.list)
		*t = top{list: t.list[:0]} // to clear a map takes the time of all that it ever had
	}
}

// Skip passes over a tree that may not be chosen, but may begin a document.
func (u *Uncertain) Skip(t *parquet.Tree) { u.pass(t) }

// pass returns the number of a row and the name of its document, after it has
// ended the one before.
func (u *Uncertain) pass(t *parquet.Tree) (at int, name string) {
	at, name = u.documents.of(t)
	if u.documents.n != u.document {
		u.endDocument()
		u.document = u.documents.n
	}
	return at, name
}

// Add offers a tree in its place in the input; text makes what is kept of it.
func (u *Uncertain) Add(t *parquet.Tree, text func() []byte) {
	at, name := u.pass(t)
	d := Of(t)
	switch {
	case d.Words == 0:
		u.Unknown++
		return
	case d.Wrong == 0:
		u.Sure++
		return
	}
	i, _ := slices.BinarySearch(classEnds[:], d.Words)
	c := &u.classes[i]
	c.sentences++
	x := &item{Chosen: Chosen{Document: name, Opens: true, Doubt: d, at: at}}
	for _, t := range []*top{&c.passing, &c.before} {
		if t.worst != nil && x.compare(t.worst) >= 0 {
			return // without making its text: most sentences end here
		}
	}
	x.key, x.Text = TextKey(t.Tokens), text()
	c.passing.offer(x, u.N)
}

// endDocument puts the sentences of a document, the best first, into rounds and
// among those of the documents before it.
func (u *Uncertain) endDocument() {
	most := max(u.N/perDocument, 1)
	for i := range u.classes {
		c := &u.classes[i]
		c.passing.cut(u.N)
		given := 0
		for _, x := range c.passing.list {
			x.round = given / most
			if c.before.offer(x, u.N) {
				given++
			}
		}
		c.passing.clear()
	}
}

// Chosen returns the sample in the order of the input.
func (u *Uncertain) Chosen() []Chosen {
	u.endDocument()
	var seats [len(classEnds) + 1]int
	for i := range u.classes {
		u.classes[i].before.cut(u.N)
	}
	var list []Chosen
	for len(list) < u.N {
		best := -1
		for i := range u.classes {
			c := &u.classes[i]
			if seats[i] < len(c.before.list) && (best < 0 ||
				c.sentences*int64(2*seats[best]+1) > u.classes[best].sentences*int64(2*seats[i]+1)) {
				best = i
			}
		}
		if best < 0 {
			break
		}
		list = append(list, u.classes[best].before.list[seats[best]].Chosen)
		seats[best]++
	}
	slices.SortFunc(list, func(a, b Chosen) int { return cmp.Or(a.Doubt.Compare(b.Doubt), cmp.Compare(a.at, b.at)) })
	for i := range list {
		list[i].Rank = i + 1
	}
	return inOrder(list)
}
