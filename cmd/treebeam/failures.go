package main

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/treebeam/treebeam/io/parquet"
	"github.com/treebeam/treebeam/pipeline"
)

func init() {
	commands = append(commands, command{"failures", "failures FOLDER", "what could not be parsed, as a table", runFailures})
}

const failuresAbout = `
Prints the rows of FOLDER/failures as tab-separated values, with a header. Tabs
and line breaks in values become spaces. Warnings stand for text that is in
trees/, errors for text that is not.`

func runFailures(_ context.Context, args []string) error {
	fs := newFlags("failures", "failures FOLDER [flags]", failuresAbout)
	onlyErrors := fs.Bool("errors", false, "leave out warnings")
	others, err := parseFlags(fs, args)
	if err != nil {
		return err
	}
	if len(others) != 1 {
		return refuse("want one output folder of treebeam parse, got %d arguments", len(others))
	}
	paths, err := pipeline.PartPaths(others[0], "failures")
	if err != nil {
		return err
	}
	out := bufio.NewWriter(os.Stdout)
	fmt.Fprintln(out, "doc_id\tsource_uri\tbyte_offset\tline\tstage\tseverity\treason\ttext")
	for _, path := range paths {
		if err := printFailures(out, path, *onlyErrors); err != nil {
			return err
		}
	}
	return out.Flush()
}

func printFailures(out *bufio.Writer, path string, onlyErrors bool) error {
	r, err := parquet.Open[parquet.Failure](path)
	if err != nil {
		return err
	}
	defer r.Close()
	for f, err := range r.All() {
		if err != nil {
			return err
		}
		if onlyErrors && f.Severity != "error" {
			continue
		}
		line := ""
		if f.Line != nil {
			line = fmt.Sprint(*f.Line)
		}
		fmt.Fprintf(out, "%s\t%s\t%d\t%s\t%s\t%s\t%s\t%s\n", cell(f.DocID), cell(f.SourceURI), f.ByteOffset, line,
			f.Stage, f.Severity, cell(f.Reason), cell(f.Text))
	}
	return nil
}

// cell makes a value fit in one cell of a table.
func cell(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, s)
}
