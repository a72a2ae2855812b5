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

// A progress shows how far a run is until it is stopped: as JSON if that was asked for,
// otherwise a bar with the time left on a terminal, and lines elsewhere.
type progress struct {
	run     *pipeline.Prepared
	watch   *pipeline.Watch
	quiet   bool
	json    bool // each showing is a progressLine
	bar     *progressbar.ProgressBar
	stopped chan struct{}
	showing sync.WaitGroup
}

func (c *parseCommand) startProgress(run *pipeline.Prepared) *progress {
	p := &progress{run: run, quiet: c.quiet, json: c.progress == "json", stopped: make(chan struct{})}
	p.watch = run.Watch(context.Background(), !p.quiet || p.json)
	if p.quiet && !p.json {
		return p
	}
	out := os.Stderr
	onTerminal := term.IsTerminal(int(out.Fd())) && !p.json
	if before := p.watch.Before; p.json {
		p.show(out, p.watch.Going(context.Background()))
	} else {
		if before.Parts > 0 {
			say(out, "continuing; parts done: %d of %d\n", before.Parts, run.Job.Ranges)
		}
		if f, known := run.Forecast(context.Background(), before.Bytes); known {
			say(out, "%s\n", forecastLine(run.Files, run.Bytes-before.Bytes, &f))
		}
	}
	before := p.watch.Before
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
	if p.json {
		line := progressOf(&g)
		encodeJSON(w, line, "") // whose error would be of standard error
		return
	}
	if p.bar == nil {
		say(w, "%s\n", goingLine(&g))
		return
	}
	if g.Here && g.Elapsed > time.Second {
		p.bar.Describe("parsing, " + view.Number(int64(g.Rate()+0.5)) + " words/s")
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
	if p.json {
		p.show(os.Stderr, p.watch.Going(context.Background()))
	}
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
		say(w, "parts of %s were damaged and have been made again\n", view.Many(d.Damaged, "range"))
	}
	switch {
	case d.Earlier == 0 || p.quiet:
	case p.run.Job.Verify:
		say(w, "parts of %s were there already; every byte of them was checked\n", view.Many(d.Earlier, "range"))
	default:
		say(w, "parts of %s were there already; their sizes and footers were checked (--verify checks every byte)\n", view.Many(d.Earlier, "range"))
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
	line := fmt.Sprintf("%s, %s MB to parse: about %s, %.1f core-hours at %s words/s a core (measured here, on a sample)",
		view.Many(files, "file"), size, view.Many(f.Words/unit*unit, "word"), f.CoreTime(f.Rate).Hours(), view.Number(int64(f.Rate)))
	if f.Fast > 0 {
		line += fmt.Sprintf("; with --fast %.1f core-hours and more mistakes, with --effort between", f.CoreTime(f.Fast).Hours())
	}
	return line
}

// A progressLine is how far a run is, for programs.
type progressLine struct {
	Seconds     float64  `json:"seconds"`                // since this command began to parse
	Percent     *int     `json:"percent,omitempty"`      // of the input's stored bytes; none of an empty input
	SecondsLeft *float64 `json:"seconds_left,omitempty"` // estimated; none until something is done
	Parts       int64    `json:"parts"`                  // done, those of earlier runs included
	PartsTotal  int64    `json:"parts_total"`
	Bytes       int64    `json:"bytes"` // stored bytes of the input that are done
	BytesTotal  int64    `json:"bytes_total"`
	Words       *int64   `json:"words,omitempty"` // parsed by this command; none if the work is done elsewhere
	WordsRate   *float64 `json:"words_per_second,omitempty"`
}

func progressOf(g *pipeline.Going) progressLine {
	line := progressLine{Seconds: g.Elapsed.Seconds(), Parts: max(g.Seen, g.Parts), PartsTotal: g.Ranges,
		Bytes: min(g.Before+g.Bytes, max(g.Total, 0)), BytesTotal: max(g.Total, 0)}
	if percent, known := g.Percent(); known {
		line.Percent = &percent
	}
	if left, known := g.Left(); known {
		seconds := left.Seconds()
		line.SecondsLeft = &seconds
	}
	if g.Here {
		rate := g.Rate()
		line.Words, line.WordsRate = &g.Words, &rate
	}
	return line
}

// goingLine is how far a run is in one line.
func goingLine(g *pipeline.Going) string {
	if g.Seen >= g.Ranges {
		return "all parts are there; they are being checked"
	}
	line := fmt.Sprintf("parts done: %d of %d", max(g.Seen, g.Parts), g.Ranges)
	if g.Here {
		line = fmt.Sprintf("%s, %s words/s", view.Many(g.Words, "word"), view.Number(int64(g.Rate()+0.5)))
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
