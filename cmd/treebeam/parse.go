package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/treebeam/treebeam/io/output"
	"github.com/treebeam/treebeam/model"
	"github.com/treebeam/treebeam/pipeline"
)

// list is a flag that may be repeated.
type list []string

func (l *list) String() string     { return strings.Join(*l, ",") }
func (l *list) Set(s string) error { *l = append(*l, s); return nil }
func (l *list) Type() string       { return "list" }

// A parseCommand holds the flags of parse.
type parseCommand struct {
	flags       *pflag.FlagSet
	options     pipeline.Options
	named       namedInputs
	rules       string // file
	to          string
	conf        *bool
	display     display
	maxFailures string
	accurate    bool
	fast        bool
	quiet       bool
	verbose     bool
	json        bool
	progress    string // text or json
	night       nightFlags
	watch       watchFlags
}

// run does what the flags say; others are inputs given without --input.
func (c *parseCommand) run(ctx context.Context, others []string) error {
	boundMemory()
	c.options.Inputs, c.options.Exclude = append(c.named.inputs, others...), c.named.exclude
	if err := addRules(ctx, c.rules, &c.options.Rows); err != nil {
		return err
	}
	c.options.Unmatched = func(rule string) { say(os.Stderr, "--rule %q: matches no file that no rule before it matches\n", rule) }
	if err := c.checkNight(); err != nil {
		return err
	}
	if err := c.chooseModel(); err != nil {
		return err
	}
	var err error
	if c.options.Paths, err = c.named.paths(ctx, c.options.Inputs); err != nil {
		return err
	}
	limit, err := c.limit()
	if err != nil {
		return err
	}
	if err := c.chooseFormat(); err != nil {
		return err
	}
	isStream := pipeline.FormatOf(c.to) != nil
	if isStream && c.options.HasNoInput() && isPiped(os.Stdin) {
		c.options.Inputs = []string{"-"}
	}
	if err := c.checkFormat(isStream); err != nil {
		return err
	}
	if err := c.checkWatch(); err != nil {
		return err
	}
	if isStream {
		return c.stream(ctx, limit)
	}
	tellBeam(c.flags)
	runner, environment := flag.Lookup("runner").Value, flag.Lookup("environment_type").Value
	if pipeline.IsPrism(runner.String()) {
		if idle := namesGiven(c.flags, []string{"parallelism", "project", "region", "staging_location", "worker_binary"}, true); idle != "" {
			return refuse("%s: for an engine, and the run is on this machine; name the engine with --runner, as in --runner flink", idle)
		}
		runner.Set("prism")
	}
	c.options.Runner, c.options.Environment = runner.String(), environment.String()
	switch {
	case c.watch.generation:
		return c.runGeneration(ctx)
	case c.watch.on:
		return c.runWatch(ctx)
	case c.night.state != "":
		return c.runNight(ctx, limit)
	}
	return c.runJob(ctx, limit)
}

// chooseModel makes --fast and --accurate the name of a model. Without either, the model
// is that of model.Default.
func (c *parseCommand) chooseModel() error {
	o := &c.options
	given := "--accurate"
	if c.fast {
		given = "--fast"
	}
	switch {
	case c.fast && c.accurate:
		return refuse("--fast and --accurate exclude each other: leave out one of them; the accurate model is the default")
	case c.fast && o.Rows.Effort != "":
		return refuse("--fast and --effort %s exclude each other: the fast model has no encoder; leave out --fast, or --effort", o.Rows.Effort)
	case c.fast && !mayBeEnglish(o.Rows.Language):
		return refuse("--fast is for English: every other language has one model; leave out --fast, or --language %s", o.Rows.Language)
	case (c.fast || c.accurate) && o.Model != "":
		return refuse("%s and --model both name a model: leave out one of them", given)
	case c.fast:
		o.Model = model.Embedded
	case c.accurate:
		o.Model = model.EmbeddedAccurate
	case o.Model == "" && !c.quiet && mayBeEnglish(o.Rows.Language):
		sayIfNotAccurate()
	}
	return nil
}

// mayBeEnglish reports whether texts may be in English if --language is option.
func mayBeEnglish(option string) bool {
	if option == "" || option == model.AutoLanguage {
		return true
	}
	for name := range strings.SplitSeq(option, ",") {
		if _, _, err := model.Choose(name, model.Choices(nil)[:1]); err == nil {
			return true
		}
	}
	return false
}

// sayIfNotAccurate says that the default is the fast model, in a program that does not
// include the accurate one.
func sayIfNotAccurate() {
	if model.Default() != model.EmbeddedAccurate {
		say(os.Stderr, "this program was built without the accurate English model and uses the fast one\n")
	}
}

// checkFormat refuses options that do not go with the format of the output.
func (c *parseCommand) checkFormat(isStream bool) error {
	if !isStream && c.to != "" && c.to != "parquet" {
		return refuse("--to %s: must be parquet, %s", c.to, pipeline.OneOfFormats())
	}
	if err := cmp.Or(checkConf(c.to, *c.conf), c.display.check(c.to), c.checkStop(), c.checkFrom(), checkCount(c.flags, "limit")); err != nil {
		return err
	}
	if c.options.EndMarks && !isStream {
		return refuse("--end-marks is for streams: add --to jsonl or --to conllu")
	}
	if c.progress == "json" && (isStream || c.watch.on) {
		return refuse("--progress json is for runs with --output FOLDER or --state; leave it out")
	}
	if c.options.Dedup && (isStream || c.watch.on) {
		return refuse("--dedup is for runs with --output FOLDER or --state; leave it out")
	}
	if o := c.options.Output; c.options.EndMarks && o != "" && o != "-" {
		return refuse("--end-marks is for a program that reads standard output: leave out --output %s", o)
	}
	return nil
}

// checkStop refuses options of trees for sentences without trees.
func (c *parseCommand) checkStop() error {
	stage := c.options.Rows.StopAfter
	if stage == "" {
		return nil
	}
	if *c.conf {
		return refuse("--stop-after %s: only parsed sentences have probabilities; leave out --conf", stage)
	}
	names := []string{"projective", "restarts", "exact", "budget", "certify", "seed", "unconstrained"}
	if stage == output.StopSegment {
		names = append(names, "retag")
	}
	if idle := namesGiven(c.flags, names, true); idle != "" {
		return refuse("--stop-after %s leaves nothing to do for %s", stage, idle)
	}
	return nil
}

// checkFrom refuses options of input in other formats than that of --from. Rules may say
// the format of some files, and their options may be given for all.
func (c *parseCommand) checkFrom() error {
	o := &c.options.Rows
	if o.From == "auto" || o.Rules != "" {
		return nil
	}
	const conll, records = "conllu or conllx", "jsonl, csv, tsv or parquet"
	const segmented = "text, " + records // what is cut into sentences
	lists := &c.options.Custom
	for _, x := range []struct {
		given         bool
		flag, formats string
	}{
		{o.Retag, "--retag", conll}, {o.KeepHeads, "--keep-heads", conll},
		{o.TextKey != "", "--text", records}, {o.IDKey != "", "--id", records}, {o.Keep != "", "--keep", records},
		{o.Document != "", "--document", "text"}, {o.Encoding != "", "--encoding", "text, csv, tsv, tokens or vertical"},
		{o.Lines != "auto", "--lines", segmented}, {o.StripHTML, "--strip-html", segmented}, {o.Ranges, "--ranges", segmented},
		{c.flags.Changed("max-words"), "--max-words", segmented},
		{lists.Abbreviations != "", "--abbreviations", segmented}, {lists.KeepTogether != "", "--keep-together", segmented},
	} {
		if x.given && !slices.Contains(strings.FieldsFunc(x.formats, func(r rune) bool { return r == ' ' || r == ',' }), o.From) {
			return refuse("%s is for --from %s, not %s; leave it out", x.flag, x.formats, o.From)
		}
	}
	return nil
}

// runJob parses to a folder of Parquet files, by Beam.
func (c *parseCommand) runJob(ctx context.Context, limit failureLimit) error {
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
	if !c.quiet {
		printDuplicates(os.Stderr, run.Duplicates)
	}
	submitted := follow(run)
	show := c.startProgress(run)
	sum, err := pipeline.Run(ctx, run)
	show.stop()
	var changed *pipeline.InputChanged
	if errors.As(err, &changed) {
		return fmt.Errorf("%w\nthe input has changed: add --overwrite to remove what this run has written, or name another --output", err)
	}
	if err != nil {
		return fmt.Errorf("%w\nrun the same command again to continue this run", err)
	}
	if sum == nil {
		if !c.sayNotSubmitted() {
			say(os.Stderr, "%s is submitted; %s in %s will mark its end\n", submitted(), output.ManifestFile, c.options.Output)
		}
		return nil
	}
	if c.verbose {
		printMetrics(os.Stderr, run.Metrics())
	}
	done := show.watch.Done(sum)
	show.printChecked(os.Stderr, &done)
	printRun(os.Stderr, c.options.Output, sum, &done)
	if c.json {
		printSummary(runSummary{Summary: sum, Output: c.options.Output}, &done)
	}
	return limit.check(sum)
}

// prepare checks and plans the run, and ends early when a signal comes.
func (c *parseCommand) prepare(ctx context.Context) (*pipeline.Prepared, error) {
	return untilSignal(ctx, func(ctx context.Context) (*pipeline.Prepared, error) { return pipeline.Prepare(ctx, c.options) })
}
