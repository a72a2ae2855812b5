package main

import (
	"bufio"
	"cmp"
	"context"
	"io"
	"iter"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/treebeam/treebeam/io/output"
	"github.com/treebeam/treebeam/io/store"
	"github.com/treebeam/treebeam/io/view"
	"github.com/treebeam/treebeam/model"
)

const reportAbout = `
Writes one HTML page about an output folder, or about what is current in a state: example
trees, the most frequent words and lemmas, words by part of speech and relation, the least
certain trees, how good the trees are expected to be and in which files least, how long
sentences are, how certain trees are, then the files, what went wrong and what was run.
The page has no scripts and fetches nothing; open it in any browser, or print it. The same
output gives the same bytes. Without --output it is FOLDER-report.html in the current
folder; an existing file is replaced.`

// newReport is treebeam report.
func newReport() *cobra.Command {
	cmd := newCommand("report FOLDER", "describe a run on one HTML page", reportAbout)
	fs := cmd.Flags()
	file := fs.StringP("output", "o", "", "write to `FILE`; '-' is standard output (default FOLDER-report.html)")
	lowest := fs.Int("lowest", 10, "draw the `N` least certain trees, as in treebeam show --lowest")
	examples := fs.Int("examples", 5, "draw `N` random trees")
	cmd.Example = `
  treebeam report out -o report.html`
	cmd.RunE = stoppable(func(ctx context.Context, others []string) error {
		const most = 1000
		if min(*lowest, *examples) < 0 || max(*lowest, *examples) > most {
			return refuse("--lowest and --examples must be from 0 to %d", most)
		}
		from, err := openOne(ctx, others, *file)
		if err != nil {
			return err
		}
		if err := checkOnly("--output", *file, ".html", ".htm"); err != nil {
			return err
		}
		run, err := describeRun(from, others[0])
		if err != nil {
			return err
		}
		if *file == "" {
			*file = run.Name + "-report.html"
			if err := checkTarget(from, *file); err != nil {
				return err
			}
		}
		err = writeOutput("--output", *file, func(w io.Writer) error {
			r := view.NewReport(*run, *lowest, *examples)
			if err := readRows(ctx, from, r); err != nil {
				return err
			}
			buffered := bufio.NewWriterSize(w, 1<<16)
			return cmp.Or(r.WriteHTML(buffered), buffered.Flush())
		})
		if err == nil && *file != "-" {
			say(os.Stderr, "the report is in %s\n", *file)
		}
		return err
	})
	return cmd
}

// readRows gives all rows of an output to r.
func readRows(ctx context.Context, from *output.Reader, r *view.Report) error {
	if err := feed(ctx, from.Documents, r.Document); err != nil {
		return err
	}
	if err := feed(ctx, from.Failures, r.Failure); err != nil {
		return err
	}
	return feed(ctx, from.Trees, r.Tree)
}

func feed[T any](ctx context.Context, rows iter.Seq2[*T, error], to func(*T)) error {
	for row, err := range rows {
		if err := cmp.Or(err, ctx.Err()); err != nil {
			return err
		}
		to(row)
	}
	return nil
}

// describeRun says what made an output.
func describeRun(from *output.Reader, folder string) (*view.Run, error) {
	var err error
	if !store.IsRemote(folder) {
		if folder, err = filepath.Abs(folder); err != nil {
			return nil, err
		}
	}
	return &view.Run{
		Name: path.Base(filepath.ToSlash(folder)), FP: from.FP, Snapshot: from.Snapshot, FormatVersion: from.Made.FormatVersion,
		ModelID: from.Made.ModelID(), ModelDigest: from.Made.ModelDigest, ModelFacts: modelFacts(from.Made.ModelDigest), Options: from.Made.Options.Flags(),
		Treebanks: treebanksOf(from.Made.Options.World),
	}, nil
}

// treebanksOf returns the treebanks of the built-in models of other languages by code, nil
// if others were used.
func treebanksOf(digest string) map[string]string {
	w, err := model.OpenWorld(model.EmbeddedWorld)
	if err != nil || w.Digest != digest {
		return nil
	}
	list := map[string]string{}
	for _, l := range w.Languages() {
		list[l.Code] = sourcesOf(&l)
	}
	return list
}

// modelFacts says more about an embedded model, if it is one that was used.
func modelFacts(digest string) [][2]string {
	_, m := model.BuiltIn(digest)
	if m == nil {
		return nil
	}
	facts := [][2]string{
		{"treebank of the model", strings.TrimSpace(m.Info.Treebank + " " + m.Info.Release)},
		{"language of the model", m.Info.Language},
		{"licence of the model", m.Info.Licence},
	}
	if e := cmp.Or(m.Info.Encoder, m.Info.Network); e != nil {
		facts = append(facts, [2]string{"encoder of the model", e.Name + " (" + e.Licence + ")"})
	}
	return facts
}
