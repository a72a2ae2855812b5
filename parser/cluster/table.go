package cluster

import (
	"bufio"
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

// Read reads what Write has written, or wcluster: lines in any order, of at most 64
// KB, at most MaxRows words and 1 GB in all. Empty lines are skipped. A line that has
// other than three fields, bits that are not 0 and 1, no word, a word of a line
// before, or no count is an error with its number.
func Read(r io.Reader) (*Table, error) {
	limited := &io.LimitedReader{R: r, N: maxBytes + 1}
	lines := bufio.NewScanner(limited)
	lines.Buffer(nil, maxLine)
	t := &Table{}
	first := map[string]int{} // by word: the number of its line
	shared := map[string]string{}
	n := 0
	for lines.Scan() {
		n++
		line := strings.TrimSuffix(lines.Text(), "\r")
		if line == "" {
			continue
		}
		row, err := parseRow(line)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		if before, ok := first[row.Word]; ok {
			return nil, fmt.Errorf("line %d: %q has a class already, in line %d", n, row.Word, before)
		}
		if len(t.Rows) == MaxRows {
			return nil, fmt.Errorf("line %d: at most %d words are supported", n, MaxRows)
		}
		first[row.Word] = n
		if bits, ok := shared[row.Bits]; ok {
			row.Bits = bits
		} else {
			shared[row.Bits] = row.Bits
		}
		t.Rows = append(t.Rows, row)
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("line %d: %w", n+1, err)
	}
	if limited.N == 0 {
		return nil, fmt.Errorf("at most %d bytes are supported", maxBytes)
	}
	t.sort()
	return t, nil
}

// parseRow parses one line. Words are copied out of it.
func parseRow(line string) (r Row, err error) {
	fields := strings.Split(line, "\t")
	if len(fields) != 3 {
		return r, fmt.Errorf("%d fields, must be 3 with tabs between them: bits, word, count", len(fields))
	}
	r.Bits, r.Word = strings.Clone(fields[0]), strings.Clone(fields[1])
	if strings.Trim(r.Bits, "01") != "" || len(r.Bits) > MaxBits {
		return r, fmt.Errorf("bits %.40q: must be up to %d digits 0 and 1", r.Bits, MaxBits)
	}
	if r.Word == "" || !utf8.ValidString(r.Word) {
		return r, fmt.Errorf("word %.40q: must be UTF-8 and not empty", r.Word)
	}
	if r.Count, err = strconv.ParseInt(fields[2], 10, 64); err != nil || r.Count < 0 {
		return r, fmt.Errorf("count %.40q: must be a number", fields[2])
	}
	return r, nil
}
