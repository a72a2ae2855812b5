package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"github.com/treebeam/treebeam/io/output"
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
	elapsed time.Duration // when it was stopped
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

// stop ends the showing.
func (p *progress) stop() {
	p.elapsed = time.Since(p.start)
	close(p.stopped)
	p.showing.Wait()
	if p.bar != nil {
		p.bar.Finish()
	}
}

// done is what was done of the run until stop: sum is that of all its parts, nil if
// unknown. What the machines of an engine have done it can tell only by what was
// there before, which --quiet does not ask for.
func (p *progress) done(sum *output.Summary) *done {
	d := &done{elapsed: p.elapsed}
	if p.run.Here() {
		now := countedNow()
		d.known, d.words, d.earlier = true, now.words-p.counted.words, now.skipped-p.counted.skipped
		d.finished = now.parts - p.counted.parts - d.earlier
		return d
	}
	d.earlier = int64(p.before.Parts)
	d.finished = int64(p.run.Job.Ranges) - d.earlier
	if d.known = d.earlier == 0 && !p.quiet && sum != nil; d.known {
		d.words = sum.Words
	}
	return d
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
