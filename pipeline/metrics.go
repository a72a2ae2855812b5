package pipeline

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/metrics"

	"github.com/treebeam/treebeam/io/view"
	"github.com/treebeam/treebeam/transforms"
)

// A Metric is a counter or a distribution of a run, as its runner reports it.
type Metric struct {
	Name     string
	Sum      int64
	Values   int64 // of a distribution; 0 for a counter
	Min, Max int64 // of a distribution
}

// String returns the metric as one line.
func (m Metric) String() string {
	if m.Values == 0 {
		return fmt.Sprintf("%s %d", m.Name, m.Sum)
	}
	return fmt.Sprintf("%s %.1f (%d to %d, %s)", m.Name, float64(m.Sum)/float64(m.Values), m.Min, m.Max, view.Many(m.Values, "value"))
}

// Metrics returns the metrics of treebeam, sorted by name, as the runner reported them
// after Run succeeded. A run that was only submitted has none.
func (p *Prepared) Metrics() []Metric { return p.metrics }

// metricsOf adds the metrics of all steps up by name, if there are any.
func metricsOf(results *metrics.Results) []Metric {
	if results == nil {
		return nil
	}
	all := results.Query(func(r metrics.SingleResult) bool { return r.Namespace() == transforms.MetricsNamespace })
	sums := map[string]Metric{}
	for _, r := range all.Counters() {
		m := sums[r.Name()]
		sums[r.Name()] = Metric{Name: r.Name(), Sum: m.Sum + r.Result()}
	}
	for _, r := range all.Distributions() {
		m, d := sums[r.Name()], r.Result()
		if d.Count == 0 {
			continue
		}
		if m.Values == 0 {
			m = Metric{Name: r.Name(), Min: d.Min, Max: d.Max}
		}
		m.Sum, m.Values = m.Sum+d.Sum, m.Values+d.Count
		m.Min, m.Max = min(m.Min, d.Min), max(m.Max, d.Max)
		sums[r.Name()] = m
	}
	list := make([]Metric, 0, len(sums))
	for _, m := range sums {
		list = append(list, m)
	}
	slices.SortFunc(list, func(a, b Metric) int { return cmp.Compare(a.Name, b.Name) })
	return list
}
