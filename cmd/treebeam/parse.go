package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/treebeam/treebeam/model"
	"github.com/treebeam/treebeam/pipeline"
	"github.com/treebeam/treebeam/pipeline/nightly"
	"github.com/treebeam/treebeam/transforms"
)

const parseAbout = `
Parses raw text, JSON lines, CoNLL-U and CoNLL-X, plain or .gz, .zst, .bz2. Inputs are
files, folders (walked recursively), globs such as 'corpus/**/*.txt' in quotes,
and '-' for standard input; gs:// and s3:// name buckets. With --output FOLDER
the trees become Parquet in FOLDER/trees, and what could not be parsed rows in
FOLDER/failures; the same command again continues an interrupted run. With
--state FOLDER only files are parsed that are new or have changed since the last
time.

With --to conllu, jsonl or text the trees are written to standard output, or to
the file that --output names, and standard input and pipes are read as they come:
sentences come out whenever the input pauses. Give --lines if that input is slow:
else it may take 4 KB of it to know what line breaks mean. With --stop-after these
formats hold sentences without trees, which can be parsed later as CoNLL-U.

Tell it what you know of the text: --abbreviations, --keep-together and --exceptions
name files (docs/custom.md).

With --accurate, or a model of your own that was trained with --encoder, trees have
fewer mistakes; with --effort only those sentences take the time that need it
(docs/encoder.md). How sure the parser is stands in columns (docs/parquet.md), or
with --conf in CoNLL-U.

Flags of Beam such as --runner pass through: treebeam help beam lists them.`

// list is a flag that may be repeated.
type list []string

func (l *list) String() string     { return strings.Join(*l, ",") }
func (l *list) Set(s string) error { *l = append(*l, s); return nil }
func (l *list) Type() string       { return "list" }

// A parseCommand has what the flags of parse say.
type parseCommand struct {
	flags       *pflag.FlagSet
	options     pipeline.Options
	inputs      list
	to          string
	conf        *bool
	maxFailures string
	accurate    bool
	quiet       bool
	verbose     bool
	night       nightFlags
}

// newParse is treebeam parse.
func newParse() *cobra.Command {
	cmd := newCommand("parse [FILE...] --output FOLDER | --to FORMAT", "text to trees", parseAbout)
	c := newParseCommand(cmd.Flags())
	cmd.RunE = func(cmd *cobra.Command, others []string) error { return c.run(cmd.Context(), others) }
	return cmd
}

// newParseCommand defines the flags of parse.
func newParseCommand(f *pflag.FlagSet) *parseCommand {
	c := &parseCommand{flags: f, options: pipeline.Options{Rows: pipeline.DefaultRows(), Stdin: os.Stdin}}
	o := &c.options
	f.Var(&c.inputs, "input", "`PATTERN` of input files; may be repeated")
	f.StringVar(&o.Output, "output", "", "`FOLDER` for the Parquet output")
	f.StringVar(&c.to, "to", "", "`FORMAT` of the output: parquet, conllu, jsonl or text (parquet if --output is given)")
	c.conf = confFlag(f)
	f.BoolVar(&o.EndMarks, "end-marks", false, "with --to jsonl or conllu: all failures in their places, and after every document a line that says so, for programs that wait for it (docs/pipes.md)")
	f.StringVar(&o.Model, "model", "", "model `FILE` (the embedded English one)")
	f.BoolVar(&c.accurate, "accurate", false, "parse with the accurate English model in the program: fewer mistakes, in about five times the time")
	f.StringVar(&o.Rows.Effort, "effort", "", "with --accurate, or another model with an encoder: encode only where a parse without the encoder has an expected LAS below `P`, from 0 (never) to 1 (always, the default)")
	f.StringVar(&o.Rows.From, "from", o.Rows.From, "`FORMAT` of the input: auto, text, conllu, conllx, jsonl, tokens or vertical")
	formatFlags(f, &o.Rows)
	f.StringVar(&o.Rows.Encoding, "encoding", "", "`NAME` of the encoding of raw text (UTF-8; a byte order mark wins)")
	f.StringVar(&o.Rows.Lines, "lines", o.Rows.Lines, "what a line break in raw text is: `MODE` auto, wrapped, paragraph or sentence")
	customFlags(f, &o.Custom, &o.Rows.Unconstrained)
	f.IntVar(&o.Rows.MaxWords, "max-words", o.Rows.MaxWords, "cut raw sentences longer than `N` words")
	f.BoolVar(&o.Rows.Retag, "retag", false, "replace the tags and lemmas of CoNLL input")
	f.BoolVar(&o.Rows.KeepHeads, "keep-heads", false, "keep the heads that CoNLL input gives, and their deprels; find the others")
	f.IntVar(&o.Rows.Parse.Restarts, "restarts", 0, "at most `N` climbs a sentence: more are slower and find better trees (6)")
	f.BoolVar(&o.Rows.Parse.Projective, "projective", false, "find trees without crossing arcs only")
	f.IntVar(&o.Rows.Parse.Exact, "exact", 0, "score all trees of a sentence whose candidate heads combine in at most `N` ways; -1 for none (32)")
	f.IntVar(&o.Rows.Parse.Budget, "budget", 0, "stop searching a sentence after weighing `N` heads a word; its status is then budget (1000 a restart)")
	f.IntVar(&o.Rows.Parse.Samples, "samples", 0, "estimate head_marginal from `N` sampled trees, too: slower, and a little better at telling right from wrong (0)")
	f.StringVar(&o.Rows.Parse.Decoder, "decoder", "", "what finds trees, `NAME` is greedy (climbs), sample (annealed sampling) or risk (most heads expected right, by sampling) (greedy)")
	f.IntVar(&o.Rows.Parse.Certify, "certify", 0, "spend at most `N` steps a sentence, of about 5 ns each, on a proof that no other tree scores higher, and take one that does; -1 for none (20000)")
	f.StringVar(&o.Rows.StopAfter, "stop-after", "", "end with `STAGE` segment or tag: sentences without tags or trees, without trees")
	f.Uint64Var(&o.Rows.Parse.Seed, "seed", o.Rows.Parse.Seed, "`N` that the random choices depend on")
	f.Int64Var(&o.RangeBytes, "range-bytes", 0, "about how many `BYTES` of input make one part (chosen)")
	f.BoolVar(&o.Overwrite, "overwrite", false, "remove the output of another run first")
	f.BoolVar(&o.RetryFailures, "retry-failures", false, "read files again that could not be read")
	f.BoolVar(&o.Verify, "verify", false, "read the finished parts of an output whole, and make those anew that are damaged")
	f.BoolVar(&o.SharedFilesystem, "shared-filesystem", false, "all workers see this machine's paths")
	f.StringVar(&c.maxFailures, "max-failures", "", "exit with status 3 if more than `N or P%` sentences failed, or P% of the files")
	f.BoolVar(&c.quiet, "quiet", false, "show no progress")
	f.BoolVar(&c.verbose, "verbose", false, "at the end, print what the runner has counted")
	c.night.define(f)
	withBeamFlags(f)
	return c
}

// checkModel refuses an empty name, most often of a variable that is not set:
// with the embedded model, French would be parsed as English. --accurate names
// one.
func (c *parseCommand) checkModel() (err error) {
	c.flags.Visit(func(f *pflag.Flag) {
		if f.Name == "model" && f.Value.String() == "" {
			err = refuse("--model is empty: name a model file, or leave it out for the embedded English model")
		}
	})
	if err == nil && c.accurate {
		if c.options.Model != "" {
			return refuse("--accurate is a model too: leave it out, or --model")
		}
		c.options.Model = model.EmbeddedAccurate
	}
	return err
}

// run does what the flags say; others are inputs given without --input.
func (c *parseCommand) run(ctx context.Context, others []string) error {
	boundMemory()
	c.options.Inputs = append(c.inputs, others...)
	if err := cmp.Or(c.checkNight(), c.checkModel(), checkCustom(c.flags)); err != nil {
		return err
	}
	limit, err := parseLimit(c.maxFailures)
	if err != nil {
		return err
	}
	_, isStream := pipeline.Formats[c.to]
	if !isStream && c.to != "" && c.to != "parquet" {
		return refuse("--to %s: must be parquet, %s", c.to, pipeline.FormatNames)
	}
	if c.to, err = withConf(c.to, *c.conf); err != nil {
		return err
	}
	if c.options.Rows.StopAfter != "" && c.to == "conllu-conf" {
		return refuse("--stop-after %s: only parsed sentences have probabilities; leave --conf out", c.options.Rows.StopAfter)
	}
	if c.options.EndMarks && !isStream {
		return refuse("--end-marks is for streams: add --to jsonl or --to conllu")
	}
	if isStream {
		return c.stream(ctx, limit)
	}
	tellBeam(c.flags)
	runner, environment := flag.Lookup("runner").Value, flag.Lookup("environment_type").Value
	if pipeline.IsPrism(runner.String()) {
		runner.Set("prism")
	}
	c.options.Runner, c.options.Environment = runner.String(), environment.String()
	if c.night.state != "" {
		return c.runNight(ctx, limit)
	}
	defer onInterrupt(continues)()
	c.startBeam()
	closeScratch, err := openScratch()
	if err != nil {
		return err
	}
	defer closeScratch()
	run, err := c.prepare(ctx)
	if err != nil {
		return err
	}
	defer run.Close()
	submitted := follow(run)
	show := startProgress(c.quiet, run)
	sum, err := pipeline.Run(ctx, run)
	elapsed := show.stop()
	var changed *pipeline.InputChanged
	if errors.As(err, &changed) {
		return fmt.Errorf("%w\nthe input is another one now: add --overwrite to remove what this run has written, or name another --output", err)
	}
	if err != nil {
		return fmt.Errorf("%w\nthe same command continues where this run stopped", err)
	}
	if sum == nil {
		if !c.sayNotSubmitted() {
			say(os.Stderr, "%s is submitted; %s in %s will mark its end\n", submitted(), transforms.ManifestFile, c.options.Output)
		}
		return nil
	}
	if c.verbose {
		printMetrics(os.Stderr, run.Metrics(), sum.Work)
	}
	show.printChecked(os.Stderr)
	printSummary(os.Stderr, os.Stdout, c.options.Output, sum, elapsed)
	return checkFailures(limit, sum, fmt.Sprintf("treebeam failures %s shows all %d failures", c.options.Output, sum.Errors))
}

// prepare checks and plans the run, and ends early when a signal comes.
func (c *parseCommand) prepare(ctx context.Context) (*pipeline.Prepared, error) {
	ctx, stop := interruptible(ctx)
	run, err := pipeline.Prepare(ctx, c.options)
	stop()
	if interrupted() {
		return nil, exitCode(exitInterrupted)
	}
	return run, err
}

// A failureLimit is the value of --max-failures.
type failureLimit struct {
	set     bool
	count   int64
	percent float64 // instead of count if not negative
}

func parseLimit(s string) (failureLimit, error) {
	if s == "" {
		return failureLimit{}, nil
	}
	number, isPercent := strings.CutSuffix(s, "%")
	value, err := strconv.ParseFloat(number, 64)
	if err != nil || !(value >= 0) || isPercent && value > 100 || !isPercent && value != float64(int64(value)) {
		return failureLimit{}, refuse("--max-failures %s: must be a number of sentences or a percentage such as 1%%", s)
	}
	if isPercent {
		return failureLimit{set: true, percent: value}, nil
	}
	return failureLimit{set: true, count: int64(value), percent: -1}, nil
}

// check returns status 3 if more failed than the limit allows.
func (l failureLimit) check(sum *transforms.Summary) error {
	found := nightly.Found{Errors: sum.Errors, Trees: sum.Trees, Files: sum.Files, FilesFailed: sum.FilesFailed}
	if err := l.accept(found); err != nil {
		say(os.Stderr, "%v\n", err)
		return exitCode(exitFailures)
	}
	return nil
}

// accept returns a tooManyFailures if there are. A percentage is one of
// sentences and one of files: a file that cannot be read is one failure, however
// many sentences it has.
func (l failureLimit) accept(found nightly.Found) error {
	over, files := found.Errors > l.count, false
	if l.percent >= 0 {
		over = float64(found.Errors)*100 > l.percent*float64(found.Errors+found.Trees)
		files = float64(found.FilesFailed)*100 > l.percent*float64(found.Files)
	}
	switch {
	case l.set && over:
		return tooManyFailures(fmt.Sprintf("%d failures", found.Errors))
	case l.set && files:
		return tooManyFailures(fmt.Sprintf("%d of %d files that could not be read", found.FilesFailed, found.Files))
	}
	return nil
}

// tooManyFailures says how many.
type tooManyFailures string

func (n tooManyFailures) Error() string { return string(n) + " are more than --max-failures allows" }
