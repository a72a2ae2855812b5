package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/treebeam/treebeam/io/parquet"
	"github.com/treebeam/treebeam/io/view"
	"github.com/treebeam/treebeam/model"
	"github.com/treebeam/treebeam/pipeline"
	"github.com/treebeam/treebeam/transforms"
)

func init() {
	commands = append(commands, command{"report", "report FOLDER [--output FILE]", "a run as one HTML page", runReport})
}

const reportAbout = `
Writes one HTML file about an output folder: what was run, what went wrong, the
files, how long sentences are, how certain trees are, words by tag and label,
the least certain trees and some others as pictures. The file has no scripts and
fetches nothing; open it in any browser, or print it. The same output gives the
same bytes. Without --output it is FOLDER-report.html in the current folder; a
file that is there is replaced.`

func runReport(ctx context.Context, args []string) error {
	fs := newFlags("report", "report FOLDER [flags]", reportAbout)
	output := fs.String("output", "", "`FILE` to write, '-' is standard output (default FOLDER-report.html)")
	lowest := fs.Int("lowest", 10, "draw the `N` trees with the least certain head, punctuation left out")
	examples := fs.Int("examples", 5, "draw `N` trees drawn by lot")
	others, err := parseFlags(fs, args)
	if err != nil {
		return err
	}
	if len(others) != 1 {
		return refuse("want one output folder of treebeam parse, got %d arguments", len(others))
	}
	const most = 1000
	if min(*lowest, *examples) < 0 || max(*lowest, *examples) > most {
		return refuse("--lowest and --examples must be from 0 to %d", most)
	}
	run, err := describeRun(others[0])
	if err != nil {
		return err
	}
	if *output == "" {
		*output = run.Name + "-report.html"
	}
	if err := outsideOf(others[0], *output); err != nil {
		return err
	}
	ctx, stop := interruptible(ctx, "")
	defer stop()
	r := view.NewReport(*run, *lowest, *examples)
	err = readRows(ctx, others[0], r)
	if ctx.Err() != nil {
		return exitCode(exitInterrupted)
	}
	if err != nil {
		return err
	}
	if *output == "-" {
		return writePage(os.Stdout, r)
	}
	out, commit, err := createOutput(*output)
	if err != nil {
		return err
	}
	if err := writePage(out, r); err != nil {
		out.(interface{ Cleanup() error }).Cleanup()
		return err
	}
	if err := commit(); err != nil {
		return err
	}
	fmt.Fprintf(os.Stderr, "the report is in %s\n", *output)
	return nil
}

func writePage(w io.Writer, r *view.Report) error {
	buffered := bufio.NewWriterSize(w, 1<<16)
	return errOr(r.WriteHTML(buffered), buffered.Flush())
}

// readRows gives all rows of an output to r.
func readRows(ctx context.Context, output string, r *view.Report) error {
	err := pipeline.Documents(output, func(d *parquet.Document) error {
		r.Document(d)
		return ctx.Err()
	})
	if err != nil {
		return err
	}
	err = pipeline.Failures(output, func(f *parquet.Failure) error {
		r.Failure(f)
		return ctx.Err()
	})
	if err != nil {
		return err
	}
	return pipeline.Trees(output, func(t *parquet.Tree) error {
		r.Tree(t)
		return ctx.Err()
	})
}

// describeRun says what made an output.
func describeRun(output string) (*view.Run, error) {
	if _, err := pipeline.PartPaths(output, "trees"); err != nil {
		return nil, err // says what is wrong with the folder
	}
	m, err := pipeline.ReadManifest(output)
	if err != nil {
		return nil, err
	}
	options, err := json.Marshal(m.Options)
	if err != nil {
		return nil, err
	}
	abs, err := filepath.Abs(output)
	if err != nil {
		return nil, err
	}
	return &view.Run{
		Name: filepath.Base(abs), FP: m.FP, FormatVersion: m.FormatVersion,
		ModelID: m.Model, ModelDigest: m.ModelDigest, ModelFacts: modelFacts(m.ModelDigest), Options: options,
	}, nil
}

// modelFacts says more about the embedded model, if it is that which was used.
func modelFacts(digest string) [][2]string {
	m, err := model.Open("")
	if err != nil || m.Digest != digest {
		return nil
	}
	return [][2]string{
		{"treebank of the model", strings.TrimSpace(m.Info.Treebank + " " + m.Info.Release)},
		{"language of the model", m.Info.Language},
		{"licence of the model", m.Info.Licence},
	}
}

// outsideOf refuses to write a file among the data of an output: programs that
// read the folder would take it for theirs.
func outsideOf(folder, file string) error {
	from, err := filepath.Abs(folder)
	if err != nil {
		return err
	}
	to, err := filepath.Abs(file)
	if err != nil {
		return err
	}
	inside, err := filepath.Rel(from, to)
	if err != nil {
		return nil // on another drive
	}
	first, _, below := strings.Cut(filepath.ToSlash(inside), "/")
	if below && slices.Contains([]string{"trees", "failures", "documents", transforms.OwnDir}, first) ||
		inside == transforms.ManifestFile || inside == transforms.SummaryFile {
		return refuse("--output %s is among the data of %s; name a file elsewhere", file, folder)
	}
	return nil
}
