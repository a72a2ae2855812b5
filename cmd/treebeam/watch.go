package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/pflag"

	"github.com/treebeam/treebeam/io/output"
	"github.com/treebeam/treebeam/io/source"
	"github.com/treebeam/treebeam/io/store"
	"github.com/treebeam/treebeam/io/view"
	"github.com/treebeam/treebeam/pipeline"
	"github.com/treebeam/treebeam/pipeline/nightly"
)

// watchFlags are the flags of parse for input that arrives.
type watchFlags struct {
	on            bool
	every, window time.Duration
	generation    bool // this process is a generation of a watch
}

func (w *watchFlags) define(f *pflag.FlagSet) {
	f.BoolVar(&w.on, "watch", false, "with --output FOLDER: go on parsing what arrives, until stopped")
	group(f, growFlags)
	f.DurationVar(&w.every, "every", 10*time.Second, "with --watch: look for files every `TIME`")
	f.DurationVar(&w.window, "window", time.Hour, "with --watch: merge what was parsed within each `TIME`")
	f.Lookup("every").DefValue, f.Lookup("window").DefValue = "10s", "1h"
	f.BoolVar(&w.generation, "generation", false, "")
	f.Lookup("generation").Hidden = true
	group(f, rareFlags)
}

// Bounds of a watch.
const (
	generationFiles = 10_000           // a generation has no more, so that its trees can be read within a minute
	generationBytes = 4 << 20          // nor, except for a single file, more stored bytes; on an engine, 100 times that
	longestPause    = 5 * time.Minute  // between two tries while something is wrong
	orphanPatience  = 30 * time.Second // for the generation of a watch that was killed
)

// checkWatch refuses flags that do not go with --watch, or only with it.
func (c *parseCommand) checkWatch() error {
	w, o := &c.watch, &c.options
	if !w.on {
		if c.flags.Changed("every") || c.flags.Changed("window") || w.generation {
			return refuse("--every and --window need --watch")
		}
		return nil
	}
	for _, name := range []string{"async", "dry_run", "template_location"} {
		if given(c.flags, name) {
			return refuse("--%s cannot be used with --watch, which waits for its jobs; leave it out", name)
		}
	}
	switch {
	case c.night.state != "":
		return refuse("--watch makes a state of the folder that --output names: write --output %s in the place of --state", pathWord(c.night.state))
	case c.night.all || c.night.planOnly != "":
		return refuse("--all and --plan-only cannot be used with --watch; another model begins another --output")
	case o.Output == "" || o.Output == "-" || c.to != "" && c.to != "parquet":
		return refuse("--watch needs --output FOLDER, and writes Parquet; treebeam convert FOLDER writes other formats")
	case slices.Contains(o.Inputs, "-"):
		return refuse("--watch cannot be used with standard input; treebeam parse - without --output parses a stream")
	case len(c.named.filesFrom) > 0:
		return refuse("--files-from cannot be used with --watch, because a list is read once; name the folder, and perhaps --exclude")
	case o.Limit != 0 || o.Verify || o.Overwrite || o.RetryFailures || c.flags.Changed("max-failures"):
		return refuse("--limit, --verify, --overwrite, --retry-failures and --max-failures cannot be used with --watch, which has no end; leave them out")
	case w.every < 10*time.Millisecond || w.window < w.every:
		return refuse("--every %v --window %v: --every must be 10ms or more, and --window must not be shorter", w.every, w.window)
	}
	for _, in := range o.Inputs {
		if !isFolder(in) && output.SameFile(filepath.Dir(in), o.Output) {
			return refuse("--watch %s is in the folder of --output, which could then not be watched; name another --output", in)
		}
	}
	return nil
}

// An order is what a watch tells a generation on its standard input. The end of the
// input tells it to stop.
type order struct {
	nightly.Generation
	Files []source.Input `json:"files"`
}

// A generationReport is what a generation answers on its standard output.
type generationReport struct {
	runSummary
	Documents int64    `json:"documents"` // that have trees or failures in the output
	Merged    []string `json:"merged,omitempty"`
}

// runGeneration parses the files of one order, makes their trees current, and merges the
// runs of windows that have ended.
func (c *parseCommand) runGeneration(ctx context.Context) error {
	signal.Ignore(os.Interrupt, syscall.SIGTERM, syscall.SIGHUP) // a signal to all processes of a terminal or a service is the watch's
	start := time.Now()
	var o order
	if err := json.NewDecoder(os.Stdin).Decode(&o); err != nil {
		return fmt.Errorf("--generation is for treebeam parse --watch: %w", err)
	}
	go func() {
		io.Copy(io.Discard, os.Stdin)
		leave()
	}()
	dir := c.options.Output
	c.options.Output, c.options.Files = "", slices.Clip(o.Files)
	c.startBeam()
	closeScratch, err := openScratch()
	if err != nil {
		return err
	}
	defer closeScratch()
	if nightly.IsState(ctx, dir) {
		release, err := nightly.Hold(ctx, dir, nightly.Generating, orphanPatience)
		if err != nil {
			return err
		}
		defer release()
	}
	night, err := nightly.Plan(ctx, nightly.Options{Options: c.options, State: dir, AllowDeletes: true, Generation: o.Generation})
	if err != nil {
		return err
	}
	if !c.quiet {
		printResumed(os.Stderr, night, "goes on")
	}
	result, err := night.Run(ctx, func(p *pipeline.Prepared) func() {
		follow(p)
		return func() {
			if c.verbose {
				printMetrics(os.Stderr, p.Metrics())
			}
		}
	})
	if err != nil {
		return err
	}
	closed, err := nightly.CloseWindows(ctx, dir, o.Window)
	if err != nil {
		return err
	}
	done := generationReport{runSummary: runSummary{Summary: &result.Summary}, Documents: result.Snapshot.Documents}
	for _, merged := range closed {
		done.Merged = append(done.Merged, merged.Run)
		result.Snapshot = merged.Snapshot
	}
	report := reportOf(night, result.Snapshot, dir)
	done.Night, done.Seconds = &report, time.Since(start).Seconds()
	return encodeJSON(stdout, done, "")
}

// A watcher looks for files and starts a generation when some are ready.
type watcher struct {
	*parseCommand
	dir    string // the output
	seen   source.Arrivals
	window string // of the last generation
	look   bool   // the next generation looks for what earlier ones have left
	gone   bool   // it has files to forget
}

// runWatch parses what arrives until a signal comes: after the first one it ends when the
// generation under way has ended, after the second one at once.
func (c *parseCommand) runWatch(ctx context.Context) error {
	ctx, stop := interruptibleFor(ctx, math.MaxInt64)
	defer stop()
	said := make(chan bool)
	context.AfterFunc(ctx, func() {
		defer close(said)
		if interrupted() && !c.quiet {
			say(os.Stderr, "the watch ends when what is under way has ended; a second signal ends it at once\n")
		}
	})
	defer onInterrupt(continues)()
	signal.Ignore(syscall.SIGPIPE) // a watch does not depend on the readers of its reports
	w := &watcher{parseCommand: c, dir: c.options.Output, look: true}
	if there, err := store.Exists(ctx, store.Join(w.dir, output.ManifestFile)); err == nil && there {
		return refuse("%s is the output of a parse without --watch: name another --output", w.dir)
	}
	if _, err := w.list(ctx); err != nil {
		return &refusal{err}
	}
	var status exitCode
	if err := w.generate(nil, nil); errors.As(err, &status) && status == exitRefused {
		return status
	}
	if !store.IsRemote(w.dir) {
		release, err := nightly.Hold(context.WithoutCancel(ctx), w.dir, nightly.Watching, time.Second)
		if err != nil {
			return err
		}
		defer release()
	}
	if !c.quiet {
		say(os.Stderr, "watching %s every %v; the trees are in %s (treebeam show %[3]s); ctrl-C ends the watch\n",
			strings.Join(append(slices.Clone(c.options.Inputs), c.options.Paths...), ", "), c.watch.every, pathWord(w.dir))
	}
	pause := c.watch.every
	for {
		select {
		case <-ctx.Done():
			<-said
			return nil
		case <-time.After(pause):
		}
		if err := w.poll(ctx); err == nil || ctx.Err() != nil {
			pause = c.watch.every
		} else {
			pause = min(2*pause, max(longestPause, c.watch.every))
			say(os.Stderr, "%v; trying again in %v\n", err, pause)
		}
	}
}

// list lists the input, without files that are being written if their names say so.
func (w *watcher) list(ctx context.Context) ([]source.Input, error) {
	return source.List(ctx, w.options.Inputs, source.ListOptions{Paths: w.options.Paths,
		Exclude: slices.Concat(w.options.Exclude, source.Unfinished), Skip: []string{w.dir}, AllowEmpty: true})
}

// poll looks for files once, and parses those that are ready.
func (w *watcher) poll(ctx context.Context) error {
	listing, err := w.list(ctx)
	if err != nil {
		return err
	}
	ready, gone := w.seen.Poll(listing)
	w.gone = w.gone || gone && w.night.allowDeletes
	ended := w.window != w.windowNow() // once a poll: a generation may take longer than a window
	for ctx.Err() == nil && (len(ready) > 0 || w.gone || ended) {
		n := inGeneration(ready, pipeline.IsPrism(w.options.Runner))
		if err := w.generate(listing, ready[:n]); err != nil {
			w.look = true
			return fmt.Errorf("the generation of %s failed (%w)", view.Many(n, "file"), err)
		}
		w.seen.Settle(ready[:n])
		ready, w.gone, ended = ready[n:], false, false
		w.look = w.look && (n == 0 || len(ready) > 0) // until all is taken over that was under way
	}
	return nil
}

// inGeneration says how many of the files, at least one, go into one generation.
func inGeneration(files []source.Input, here bool) (n int) {
	room := int64(generationBytes)
	if !here {
		room *= 100
	}
	for n < min(len(files), generationFiles) && (n == 0 || files[n].Size <= room) {
		room -= files[n].Size
		n++
	}
	return n
}

func (w *watcher) windowNow() string {
	return time.Now().UTC().Truncate(w.watch.window).Format("20060102T150405Z")
}

// generate has a process of its own parse the files: its memory is given back, and what
// kills it does not end the watch. If the watch ends, so does its standard input, and
// then it.
func (w *watcher) generate(listing, files []source.Input) error {
	o := order{Generation: nightly.Generation{Window: w.windowNow(), Look: w.look}, Files: files}
	if o.Forget = w.night.allowDeletes && listing != nil; o.Forget {
		for i := range listing {
			o.Present = append(o.Present, listing[i].URI)
		}
	}
	text, err := json.Marshal(o)
	if err != nil {
		return err
	}
	program, err := os.Executable()
	if err != nil {
		return err
	}
	args := os.Args[1:]
	if len(args) > 0 && args[0] == "parse" {
		args = args[1:]
	}
	var out strings.Builder
	cmd := exec.Command(program, append([]string{"parse", "--generation"}, args...)...)
	cmd.Stdout, cmd.Stderr = &out, os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	in.Write(text) // its end says more than an error of this
	err = cmd.Wait()
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() > 0 {
		return exitCode(exit.ExitCode())
	}
	if err != nil {
		return err
	}
	w.window = o.Window
	return w.tell(out.String())
}

// tell prints what a generation has done in one line, and nothing of one that had nothing
// to do.
func (w *watcher) tell(text string) error {
	var r generationReport
	if err := json.Unmarshal([]byte(text), &r); err != nil {
		return fmt.Errorf("a generation has answered %.100q: %w", text, err)
	}
	did := len(r.Night.Runs)+len(r.Night.TakenOver)+r.Night.Touched+r.Night.Counts[nightly.Deleted] > 0
	if did && !w.quiet {
		say(os.Stderr, "%s: %s, %s, %s; %s after %.2f s\n", r.Night.Counts, view.Many(r.Trees, "tree"), view.Many(r.Words, "word"), failed(r.Summary),
			view.Many(r.Documents, "document"), r.Seconds)
	} else if did && r.Errors > 0 {
		say(os.Stderr, "%s; %s\n", view.Many(r.Errors, "failure"), showFailures(w.dir))
	}
	for _, run := range r.Merged {
		if !w.quiet {
			say(os.Stderr, "a window has ended; its trees are in %s\n", store.Join(w.dir, "data", run))
		}
	}
	if (did || len(r.Merged) > 0) && w.json {
		fmt.Fprintln(stdout, strings.TrimSpace(text))
	}
	return nil
}
