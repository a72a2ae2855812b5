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
	Doubt    Doubt
	Rank     int // from 1, the least certain first; 0 in a sample that is drawn by lot
	at       int // number of its row
}

// A Lot draws N sentences by lot, each as likely as any other: it keeps those
// whose places have the smallest hashes. The same seed draws the same from the
// same documents, wherever they are. At most 2N sentences are in memory.
type Lot struct {
	N    int
	Seed uint64

	documents documents
	list      []drawn
	full      bool   // N of list have hashes up to limit
	limit     uint64 // once it was cut
}

type drawn struct {
	hash uint64
	Chosen
}

// Skip passes over a tree that may not be chosen, but may begin a document.
func (l *Lot) Skip(t *parquet.Tree) { l.documents.of(t) }

// Add offers a tree in its place in the input; text makes what is kept of it.
func (l *Lot) Add(t *parquet.Tree, text func() []byte) {
	at, document := l.documents.of(t)
	place := binary.LittleEndian.AppendUint64(nil, l.Seed)
	for _, part := range []string{t.SourceVersion, t.DocID} {
		place = append(append(place, part...), 0)
	}
	h := xxhash.Sum64(binary.LittleEndian.AppendUint64(place, uint64(t.StartByte)))
	if l.full && h > l.limit {
		return
	}
	l.list = append(l.list, drawn{h, Chosen{Text: text(), Document: document, Doubt: Of(t), at: at}})
	if len(l.list) >= 2*l.N {
		l.cut()
	}
}

func (l *Lot) cut() {
	slices.SortFunc(l.list, func(a, b drawn) int { return cmp.Or(cmp.Compare(a.hash, b.hash), cmp.Compare(a.at, b.at)) })
	if len(l.list) >= l.N {
		clear(l.list[l.N:])
		l.list = l.list[:l.N]
		l.full, l.limit = true, l.list[l.N-1].hash
	}
}

// Chosen returns the sample in the order of the input.
func (l *Lot) Chosen() []Chosen {
	l.cut()
	list := make([]Chosen, len(l.list))
	for i := range l.list {
		list[i] = l.list[i].Chosen
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
