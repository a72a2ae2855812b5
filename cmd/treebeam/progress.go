package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"github.com/treebeam/treebeam/io/view"
	"github.com/treebeam/treebeam/pipeline"
)

// How often the progress is shown.
const (
	barInterval  = 200 * time.Millisecond
	logInterval  = 10 * time.Second // in the first minute
	longInterval = time.Minute      // after it
	askInterval  = 30 * time.Second // between two looks at an output that other machines write
)

// barShown says that the last line of the terminal is a bar.
var barShown atomic.Bool

// A progress shows how far a run is until it is stopped: a bar with the time
// left on a terminal, lines elsewhere.
type progress struct {
	run     *pipeline.Prepared
	watch   *pipeline.Watch
	quiet   bool
	bar     *progressbar.ProgressBar
	stopped chan struct{}
	showing sync.WaitGroup
}

func startProgress(quiet bool, run *pipeline.Prepared) *progress {
	p := &progress{run: run, quiet: quiet, stopped: make(chan struct{})}
	p.watch = run.Watch(context.Background(), !quiet)
	if quiet {
		return p
	}
	before := p.watch.Before
	if before.Parts > 0 {
		say(os.Stderr, "continuing: %d of %d parts are done\n", before.Parts, run.Job.Ranges)
	}
	if f, known := run.Forecast(context.Background(), before.Bytes); known {
		say(os.Stderr, "%s\n", forecastLine(run.Files, run.Bytes-before.Bytes, &f))
	}
	out := os.Stderr
	onTerminal := term.IsTerminal(int(out.Fd()))
	if barShown.Store(onTerminal); onTerminal {
		p.bar = progressbar.NewOptions64(max(run.Bytes-before.Bytes, 1), progressbar.OptionSetWriter(out),
			progressbar.OptionShowBytes(true), progressbar.OptionSetPredictTime(true),
			progressbar.OptionClearOnFinish(), progressbar.OptionSetDescription("parsing"))
	}
	start := time.Now()
	p.showing.Go(func() {
		for {
			select {
			case <-p.stopped:
				return
			case <-time.After(pause(onTerminal, run.Here(), time.Since(start))):
				p.show(out, p.watch.Going(context.Background()))
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

func (p *progress) show(w io.Writer, g pipeline.Going) {
	if p.bar == nil {
		say(w, "%s\n", goingLine(&g))
		return
	}
	if g.Here && g.Elapsed > time.Second {
		p.bar.Describe(fmt.Sprintf("parsing, %.0f words/s", g.Rate()))
	}
	if g.Seen >= g.Ranges {
		p.bar.Describe("checking the parts")
	}
	p.bar.Set64(min(g.Bytes, p.bar.GetMax64()))
}

// stop ends the showing.
func (p *progress) stop() {
	p.watch.Stop()
	close(p.stopped)
	p.showing.Wait()
	if p.bar != nil {
		p.bar.Finish()
		barShown.Store(false)
	}
}

// printChecked says how far the parts were checked that were there before.
func (p *progress) printChecked(w io.Writer, d *pipeline.Done) {
	if !p.run.Here() {
		return
	}
	if d.Damaged > 0 {
		say(w, "parts of %s were damaged and have been made again\n", view.Many(int64(d.Damaged), "range"))
	}
	switch {
	case d.Earlier == 0 || p.quiet:
	case p.run.Job.Verify:
		say(w, "parts of %s were there; they were read whole and are as they were written\n", view.Many(int64(d.Earlier), "range"))
	default:
		say(w, "parts of %s were there; their sizes and footers were checked, --verify reads them whole\n", view.Many(int64(d.Earlier), "range"))
	}
}

// forecastLine is what a run will cost, and what it would with --fast, in one line. Its
// words have two digits: the sample is small.
func forecastLine(files int, bytes int64, f *pipeline.Forecast) string {
	unit := int64(1)
	for f.Words/unit >= 100 {
		unit *= 10
	}
	size := fmt.Sprintf("%.1f", float64(bytes)/1e6)
	if bytes >= 1e9 {
		size = view.Number(bytes / 1e6)
	}
	line := fmt.Sprintf("%s, %s MB to parse: about %s words, %.1f core-hours at %s words/s a core (measured here, on a sample)",
		view.Many(int64(files), "file"), size, view.Number(f.Words/unit*unit), f.CoreTime(f.Rate).Hours(), view.Number(int64(f.Rate)))
	if f.Fast > 0 {
		line += fmt.Sprintf("; with --fast %.1f core-hours and more mistakes, with --effort between", f.CoreTime(f.Fast).Hours())
	}
	return line
}

// goingLine is how far a run is in one line.
func goingLine(g *pipeline.Going) string {
	if g.Seen >= g.Ranges {
		return fmt.Sprintf("all %d parts are there; they are being checked", g.Ranges)
	}
	line := fmt.Sprintf("%d of %d parts are done", max(g.Seen, g.Parts), g.Ranges)
	if g.Here {
		line = fmt.Sprintf("%d words, %.0f words/s", g.Words, g.Rate())
	}
	if percent, known := g.Percent(); known {
		line += fmt.Sprintf(", %d%% of the input", percent)
	}
	if left, known := g.Left(); known {
		line += ", about " + roughly(left) + " left"
	}
	return line
}

// roughly is a time in the largest units that matter.
func roughly(d time.Duration) string {
	switch {
	case d >= 48*time.Hour:
		return fmt.Sprintf("%.0f days", d.Hours()/24)
	case d >= time.Hour:
		return fmt.Sprintf("%dh%02dm", int(d.Hours()), int(d.Minutes())%60)
	}
	return d.Round(time.Second).String()
}
