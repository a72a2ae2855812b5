package train

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
)

// shares are the parts of a training's time that the phases take, in percent,
// with jackknifed tags in five folds on two cores. They serve the estimate of
// the time left, nothing else.
var shares = map[string]float64{
	"words": 0, "segmenter": 4, "tagger": 9, "tags": 39, "pruner": 6, "candidates": 14, "parser": 24, "labels": 3, "evaluation": 1,
	"encoder": 500, "mix": 20, // if there is one
	firstPass + "pruner": 6, firstPass + "candidates": 14, firstPass + "parser": 16, "heads": 3, // where relations lack heads
}

// progress writes what a training does: a line when a phase starts, the
// component's own lines with the seconds of the phase, and when it ends a line
// with its time and an estimate for the rest. Phases may overlap.
type progress struct {
	mu    sync.Mutex
	out   func(format string, a ...any)
	now   func() time.Time
	begun time.Time // when the first phase began that was not skipped
	done  float64   // shares of the phases that were really run
	left  float64   // shares of the phases that did not end yet
}

// A clock is the progress of one phase.
type clock struct {
	*progress
	phase string
	begun time.Time
}

// newProgress returns the progress of a training, with a first pass or without.
func newProgress(o Options, first bool) *progress {
	p := &progress{out: o.Log, now: o.Now}
	for phase, share := range shares {
		skipped := phase == "tags" && (o.GoldTags || o.TreeTags == TreeTagsGold) ||
			(phase == "encoder" || phase == "mix") && o.Encoder == nil ||
			(phase == "heads" || strings.HasPrefix(phase, firstPass)) && !first
		if !skipped {
			p.left += share
		}
	}
	return p
}

// only says that there are no other phases.
func (p *progress) only(phases ...string) {
	p.left = 0
	for _, phase := range phases {
		p.left += shares[phase]
	}
}

// start begins a phase that has work to do.
func (p *progress) start(phase string) *clock {
	p.mu.Lock()
	defer p.mu.Unlock()
	c := &clock{p, phase, p.now()}
	if p.begun.IsZero() {
		p.begun = c.begun
	}
	p.out("%-10s starts", phase)
	return c
}

// skip passes over a phase whose result was kept by an earlier run.
func (p *progress) skip(phase string, size int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.left -= shares[phase]
	p.out("%-10s is done already, %d KB kept", phase, kilobytes(size))
}

// ownNames are those by which components begin their lines.
var ownNames = []string{"encoder", "segmenter", "tagger", "pruner", "parser", "label"}

// log is what components write to.
func (c *clock) log(format string, a ...any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	line := fmt.Sprintf(format, a...)
	if name, rest, ok := strings.Cut(line, ": "); ok && slices.Contains(ownNames, name) {
		line = rest // the phase says it
	}
	c.out("%-10s %6.1fs  %s", c.phase, c.seconds(), line)
}

func (c *clock) seconds() float64 { return c.now().Sub(c.begun).Seconds() }

// finish ends the phase; size is that of its result in bytes, 0 if it has
// none.
func (c *clock) finish(size int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.done += shares[c.phase]
	c.left -= shares[c.phase]
	line := fmt.Sprintf("%-10s took %.1f s", c.phase, c.seconds())
	if size > 0 {
		line += fmt.Sprintf(", %d KB", kilobytes(size))
	}
	if spent := c.now().Sub(c.progress.begun).Seconds(); spent > 0 && c.done > 0 && c.left > 0 {
		eta := time.Duration(spent / c.done * c.left * float64(time.Second))
		line += fmt.Sprintf("; about %s left", eta.Round(time.Second))
	}
	c.out("%s", line)
}

func kilobytes(size int) int { return (size + 1023) / 1024 }
