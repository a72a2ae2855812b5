package main

import (
	"bufio"
	"cmp"
	"context"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/treebeam/treebeam/io/mirror"
	"github.com/treebeam/treebeam/io/output"
	"github.com/treebeam/treebeam/io/store"
	"github.com/treebeam/treebeam/io/view"
	"github.com/treebeam/treebeam/pipeline"
)

const convertAbout = `
Writes the trees of an output folder, or the current trees of a state, in the order of the
input. If the input is CoNLL-U, everything but HEAD and DEPREL comes back byte for byte, and
sentences that could not be parsed stay in place with a comment "treebeam_failure". The
first sentence of a file has the comments generator and model, unless its input has one of
them.

With --conf, CoNLL-U shows confidence: in MISC, as
HeadConf=0.9712|DeprelConf=0.9434|UPOSConf=0.9980, and in comments such as
"# tree_conf = 0.5303" and "# certificate = all" (docs/confidence.md explains them). They
replace what the input has under the same names. text has one sentence per line; jsonl has
one object per sentence with the columns of the Parquet files; tsv and csv have one row per
word with the columns of words/ (docs/parquet.md).`

// newConvert is treebeam convert.
func newConvert() *cobra.Command {
	cmd := newCommand("convert FOLDER --to FORMAT", "write an output as CoNLL-U, a table, JSON Lines or trees", convertAbout)
	fs := cmd.Flags()
	to := fs.StringP("to", "t", "", "write `FORMAT`: conllu, jsonl, tsv, csv, text, tree, svg (one sentence) or html (conllu, or what --output ends in)")
	conf := confFlag(fs)
	var d display
	d.define(fs)
	file := fs.StringP("output", "o", "", "write to `FILE` (standard output)")
	perFile := fs.String("per-file", "", "write one file for each input file into `FOLDER`")
	overwrite := fs.Bool("overwrite", false, "with --per-file: replace existing files")
	choose(fs, "to", pipeline.FormatNames()...)
	cmd.Example = `
  treebeam convert out -o trees.conllu
  treebeam convert out -o words.csv                one row per word, with a header line
  treebeam convert state --to jsonl | head -1
  treebeam convert out --per-file parsed           one .conllu for each file that was read`
	cmd.RunE = stoppable(func(ctx context.Context, others []string) error {
		if err := checkEnding("--output", *file, *to); err != nil {
			return err
		}
		if *to == "" && *file != "" {
			*to = formatOf(*file)
		}
		*to = cmp.Or(*to, "conllu")
		if err := cmp.Or(checkConf(*to, *conf), d.check(*to)); err != nil {
			return err
		}
		if *overwrite && *perFile == "" && (*file == "" || *file == "-") {
			return refuse("--overwrite needs --per-file; leave it out")
		}
		if *perFile != "" && *file != "" {
			return refuse("--output and --per-file exclude each other")
		}
		from, err := openOne(ctx, others, *file)
		if err != nil {
			return err
		}
		how := func(out io.Writer) (*pipeline.Writer, error) {
			o := d.write(allConf(*conf), out)
			o.Keep = from.Made.Options.KeepColumns()
			o.Model = pipeline.ModelName(from.Made.ModelDigest, &from.Made.Options)
			return pipeline.NewWriter(*to, o)
		}
		if *perFile != "" {
			rows, err := how(nil)
			if err != nil {
				return err
			}
			return convertPerFile(ctx, from, *perFile, *to, rows, *overwrite)
		}
		return convertToOne(ctx, from, *file, how)
	})
	return cmd
}

// convertToOne writes all sentences to the file output, or standard output.
func convertToOne(ctx context.Context, from *output.Reader, file string, how func(io.Writer) (*pipeline.Writer, error)) error {
	return writeOutput("--output", file, func(out io.Writer) error {
		rows, err := how(out)
		if err != nil {
			return err
		}
		buffered := bufio.NewWriterSize(out, 1<<16)
		var buf []byte
		stats, err := from.Sentences(func(r *output.Row) (err error) {
			if buf, err = rows.Append(buf[:0], r); err == nil {
				_, err = buffered.Write(buf)
			}
			return cmp.Or(err, ctx.Err())
		})
		if err != nil {
			return err
		}
		if buf, err = rows.End(buf[:0]); err != nil {
			return err
		}
		if _, err = buffered.Write(buf); err != nil {
			return err
		}
		reportConverted(stats)
		return buffered.Flush()
	})
}

func reportConverted(s output.Converted) {
	if s.Unparsed > 0 {
		say(os.Stderr, "%s could not be parsed: no heads, and a comment treebeam_failure\n", view.Many(s.Unparsed, "sentence"))
	}
	if s.Lost > 0 {
		say(os.Stderr, "blocks and files that could not be read: %d, in failures/ only; treebeam failures lists them\n", s.Lost)
	}
}

// convertPerFile writes a file below dir for every input file of output that has
// sentences. It writes nothing if one of these files already exists, unless overwrite
// is set.
func convertPerFile(ctx context.Context, from *output.Reader, dir, to string, rows *pipeline.Writer, overwrite bool) (err error) {
	if store.IsRemote(dir) {
		return refuse("--per-file %s: only Parquet can be written to an object store; name a local folder", store.Redact(dir))
	}
	files, err := mirrorOf(from, pipeline.FormatOf(to).Extensions[0])
	if err != nil {
		return err
	}
	if err := output.CheckTarget("--per-file", dir, true); err != nil {
		return err
	}
	if overwrite {
		if err := from.NoInputs("--per-file", dir, files.Names); err != nil {
			return err
		}
	}
	w, err := files.Open(dir)
	if err != nil {
		return refuse("--per-file %s: %w; name a folder that can be written", dir, err)
	}
	defer w.Abort()
	if !overwrite {
		switch old, err := w.Existing(); {
		case err != nil:
			return refuse("--per-file %s: %w", dir, err)
		case len(old) > 0:
			return refuse("--per-file %s: files that are there already: %d of %d, such as %q; name another folder, or replace them with --overwrite",
				dir, len(old), len(files.Names), old[0])
		}
	}
	w.End = func(dst []byte) ([]byte, error) {
		defer rows.Restart()
		return rows.End(dst)
	}
	stats, err := from.Sentences(func(r *output.Row) error {
		err := w.Write(r.SourceURI(), func(dst []byte) ([]byte, error) { return rows.Append(dst, r) })
		return cmp.Or(ctx.Err(), err)
	})
	if err := cmp.Or(err, w.Close()); err != nil {
		return err
	}
	say(os.Stderr, "files written to %s: %d, with %s\n", dir, w.Files, view.Many(w.Texts, "sentence"))
	printRenamed(files.Renamed)
	reportConverted(stats)
	return nil
}

// mirrorOf gives each input file that has sentences a file.
func mirrorOf(from *output.Reader, extension string) (*mirror.Mapping, error) {
	var documents []mirror.Document
	for d, err := range from.Documents {
		if err != nil {
			return nil, err
		}
		if d.Blocks > 0 {
			documents = append(documents, mirror.Document{Source: d.SourceURI, ID: d.DocID})
		}
	}
	return mirror.Map(documents, extension), nil
}

// renamedShown is how many changed names are listed.
const renamedShown = 5

func printRenamed(list []mirror.Renamed) {
	for _, r := range list[:min(len(list), renamedShown)] {
		say(os.Stderr, "%q is in %q: its id could not be the name of a file, or another file has it\n", r.ID, r.Name)
	}
	if more := len(list) - renamedShown; more > 0 {
		say(os.Stderr, "and %d more\n", more)
	}
}
