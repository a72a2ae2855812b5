package main

import (
	"bufio"
	"context"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/treebeam/treebeam/pipeline"
)

const convertAbout = `
Writes the trees of an output folder, or those that are current in a state, in
the order of the input. From CoNLL-U
input everything but HEAD and DEPREL comes back byte for byte; sentences that
could not be parsed stand in their place with a comment "treebeam_failure".
With --conf CoNLL-U says how sure the trees are, in place of what the input has
under the same names: in MISC, as HeadConf=0.9712|DeprelConf=0.9434|UPOSConf=0.9980,
and as comments "# tree_conf = 0.5303" and "# certificate = all" (docs/parquet.md
says what they mean). text is one sentence a line; jsonl has one object a sentence
with the columns of the Parquet files.`

// newConvert is treebeam convert.
func newConvert() *cobra.Command {
	cmd := newCommand("convert FOLDER --to conllu|text|jsonl", "an output as CoNLL-U, text or JSON lines", convertAbout)
	fs := cmd.Flags()
	to := fs.StringP("to", "t", "conllu", "write `FORMAT` conllu, text or jsonl")
	conf := confFlag(fs)
	output := fs.StringP("output", "o", "", "`FILE` to write (standard output)")
	perFile := fs.String("per-file", "", "write one file for each input file below `FOLDER`")
	overwrite := fs.Bool("overwrite", false, "with --per-file: replace files that are there")
	state := fs.String("state", "", "instead of an output: what is current in the state in `FOLDER`")
	choose(fs, "to", "conllu", "text", "jsonl")
	cmd.Example = `
  treebeam convert out -o trees.conllu
  treebeam convert --state state --to jsonl | head -1
  treebeam convert out --per-file parsed           one .conllu for each file that was read`
	cmd.RunE = func(cmd *cobra.Command, others []string) error {
		ctx := cmd.Context()
		if _, ok := pipeline.Formats[*to]; !ok {
			return refuse("--to %s: must be %s", *to, pipeline.FormatNames)
		}
		format, err := withConf(*to, *conf)
		if err != nil {
			return err
		}
		if *perFile != "" {
			if *output != "" {
				return refuse("--output and --per-file exclude each other")
			}
		}
		var from *pipeline.Output
		switch {
		case *state != "" && len(others) > 0:
			return refuse("an output folder and --state exclude each other")
		case *state != "":
			from, err = openState(ctx, *state)
		default:
			from, err = openOne(ctx, others)
		}
		if err != nil {
			return err
		}
		ctx, stop := interruptible(ctx)
		defer stop()
		if *perFile != "" {
			err := convertPerFile(ctx, from, *perFile, format, *overwrite)
			if ctx.Err() != nil {
				return exitCode(exitInterrupted)
			}
			return err
		}
		return convertToOne(ctx, from, *output, pipeline.Formats[format])
	}
	return cmd
}

// convertToOne writes all sentences to the file output, or standard output.
func convertToOne(ctx context.Context, from *pipeline.Output, output string, format pipeline.Format) (err error) {
	out, commit := io.Writer(os.Stdout), func() error { return nil }
	if output != "" && output != "-" {
		if err := notAnInput("--output", output, from); err != nil {
			return err
		}
		if out, commit, err = createOutput("--output", output); err != nil {
			return err
		}
		defer func() {
			if err != nil {
				out.(interface{ Cleanup() error }).Cleanup()
			}
		}()
	}
	buffered := bufio.NewWriterSize(out, 1<<16)
	var buf []byte
	stats, err := from.Sentences(func(r *pipeline.Row) error {
		buf = format(buf[:0], r)
		_, err := buffered.Write(buf)
		return errOr(err, ctx.Err())
	})
	if ctx.Err() != nil {
		return exitCode(exitInterrupted)
	}
	if err := quietlyClosed(errOr(err, buffered.Flush())); err != nil {
		return err
	}
	if err := commit(); err != nil {
		return err
	}
	reportConverted(stats)
	return nil
}

func errOr(err, other error) error {
	if err != nil {
		return err
	}
	return other
}

func reportConverted(s pipeline.Converted) {
	if s.Unparsed > 0 {
		say(os.Stderr, "%d sentences could not be parsed; they have no heads and a comment treebeam_failure\n", s.Unparsed)
	}
	if s.Lost > 0 {
		say(os.Stderr, "%d blocks or files could not be read and are in failures/ only: treebeam failures lists them\n", s.Lost)
	}
}
