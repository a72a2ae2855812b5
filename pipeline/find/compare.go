package find

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"
)

// A compared is a group with its frequencies in two corpora, of hits in words.
type compared struct {
	values          string
	hits, others    int64
	words, ofOthers int64
}

// logLikelihood is G2 of the two frequencies (Dunning 1993; Rayson and Garside 2000). By
// chance it is 3.84 or more in one of 20 comparisons of equal frequencies.
func (c *compared) logLikelihood() float64 {
	sum := 0.0
	for _, x := range [...]struct{ hits, words int64 }{{c.hits, c.words}, {c.others, c.ofOthers}} {
		if x.hits > 0 {
			expected := float64(c.hits+c.others) * float64(x.words) / float64(c.words+c.ofOthers)
			sum += float64(x.hits) * math.Log(float64(x.hits)/expected)
		}
	}
	return max(0, 2*sum) // rounding may make nothing less than nothing
}

// logRatio is the binary logarithm of the ratio of the frequencies (Hardie 2014), with
// half a hit for none, and its interval of 95 percent for hits that are independent: that of
// Katz and others (1978) for rare ones, because hits may outnumber words.
func (c *compared) logRatio() (ratio, low, high float64) {
	a, b := max(float64(c.hits), 0.5), max(float64(c.others), 0.5)
	ratio = math.Log2(a / float64(c.words) / (b / float64(c.ofOthers)))
	around := 1.96 * math.Sqrt(1/a+1/b) / math.Ln2
	return ratio, ratio - around, ratio + around
}

// writeCompared writes the groups of both corpora, those that differ most first. What
// has no words in one of them is not compared.
func (s *search) writeCompared() {
	var list []compared
	add := func(values string) {
		c := compared{values: values}
		c.hits, c.words = s.tallies.of(s.attributes, values)
		c.others, c.ofOthers = s.against.of(s.attributes, values)
		list = append(list, c)
	}
	for values := range s.groups {
		add(values)
	}
	for values := range s.against.groups {
		if s.groups[values] == nil {
			add(values)
		}
	}
	rank := func(c *compared) float64 { // as it is written, so that it is the same everywhere
		if c.words == 0 || c.ofOthers == 0 {
			return -1
		}
		return math.Round(100 * c.logLikelihood())
	}
	slices.SortFunc(list, func(a, b compared) int {
		return cmp.Or(cmp.Compare(rank(&b), rank(&a)), strings.Compare(a.values, b.values))
	})
	s.table.header(append([]string{"hits", "per_million", "hits_against", "per_million_against",
		"log_likelihood", "log_ratio", "log_ratio_low", "log_ratio_high"}, s.Attributes...))
	for _, c := range list {
		row := []string{number(c.hits), perMillion(c.hits, c.words), number(c.others), perMillion(c.others, c.ofOthers), "", "", "", ""}
		if rank(&c) >= 0 {
			ratio, low, high := c.logRatio()
			for i, v := range [...]float64{c.logLikelihood(), ratio, low, high} {
				row[4+i] = strconv.FormatFloat(v, 'f', 2, 64)
			}
		}
		s.table.row(append(row, strings.Split(c.values, "\t")...))
	}
}

// of returns the hits of a group, and the words of the part of the corpus that its
// values name.
func (t *tallies) of(attributes []attribute, values string) (hits, words int64) {
	if g := t.groups[values]; g != nil {
		hits = g.hits
	}
	key := ""
	for i, v := range strings.Split(values, "\t") {
		if attributes[i].divides {
			key += v + "\t"
		}
	}
	if n := t.words[key]; n != nil {
		words = *n
	}
	return hits, words
}
