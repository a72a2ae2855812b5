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
	groups map[string]*group
	words  map[string]*int64 // by part of the corpus: the attributes that divide it
	part   *int64            // of words, that of the current sentence
}

// A group is how many hits have the same attributes, and the words of the part of the
// corpus that they are in.
type group struct {
	hits  int64
	words *int64
}

// tally counts the words of a sentence for the part of the corpus that it is in.
func (s *search) tally(f *found) error {
	if s.To != Groups && s.To != Count {
		return nil
	}
	key := ""
	for i := range s.attributes {
		if a := &s.attributes[i]; a.divides {
			key += cell(a.of(f, pattern.Hit{})) + "\t"
		}
	}
	var err error
	if s.part, err = slot(s, &s.words, key); err == nil {
		*s.part += words(f.tree)
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

// words are those of a sentence that are not punctuation.
func words(t *parquet.Tree) int64 {
	n := t.Len()
	for _, tag := range t.UPOS {
		if tag == "PUNCT" {
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
		g.hits++
		g.words = s.part
	}
	return nil
}

func (s *search) writeCount() {
	words := int64(0)
	if s.part != nil {
		words = *s.part
	}
	for _, row := range [][]string{{"hits", number(s.sum.Hits)}, {"sentences", number(s.sum.Sentences)}, {"searched", number(s.sum.Searched)},
		{"words", number(words)}, {"per_million", perMillion(s.sum.Hits, words)}} {
		s.table.row(row)
	}
}

// writeGroups writes the groups, the commonest first.
func (s *search) writeGroups() {
	s.table.header(append([]string{"hits", "per_million"}, s.Attributes...))
	commonest := func(a, b string) int {
		return cmp.Or(cmp.Compare(s.groups[b].hits, s.groups[a].hits), strings.Compare(a, b))
	}
	for _, values := range slices.SortedFunc(maps.Keys(s.groups), commonest) {
		g := s.groups[values]
		s.table.row(append([]string{number(g.hits), perMillion(g.hits, *g.words)}, strings.Split(values, "\t")...))
	}
}

func number(n int64) string { return strconv.FormatInt(n, 10) }

// perMillion is a frequency per million words, "" of no words.
func perMillion(hits, words int64) string {
	if words == 0 {
		return ""
	}
	return strconv.FormatFloat(float64(hits)*1e6/float64(words), 'f', 2, 64)
}
