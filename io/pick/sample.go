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

// A Chosen sentence is one of a sample.
type Chosen struct {
	Text     []byte // what the caller made of its row
	Document string // the id of its document
	Opens    bool   // it does not follow on the one before it
	Doubt    Doubt
	Rank     int // from 1, the least certain first; 0 in a sample that is drawn by lot
	at       int // number of its row
}

// A Lot draws sentences by lot, each as likely as any other: it keeps those whose
// places have the smallest hashes. The same seed draws the same from the same
// documents, wherever they are. In memory are 2N sentences and a stretch.
type Lot struct {
	N    int
	Seed uint64
	// Stretch is how many sentences of a paragraph, one after the other, are drawn
	// together at most: whole paragraphs, longer ones in parts. 0 and 1 draw
	// single sentences. With more, so many stretches are drawn as have N sentences.
	Stretch int

	documents documents
	document  int // number of that of the last row
	length    int // sentences of the stretch that passes by; 0 if none does
	drawing   bool
	list      []drawn
	sentences int    // in list
	full      bool   // those of list with hashes up to limit have N
	limit     uint64 // once it was cut
}

// drawn is a stretch.
type drawn struct {
	hash uint64
	list []Chosen
}

// Skip passes over a tree that may not be chosen, but may begin a document. What
// follows it is another stretch.
func (l *Lot) Skip(t *parquet.Tree) {
	l.documents.of(t)
	l.length = 0
}

// Add offers a tree in its place in the input; text makes what is kept of it.
func (l *Lot) Add(t *parquet.Tree, text func() []byte) {
	at, name := l.documents.of(t)
	if l.length == 0 || l.length >= l.Stretch || l.document != l.documents.n || conllu.BeginsParagraph(t.Comments) {
		if l.sentences >= 2*l.N {
			l.cut()
		}
		h := l.hash(t)
		l.length, l.drawing = 0, !l.full || h <= l.limit
		if l.drawing {
			l.list = append(l.list, drawn{hash: h})
		}
	}
	l.document = l.documents.n
	l.length++
	if l.drawing {
		last := &l.list[len(l.list)-1]
		last.list = append(last.list, Chosen{Text: text(), Document: name, Opens: l.length == 1, Doubt: Of(t), at: at})
		l.sentences++
	}
}

// hash is of the place of a tree, whatever is in it.
func (l *Lot) hash(t *parquet.Tree) uint64 {
	place := binary.LittleEndian.AppendUint64(nil, l.Seed)
	for _, part := range []string{t.SourceVersion, t.DocID} {
		place = append(append(place, part...), 0)
	}
	return xxhash.Sum64(binary.LittleEndian.AppendUint64(place, uint64(t.StartByte)))
}

// cut leaves as many stretches as have N sentences.
func (l *Lot) cut() {
	slices.SortFunc(l.list, func(a, b drawn) int {
		return cmp.Or(cmp.Compare(a.hash, b.hash), cmp.Compare(a.list[0].at, b.list[0].at))
	})
	l.sentences = 0
	for i := range l.list {
		if l.sentences += len(l.list[i].list); l.sentences >= l.N {
			clear(l.list[i+1:])
			l.list = l.list[:i+1]
			l.full, l.limit = true, l.list[i].hash
			return
		}
	}
}

// Chosen returns the sample in the order of the input.
func (l *Lot) Chosen() []Chosen {
	l.cut()
	var list []Chosen
	for i := range l.list {
		list = append(list, l.list[i].list...)
	}
	return inOrder(list)
}

func inOrder(list []Chosen) []Chosen {
	slices.SortFunc(list, func(a, b Chosen) int { return cmp.Compare(a.at, b.at) })
	return list
}

// documents tells the documents of rows apart that come in their order: what
// stands together under one doc_id, and in it what a comment "# newdoc" begins.
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

// TextKey is equal for sentences that say the same to who corrects them: case,
// digits and punctuation do not count.
func TextKey(forms []string) uint64 {
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
