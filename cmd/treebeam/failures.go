package main

import (
	"bufio"
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/treebeam/treebeam/io/parquet"
	"github.com/treebeam/treebeam/io/view"
	"github.com/treebeam/treebeam/parser/syntax"
)

const failuresAbout = `
Prints the rows of FOLDER/failures as tab-separated values, with a header. Tabs and line
breaks in values become spaces, and other control characters become symbols such as ␛.
A warning stands for text that is in trees/, an error for text that is not.
--count prints how many rows there are, --group how many have the same values.
docs/failures.md explains every kind.`

const failuresHeader = "doc_id\tsource_uri\tbyte_offset\tline\tstage\tseverity\tkind\treason\ttext"

// failureColumns are the columns by which failures can be counted.
var failureColumns = map[string]func(*parquet.Failure) string{
	"doc_id":     func(f *parquet.Failure) string { return f.DocID },
	"source_uri": func(f *parquet.Failure) string { return f.SourceURI },
	"stage":      func(f *parquet.Failure) string { return f.Stage },
	"severity":   func(f *parquet.Failure) string { return f.Severity },
	"kind":       func(f *parquet.Failure) string { return f.Kind },
	"reason":     func(f *parquet.Failure) string { return f.Reason },
}

// maxFailureGroups bounds the groups of --group, which are kept in memory.
const maxFailureGroups = 500_000

// newFailures is treebeam failures.
func newFailures() *cobra.Command {
	cmd := newCommand("failures FOLDER", "list what could not be parsed", failuresAbout)
	fs := cmd.Flags()
	onlyErrors := fs.Bool("errors", false, "the same as --severity error")
	severity := fs.String("severity", "all", "print only rows of this severity, `WHICH`: error, warning or all")
	kind := fs.String("kind", "", "print only rows of this `KIND`, such as not_text")
	count := fs.BoolP("count", "c", false, "print only the number of rows")
	groups := fs.String("group", "", "count rows by `COLUMNS`, the most frequent first: kind, stage, severity, reason, source_uri or doc_id, or several with commas")
	choose(fs, "severity", "error", "warning", "all")
	var kinds []string
	for _, k := range syntax.Kinds() {
		kinds = append(kinds, k.String())
	}
	choose(fs, "kind", kinds...)
	cmd.Example = `
  treebeam failures out --errors
  treebeam failures out --group kind,reason
  treebeam failures out --kind not_text | cut -f 2`
	cmd.RunE = func(cmd *cobra.Command, others []string) error {
		ctx := cmd.Context()
		switch {
		case *onlyErrors && *severity == "warning":
			return refuse("--errors and --severity warning exclude each other")
		case *onlyErrors:
			*severity = "error"
		}
		if *count && *groups != "" {
			return refuse("--count and --group exclude each other: --group counts the rows of each group")
		}
		t := failureTable{out: bufio.NewWriter(stdout), rows: *groups == "" && !*count}
		if *groups != "" {
			t.columns, t.groups = strings.Split(*groups, ","), map[string]int64{}
			for _, name := range t.columns {
				if failureColumns[name] == nil {
					return refuse("--group %s: failures have no column %q to count by; the columns are %s", *groups, name,
						strings.Join(slices.Sorted(maps.Keys(failureColumns)), ", "))
				}
			}
		}
		from, err := openOne(ctx, others, "")
		if err != nil {
			return err
		}
		if t.rows {
			t.out.WriteString(failuresHeader + "\n")
		}
		for f, err := range from.Failures {
			if err == nil && (*severity == "all" || f.Severity == *severity) && (*kind == "" || f.Kind == *kind) {
				err = t.add(f)
			}
			if err != nil {
				return cmp.Or(t.out.Flush(), err)
			}
		}
		return t.end(*count)
	}
	return cmd
}

// A failureTable writes failures as rows, or counts them.
type failureTable struct {
	out     *bufio.Writer // its Flush has the errors
	rows    bool
	count   int64
	columns []string         // of the groups
	groups  map[string]int64 // by the cells of the columns; nil unless asked for
}

func (t *failureTable) add(f *parquet.Failure) error {
	t.count++
	if t.rows {
		t.out.WriteString(failureLine(f))
	}
	if t.groups == nil {
		return nil
	}
	cells := make([]string, len(t.columns))
	for i, name := range t.columns {
		cells[i] = cell(failureColumns[name](f))
	}
	t.groups[strings.Join(cells, "\t")]++
	if len(t.groups) > maxFailureGroups {
		return refuse("there are more than %d different values of %s: count by fewer columns", maxFailureGroups, strings.Join(t.columns, ","))
	}
	return nil
}

// end writes the counts: that of all rows, or those of the groups, the largest first.
func (t *failureTable) end(total bool) error {
	if total {
		fmt.Fprintln(t.out, t.count)
	}
	if t.groups != nil {
		fmt.Fprintf(t.out, "rows\t%s\n", strings.Join(t.columns, "\t"))
		for _, key := range slices.SortedFunc(maps.Keys(t.groups), func(a, b string) int {
			return cmp.Or(cmp.Compare(t.groups[b], t.groups[a]), strings.Compare(a, b))
		}) {
			fmt.Fprintf(t.out, "%d\t%s\n", t.groups[key], key)
		}
	}
	return t.out.Flush()
}

// failureLine is f as a line of the table.
func failureLine(f *parquet.Failure) string {
	line := ""
	if f.Line != nil {
		line = fmt.Sprint(*f.Line)
	}
	return fmt.Sprintf("%s\t%s\t%d\t%s\t%s\t%s\t%s\t%s\t%s\n", cell(f.DocID), cell(f.SourceURI), f.ByteOffset, line,
		cell(f.Stage), cell(f.Severity), cell(f.Kind), cell(f.Reason), cell(f.Text))
}

// blanks become spaces in a cell: what some reader of tables takes for the end
// of a cell or of a line.
var blanks = strings.NewReplacer("\t", " ", "\r\n", " ", "\n", " ", "\r", " ", "\v", " ", "\f", " ", "\u0085", " ")

// cell makes a value fit in one cell of a table, and harmless in a terminal.
func cell(s string) string { return view.Visible(blanks.Replace(s)) }
