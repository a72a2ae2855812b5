package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
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
	to          string
	conf        *bool
	display     display
	maxFailures string
	accurate    bool
	quiet       bool
	verbose     bool
	json        bool
	threads     *int
	night       nightFlags
	watch       watchFlags
}

// run does what the flags say; others are inputs given without --input.
func (c *parseCommand) run(ctx context.Context, others []string) error {
	if err := setThreads(*c.threads); err != nil {
		return err
	}
	boundMemory()
	c.options.Inputs, c.options.Exclude = append(c.named.inputs, others...), c.named.exclude
	if err := c.checkNight(); err != nil {
		return err
	}
	switch {
	case c.accurate && c.options.Model != "":
		return refuse("--accurate and --model both name a model: leave out one of them")
	case c.accurate:
		c.options.Model = model.EmbeddedAccurate
	}
	var err error
	if c.options.Paths, err = c.named.paths(ctx, c.options.Inputs); err != nil {
		return err
	}
	limit, err := parseLimit(c.maxFailures)
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

// checkFormat refuses options that do not go with the format of the output.
func (c *parseCommand) checkFormat(isStream bool) error {
	if !isStream && c.to != "" && c.to != "parquet" {
		return refuse("--to %s: must be parquet, %s", c.to, pipeline.OneOfFormats())
	}
	if err := checkConf(c.to, *c.conf); err != nil {
		return err
	}
	if c.options.Rows.StopAfter != "" && c.to == "conllu" && *c.conf {
		return refuse("--stop-after %s: only parsed sentences have probabilities; leave out --conf", c.options.Rows.StopAfter)
	}
	if c.options.EndMarks && !isStream {
		return refuse("--end-marks is for streams: add --to jsonl or --to conllu")
	}
	if o := c.options.Output; c.options.EndMarks && o != "" && o != "-" {
		return refuse("--end-marks is for a program that reads standard output: leave out --output %s", o)
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
	submitted := follow(run)
	show := startProgress(c.quiet, run)
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
	printSummary(runSummary{Summary: sum, Output: c.options.Output}, &done, c.json)
	return limit.check(sum)
}

// prepare checks and plans the run, and ends early when a signal comes.
func (c *parseCommand) prepare(ctx context.Context) (*pipeline.Prepared, error) {
	return untilSignal(ctx, func(ctx context.Context) (*pipeline.Prepared, error) { return pipeline.Prepare(ctx, c.options) })
}
