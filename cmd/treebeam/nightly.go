package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/treebeam/treebeam/io/view"
	"github.com/treebeam/treebeam/pipeline"
	"github.com/treebeam/treebeam/pipeline/nightly"
)

// nightFlags are the flags of parse for a state.
type nightFlags struct {
	state        string
	all          bool
	allowDeletes bool
	planOnly     string // "", text or json
}

func (n *nightFlags) define(f *pflag.FlagSet) {
	f.StringVar(&n.state, "state", "", "parse only files that are new or have changed since the state in `FOLDER`")
	f.BoolVar(&n.all, "all", false, "with --state: parse every file again, for example with another model")
	f.BoolVar(&n.allowDeletes, "allow-deletes", false, "with --state: let over 20% of the documents disappear; with --watch: any")
	f.StringVar(&n.planOnly, "plan-only", "", "with --state: print what would be done, as `text` or json; do nothing")
	f.Lookup("plan-only").NoOptDefVal = "text"
	choose(f, "plan-only", "text", "json")
	group(f, growFlags)
}

// checkNight refuses flags that do not go with --state, or only with it.
func (c *parseCommand) checkNight() error {
	n := &c.night
	if n.state == "" {
		if c.watch.on {
			return nil // checkWatch knows
		}
		if n.all || n.allowDeletes || n.planOnly != "" {
			return refuse("--all, --allow-deletes and --plan-only need --state FOLDER")
		}
		return nil
	}
	switch {
	case c.options.Output != "":
		return refuse("--state and --output exclude each other: the runs of a state are folders in it")
	case c.to != "" && c.to != "parquet":
		return refuse("--to %s cannot be used with --state; treebeam convert FOLDER writes other formats", c.to)
	case c.options.Limit != 0:
		return refuse("--limit %d cannot be used with --state, which works on whole documents; name fewer files", c.options.Limit)
	case c.options.Verify:
		return refuse("--verify needs --output; for a state, treebeam report reads everything, and --all parses every file again")
	case c.options.Overwrite:
		return refuse("--overwrite cannot be used with --state; --all parses every file again")
	}
	return nil
}

// runNight parses what has changed since the night before.
func (c *parseCommand) runNight(ctx context.Context, limit failureLimit) error {
	defer onInterrupt(continues)()
	start := time.Now()
	night, err := c.planNight(ctx, limit)
	if night != nil && c.night.planOnly != "" {
		if err := printPlan(stdout, night, c.night.planOnly); err != nil {
			return err
		}
	}
	if err != nil || c.night.planOnly != "" {
		return err
	}
	c.startBeam()
	closeScratch, err := openScratch()
	if err != nil {
		return err
	}
	defer closeScratch()
	if !c.quiet {
		printDuplicates(os.Stderr, night.Duplicates)
		printResumed(os.Stderr, night, "goes on")
	}
	here := pipeline.Done{Known: true}
	result, err := night.Run(ctx, func(p *pipeline.Prepared) func() {
		follow(p)
		show := c.startProgress(p)
		return func() {
			show.stop()
			here.Add(show.watch.Done(nil))
			onInterrupt(continues)
			if c.verbose {
				printMetrics(os.Stderr, p.Metrics())
			}
		}
	})
	var refused *pipeline.Refusal
	var tooMany tooManyFailures
	tell := func() {
		printNight(os.Stderr, night, result, time.Since(start), &here, err != nil)
		report := reportOf(night, result.Snapshot, c.night.state)
		here.Elapsed = time.Since(start)
		if c.json {
			printSummary(runSummary{Summary: &result.Summary, Night: &report}, &here)
		}
	}
	switch {
	case errors.As(err, &tooMany):
		tell()
		say(os.Stderr, "%v: no new snapshot is current; "+
			"the same command with a higher --max-failures accepts them without parsing again\n", tooMany)
		return exitCode(exitFailures)
	case errors.Is(err, errNothingParsed):
		tell()
		say(os.Stderr, "%v: no new snapshot is current\n", errNothingParsed)
		return exitCode(exitFailures)
	case errors.As(err, &refused):
		return err
	case err != nil:
		return fmt.Errorf("%w\nrun the same command again to continue this night", err)
	}
	if result.Submitted {
		if !c.sayNotSubmitted() {
			say(os.Stderr, "submitted; when the job has ended, the same command makes what it has parsed current\n")
		}
		return nil
	}
	tell()
	return nil
}

// planNight plans the night, and ends early when a signal comes.
func (c *parseCommand) planNight(ctx context.Context, limit failureLimit) (*nightly.Night, error) {
	var night *nightly.Night
	options := nightly.Options{Options: c.options, State: c.night.state, All: c.night.all, AllowDeletes: c.night.allowDeletes,
		Accept: func(found, current nightly.Found) error {
			return limit.accept(found, current, night.Counts[nightly.Unchanged]+night.Counts[nightly.Copied]+night.Counts[nightly.Grown]+night.Counts[nightly.Kept] > 0)
		}}
	return untilSignal(ctx, func(ctx context.Context) (*nightly.Night, error) {
		var err error
		night, err = nightly.Plan(ctx, options)
		return night, err
	})
}

// printDuplicates says how many files were left out, and the first.
func printDuplicates(w io.Writer, list []pipeline.Duplicate) {
	if len(list) > 0 {
		say(w, "files with the bytes of another are left out: %d, such as %s (%s)\n", len(list), cell(list[0].URI), cell(list[0].Of))
	}
}

// printResumed says what earlier nights have left, what of it is lost, and what becomes of
// an interrupted night.
func printResumed(w io.Writer, n *nightly.Night, becomes string) {
	for _, run := range slices.Sorted(maps.Keys(n.Lost)) {
		say(w, "%s; its documents are parsed again\n", n.Lost[run])
	}
	for _, run := range n.Runs {
		if run.Continued {
			if n.Lost[run.Name] != "" {
				say(w, "%s makes its missing parts again, of %s\n", run.Name, view.Many(run.Files, "file"))
				continue
			}
			say(w, "an interrupted night %s: %s in %s\n", becomes, view.Many(run.Files, "file"), run.Name)
		}
	}
	for _, run := range slices.Sorted(maps.Keys(n.TakenOver)) {
		say(w, "taken over from the unfinished night %[2]s: %[1]s\n", view.Many(n.TakenOver[run], "file"), run)
	}
	for _, run := range n.Left {
		say(w, "the unfinished night %s is of no use now; treebeam compact --prune removes it\n", run)
	}
}

// A nightReport is what --plan-only=json prints and, without the files, part of
// the last line of a night.
type nightReport struct {
	State      string             `json:"state"`
	Snapshot   string             `json:"snapshot,omitempty"` // current: before the night in a plan, after it in a report
	Counts     nightly.Counts     `json:"counts"`
	Touched    int                `json:"touched,omitempty"`
	Bytes      int64              `json:"bytes"` // of the files to be parsed
	Runs       []string           `json:"runs"`
	Duplicates int                `json:"duplicates,omitempty"` // files that were left out
	TakenOver  map[string]int     `json:"taken_over,omitempty"`
	Lost       map[string]string  `json:"lost,omitempty"` // what is wrong with runs whose documents are parsed again
	Files      []nightly.Decision `json:"files,omitempty"`
}

func reportOf(n *nightly.Night, s *nightly.Snapshot, state string) nightReport {
	r := nightReport{State: state, Counts: n.Counts, Touched: n.Touched, Bytes: n.Bytes, Duplicates: len(n.Duplicates), Runs: []string{}, TakenOver: n.TakenOver, Lost: n.Lost}
	if s != nil {
		r.Snapshot = s.Name
	}
	for _, run := range n.Runs {
		r.Runs = append(r.Runs, run.Name)
	}
	return r
}

func printPlan(w io.Writer, n *nightly.Night, format string) error {
	out := bufio.NewWriter(w)
	if format == "json" {
		r := reportOf(n, n.Base(), n.Dir())
		r.Files = n.Decisions
		return cmp.Or(encodeJSON(out, r, ""), out.Flush())
	}
	for i := range n.Decisions {
		d := &n.Decisions[i]
		if d.Reason == nightly.Unchanged && d.Why == "" {
			continue
		}
		fmt.Fprintf(out, "%-9s %s", d.Reason, cell(d.URI))
		if d.Why != "" {
			fmt.Fprintf(out, " (%s)", cell(d.Why))
		}
		fmt.Fprintln(out)
	}
	fmt.Fprintln(out, n.Counts)
	for _, d := range n.Duplicates {
		fmt.Fprintf(out, "left out  %s (the bytes of %s)\n", cell(d.URI), cell(d.Of))
	}
	printResumed(out, n, "would go on")
	for _, run := range n.Runs {
		if !run.Continued {
			fmt.Fprintf(out, "%s would be parsed into %s\n", view.Many(run.Files, "file"), run.Name)
		}
	}
	if n.Idle() {
		fmt.Fprintln(out, "nothing would be done")
	}
	return out.Flush()
}

// printNight prints what a night has found, what it has parsed, and what is current
// now; here is the part that this command parsed. If failures kept the night from
// becoming current (refused), it always says where they are.
func printNight(w io.Writer, n *nightly.Night, result *nightly.Result, elapsed time.Duration, here *pipeline.Done, refused bool) {
	sum := &result.Summary
	more := []string{showFailures(n.Dir())}
	if refused { // and in no snapshot
		more = nil
		for _, dir := range n.RunDirs() {
			more = append(more, showFailures(dir))
		}
	}
	printReasons(w, sum, more...)
	if refused && sum.Errors == 0 { // the failures come from an earlier night
		say(w, "%s\n", strings.Join(more, "\n"))
	}
	say(w, "%s; ", n.Counts.String())
	switch {
	case n.Idle():
		say(w, "nothing to do; ")
	case len(n.Runs) == 0:
		say(w, "nothing to parse; ")
	default:
		say(w, "%s, %s", view.Many(sum.Trees, "tree"), view.Many(sum.Words, "word"))
		if here.Earlier > 0 && here.Known {
			say(w, ", %s of them now", view.Number(here.Words))
		}
		if here.Finished > 0 {
			say(w, "%s", rateOf(here))
		}
		say(w, ", %s; ", failed(sum))
	}
	current := "no snapshot"
	if s := result.Snapshot; s != nil {
		current = fmt.Sprintf("snapshot %s of %s", s.Name, view.Many(s.Documents, "document"))
	}
	say(w, "%s is current, after %v\n", current, elapsed.Round(10*time.Millisecond))
	printForecast(w, sum.Forecast)
}

const compactAbout = `
Copies the current rows of all runs of a state into one run, and makes a snapshot of it
the current one. Rows that are not current are left behind. Nothing is removed without
--prune, which removes all snapshots but the last ones (--keep) and the runs that these
do not name.`

// newCompact is treebeam compact.
func newCompact() *cobra.Command {
	cmd := newCommand("compact --state FOLDER", "merge the runs of a state into one", compactAbout)
	fs := cmd.Flags()
	state := fs.String("state", "", "`FOLDER` of the state")
	prune := fs.Bool("prune", false, "then remove whatever no kept snapshot needs")
	keep := fs.Int("keep", 2, "with --prune: keep the last `N` snapshots, and what they need")
	cmd.Example = `
  treebeam compact --state state --prune`
	cmd.RunE = stoppable(func(ctx context.Context, others []string) error {
		switch {
		case *state == "" || len(others) > 0:
			return refuse("give --state FOLDER and nothing else")
		case *keep < 1:
			return refuse("--keep %d: must be at least 1, the current snapshot", *keep)
		case fs.Changed("keep") && !*prune:
			return refuse("--keep needs --prune: nothing is removed without it")
		}
		defer onInterrupt(continues)()
		done, err := nightly.Compact(ctx, *state)
		if err != nil {
			return err
		}
		if done.Run == "" {
			say(os.Stderr, "nothing to merge: snapshot %s has all its rows in one run\n", done.Snapshot.Name)
		} else {
			say(os.Stderr, "%s merged into %s; snapshot %s of %s is current\n",
				view.Many(done.Merged, "run"), done.Run, done.Snapshot.Name, view.Many(done.Snapshot.Documents, "document"))
		}
		if !*prune {
			return nil
		}
		removed, err := nightly.Prune(ctx, *state, *keep)
		for _, name := range removed {
			say(os.Stderr, "removed %s\n", name)
		}
		return err
	})
	return cmd
}
