package main

import (
	"os"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/treebeam/treebeam/pipeline"
)

const parseAbout = `
Parses raw text, CoNLL-U, CoNLL-X, JSON Lines and tables (CSV, TSV, Parquet), plain or
compressed (.gz, .zst, .bz2). Name files, folders (with everything in them), patterns in
quotes such as 'corpus/**/*.txt', or - for standard input. gs:// and s3:// name buckets.

Trees go to standard output as CoNLL-U, or as --to says. With --output FOLDER, they go to
Parquet files in FOLDER/trees, and whatever could not be parsed becomes rows in
FOLDER/failures; if a run is interrupted, the same command continues it. An --output that
ends in .conllu, .jsonl, .tsv, .csv, .txt, .tree, .svg or .html, also with .gz or .zst, is
a single file in that format.`

const parseMore = `
With any format except Parquet, treebeam reads standard input and pipes as they arrive,
and writes sentences whenever the input pauses. If the input is slow, give --lines:
otherwise it may take 4 KB of input to tell what line breaks mean. With --stop-after,
these formats hold sentences without trees, which you can parse later as CoNLL-U.

--accurate, or your own model trained with --encoder, makes fewer mistakes and is slower.
With --effort, only the sentences that need it take the extra time (docs/encoder.md). The
Parquet columns say how sure the parser is (docs/parquet.md), and so does CoNLL-U with
--conf. docs/custom.md describes the files of --abbreviations, --keep-together and
--exceptions.`

const parseExample = `
  treebeam parse letter.txt
  treebeam parse 'corpus/**/*.txt' -o out
  treebeam parse reviews.csv --text-column review --keep stars,shop -o out
  echo 'Time flies like an arrow.' | treebeam parse - --to tree --accurate
  treebeam parse corpus --state state              run it every night: parses what is new
  treebeam parse --watch inbox -o trees            parses what arrives, until it is stopped`

// newParse is treebeam parse.
func newParse() *cobra.Command {
	cmd := newCommand("parse FILE... [--output FOLDER] [--to FORMAT]", "parse text into trees", parseAbout)
	cmd.Example = parseExample
	withMore(cmd, parseMore)
	c := newParseCommand(cmd.Flags())
	cmd.RunE = func(cmd *cobra.Command, others []string) error { return c.run(cmd.Context(), others) }
	return cmd
}

// newParseCommand defines the flags of parse, in the order of its help.
func newParseCommand(f *pflag.FlagSet) *parseCommand {
	c := &parseCommand{flags: f, options: pipeline.Options{Rows: pipeline.DefaultRows(), Stdin: os.Stdin}}
	c.inputFlags(f)
	c.outputFlags(f)
	c.qualityFlags(f)
	customFlags(f, &c.options.Custom, &c.options.Rows.Unconstrained)
	c.night.define(f)
	c.watch.define(f)
	c.runFlags(f)
	c.rareFlags(f)
	withBeamFlags(f)
	choose(f, "runner", "prism", "flink", "spark", "dataflow", "universal")
	return c
}

// inputFlags say what is read, and how.
func (c *parseCommand) inputFlags(f *pflag.FlagSet) {
	rows := &c.options.Rows
	c.named.define(f)
	f.StringVarP(&rows.From, "from", "f", rows.From, "read `FORMAT`: auto, text, conllu, conllx, jsonl, csv, tsv, parquet, tokens or vertical")
	f.StringVar(&rows.Lines, "lines", rows.Lines, "what line breaks mean, `MODE`: auto, wrapped, paragraph or sentence")
	f.StringVar(&rows.Encoding, "encoding", "", "read raw text in the encoding `NAME` (UTF-8; a byte order mark wins)")
	f.Int64VarP(&c.options.Limit, "limit", "n", 0, "stop after the first `N` sentences (not with Parquet)")
	group(f, inputFlags)
	formatFlags(f, rows)
	choose(f, "from", "auto", "text", "conllu", "conllx", "jsonl", "csv", "tsv", "parquet", "tokens", "vertical")
	choose(f, "lines", "auto", "wrapped", "paragraph", "sentence")
}

// outputFlags say what is written.
func (c *parseCommand) outputFlags(f *pflag.FlagSet) {
	o := &c.options
	f.StringVarP(&o.Output, "output", "o", "", "write to `FOLDER` as Parquet, or to a file such as x.conllu (standard output)")
	f.StringVarP(&c.to, "to", "t", "", "write `FORMAT`: conllu, jsonl, tsv, csv, text, tree, svg, html or parquet (see above)")
	c.conf = confFlag(f)
	f.BoolVar(&o.Rows.Ranges, "ranges", false, "add the position of each token of raw text to MISC: TokenRange=start:end")
	c.display.define(f)
	f.BoolVar(&o.Rows.Words, "words", false, "with --output FOLDER: also write FOLDER/words, one row per word")
	f.BoolVar(&o.Overwrite, "overwrite", false, "first remove the output of another run")
	f.StringVar(&c.maxFailures, "max-failures", "", "exit with status 3 if more than `N|P%` of sentences or files failed")
	group(f, outputFlags)
	choose(f, "to", "parquet", "conllu", "jsonl", "tsv", "csv", "text", "tree", "svg", "html")
}

// qualityFlags say what finds the trees.
func (c *parseCommand) qualityFlags(f *pflag.FlagSet) {
	o := &c.options
	f.StringVarP(&o.Model, "model", "m", "", "parse with the model `FILE` (the built-in English one)")
	f.BoolVar(&c.accurate, "accurate", false, "use the accurate English model: fewer mistakes, four to five times slower")
	f.StringVar(&o.Rows.Effort, "effort", "", "with --accurate: only where the fast parser expects an LAS below `P` (1)")
	f.BoolVar(&o.Rows.Retag, "retag", false, "replace the tags and lemmas of CoNLL input")
	f.BoolVar(&o.Rows.KeepHeads, "keep-heads", false, "keep the heads and deprels of CoNLL input; find the others")
	group(f, qualityFlags)
	// With the embedded model, French would be parsed as English.
	annotate(f, filledKey, []string{"name a model file, or leave it out for the built-in English model"}, "model")
}

// runFlags say how the work is done. They change no tree.
func (c *parseCommand) runFlags(f *pflag.FlagSet) {
	o := &c.options
	f.BoolVarP(&c.quiet, "quiet", "q", false, "do not show progress")
	f.BoolVarP(&c.verbose, "verbose", "v", false, "print the runner's counters at the end")
	c.threads = threadsFlag(f)
	f.BoolVar(&o.RetryFailures, "retry-failures", false, "try again to read files that could not be read")
	group(f, runFlags)
}

// rareFlags are for programs, for clusters, and for users who know how the search
// works.
func (c *parseCommand) rareFlags(f *pflag.FlagSet) {
	o, rows := &c.options, &c.options.Rows
	f.BoolVar(&o.EndMarks, "end-marks", false, "with --to jsonl or conllu: write all failures in place and mark the end of every document with a line, for programs that wait for it (docs/pipes.md)")
	f.BoolVar(&c.json, "json", false, "print the summary as JSON even on a terminal")
	f.BoolVar(&o.Verify, "verify", false, "check every byte of finished parts; make damaged ones again")
	f.BoolVar(&o.SharedFilesystem, "shared-filesystem", false, "say that all workers see this machine's paths")
	f.Var((*list)(&o.RunnerOptions), "runner-option", "set `NAME=VALUE`, an option of the engine's own (docs/engines.md); repeatable")
	f.Int64Var(&o.RangeBytes, "range-bytes", 0, "make one part of about `BYTES` of input (by its size)")
	f.IntVar(&rows.MaxWords, "max-words", rows.MaxWords, "cut raw sentences longer than `N` words")
	f.IntVar(&rows.Parse.Restarts, "restarts", 0, "climb at most `N` times per sentence: more is slower and seldom changes the tree (6)")
	f.BoolVar(&rows.Parse.Projective, "projective", false, "find only trees without crossing arcs")
	f.IntVar(&rows.Parse.Exact, "exact", 0, "score all trees of a sentence whose candidate heads combine in at most `N` ways; -1 for none (32)")
	f.IntVar(&rows.Parse.Budget, "budget", 0, "stop searching after `N` units of work, of about 3 ns, per word; the status is then budget (5000 per restart, at least 30000, in sentences that are cut or over 1000 words; else ten times that)")
	f.IntVar(&rows.Parse.Certify, "certify", 0, "spend at most `N` steps of about 5 ns per sentence on a proof that no tree scores higher, and take one that does; -1 for none (20000)")
	f.StringVar(&rows.StopAfter, "stop-after", "", "stop after `STAGE`: segment (no tags, no trees) or tag (no trees)")
	f.Uint64Var(&rows.Parse.Seed, "seed", rows.Parse.Seed, "seed of the random choices, `N`")
	group(f, rareFlags)
	choose(f, "stop-after", "segment", "tag")
}
