package find

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/treebeam/treebeam/io/output"
	"github.com/treebeam/treebeam/io/parquet"
	"github.com/treebeam/treebeam/parser/pattern"
)

// maxGroups bounds what Groups keeps: values of hits, and parts of the corpus.
const maxGroups = 500_000

// tallies are the counts of Groups and Count.
type tallies struct {
	groups map[string]*rate  // hits with the same attributes, in the words of their part
	parts  map[string]*whole // words, by the attributes that divide the corpus
	part   *whole            // that of the current sentence
	sample sampler
}

// tally counts the words of a sentence for the part of the corpus that it is in.
func (s *search) tally(f *found) error {
	if s.To != Groups && s.To != Count {
		return nil
	}
	s.sample.end(ofSentences)
	s.sample.enter(f.tree.DocID)
	key := ""
	for i := range s.attributes {
		if a := &s.attributes[i]; a.divides {
			key += cell(a.of(f, pattern.Hit{})) + "\t"
		}
	}
	var err error
	if s.part, err = slot(s, &s.parts, key); err == nil {
		s.sample.grow(s.part, words(f.tree))
	}
	return err
}

// slot returns the place of a key in a bounded map, which it makes if necessary.
func slot[T any](s *search, m *map[string]*T, key string) (*T, error) {
	if v, ok := (*m)[key]; ok {
		return v, nil
	}
	if len(*m) >= maxGroups {
		return nil, output.Refuse("there are more than %d different values of %s: count fewer attributes, or --tsv them and sort that", maxGroups, strings.Join(s.Attributes, ","))
	}
	if *m == nil {
		*m = map[string]*T{}
	}
	v := new(T)
	(*m)[key] = v
	return v, nil
}

// punctuation is the tag of what does not count as words.
const punctuation = "PUNCT"

// words are those of a sentence that are not punctuation.
func words(t *parquet.Tree) int64 {
	n := t.Len()
	for _, tag := range t.UPOS {
		if tag == punctuation {
			n--
		}
	}
	return int64(n)
}

// count counts the hits of a sentence by their attributes.
func (s *search) count(f *found) error {
	for _, h := range f.hits {
		g, err := slot(s, &s.groups, strings.Join(s.cells(f, h), "\t"))
		if err != nil {
			return err
		}
		g.of = s.part
		s.sample.count(g, 1)
	}
	return nil
}

func (s *search) writeCount() {
	all := rate{n: s.sum.Hits, of: cmp.Or(s.part, new(whole))}
	for _, row := range [][]string{{"hits", number(s.sum.Hits)}, {"sentences", number(s.sum.Sentences)}, {"searched", number(s.sum.Searched)},
		{"words", number(all.of.n)}, {"per_million", perMillion(&all)}} {
		s.table.row(row)
	}
}

// writeGroups writes the groups, the commonest first.
func (s *search) writeGroups() {
	s.table.header(append([]string{"hits", "per_million"}, s.Attributes...))
	commonest := func(a, b string) int {
		return cmp.Or(cmp.Compare(s.groups[b].n, s.groups[a].n), strings.Compare(a, b))
	}
	for _, values := range slices.SortedFunc(maps.Keys(s.groups), commonest) {
		g := s.groups[values]
		s.table.row(append([]string{number(g.n), perMillion(g)}, strings.Split(values, "\t")...))
	}
}

func number(n int64) string { return strconv.FormatInt(n, 10) }

// perMillion is a frequency per million words, "" of no words.
func perMillion(r *rate) string {
	if r.of.n == 0 {
		return ""
	}
	return strconv.FormatFloat(float64(r.n)*1e6/float64(r.of.n), 'f', 2, 64)
}
