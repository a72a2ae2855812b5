package main

import (
	"fmt"
	"io"
	"time"

	"github.com/treebeam/treebeam/parser/decode"
	weights "github.com/treebeam/treebeam/parser/score"
)

// dials are the numbers of climbs that are compared; the default search of
// the model comes first, as 0.
var dials = []int{0, 1, 2, 4, 8, 16, 32, 64, 100, 300, 1000, 3000}

// A trial is what one dial did to one sentence.
type trial struct {
	score   int64
	right   int
	climbs  int64
	gains   int64
	elapsed time.Duration
	err     error
}

// search measures the model's own search at every dial up to a.restarts.
// With an explicit dial all its climbs are made: none stops early.
func (a *analysis) search(m *decode.Model, sents []tested, out io.Writer) error {
	use := []int{}
	for _, d := range dials {
		if d < a.restarts {
			use = append(use, d)
		}
	}
	use = append(use, a.restarts)
	trials := make([][]trial, len(sents)) // [sentence][dial]
	a.each(len(sents), func(i int) {
		trials[i] = make([]trial, len(use))
		for k, d := range use {
			t := &trials[i][k]
			begin := time.Now()
			heads, score, c, err := parsed(m, sents[i].Sentence, decode.Options{Seed: a.seed, Restarts: d, Patience: d})
			*t = trial{score, sents[i].right(heads), c.Climbs, c.Gains, time.Since(begin), err}
		}
	})
	for i := range trials {
		for _, t := range trials[i] {
			if t.err != nil {
				return t.err
			}
		}
	}
	words := 0
	for i := range sents {
		words += len(sents[i].Words)
	}
	fmt.Fprintf(out, "%d sentences, %d words\n\n", len(sents), words)
	fmt.Fprintln(out, "| climbs | best score reached, % of sentences | mean loss of the others | UAS | climbs a sentence | gains a word | us a word |")
	fmt.Fprintln(out, "|---|---|---|---|---|---|---|")
	for k, d := range use {
		var sum trial
		reached, lost := 0, 0.0
		for i := range trials {
			best := trials[i][0].score
			for _, t := range trials[i] {
				best = max(best, t.score)
			}
			t := &trials[i][k]
			if t.score == best {
				reached++
			}
			lost += float64(best - t.score)
			sum.right += t.right
			sum.climbs += t.climbs
			sum.gains += t.gains
			sum.elapsed += t.elapsed
		}
		name := fmt.Sprint(d)
		if d == 0 {
			name = "default"
		}
		if missed := len(sents) - reached; missed > 0 {
			lost /= float64(missed) * weights.Unit
		}
		fmt.Fprintf(out, "| %s | %.1f | %.3f | %.2f | %.1f | %.0f | %.1f |\n", name,
			100*float64(reached)/float64(len(sents)), lost, 100*float64(sum.right)/float64(words),
			float64(sum.climbs)/float64(len(sents)), float64(sum.gains)/float64(words),
			float64(sum.elapsed.Microseconds())/float64(words))
	}
	return nil
}
