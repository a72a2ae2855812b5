package find

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"
)

// A compared is a group with its frequencies in two corpora.
type compared struct {
	values string
	a, b   *rate
}

// rank is the log-likelihood as it is written, so that the order is the same everywhere; -1
// if there are no words in one of the corpora.
func (c *compared) rank() float64 {
	if c.a.of.n == 0 || c.b.of.n == 0 {
		return -1
	}
	return math.Round(100 * logLikelihood(c.a, c.b))
}

// byKeyness sorts what differs most first.
func byKeyness(list []compared) {
	slices.SortFunc(list, func(a, b compared) int {
		return cmp.Or(cmp.Compare(b.rank(), a.rank()), strings.Compare(a.values, b.values))
	})
}

// keyness are the cells for the log-likelihood, the log ratio and its interval, empty if
// there are no words in one of the corpora.
func (c *compared) keyness() []string {
	if c.rank() < 0 {
		return make([]string, 4)
	}
	ratio, low, high := logRatio(c.a, c.b)
	return decimals(logLikelihood(c.a, c.b), ratio, low, high)
}

// decimals writes numbers with two decimals.
func decimals(list ...float64) (cells []string) {
	for _, v := range list {
		cells = append(cells, strconv.FormatFloat(v, 'f', 2, 64))
	}
	return cells
}

// writeCompared writes the groups of both corpora, those that differ most first. What
// has no words in one of them is not compared.
func (s *search) writeCompared() {
	var list []compared
	add := func(values string) {
		list = append(list, compared{values, s.tallies.of(s.attributes, values), s.against.of(s.attributes, values)})
	}
	for values := range s.groups {
		add(values)
	}
	for values := range s.against.groups {
		if s.groups[values] == nil {
			add(values)
		}
	}
	byKeyness(list)
	s.table.header(append([]string{"hits", "per_million", "hits_against", "per_million_against",
		"log_likelihood", "log_ratio", "log_ratio_low", "log_ratio_high"}, s.Attributes...))
	for _, c := range list {
		row := append([]string{number(c.a.n), perMillion(c.a), number(c.b.n), perMillion(c.b)}, c.keyness()...)
		s.table.row(append(row, strings.Split(c.values, "\t")...))
	}
}

// of returns the frequency of a group in the words of the part of the corpus that its
// values name.
func (t *tallies) of(attributes []attribute, values string) *rate {
	if g := t.groups[values]; g != nil {
		return g
	}
	key := ""
	for i, v := range strings.Split(values, "\t") {
		if attributes[i].divides {
			key += v + "\t"
		}
	}
	if part := t.parts[key]; part != nil {
		return &rate{of: part}
	}
	return &rate{of: new(whole)}
}
