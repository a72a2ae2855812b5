package main

import (
	"fmt"
	"slices"
	"time"

	"gonum.org/v1/plot/plotter"

	weights "github.com/treebeam/treebeam/parser/score"
	"github.com/treebeam/treebeam/parser/search"
	"github.com/treebeam/treebeam/parser/syntax"
)

// searchDials are numbers of climbs of the parser's own search; the default
// search comes first, as 0.
var searchDials = []int{0, 1, 2, 4, 8, 16, 32, 64, 128, 300}

// A trial is what one dial did to one sentence.
type trial struct {
	score   int64
	right   int
	work    search.Counters
	elapsed time.Duration
	err     error

	certificate syntax.Certificate
}

// try parses a copy of a sentence. With an explicit dial all its climbs are
// made, none stops early or for a proof, but where all trees are scored instead.
func (a *analysis) try(m *search.Model, s *tested, dial int) trial {
	o := search.Options{Seed: a.seed, Restarts: dial, Patience: dial}
	if dial > 0 {
		o.Certify = -1
	}
	return s.parse(m, o)
}

// parse parses a copy of a sentence.
func (s *tested) parse(m *search.Model, o search.Options) (t trial) {
	copied := s.Sentence
	copied.Words = slices.Clone(s.Words)
	begin := time.Now()
	t.work, t.err = m.Count(&copied, o)
	t.elapsed = time.Since(begin)
	if t.err != nil {
		t.err = fmt.Errorf("%s: %w", s.ID, t.err)
		return t
	}
	heads := headsOf(&copied)
	t.right = s.right(heads)
	t.score, _ = m.Score(&copied, heads)
	t.certificate = copied.Confidence.Certificate
	return t
}

// search reports on the parser's own search.
func (a *analysis) search(banks []*bank) error {
	dials := slices.DeleteFunc(slices.Clone(searchDials), func(d int) bool { return d >= a.restarts })
	dials = append(dials, a.restarts)
	d := &a.pages
	d.section("The parser's search",
		fmt.Sprintf("The search of treebeam parse, by default and with a fixed number of climbs. \"Reached\": percent of the sentences in the sample with the best score of any row; %d climbs are assumed to find it. "+
			"Losses are in units of one wrong head. Times are measured; gain evaluations show the work without noise.", a.restarts))
	d.header("treebank", "sentences", "words", "climbs", "reached", "mean loss of the others", "UAS", "climbs per sentence", "gain evaluations per word", "us per word")
	p := figure{name: "anytime", title: "Accuracy against the time of the search", x: "microseconds per word", y: "UAS", logX: true,
		keys: []string{"so many climbs", "default"}}
	for _, b := range banks {
		trials := make([][]trial, len(b.sample)) // [sentence][dial]
		a.each(len(trials), func(i int) {
			for _, dial := range dials {
				trials[i] = append(trials[i], a.try(b.model.Decoder, b.sample[i], dial))
			}
		})
		curve := panel{title: b.name, lines: make([]plotter.XYs, 2)}
		words, count := wordsOf(b.sample), len(b.sample)
		for k, dial := range dials {
			var sum trial
			reached, loss := 0, 0.0
			for _, of := range trials {
				if of[k].err != nil {
					return of[k].err
				}
				best := slices.MaxFunc(of, func(x, y trial) int { return int(max(-1, min(1, x.score-y.score))) })
				if of[k].score == best.score {
					reached++
				}
				loss += float64(best.score-of[k].score) / weights.Unit
				sum.right += of[k].right
				sum.work.Add(of[k].work)
				sum.elapsed += of[k].elapsed
			}
			name, at := fmt.Sprint(dial), 0
			if dial == 0 {
				name, at = "default", 1
			}
			micro := float64(sum.elapsed.Nanoseconds()) / 1000 / float64(words)
			curve.lines[at] = append(curve.lines[at], plotter.XY{X: micro, Y: percent(sum.right, words)})
			d.row(b.name, count, words, name, percent(reached, count), loss/float64(max(count-reached, 1)), percent(sum.right, words),
				fmt.Sprintf("%.1f", float64(sum.work.Climbs)/float64(count)), fmt.Sprintf("%.0f", float64(sum.work.Gains)/float64(words)), fmt.Sprintf("%.0f", micro))
		}
		p.panels = append(p.panels, curve)
	}
	d.figures = append(d.figures, p)
	return nil
}
