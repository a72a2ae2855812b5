package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"log/slog"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"github.com/treebeam/treebeam/io/store"
	"github.com/treebeam/treebeam/pipeline"
	"github.com/treebeam/treebeam/transforms"
)

// Intervals between two showings of the progress.
const (
	barInterval = 200 * time.Millisecond
	logInterval = 10 * time.Second
)

// A progress shows how far a run is until it is stopped: a bar with the time
// left on a terminal, lines elsewhere.
type progress struct {
	run         *pipeline.Prepared
	start       time.Time
	bytes       int64 // of transforms.Progress when it began
	words       int64
	bar         *progressbar.ProgressBar
	stopped     chan struct{}
	showing     sync.WaitGroup
	alreadyDone int
}

func startProgress(quiet bool, run *pipeline.Prepared) *progress {
	p := &progress{run: run, start: time.Now(), stopped: make(chan struct{}), alreadyDone: run.CountDone(),
		bytes: transforms.Progress.Bytes.Load(), words: transforms.Progress.Words.Load()}
	if quiet {
		return p
	}
	if p.alreadyDone > 0 {
		fmt.Fprintf(os.Stderr, "continuing: %d of %d parts are done\n", p.alreadyDone, run.Job.Ranges)
	}
	interval := logInterval
	if term.IsTerminal(int(os.Stderr.Fd())) {
		interval = barInterval
		p.bar = progressbar.NewOptions64(max(run.Bytes, 1), progressbar.OptionSetWriter(os.Stderr),
			progressbar.OptionShowBytes(true), progressbar.OptionSetPredictTime(true),
			progressbar.OptionClearOnFinish(), progressbar.OptionSetDescription("parsing"))
	}
	p.showing.Go(func() {
		tick := time.NewTicker(interval)
		defer tick.Stop()
		for {
			select {
			case <-p.stopped:
				return
			case <-tick.C:
				p.show()
			}
		}
	})
	return p
}

func (p *progress) show() {
	bytes := transforms.Progress.Bytes.Load() - p.bytes
	if p.bar != nil {
		p.bar.Set64(min(bytes, p.run.Bytes))
		return
	}
	words := transforms.Progress.Words.Load() - p.words
	elapsed := time.Since(p.start)
	line := fmt.Sprintf("%d words, %.0f words/s", words, float64(words)/elapsed.Seconds())
	if bytes > 0 && p.run.Bytes > 0 {
		left := time.Duration(float64(elapsed) * float64(p.run.Bytes-bytes) / float64(bytes))
		line += fmt.Sprintf(", %d%% of the input, about %v left", bytes*100/p.run.Bytes, left.Round(time.Second))
	}
	fmt.Fprintln(os.Stderr, line)
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

// interruptible returns a context that an interrupt ends. If the run does not
// end soon after, the process does.
func interruptible(ctx context.Context, output string) (context.Context, context.CancelFunc) {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	done := make(chan struct{})
	unhook := context.AfterFunc(ctx, func() {
		select {
		case <-done:
		case <-time.After(3 * time.Second):
			transforms.AbandonAll()
			pipeline.RemoveSpools()
			removeScratch()
			if output != "" {
				fmt.Fprintln(os.Stderr, "interrupted; the same command continues")
			}
			os.Exit(exitInterrupted)
		}
	})
	return ctx, func() {
		unhook()
		close(done)
		stop()
	}
}

// quietBeam keeps Beam's own chatter off the terminal. Why a run has failed is
// in the error that it returns.
func quietBeam() {
	slog.SetDefault(slog.New(slog.DiscardHandler))
	log.SetOutput(os.Stderr) // which SetDefault has changed
	log.SetFlags(log.Ltime)
}

// shareToWarn is the share of failures above which a summary is a warning.
const shareToWarn = 0.05

// printSummary prints the summary of a run to human, and as one line of JSON
// to machine.
func printSummary(human, machine io.Writer, output string, sum *transforms.Summary, elapsed time.Duration) {
	printReasons(human, sum)
	rate := float64(sum.Words) / max(elapsed.Seconds(), 1e-3)
	fmt.Fprintf(human, "%d trees, %d words from %d files in %v (%.0f words/s); %d failures, %d warnings; trees are in %s\n",
		sum.Trees, sum.Words, sum.Files, elapsed.Round(10*time.Millisecond), rate,
		sum.Errors, sum.Warnings, store.Join(output, "trees"))
	line, err := json.Marshal(struct {
		*transforms.Summary
		Output  string  `json:"output"`
		Seconds float64 `json:"seconds"`
	}{sum, output, elapsed.Seconds()})
	if err == nil {
		fmt.Fprintf(machine, "%s\n", line)
	}
}

// printReasons prints the three commonest reasons of failures, as a warning if
// there are many.
func printReasons(w io.Writer, sum *transforms.Summary) {
	for _, line := range sum.Suggestions {
		fmt.Fprintln(w, line)
	}
	if sum.Errors == 0 {
		return
	}
	if share := float64(sum.Errors) / float64(sum.Errors+sum.Trees); share > shareToWarn {
		fmt.Fprintf(w, "WARNING: %.1f%% failed; the commonest reasons:\n", share*100)
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
		fmt.Fprintf(w, "  %d times in %s: %s (%s, %s)\n", r.Count, r.Stage, r.Reason, r.SourceURI, place)
	}
}
