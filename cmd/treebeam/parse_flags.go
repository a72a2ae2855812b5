package main

import (
	"os"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/treebeam/treebeam/pipeline"
)

const parseAbout = `
Parses raw text, CoNLL-U, CoNLL-X, JSON lines, and tables (CSV, TSV, Parquet), also
compressed (.gz, .zst, .bz2).
Name files, folders (read with all that is below them), patterns such as
'corpus/**/*.txt' in quotes, or - for standard input; gs:// and s3:// name buckets.

Trees go to standard output as CoNLL-U, or as --to says. With --output FOLDER they become
Parquet in FOLDER/trees, and what could not be parsed becomes rows in FOLDER/failures; the
same command again continues a run that was interrupted. An --output that ends in .conllu,
.jsonl, .tsv, .csv, .txt, .tree, .svg or .html, also with .gz or .zst, is one file of that format.`

const parseMore = `
With any format but Parquet, standard input and pipes are read as they come:
sentences come out whenever the input pauses. Give --lines if that input is slow: else
it may take 4 KB of it to know what line breaks mean. With --stop-after these formats
hold sentences without trees, which can be parsed later as CoNLL-U.

With --accurate, or a model of your own that was trained with --encoder, trees have
fewer mistakes; with --effort only those sentences take the time that need it
(docs/encoder.md). How sure the parser is stands in columns (docs/parquet.md), or with
--conf in CoNLL-U. What --abbreviations, --keep-together and --exceptions name is
described in docs/custom.md.`

const parseExample = `
  treebeam parse letter.txt
  treebeam parse 'corpus/**/*.txt' -o out
  treebeam parse reviews.csv --text-column review --keep stars,shop -o out
  echo 'Time flies like an arrow.' | treebeam parse - --to tree --accurate
  treebeam parse corpus --state state              again every night: parses what is new`

// newParse is treebeam parse.
func newParse() *cobra.Command {
	cmd := newCommand("parse FILE... [--output FOLDER] [--to FORMAT]", "text to trees", parseAbout)
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
	c.runFlags(f)
	c.searchFlags(f)
	withBeamFlags(f)
	choose(f, "runner", "prism", "flink", "spark", "dataflow", "universal")
	return c
}

// inputFlags say what is read, and how.
func (c *parseCommand) inputFlags(f *pflag.FlagSet) {
	rows := &c.options.Rows
	c.named.define(f)
	f.StringVarP(&rows.From, "from", "f", rows.From, "read `FORMAT` auto, text, conllu, conllx, jsonl, csv, tsv, parquet, tokens or vertical")
	f.StringVar(&rows.Lines, "lines", rows.Lines, "take line breaks as `MODE` auto, wrapped, paragraph or sentence")
	f.StringVar(&rows.Encoding, "encoding", "", "`NAME` of the encoding of raw text (UTF-8; a byte order mark wins)")
	f.Int64VarP(&c.options.Limit, "limit", "n", 0, "stop after the first `N` sentences (not with Parquet)")
	group(f, inputFlags, "limit", "from", "lines", "encoding")
	formatFlags(f, rows)
	choose(f, "from", "auto", "text", "conllu", "conllx", "jsonl", "csv", "tsv", "parquet", "tokens", "vertical")
	choose(f, "lines", "auto", "wrapped", "paragraph", "sentence")
}

// outputFlags say what is written.
func (c *parseCommand) outputFlags(f *pflag.FlagSet) {
	o := &c.options
	f.StringVarP(&o.Output, "output", "o", "", "`FOLDER` for Parquet, or a file such as x.conllu (standard output)")
	f.StringVarP(&c.to, "to", "t", "", "write `FORMAT` conllu, jsonl, tsv, csv, text, tree, svg, html or parquet (see above)")
	c.conf = confFlag(f)
	f.BoolVar(&o.Rows.Ranges, "ranges", false, "put where each token of raw text stands into MISC: TokenRange=start:end")
	c.display.define(f)
	f.BoolVar(&o.Rows.Words, "words", false, "with --output FOLDER: write FOLDER/words, too, one row for each word")
	f.BoolVar(&o.Overwrite, "overwrite", false, "remove the output of another run first")
	f.BoolVar(&o.EndMarks, "end-marks", false, "with --to jsonl or conllu: all failures in their places, and after every document a line that says so, for programs that wait for it (docs/pipes.md)")
	f.StringVar(&c.maxFailures, "max-failures", "", "exit with status 3 if more than `N|P%` of sentences or files failed")
	group(f, outputFlags, "output", "to", "conf", "ranges", "lemmas", "color", "words", "overwrite", "max-failures")
	group(f, rareFlags, "end-marks")
	choose(f, "to", "parquet", "conllu", "jsonl", "tsv", "csv", "text", "tree", "svg", "html")
}

// qualityFlags say what finds the trees.
func (c *parseCommand) qualityFlags(f *pflag.FlagSet) {
	o := &c.options
	f.StringVarP(&o.Model, "model", "m", "", "model `FILE` (the embedded English one)")
	f.BoolVar(&c.accurate, "accurate", false, "take the accurate English model: fewer mistakes, five times slower")
	f.StringVar(&o.Rows.Effort, "effort", "", "with --accurate: only where the fast parse expects an LAS below `P` (1)")
	f.BoolVar(&o.Rows.Retag, "retag", false, "replace the tags and lemmas of CoNLL input")
	f.BoolVar(&o.Rows.KeepHeads, "keep-heads", false, "keep the heads and deprels that CoNLL input gives; find the others")
	group(f, qualityFlags, "model", "accurate", "effort", "retag", "keep-heads")
}

// runFlags say how the work is done. They change no tree.
func (c *parseCommand) runFlags(f *pflag.FlagSet) {
	o := &c.options
	f.BoolVarP(&c.quiet, "quiet", "q", false, "show no progress")
	f.BoolVarP(&c.verbose, "verbose", "v", false, "at the end, print what the runner has counted")
	f.BoolVar(&c.json, "json", false, "print the summary as JSON on a terminal, too")
	c.threads = threadsFlag(f)
	f.BoolVar(&o.RetryFailures, "retry-failures", false, "read files again that could not be read")
	f.BoolVar(&o.Verify, "verify", false, "read the finished parts of an output whole; make damaged ones anew")
	f.BoolVar(&o.SharedFilesystem, "shared-filesystem", false, "all workers see this machine's paths")
	f.Int64Var(&o.RangeBytes, "range-bytes", 0, "about how many `BYTES` of input make one part (chosen)")
	group(f, runFlags, "quiet", "verbose", "retry-failures")
	group(f, rareFlags, "json", "verify", "shared-filesystem", "range-bytes")
}

// searchFlags are for those who know how trees are found.
func (c *parseCommand) searchFlags(f *pflag.FlagSet) {
	rows := &c.options.Rows
	f.IntVar(&rows.MaxWords, "max-words", rows.MaxWords, "cut raw sentences longer than `N` words")
	f.IntVar(&rows.Parse.Restarts, "restarts", 0, "at most `N` climbs a sentence: more are slower and find better trees (6)")
	f.BoolVar(&rows.Parse.Projective, "projective", false, "find trees without crossing arcs only")
	f.IntVar(&rows.Parse.Exact, "exact", 0, "score all trees of a sentence whose candidate heads combine in at most `N` ways; -1 for none (32)")
	f.IntVar(&rows.Parse.Budget, "budget", 0, "stop searching after weighing `N` heads a word; the status is then budget (1000 a restart)")
	f.IntVar(&rows.Parse.Samples, "samples", 0, "estimate head_marginal from `N` sampled trees, too: slower, a little better (0)")
	f.StringVar(&rows.Parse.Decoder, "decoder", "", "find trees by `HOW` greedy (climbs), sample (annealed sampling) or risk (most heads expected right, by sampling) (greedy)")
	f.IntVar(&rows.Parse.Certify, "certify", 0, "spend at most `N` steps of about 5 ns on a proof that no tree scores higher; take one that does; -1 for none (20000)")
	f.StringVar(&rows.StopAfter, "stop-after", "", "end with `STAGE` segment (no tags, no trees) or tag (no trees)")
	f.Uint64Var(&rows.Parse.Seed, "seed", rows.Parse.Seed, "`N` that the random choices depend on")
	group(f, rareFlags, "max-words", "restarts", "projective", "exact", "budget", "samples", "decoder", "certify", "stop-after", "seed")
	choose(f, "decoder", "greedy", "sample", "risk")
	choose(f, "stop-after", "segment", "tag")
}
