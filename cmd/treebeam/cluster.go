package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/treebeam/treebeam/io/output"
	"github.com/treebeam/treebeam/io/source"
	"github.com/treebeam/treebeam/io/store"
	"github.com/treebeam/treebeam/parser/cluster"
	"github.com/treebeam/treebeam/parser/tally"
	"github.com/treebeam/treebeam/pipeline"
	"github.com/treebeam/treebeam/transforms"
)

const clusterAbout = `
Learns classes of words from text without trees: words that stand beside the same words
get the same class. treebeam train --clusters FILE takes features from them. Text is cut
into words as parse does it, by the model of --model; CoNLL-U has its words already.

FILE has a line for each word: the class as bits, the word, and how often the text has
it, with tabs between them. --method brown makes a tree of classes, in which a prefix of
the bits is a coarser class; hmm and type make classes without an order, from the states
of a hidden Markov model. brown counts with Beam, on the --runner that you choose, and
keeps the counts in FOLDER of --work until FILE is there. The others read all of the text
into memory.`

const clusterExample = `
  treebeam cluster 'corpus/**/*.txt' -o clusters.tsv
  treebeam cluster corpus train.conllu --classes 1000 --min-count 5 -o clusters.tsv.gz
  treebeam cluster corpus --method hmm --classes 64 -o states.tsv`

// A clusterCommand has what the flags of cluster say.
type clusterCommand struct {
	parseCommand
	method     string
	file       string
	classes    int
	minCount   int64
	vocabulary int
	passes     int
	seed       uint64

	remove func() error // removes the counts; nil if there are none
}

// newCluster is treebeam cluster.
func newCluster() *cobra.Command {
	cmd := newCommand("cluster FILE... -o FILE", "learn classes of words from text, for training", clusterAbout)
	cmd.Example = clusterExample
	f := cmd.Flags()
	c := &clusterCommand{parseCommand: parseCommand{flags: f, options: pipeline.Options{Rows: pipeline.DefaultRows(), Stdin: os.Stdin}}}
	rows := &c.options.Rows
	c.named.define(f)
	f.StringVarP(&rows.From, "from", "f", rows.From, "read `FORMAT`: auto, text, conllu, conllx, jsonl, csv, tsv, parquet, tokens or vertical")
	f.StringVar(&rows.Lines, "lines", rows.Lines, "what line breaks mean, `MODE`: auto, wrapped, paragraph or sentence")
	f.StringVar(&rows.Encoding, "encoding", "", "read raw text in the encoding `NAME` (UTF-8; a byte order mark wins)")
	f.StringVar(&rows.TextKey, "text-key", "", "take the text of JSON Lines and tables from `KEY` (text)")
	f.StringVarP(&c.options.Model, "model", "m", "", "cut text with the model `FILE` (the built-in English one)")
	group(f, inputFlags, "from", "lines", "encoding", "text-key", "model")
	f.StringVarP(&c.file, "output", "o", "", "write the classes to `FILE`, also .gz or .zst")
	f.StringVar(&c.options.Output, "work", "", "keep the counts in `FOLDER` meanwhile (FILE.counts)")
	group(f, outputFlags, "output", "work")
	f.StringVar(&c.method, "method", "brown", "make classes by `HOW`: brown (merging), hmm (stepwise EM) or type (sampling)")
	f.IntVar(&c.classes, "classes", 0, "make at most `N` classes (brown 500, others 64)")
	f.Int64Var(&c.minCount, "min-count", 2, "leave out words that occur less than `N` times")
	f.IntVar(&c.vocabulary, "vocabulary", 200_000, "leave out all but the `N` most frequent words")
	f.IntVar(&c.passes, "passes", 0, "with hmm or type: pass over the text `N` times (hmm 6, type 12)")
	f.Uint64Var(&c.seed, "seed", 1, "with hmm or type: seed of the random choices, `N`")
	group(f, qualityFlags, "method", "classes", "min-count", "vocabulary", "passes", "seed")
	c.workFlags(f)
	withBeamFlags(f)
	choose(f, "from", "auto", "text", "conllu", "conllx", "jsonl", "csv", "tsv", "parquet", "tokens", "vertical")
	choose(f, "lines", "auto", "wrapped", "paragraph", "sentence")
	choose(f, "method", "brown", "hmm", "type")
	choose(f, "runner", "prism", "flink", "spark", "dataflow", "universal")
	cmd.RunE = func(cmd *cobra.Command, others []string) error { return c.run(cmd.Context(), others) }
	return cmd
}

// workFlags say how the work is done. They change no class.
func (c *clusterCommand) workFlags(f *pflag.FlagSet) {
	f.BoolVarP(&c.quiet, "quiet", "q", false, "do not say what was done")
	c.threads = threadsFlag(f)
	f.BoolVar(&c.options.SharedFilesystem, "shared-filesystem", false, "say that all workers see this machine's paths")
	f.Int64Var(&c.options.RangeBytes, "range-bytes", 0, "make one part of about `BYTES` of input (by its size)")
	group(f, runFlags, "quiet")
	group(f, rareFlags, "shared-filesystem", "range-bytes")
}

// check refuses flags that say nothing, or too much.
func (c *clusterCommand) check() error {
	flat := c.method == "hmm" || c.method == "type"
	most := cluster.MaxClasses
	if flat {
		most = cluster.MaxStates
	}
	switch {
	case !flat && c.method != "brown":
		return refuse("--method %s: must be brown, hmm or type", c.method)
	case c.file == "":
		return refuse("no output: name a file for the classes with --output FILE")
	case c.classes < 0 || c.classes == 1 || c.classes > most: // one for all words says nothing, and has no bits
		return refuse("--classes %d: must be from 2 to %d with --method %s; 0 means the method's default", c.classes, most, c.method)
	case c.minCount < 1:
		return refuse("--min-count %d: must be 1 or more", c.minCount)
	case c.vocabulary < 2 || c.vocabulary > cluster.MaxRows:
		return refuse("--vocabulary %d: must be from 2 to %d", c.vocabulary, cluster.MaxRows)
	case c.passes < 0 || c.passes > 1000:
		return refuse("--passes %d: must be from 1 to 1000; 0 means the method's default", c.passes)
	case !flat && (c.flags.Changed("passes") || c.flags.Changed("seed")):
		return refuse("--passes and --seed are for --method hmm and type: merging draws nothing at random")
	case flat && c.flags.Changed("runner"):
		return refuse("--runner: --method %s learns in this process; leave --runner out, or take --method brown", c.method)
	case given(c.flags, "async") || given(c.flags, "dry_run") || given(c.flags, "template_location"):
		return refuse("cluster waits for its counts: leave out --async, --dry_run and --template_location")
	case c.options.Output == "" && (c.file == "-" || store.IsRemote(c.file) || isDevice(c.file)) && !flat:
		return refuse("--output %s: name a folder for the counts with --work FOLDER", store.Redact(c.file))
	}
	return nil
}

// isDevice says whether a file is there that is neither one of a disk nor a folder.
func isDevice(name string) bool {
	info, err := os.Stat(name)
	return err == nil && !info.Mode().IsRegular() && !info.IsDir()
}

// run does what the flags say; others are inputs given without --input.
func (c *clusterCommand) run(ctx context.Context, others []string) error {
	if err := setThreads(*c.threads); err != nil {
		return err
	}
	c.options.Inputs, c.options.Exclude = append(c.named.inputs, others...), c.named.exclude
	if err := cmp.Or(c.check(), c.checkModel(), checkEnding("--output", c.file, "tsv")); err != nil {
		return err
	}
	var err error
	if c.options.Paths, err = c.named.paths(ctx, c.options.Inputs); err != nil {
		return err
	}
	if err := c.keepsInputs(ctx); err != nil {
		return err
	}
	out, commit, cleanup, err := createRows("--output", c.file)
	if err != nil {
		return err
	}
	table, err := c.learn(ctx)
	learned := err == nil
	if learned {
		err = table.Write(out)
	}
	if err == nil {
		err = commit()
	} else {
		cleanup()
	}
	switch {
	case c.remove == nil:
	case learned && err != nil: // such as a full disk
		err = fmt.Errorf("%w\nrun the same command again to continue: the counts are in %s", err, store.Redact(c.options.Output))
	default: // not before: an interruption of the merges would lose the counts
		err = errors.Join(err, c.remove())
	}
	if err != nil {
		return err
	}
	c.note("%s: %s in %s\n", c.file, plural(int64(len(table.Rows)), "word"), plural(int64(table.Classes()), "class"))
	return nil
}

// keepsInputs refuses to write the classes over what they are made of.
func (c *clusterCommand) keepsInputs(ctx context.Context) error {
	if output.SameFile(c.file, c.options.Model) {
		return refuse("--output %s is the model: it would be lost; name another file", c.file)
	}
	info, err := os.Stat(c.file)
	if err != nil || !info.Mode().IsRegular() {
		return nil
	}
	inputs, err := source.List(ctx, c.options.Inputs, source.ListOptions{Paths: c.options.Paths, Exclude: c.options.Exclude, Stdin: os.Stdin, Live: true})
	if err != nil {
		return &refusal{err}
	}
	for i := range inputs {
		if in := &inputs[i]; in.Size == info.Size() && !store.IsRemote(in.URI) && output.SameFile(c.file, filepath.FromSlash(in.URI)) {
			return refuse("--output %s is one of the inputs: it would be lost; name another file, or leave it out with --exclude", c.file)
		}
	}
	return nil
}

// note says what was done, unless --quiet.
func (c *clusterCommand) note(format string, a ...any) {
	if !c.quiet {
		say(os.Stderr, format, a...)
	}
}

// learn makes the classes.
func (c *clusterCommand) learn(ctx context.Context) (*cluster.Table, error) {
	if c.method == "brown" {
		return c.brown(ctx)
	}
	ctx, stop := interruptible(ctx)
	defer stop()
	var text cluster.Collector
	counted, err := pipeline.EachSentence(ctx, c.options, text.Add)
	if ctx.Err() != nil {
		return nil, exitCode(exitInterrupted)
	}
	stop() // what follows does not look at the context: a signal ends it at once
	if err != nil {
		return nil, err
	}
	c.noteCounted(counted)
	t := text.Text(c.minCount, c.vocabulary)
	if err := c.enough(counted, len(t.Words)); err != nil {
		return nil, err
	}
	learn, passes := cluster.HMM, 6
	if c.method == "type" {
		learn, passes = cluster.Type, 12
	}
	table, err := learn(t, cmp.Or(c.classes, 64), cmp.Or(c.passes, passes), c.seed, c.progress("passes"))
	if err == nil && table.Classes() == 1 {
		return nil, errors.New("all words got the same class, which says nothing of them: name more text, or more --passes")
	}
	return table, err
}

// enough reports that there are too few words to tell apart. Where nothing could be
// read, that ends as it does for parse.
func (c *clusterCommand) enough(n *transforms.Counted, words int) error {
	few := "no word occurs"
	switch {
	case n.Words == 0 && n.Failures > 0:
		say(os.Stderr, "nothing could be read\n")
		return exitCode(exitFailures)
	case n.Words == 0:
		return errors.New("there is no word in the input, and classes need two: name more text")
	case words == 1:
		few = "only one word occurs"
	case words > 1:
		return nil
	}
	if c.minCount == 1 {
		return fmt.Errorf("%s, and classes need two: name more text", few)
	}
	return fmt.Errorf("%s %d times or more, and classes need two: name more text, or a lower --min-count", few, c.minCount)
}

// brown counts on the runner, then merges.
func (c *clusterCommand) brown(ctx context.Context) (*cluster.Table, error) {
	defer onInterrupt(continues)()
	merged, counted, err := c.count(ctx)
	if err != nil {
		return nil, err
	}
	if err := c.enough(counted, len(merged.Words)); err != nil {
		return nil, err
	}
	c.note("clustering %d of %s, by %s\n", len(merged.Words), plural(merged.Forms, "form"), plural(int64(len(merged.Bigrams)), "bigram"))
	if merged.Rare > 0 {
		c.note("bigrams that occur %s or less were left out: there are more than %d\n", plural(merged.Rare, "time"), tally.MaxBigrams)
	}
	return cluster.Brown(&merged.Counts, cmp.Or(c.classes, 500), c.progress("merges"))
}

// count runs the job of the counts. What it leaves, c.remove takes away.
func (c *clusterCommand) count(ctx context.Context) (*tally.Merged, *transforms.Counted, error) {
	tellBeam(c.flags)
	runner, environment := flag.Lookup("runner").Value, flag.Lookup("environment_type").Value
	if pipeline.IsPrism(runner.String()) {
		runner.Set("prism")
	}
	c.options.Runner, c.options.Environment = runner.String(), environment.String()
	c.options.Output = cmp.Or(c.options.Output, c.file+".counts")
	if err := pipeline.CheckCounts(ctx, c.options.Output); err != nil {
		return nil, nil, err
	}
	c.options.Overwrite = true // other counts: they are not what was asked for
	c.startBeam()
	closeScratch, err := openScratch()
	if err != nil {
		return nil, nil, err
	}
	defer closeScratch()
	run, err := c.prepare(ctx)
	if err != nil {
		return nil, nil, err
	}
	defer run.Close()
	follow(run)
	if note := run.Note(); note != "" {
		say(os.Stderr, "%s\n", note)
	}
	merged, counted, err := pipeline.Count(ctx, run, tally.Limits{Least: c.minCount, Words: c.vocabulary, Bigrams: tally.MaxBigrams})
	switch {
	case errors.Is(err, tally.ErrTooMany):
		return nil, nil, errors.Join(err, run.RemoveCounts(ctx)) // counts that nothing can be made of
	case err != nil:
		return nil, nil, fmt.Errorf("%w\nrun the same command again to continue", err)
	}
	c.noteCounted(counted)
	c.remove = func() error { return run.RemoveCounts(ctx) }
	return merged, counted, nil
}

// noteCounted says how much text there was, and what of it was lost.
func (c *clusterCommand) noteCounted(n *transforms.Counted) {
	c.note("read %s in %s\n", plural(n.Words, "word"), plural(n.Sentences, "sentence"))
	if n.Long > 0 {
		c.note("%s of over %d bytes left out\n", plural(n.Long, "word"), cluster.MaxWord)
	}
	switch {
	case n.Failures == 1:
		say(os.Stderr, "1 file or sentence could not be read; treebeam parse says which, and why\n")
	case n.Failures > 1:
		say(os.Stderr, "%s files or sentences could not be read; treebeam parse says which, and why\n", grouped(n.Failures))
	}
}

// progress says now and then how many of all steps are done.
func (c *clusterCommand) progress(what string) func(done, all int) {
	last := time.Now()
	return func(done, all int) {
		if now := time.Now(); now.Sub(last) > 20*time.Second {
			last = now
			c.note("%d of %d %s\n", done, all, what)
		}
	}
}
