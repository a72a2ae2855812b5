package main

import (
	"bufio"
	"cmp"
	"fmt"
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
docs/failures.md explains every kind.`

const failuresHeader = "doc_id\tsource_uri\tbyte_offset\tline\tstage\tseverity\tkind\treason\ttext"

// newFailures is treebeam failures.
func newFailures() *cobra.Command {
	cmd := newCommand("failures FOLDER", "list what could not be parsed", failuresAbout)
	fs := cmd.Flags()
	onlyErrors := fs.Bool("errors", false, "the same as --severity error")
	severity := fs.String("severity", "all", "print only rows of this severity, `WHICH`: error, warning or all")
	kind := fs.String("kind", "", "print only rows of this `KIND`, such as not_text")
	choose(fs, "severity", "error", "warning", "all")
	var kinds []string
	for _, k := range syntax.Kinds() {
		kinds = append(kinds, k.String())
	}
	choose(fs, "kind", kinds...)
	cmd.Example = `
  treebeam failures out --errors
  treebeam failures out --kind not_text | cut -f 2`
	cmd.RunE = func(cmd *cobra.Command, others []string) error {
		ctx := cmd.Context()
		switch {
		case *onlyErrors && *severity == "warning":
			return refuse("--errors and --severity warning exclude each other")
		case *onlyErrors:
			*severity = "error"
		}
		from, err := openOne(ctx, others, "")
		if err != nil {
			return err
		}
		out := bufio.NewWriter(stdout)
		out.WriteString(failuresHeader + "\n")
		for f, err := range from.Failures {
			if err != nil {
				return cmp.Or(out.Flush(), err)
			}
			if (*severity == "all" || f.Severity == *severity) && (*kind == "" || f.Kind == *kind) {
				out.WriteString(failureLine(f)) // Flush has the error
			}
		}
		return out.Flush()
	}
	return cmd
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
