package pick

import (
	"cmp"
	"encoding/binary"
	"slices"
	"strings"
	"unicode"

	"github.com/cespare/xxhash/v2"

	"github.com/treebeam/treebeam/io/conllu"
	"github.com/treebeam/treebeam/io/parquet"
)

// A Chosen is a sentence of a sample.
type Chosen struct {
	Text     []byte // what the caller made of its row
	Document string // the id of its document
	Opens    bool   // it does not follow on the one before it
	Doubt    Doubt
	Rank     int // from 1, the least certain first; 0 in a sample that is drawn by lot
	at       int // number of its row
	document int // number of its document
}

func inOrder(list []Chosen) []Chosen {
	slices.SortFunc(list, func(a, b Chosen) int { return cmp.Compare(a.at, b.at) })
	return list
}

// A lot draws a random sample of sentences, each as likely as any other. It keeps the
// sentences whose places have the smallest hashes. The same seed draws the same
// sentences from the same documents, wherever these are stored. It holds 2N sentences
// and two stretches in memory.
type lot struct {
	Seed uint64
	// Stretch is how many sentences of a paragraph, one after the other, are drawn
	// together at most: whole paragraphs, longer ones in parts. 0 and 1 draw single
	// sentences. With more, as many stretches are drawn as have N sentences together.
	Stretch int

	documents documents
	document  int // number of the last row's document
	length    int // sentences of the stretch that passes by; 0 if none does
	passing   stretch
	best      Best[stretch]
}

type stretch struct {
	hash uint64
	at   int
	list []Chosen // nil if it cannot be among the best
}

// newLot returns the lot of n sentences.
func newLot(n int) *lot {
	return &lot{best: Best[stretch]{
		N:       n,
		Compare: func(a, b stretch) int { return cmp.Or(cmp.Compare(a.hash, b.hash), cmp.Compare(a.at, b.at)) },
		Size:    func(s stretch) int { return len(s.list) },
	}}
}

// skip skips a tree that may not be chosen, but may begin a document. Another stretch
// begins after it.
func (l *lot) skip(t *parquet.Tree) {
	l.documents.of(t)
	l.length = 0
}

// add offers a tree in its place in the input; text makes what is kept of it.
func (l *lot) add(t *parquet.Tree, text func() []byte) {
	at, name := l.documents.of(t)
	if l.length == 0 || l.length >= l.Stretch || l.document != l.documents.n || conllu.BeginsParagraph(t.Comments) {
		l.end()
		l.passing = stretch{hash: l.hash(t), at: at}
	}
	l.document = l.documents.n
	l.length++
	if l.best.Wants(l.passing) {
		l.passing.list = append(l.passing.list, Chosen{Text: text(), Document: name, Opens: l.length == 1, Doubt: Of(t), at: at, document: l.document})
	}
}

// end offers the stretch that has passed by.
func (l *lot) end() {
	if l.passing.list != nil {
		l.best.Add(l.passing)
	}
	l.passing, l.length = stretch{}, 0
}

// hash is a hash of the place of a tree, not of its content.
func (l *lot) hash(t *parquet.Tree) uint64 {
	place := binary.LittleEndian.AppendUint64(nil, l.Seed)
	place = append(append(place, t.DocID...), 0)
	return xxhash.Sum64(binary.LittleEndian.AppendUint64(place, uint64(t.StartByte)))
}

// chosen returns the sample in the order of the input.
func (l *lot) chosen() (list []Chosen) {
	l.end()
	for _, s := range l.best.Sorted() {
		list = append(list, s.list...)
	}
	return inOrder(list)
}

// An uncertain sample has the N sentences that most need correction. They have the most
// expected errors for the words that have to be read (Doubt.Compare), and they vary:
//
//   - Each of four classes of length has its share of the sentences and is chosen
//     separately.
//   - In a class, a document contributes up to 1 in 40 of N. If all documents together
//     have too few, each contributes as many again, and so on.
//   - No text is repeated (textKey).
//
// It holds at most 2N sentences of each class in memory.
type uncertain struct {
	N int

	// How many of the sentences that were given cannot be chosen.
	Unknown int // they have no probabilities
	Sure    int // nothing in them is expected to be wrong

	documents documents
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
	sentences int // that were offered
	list      []item
	worst     *item // of N that were kept
}

// An item may be chosen.
type item struct {
	Chosen
	key   uint64 // of its text
	round int    // the round in which its document gives it
}

func (x item) compare(y item) int {
	return cmp.Or(cmp.Compare(x.round, y.round), x.Doubt.Compare(y.Doubt), cmp.Compare(x.at, y.at))
}

// cut sorts the list by rounds and leaves n items with different texts.
func (c *class) cut(n int) {
	type text struct {
		document int // 0: any
		key      uint64
	}
	again := map[text]bool{}
	isAgain := func(t text) bool {
		defer func() { again[t] = true }()
		return again[t]
	}
	given := map[int]int{} // by document
	for i := range c.list {
		c.list[i].round = 0
	}
	slices.SortFunc(c.list, item.compare)
	c.list = slices.DeleteFunc(c.list, func(x item) bool { return isAgain(text{x.document, x.key}) })
	for i := range c.list {
		x := &c.list[i]
		x.round = given[x.document] / max(n/perDocument, 1)
		given[x.document]++
	}
	slices.SortFunc(c.list, item.compare)
	c.list = slices.DeleteFunc(c.list, func(x item) bool { return isAgain(text{0, x.key}) })
	if len(c.list) >= n {
		clear(c.list[n:])
		c.list = c.list[:n]
		worst := c.list[n-1]
		c.worst = &worst
	}
}

// skip skips a tree that may not be chosen, but may begin a document.
func (u *uncertain) skip(t *parquet.Tree) { u.documents.of(t) }

// add offers a tree in its place in the input; text makes what is kept of it.
func (u *uncertain) add(t *parquet.Tree, text func() []byte) {
	at, name := u.documents.of(t)
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
	x := item{Chosen: Chosen{Document: name, Opens: true, Doubt: d, at: at, document: u.documents.n}, key: textKey(t.Tokens)}
	if c.worst != nil && x.compare(*c.worst) >= 0 {
		return // without making its text: most sentences end here
	}
	x.Text = text()
	if c.list = append(c.list, x); len(c.list) >= 2*u.N {
		c.cut(u.N)
	}
}

// chosen returns the sample in the order of the input.
func (u *uncertain) chosen() []Chosen {
	for i := range u.classes {
		u.classes[i].cut(u.N)
	}
	var list []Chosen
	var given [len(u.classes)]int
	said := map[uint64]bool{} // a sign may be a word in one class and none in another
	for len(list) < u.N {
		// The class is next that has given the least for its sentences.
		next := -1
		for i := range u.classes {
			c := &u.classes[i]
			if given[i] < len(c.list) && (next < 0 || c.sentences*(2*given[next]+1) > u.classes[next].sentences*(2*given[i]+1)) {
				next = i
			}
		}
		if next < 0 {
			break
		}
		x := &u.classes[next].list[given[next]]
		given[next]++
		if !said[x.key] {
			said[x.key] = true
			list = append(list, x.Chosen)
		}
	}
	slices.SortFunc(list, func(a, b Chosen) int { return cmp.Or(a.Doubt.Compare(b.Doubt), cmp.Compare(a.at, b.at)) })
	for i := range list {
		list[i].Rank = i + 1
	}
	return inOrder(list)
}

// documents separates the documents of rows that come in order. A document is a run of
// rows with one doc_id; a comment "# newdoc" begins another document in it.
type documents struct {
	rows, n    int // so far
	source, id string
	name       string
}

// of returns the number of a row, from 1, and the name of its document.
func (d *documents) of(t *parquet.Tree) (row int, name string) {
	d.rows++
	if d.n == 0 || t.SourceURI != d.source || t.DocID != d.id {
		d.n++
		d.source, d.id, d.name = strings.Clone(t.SourceURI), strings.Clone(t.DocID), strings.Clone(t.DocID)
	}
	for _, comment := range t.Comments {
		if key, value := conllu.Comment(comment); key == "newdoc" || strings.HasPrefix(key, "newdoc ") {
			d.n++
			d.name = strings.Clone(cmp.Or(value, d.id))
		}
	}
	return d.rows, d.name
}

// textKey is equal for sentences that are the same to a corrector: case, digits and
// punctuation do not count.
func textKey(forms []string) uint64 {
	var text []byte
	for _, form := range forms {
		words := len(text)
		for _, r := range form {
			switch {
			case unicode.IsDigit(r):
				text = append(text, '0')
			case !unicode.IsPunct(r):
				text = append(text, string(unicode.ToLower(r))...)
			}
		}
		if len(text) > words {
			text = append(text, 0)
		}
	}
	return xxhash.Sum64(text)
}
