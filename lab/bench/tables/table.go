package tables

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/treebeam/treebeam/io/store"
)

// A Table is a file of lab/results. It begins with lines "# key: value", which say how
// its figures were measured. A line with the names of the columns follows, then the
// rows. Cells are separated by tabs; an empty cell was not measured.
type Table struct {
	About   []string // the first lines, without "# "
	Columns []string
	Rows    [][]string // each as long as Columns
}

// Read reads a table. Errors name the file and the line.
func Read(path string) (*Table, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	t := &Table{}
	for i, line := range strings.Split(strings.TrimSuffix(string(text), "\n"), "\n") {
		if about, ok := strings.CutPrefix(line, "# "); ok && t.Columns == nil {
			t.About = append(t.About, about)
			continue
		}
		cells := strings.Split(line, "\t")
		if t.Columns == nil {
			t.Columns = cells
			continue
		}
		if len(cells) != len(t.Columns) {
			return nil, fmt.Errorf("%s: line %d: %d cells, and %d columns have names", path, i+1, len(cells), len(t.Columns))
		}
		t.Rows = append(t.Rows, cells)
	}
	if len(t.Rows) == 0 {
		return nil, fmt.Errorf("%s: no rows", path)
	}
	return t, nil
}

// Write writes the table in the place of the file.
func (t *Table) Write(path string) error {
	var b strings.Builder
	for _, about := range t.About {
		b.WriteString("# " + about + "\n")
	}
	for _, cells := range append([][]string{t.Columns}, t.Rows...) {
		b.WriteString(strings.Join(cells, "\t") + "\n")
	}
	return store.ReplaceFile(path, []byte(b.String()))
}

// Cell returns the cell of a row in a column; "" if row is nil or there is no such column.
func (t *Table) Cell(row []string, column string) string {
	if k := slices.Index(t.Columns, column); k >= 0 && k < len(row) {
		return row[k]
	}
	return ""
}

// Find returns the first row that has the given cells, named as column and cell in
// turns; nil if there is none.
func (t *Table) Find(cells ...string) []string {
	for _, row := range t.Rows {
		same := true
		for i := 0; i < len(cells); i += 2 {
			same = same && t.Cell(row, cells[i]) == cells[i+1]
		}
		if same {
			return row
		}
	}
	return nil
}

// about returns the value of a first line "# key: value"; "" if there is none.
func (t *Table) about(key string) string {
	for _, line := range t.About {
		if value, ok := strings.CutPrefix(line, key+": "); ok {
			return value
		}
	}
	return ""
}
