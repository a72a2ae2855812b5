package main

import (
	"bufio"
	"cmp"
	"context"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/treebeam/treebeam/io/output"
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
"# tree_conf = 0.5303" and "# certificate = all" (docs/parquet.md explains them). They
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
	state := fs.String("state", "", "instead of an output, read what is current in the state in `FOLDER`")
	choose(fs, "to", pipeline.FormatNames()...)
	cmd.Example = `
  treebeam convert out -o trees.conllu
  treebeam convert out -o words.csv                one row per word, with a header line
  treebeam convert --state state --to jsonl | head -1
  treebeam convert out --per-file parsed           one .conllu for each file that was read`
	cmd.RunE = stoppable(func(ctx context.Context, others []string) error {
		if err := checkEnding("--output", *file, *to); err != nil {
			return err
		}
		if *to == "" && *file != "" {
			*to = formatOf(*file)
		}
		*to = cmp.Or(*to, "conllu")
		if err := checkConf(*to, *conf); err != nil {
			return err
		}
		switch {
		case *perFile != "" && *file != "":
			return refuse("--output and --per-file exclude each other")
		case *state != "" && len(others) > 0:
			return refuse("an output folder and --state exclude each other")
		}
		var from *output.Reader
		var err error
		if *state != "" {
			if from, err = openState(ctx, *state); err == nil {
				err = checkTarget(from, *file)
			}
		} else {
			from, err = openOne(ctx, others, *file)
		}
		if err != nil {
			return err
		}
		how := func(out io.Writer) (*pipeline.Writer, error) {
			o := d.write(allConf(*conf), out)
			o.Model = pipeline.ModelName(from.Made.ModelDigest)
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
		say(os.Stderr, "%d sentences could not be parsed; they have no heads and a comment treebeam_failure\n", s.Unparsed)
	}
	if s.Lost > 0 {
		say(os.Stderr, "%d blocks or files could not be read and are in failures/ only: treebeam failures lists them\n", s.Lost)
	}
}
