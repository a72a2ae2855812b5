package eval

import "github.com/treebeam/treebeam/parser/syntax"

// A Forecast sets what was expected of a metric, without gold trees, beside what
// came true. Figures are shares; all but Difference are in [0,1].
type Forecast struct {
	Metric   Metric  `json:"metric"`
	Expected float64 `json:"expected"` // share of the words that have probabilities
	// Stderr is the standard error of Expected, if the probabilities are right.
	Stderr     float64 `json:"stderr"`
	F1         float64 `json:"f1"`
	Difference float64 `json:"difference"` // F1 - Expected
}

// Forecasts compares what was expected of the system's trees, summed over them,
// with the scores UPOS, UAS and LAS. It is nil if no word has probabilities.
func (r *Result) Forecasts(e *syntax.Expected) []Forecast {
	if e.Words == 0 {
		return nil
	}
	var out []Forecast
	for _, x := range []struct {
		metric Metric
		of     syntax.Estimate
	}{{UPOS, e.UPOS}, {UAS, e.UAS}, {LAS, e.LAS}} {
		f := Forecast{Metric: x.metric, F1: r.Scores[x.metric].F1()}
		f.Expected, f.Stderr = x.of.Share(e.Words)
		f.Difference = f.F1 - f.Expected
		out = append(out, f)
	}
	return out
}
