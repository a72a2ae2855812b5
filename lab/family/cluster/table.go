package cluster

import (
	"bufio"
	"cmp"
	"io"
	"slices"
	"strconv"
	"strings"
)

// MaxRows is the largest number of words of a table.
const MaxRows = 4 << 20

// A Row is a word, the path of its class, of digits 0 and 1, and how often the text
// has it.
type Row struct {
	Bits  string
	Word  string
	Count int64
}

// A Table says of which class words are. A prefix of a class's bits is a coarser
// class if Brown made the table. The zero Table has no words. It is read-only.
type Table struct {
	Rows []Row // by bits, then the most frequent first, then by word
}

// sort puts the rows into the order of the file.
func (t *Table) sort() {
	slices.SortFunc(t.Rows, func(a, b Row) int {
		return cmp.Or(strings.Compare(a.Bits, b.Bits), cmp.Compare(b.Count, a.Count), strings.Compare(a.Word, b.Word))
	})
}

// Classes returns how many different paths the table has.
func (t *Table) Classes() (n int) {
	for i := range t.Rows {
		if i == 0 || t.Rows[i].Bits != t.Rows[i-1].Bits {
			n++
		}
	}
	return n
}

// Map returns the bits of every word.
func (t *Table) Map() map[string]string {
	m := make(map[string]string, len(t.Rows))
	for _, r := range t.Rows {
		m[r.Word] = r.Bits
	}
	return m
}

// Write writes a line for each word: bits, word and count, with tabs between them.
// It is what wcluster (Liang 2005) calls paths.
func (t *Table) Write(w io.Writer) error {
	b := bufio.NewWriter(w)
	for _, r := range t.Rows {
		b.WriteString(r.Bits)
		b.WriteByte('\t')
		b.WriteString(r.Word)
		b.WriteByte('\t')
		b.WriteString(strconv.FormatInt(r.Count, 10))
		b.WriteByte('\n')
	}
	return b.Flush()
}
