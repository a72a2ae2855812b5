package main

import (
	"fmt"
	"time"
)

// A standing is how far a run is.
type standing struct {
	elapsed time.Duration // since this command began to run it
	total   int64         // stored bytes of the whole input
	before  int64         // of these, in parts that were done then
	bytes   int64         // of the others, done now
	ranges  int64         // how many parts there will be
	parts   int64         // of these, done when this command began
	seen    int64         // found done or finished since then
	here    bool          // the work is done in this process, which counts words
	words   int64
}

func (s *standing) rate() float64 { return float64(s.words) / max(s.elapsed.Seconds(), 1e-3) }

// line is the standing in one line.
func (s *standing) line() string {
	if s.seen >= s.ranges {
		return fmt.Sprintf("all %d parts are there; they are being checked", s.ranges)
	}
	line := fmt.Sprintf("%d of %d parts are done", max(s.seen, s.parts), s.ranges)
	if s.here {
		line = fmt.Sprintf("%d words, %.0f words/s", s.words, s.rate())
	}
	if s.total > 0 {
		line += fmt.Sprintf(", %d%% of the input", int64(min(100*float64(s.before+s.bytes)/float64(s.total), 100)))
	}
	if left, known := s.left(); known {
		line += ", about " + left + " left"
	}
	return line
}

// left is the time left if what is left goes as fast as what this command has
// done, and false if it has done nothing yet. What was done before it began
// does not count.
func (s *standing) left() (text string, known bool) {
	rest := s.total - s.before - s.bytes
	if s.bytes <= 0 || rest < 0 {
		return "", false
	}
	left := time.Duration(float64(s.elapsed) * float64(rest) / float64(s.bytes))
	switch {
	case left >= 48*time.Hour:
		return fmt.Sprintf("%.0f days", left.Hours()/24), true
	case left >= time.Hour:
		return fmt.Sprintf("%dh%02dm", int(left.Hours()), int(left.Minutes())%60), true
	}
	return left.Round(time.Second).String(), true
}
