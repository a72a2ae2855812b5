package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"github.com/treebeam/treebeam/io/store"
	"github.com/treebeam/treebeam/pipeline"
	"github.com/treebeam/treebeam/transforms"
)

// How often the progress is shown.
const (
	barInterval  = 200 * time.Millisecond
	logInterval  = 10 * time.Second // in the first minute
	longInterval = time.Minute      // after it
	askInterval  = 30 * time.Second // between two looks at an output that other machines write
)

// A progress shows how far a run is until it is stopped: a bar with the time
// left on a terminal, lines elsewhere.
type progress struct {
	run     *pipeline.Prepared
	quiet   bool
	start   time.Time
	before  pipeline.Standing // when it began
	counted counted           // transforms.Progress then
	bar     *progressbar.ProgressBar
	stopped chan struct{}
	showing sync.WaitGroup
}

// counted is what transforms.Progress said at one time.
type counted struct{ bytes, words, parts, skipped, damaged int64 }

func countedNow() counted {
	p := &transforms.Progress
	return counted{p.Bytes.Load(), p.Words.Load(), p.Written.Load() + p.Skipped.Load(), p.Skipped.Load(), p.Damaged.Load()}
}

func startProgress(quiet bool, run *pipeline.Prepared) *progress {
	p := &progress{run: run, quiet: quiet, start: time.Now(), stopped: make(chan struct{}), counted: countedNow()}
	if note := run.Note(); note != "" {
		say(os.Stderr, "%s\n", note)
	}
	if quiet {
		return p
	}
	p.before = run.Standing(context.Background())
	if p.before.Parts > 0 {
		say(os.Stderr, "continuing: %d of %d parts are done\n", p.before.Parts, run.Job.Ranges)
	}
	out := os.Stderr
	onTerminal := term.IsTerminal(int(out.Fd()))
	if onTerminal {
		p.bar = progressbar.NewOptions64(max(run.Bytes-p.before.Bytes, 1), progressbar.OptionSetWriter(out),
			progressbar.OptionShowBytes(true), progressbar.OptionSetPredictTime(true),
			progressbar.OptionClearOnFinish(), progressbar.OptionSetDescription("parsing"))
	}
	p.showing.Go(func() {
		for {
			select {
			case <-p.stopped:
				return
			case <-time.After(pause(onTerminal, run.Here(), time.Since(p.start))):
				p.show(out, p.standing())
			}
		}
	})
	return p
}

// pause is how long to wait for the next showing.
func pause(onTerminal, here bool, elapsed time.Duration) time.Duration {
	switch {
	case elapsed >= time.Minute && !onTerminal:
		return longInterval
	case !here:
		return askInterval
	case onTerminal:
		return barInterval
	}
	return logInterval
}

func (p *progress) standing() standing {
	s := standing{
		elapsed: time.Since(p.start), ranges: int64(p.run.Job.Ranges), total: p.run.Bytes,
		parts: int64(p.before.Parts), before: p.before.Bytes,
	}
	if p.run.Here() {
		now := countedNow()
		s.here, s.words = true, now.words-p.counted.words
		s.bytes, s.seen = now.bytes-p.counted.bytes, now.parts-p.counted.parts
		return s
	}
	now := p.run.Standing(context.Background())
	s.bytes, s.seen = now.Bytes-p.before.Bytes, int64(now.Parts)
	return s
}

func (p *progress) show(w io.Writer, s standing) {
	if p.bar == nil {
		say(w, "%s\n", s.line())
		return
	}
	if s.here && s.elapsed > time.Second {
		p.bar.Describe(fmt.Sprintf("parsing, %.0f words/s", s.rate()))
	}
	if s.seen >= s.ranges {
		p.bar.Describe("checking the parts")
	}
	p.bar.Set64(min(s.bytes, p.bar.GetMax64()))
}

// stop ends the showing and returns how long the run has taken.
func (p *progress) stop() time.Duration {
	close(p.stopped)
	p.showing.Wait()
	if p.bar != nil {
		p.bar.Finish()
	}
	return time.Since(p.start)
}

// printChecked says how far the parts were checked that were there before.
func (p *progress) printChecked(w io.Writer) {
	if !p.run.Here() {
		return
	}
	now := countedNow()
	skipped, damaged := now.skipped-p.counted.skipped, now.damaged-p.counted.damaged
	if damaged > 0 {
		say(w, "parts of %d ranges were damaged; they were made anew\n", damaged)
	}
	switch {
	case skipped == 0 || p.quiet:
	case p.run.Job.Verify:
		say(w, "parts of %d ranges were there; they were read whole and are as they were written\n", skipped)
	default:
		say(w, "parts of %d ranges were there; their sizes and footers were checked, --verify reads them whole\n", skipped)
	}
}

// shareToWarn is the share of failures above which a summary is a warning.
const shareToWarn = 0.05

// printSummary prints the summary of a run to human, and as one line of JSON
// to machine.
func printSummary(human, machine io.Writer, output string, sum *transforms.Summary, elapsed time.Duration) {
	printReasons(human, sum)
	rate := float64(sum.Words) / max(elapsed.Seconds(), 1e-3)
	say(human, "%d trees, %d words from %d files in %v (%.0f words/s); %d failures, %d warnings; trees are in %s\n",
		sum.Trees, sum.Words, sum.Files, elapsed.Round(10*time.Millisecond), rate,
		sum.Errors, sum.Warnings, store.Join(output, "trees"))
	printForecast(human, sum.Forecast)
	line, err := json.Marshal(struct {
		*transforms.Summary
		Output  string  `json:"output"`
		Seconds float64 `json:"seconds"`
	}{sum, output, elapsed.Seconds()})
	if err == nil {
		fmt.Fprintf(machine, "%s\n", line)
	}
}

// printForecast prints what is expected of the trees in percent, and nothing if
// the model is not calibrated.
func printForecast(w io.Writer, f *transforms.Forecast) {
	if f != nil {
		say(w, "expected: UPOS %.1f, UAS %.1f, LAS %.1f (standard error %.1f)\n", 100*f.UPOS, 100*f.UAS, 100*f.LAS, 100*f.LASStderr)
	}
}

// printMetrics prints the runner's counters, a line each, and how much work
// the sentences were, which the runner does not know as exactly.
func printMetrics(w io.Writer, list []pipeline.Metric, work *transforms.Work) {
	for _, m := range list {
		say(w, "  %s\n", fmt.Sprint(m))
	}
	if work != nil {
		say(w, "work of a sentence: %d heads weighed or fewer for half of them, %d for 99%%, %d at most\n",
			work.P50, work.P99, work.Max)
	}
}

// printReasons prints the three commonest kinds of failures, as a warning if
// there are many.
func printReasons(w io.Writer, sum *transforms.Summary) {
	for _, line := range sum.Suggestions {
		say(w, "%s\n", line)
	}
	if sum.Errors == 0 {
		return
	}
	if share := float64(sum.Errors) / float64(sum.Errors+sum.Trees); share > shareToWarn {
		say(w, "WARNING: %.1f%% failed; the commonest kinds:\n", share*100)
	} else if float64(sum.FilesFailed) > shareToWarn*float64(sum.Files) {
		say(w, "WARNING: %d of %d files could not be read to their end; the commonest kinds:\n", sum.FilesFailed, sum.Files)
	}
	shown := 0
	for _, r := range sum.Reasons {
		if r.Severity != "error" || shown == 3 {
			continue
		}
		shown++
		place := fmt.Sprintf("byte %d", r.ByteOffset)
		if r.Line > 0 {
			place = fmt.Sprintf("line %d", r.Line)
		}
		say(w, "  %d of kind %s in %s, the first in %s, %s: %s\n",
			r.Count, r.Kind, cell(r.Stage), cell(r.SourceURI), place, cell(r.Reason))
	}
}
