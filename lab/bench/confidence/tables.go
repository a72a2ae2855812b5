package confidence

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/treebeam/treebeam/io/store"
)

// A table is what was measured: figures are texts with a fixed number of digits,
// so that a figure is drawn from what stands in the file.
type table struct {
	name    string // of its file
	columns []string
	rows    [][]string
}

// add adds a row: floats have the digits that fixed gave them, all else is as
// fmt.Sprint has it.
func (t *table) add(cells ...any) {
	row := make([]string, len(cells))
	for i, c := range cells {
		row[i] = fmt.Sprint(c)
	}
	t.rows = append(t.rows, row)
}

// percent writes a share in percent, part one in [0,1] with four digits.
func percent(share float64) string { return strconv.FormatFloat(100*share, 'f', 2, 64) }
func part(share float64) string    { return strconv.FormatFloat(share, 'f', 4, 64) }

// tsv is the table apart by tabs, below a line of the names of its columns.
func (t *table) tsv() []byte {
	var b bytes.Buffer
	for _, row := range append([][]string{t.columns}, t.rows...) {
		b.WriteString(strings.Join(row, "\t") + "\n")
	}
	return b.Bytes()
}

// markdown is the table for a page.
func (t *table) markdown() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "| %s |\n|%s\n", strings.Join(t.columns, " | "), strings.Repeat("---|", len(t.columns)))
	for _, row := range t.rows {
		fmt.Fprintf(&b, "| %s |\n", strings.Join(row, " | "))
	}
	return b.Bytes()
}

// file is the path of a table or figure that was made with -output prefix.
func file(prefix, name, extension string) string { return prefix + "-" + name + "." + extension }

func (t *table) write(prefix string) error {
	return store.ReplaceFile(file(prefix, t.name, "tsv"), t.tsv())
}

// readTable reads what write wrote, and checks its columns.
func readTable(prefix string, want *table) (*table, error) {
	path := file(prefix, want.name, "tsv")
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	t := &table{name: want.name, columns: want.columns}
	for i, line := range strings.Split(strings.TrimSuffix(string(text), "\n"), "\n") {
		row := strings.Split(line, "\t")
		switch {
		case i == 0 && !slices.Equal(row, want.columns):
			return nil, fmt.Errorf("%s: columns %q, want %q", path, row, want.columns)
		case len(row) != len(want.columns):
			return nil, fmt.Errorf("%s, line %d: %d columns, want %d", path, i+1, len(row), len(want.columns))
		case i > 0:
			t.rows = append(t.rows, row)
		}
	}
	return t, nil
}

// A curve is one line of a panel.
type curve struct {
	treebank, model string
	points          []point
}

// A point of a curve; cases is 0 where nobody counts them.
type point struct {
	x, y  float64
	cases float64
}

// curves reads points out of the columns x, y and, if it has one, cases, of those
// rows that keep says; a line for each treebank and model, in their order.
func (t *table) curves(x, y, cases string, keep func(cell func(string) string) bool) ([]curve, error) {
	var list []curve
	for i, row := range t.rows {
		cell := func(column string) string { return row[slices.Index(t.columns, column)] }
		if !keep(cell) {
			continue
		}
		var p point
		for _, f := range []struct {
			column string
			to     *float64
		}{{x, &p.x}, {y, &p.y}, {cases, &p.cases}} {
			if f.column == "" {
				continue
			}
			v, err := strconv.ParseFloat(cell(f.column), 64)
			if err != nil || !(v >= 0 && v <= 1e9) {
				return nil, fmt.Errorf("%s, line %d: %s %q: want a number from 0", filepath.Base(t.name), i+2, f.column, cell(f.column))
			}
			*f.to = v
		}
		same := func(c curve) bool { return c.treebank == cell("treebank") && c.model == cell("model") }
		k := slices.IndexFunc(list, same)
		if k < 0 {
			k = len(list)
			list = append(list, curve{treebank: cell("treebank"), model: cell("model")})
		}
		list[k].points = append(list[k].points, p)
	}
	return list, nil
}
