package main

import (
	"fmt"

	"gonum.org/v1/plot/plotter"

	"github.com/treebeam/treebeam/parser/graph"
	"github.com/treebeam/treebeam/parser/hash"
	weights "github.com/treebeam/treebeam/parser/score"
	"github.com/treebeam/treebeam/parser/search"
)

// A starter draws the trees over the candidates from which the parser's
// climbs start, but independent of each other.
type starter struct {
	arcs     graph.Arcs
	marginal []float64
	sampler  graph.Sampler
	head     []int32 // by word
}

// newStarter prepares draws by the pruner's probabilities, or uniform ones.
func newStarter(s *tested, kind int) *starter {
	x := &starter{arcs: graph.Of(&s.Candidates), head: make([]int32, len(s.Words)+1)}
	if kind == uniform {
		x.arcs.Score = make([]int32, len(x.arcs.Heads))
	}
	x.marginal = make([]float64, len(x.arcs.Heads))
	var m graph.Marginals
	m.Compute(&x.arcs, 16, x.marginal)
	x.sampler.Prepare(&x.arcs)
	return x
}

// draw returns a tree by word minus 1: the root by its marginal, the others
// by their weights.
func (x *starter) draw(r *hash.Rand) []int32 {
	total, root := 0.0, 0
	at := float64(r.Below(1<<20)) / (1 << 20)
	for m := 1; m <= x.arcs.N(); m++ {
		if lo, _ := x.arcs.Span(m); x.arcs.Heads[lo] == 0 && total <= at && x.marginal[lo] > 0 {
			total += x.marginal[lo]
			root = m
		}
	}
	if !x.sampler.Sample(&x.arcs, root, nil, x.head, r) {
		x.optimum()
	}
	return x.head[1:]
}

// optimum returns the tree with the largest sum of scores.
func (x *starter) optimum() []int32 {
	var s graph.Spanner
	s.MaximumTree(&x.arcs, 0, x.head)
	return x.head[1:]
}

// climbs follows the climbs of the whole model from all kinds of starts.
func (a *analysis) climbs(m *search.Model, s *tested, number int) (courses [3]course, err error) {
	e, err := m.Explore(&s.Sentence)
	if err != nil {
		return courses, fmt.Errorf("%s: %w", s.ID, err)
	}
	end := make([]int32, len(s.Words))
	for kind := range courses {
		x := newStarter(s, kind)
		courses[kind] = a.follow(s, func(j int) ([]int32, []int32, int64) {
			var start []int32
			if kind == optimum {
				start = x.optimum()
			} else {
				r := a.seedOf(number, kind, j)
				start = x.draw(&r)
			}
			copy(end, start)
			if kind == optimum && j > 1 { // the same again
				score, _ := e.Score(end)
				return start, end, score
			}
			return start, end, e.Climb(end)
		})
	}
	return courses, nil
}

// starts reports on the whole model, as Zhang, Lei, Barzilay and Jaakkola do
// (2014, Tables 5 and 6, and the figure of scores).
func (a *analysis) starts(banks []*bank) error {
	d := &a.pages
	d.section("Starts of the whole model's climbs",
		fmt.Sprintf("Independent climbs over the pruner's candidates in every third sentence of the sample. \"Reached\": percent of the sentences for which this number of climbs "+
			"from this start reaches the best score of %d climbs from any start. The last column is the percentage for which the best tree of %d climbs from this start occurs in the first 300 of them. "+
			"Zhang et al. (Tables 5 and 6, means of five languages): UAS 85.4 after one climb from the first-order optimum, 88.0 from uniform and 88.1 from first-order sampled starts; 98.1 to 100 %% met in the first 300.", a.restarts, a.restarts))
	columns := []string{"treebank", "sentences", "start", "UAS start", "UAS 1 climb", "UAS 300", fmt.Sprintf("UAS %d", a.restarts)}
	for _, dial := range a.dials {
		columns = append(columns, fmt.Sprintf("reached after %d", dial))
	}
	d.header(append(columns, fmt.Sprintf("300, <= %d words", shortWords), fmt.Sprintf("300, > %d words", shortWords))...)
	p := figure{name: "scores", title: "Score of the best tree so far, below the best of all", x: "climbs", y: "mean loss, in wrong heads", logX: true,
		keys: startName[:2]}
	for _, b := range banks {
		courses := make([][3]course, len(b.few))
		errs := make([]error, len(b.few))
		a.each(len(b.few), func(i int) { courses[i], errs[i] = a.climbs(b.model.Decoder, b.few[i], i) })
		for _, err := range errs {
			if err != nil {
				return err
			}
		}
		one := panel{title: b.name}
		for _, kind := range []int{optimum, uniform, sampled} {
			row, curve := a.startRow(b, courses, kind)
			d.row(append([]any{b.name, len(b.few), startName[kind]}, row...)...)
			if kind != optimum {
				one.lines = append(one.lines, curve)
			}
		}
		p.panels = append(p.panels, one)
	}
	d.figures = append(d.figures, p)
	return nil
}

// startRow sums the courses of one kind.
func (a *analysis) startRow(b *bank, courses [][3]course, kind int) (row []any, losses plotter.XYs) {
	words, last, middle := wordsOf(b.few), len(a.dials)-1, 0
	for at, dial := range a.dials {
		if dial <= 300 {
			middle = at
		}
	}
	start := 0
	right, reached, loss := make([]int, last+1), make([]int, last+1), make([]float64, last+1)
	var total, early [2]int
	for i := range courses {
		best := courses[i][0].score[last]
		for _, c := range courses[i] {
			best = max(best, c.score[last])
		}
		c := &courses[i][kind]
		start += c.startRight
		for at := range a.dials {
			right[at] += c.right[at]
			loss[at] += float64(best-c.score[at]) / weights.Unit / float64(len(courses))
			if c.score[at] == best {
				reached[at]++
			}
		}
		long := 0
		if len(b.few[i].Words) > shortWords {
			long = 1
		}
		total[long]++
		if c.score[middle] == c.score[last] {
			early[long]++
		}
	}
	row = []any{percent(start, words), percent(right[0], words), percent(right[middle], words), percent(right[last], words)}
	if kind == optimum { // there is but one climb
		row[2], row[3] = "", ""
	}
	for at, dial := range a.dials {
		losses = append(losses, plotter.XY{X: float64(dial), Y: loss[at]})
		if at > 0 && kind == optimum {
			row = append(row, "")
		} else {
			row = append(row, percent(reached[at], len(courses)))
		}
	}
	if kind == optimum {
		return append(row, "", ""), losses
	}
	return append(row, percent(early[0], total[0]), percent(early[1], total[1])), losses
}
