package cluster

import (
	"bufio"
	"bytes"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Limits of a table and of its file.
const (
	MaxRows  = 4 << 20 // words
	MaxBits  = 4096    // bits of a path
	maxBytes = 1 << 30 // of a file
	maxLine  = 1 << 16 // bytes
	maxKept  = 1 << 28 // bytes of all words and of all different bits
)

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

// Read is ReadAtMost for MaxRows words.
func Read(r io.Reader) (*Table, error) { return ReadAtMost(r, MaxRows) }

// ReadAtMost reads what Write has written, or wcluster: lines in any order, of at most
// 64 KB, at most so many words, 256 MB of them and of bits that differ, and 1 GB in all.
// A byte order mark and empty lines are skipped. A line that has other than three
// fields, bits that are not 0 and 1, no word, a word of a line before, or no count is an
// error with its number.
func ReadAtMost(r io.Reader, words int) (*Table, error) {
	t := &tableReader{first: map[string]int{}, shared: map[string]string{}, most: words}
	limited := &io.LimitedReader{R: r, N: maxBytes + 1}
	lines := bufio.NewReaderSize(limited, maxLine)
	for n := 1; ; n++ {
		line, err := lines.ReadSlice('\n')
		switch {
		case limited.N == 0:
			err = fmt.Errorf("at most %d bytes are supported", maxBytes)
		case err == nil || err == io.EOF:
			if fault := t.add(n, line); fault != nil {
				err = fault
			}
		case err == bufio.ErrBufferFull:
			err = notText(line)
			if err == nil {
				err = fmt.Errorf("longer than %d bytes: must be bits, word and count", maxLine)
			}
		}
		if err == io.EOF {
			t.table.sort()
			return &t.table, nil
		}
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
	}
}

// A tableReader makes a table of lines.
type tableReader struct {
	table  Table
	first  map[string]int    // by word: the number of its line
	shared map[string]string // bits
	most   int               // words
	bytes  int               // of words and bits
}

// add adds line n, from 1.
func (t *tableReader) add(n int, line []byte) error {
	if n == 1 {
		line = bytes.TrimPrefix(line, []byte("\ufeff"))
	}
	line = bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r"))
	if len(line) == 0 {
		return nil
	}
	row, err := parseRow(string(line))
	if err != nil {
		return cmp.Or(notText(line), err)
	}
	if before, ok := t.first[row.Word]; ok {
		return fmt.Errorf("%.40q has a class already, in line %d: leave one of the two lines out", row.Word, before)
	}
	if bits, ok := t.shared[row.Bits]; ok {
		row.Bits = bits
	} else {
		t.shared[row.Bits] = row.Bits
		t.bytes += len(row.Bits)
	}
	if t.bytes += len(row.Word); len(t.table.Rows) == t.most || t.bytes > maxKept {
		return fmt.Errorf("at most %d words are supported, and %d MB of words and bits: leave the rare ones out, as treebeam cluster does with --vocabulary", t.most, maxKept>>20)
	}
	t.first[row.Word] = n
	t.table.Rows = append(t.table.Rows, row)
	return nil
}

// parseRow parses one line.
func parseRow(line string) (r Row, err error) {
	fields := strings.Split(line, "\t")
	if len(fields) != 3 {
		what := "fields"
		if len(fields) == 1 {
			what = "field"
		}
		return r, fmt.Errorf("%d %s, must be 3 with tabs between them: bits, word, count", len(fields), what)
	}
	r.Bits, r.Word = strings.Clone(fields[0]), strings.Clone(fields[1])
	switch {
	case r.Bits == "":
		return r, fmt.Errorf("no bits before %.40q: a single class says nothing, make two or more", r.Word)
	case len(r.Bits) > MaxBits:
		return r, fmt.Errorf("bits of length %d: at most %d are supported", len(r.Bits), MaxBits)
	case strings.Trim(r.Bits, "01") != "":
		return r, fmt.Errorf("bits %.40q: must be digits 0 and 1", r.Bits)
	case r.Word == "" || !utf8.ValidString(r.Word):
		return r, fmt.Errorf("word %.40q: must be UTF-8 and not empty", r.Word)
	}
	if r.Count, err = strconv.ParseInt(fields[2], 10, 64); err != nil || r.Count < 0 {
		return r, fmt.Errorf("count %.40q: must be a number", fields[2])
	}
	return r, nil
}

// notText says why a line that is no row is not even text, nil if it is.
func notText(line []byte) error {
	const remedy = "name a file of classes, as treebeam cluster writes it"
	switch {
	case bytes.HasPrefix(line, []byte("\xff\xfe")) || bytes.HasPrefix(line, []byte("\xfe\xff")):
		return fmt.Errorf("this is UTF-16: convert it to UTF-8")
	case bytes.IndexByte(line, 0) >= 0:
		return fmt.Errorf("not text, it has a zero byte: %s", remedy)
	case !bytes.Contains(line, []byte("\t")) && !validStart(line):
		return fmt.Errorf("not text in UTF-8: %s", remedy)
	}
	return nil
}

// validStart is utf8.Valid for a text whose last character may be cut off.
func validStart(text []byte) bool {
	for len(text) > 0 {
		r, n := utf8.DecodeRune(text)
		if r == utf8.RuneError && n == 1 {
			return !utf8.FullRune(text)
		}
		text = text[n:]
	}
	return true
}
