package train

import (
	"fmt"
	"time"
)

// shares are the phases in order with the part of a training's time that
// each takes, in percent, measured on en_ewt with jackknifed tags. They serve
// the estimate of the time left and nothing else.
var shares = []struct {
	phase string
	share float64
}{
	{"segmenter", 10}, {"tagger", 8}, {"tags", 25}, {"pruner", 5}, {"candidates", 12},
	{"parser", 32}, {"labels", 6}, {"evaluation", 2},
}

// progress writes what a training does: a line when a phase starts, the
// component's own lines with the seconds of the phase, a line with its time
// and an estimate for the rest when it ends.
type progress struct {
	out   func(format string, a ...any)
	now   func() time.Time
	phase string
	begun time.Time // of the phase
	spent float64   // seconds in phases that were really run
	done  float64   // their shares
	left  float64   // shares of the phases that did not start yet
}

func newProgress(o Options) *progress {
	p := &progress{out: o.Log, now: o.Now}
	if p.now == nil {
		p.now = func() time.Time { return time.Time{} }
	}
	for _, s := range shares {
		if !(o.GoldTags && s.phase == "tags") {
			p.left += s.share
		}
	}
	return p
}

func (p *progress) start(phase string) {
	p.phase, p.begun = phase, p.now()
	p.left -= p.share()
	p.out("%-10s starts", phase)
}

// share returns the share of the current phase.
func (p *progress) share() float64 {
	for _, s := range shares {
		if s.phase == p.phase {
			return s.share
		}
	}
	return 0
}

// log is what components write to.
func (p *progress) log(format string, a ...any) {
	p.out("%-10s %6.1fs  %s", p.phase, p.seconds(), fmt.Sprintf(format, a...))
}

func (p *progress) seconds() float64 { return p.now().Sub(p.begun).Seconds() }

// finish ends the phase; size is that of its result in bytes, 0 if it has
// none.
func (p *progress) finish(size int) {
	p.spent += p.seconds()
	p.done += p.share()
	line := fmt.Sprintf("%-10s took %.1f s", p.phase, p.seconds())
	if size > 0 {
		line += fmt.Sprintf(", %d KB", (size+1023)/1024)
	}
	if p.done > 0 && p.left > 0 && p.spent > 0 {
		eta := time.Duration(p.spent / p.done * p.left * float64(time.Second))
		line += fmt.Sprintf("; about %s left", eta.Round(time.Second))
	}
	p.out("%s", line)
}

// skip ends a phase whose result was kept by an earlier run.
func (p *progress) skip(size int) {
	p.out("%-10s is done already, %d KB kept", p.phase, (size+1023)/1024)
}
