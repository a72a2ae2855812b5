package find

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/treebeam/treebeam/io/parquet"
	"github.com/treebeam/treebeam/io/view"
	"github.com/treebeam/treebeam/parser/syntax"
)

// Lists are what Compare may list: values of words that are not punctuation. Forms are in
// lower case.
var Lists = []string{"lemma", "form", "upos", "deprel"}

// CompareOptions say what Compare writes.
type CompareOptions struct {
	Lists []string  // of the variable Lists, in the order to write them
	Top   int       // how many of each list, those that differ most; 0 is all
	As    string    // TSV, CSV, HTML or Text
	Title string    // of a page of HTML
	Names [2]string // of the corpora, for Text
}

// A Comparison is what Compare has read of two corpora.
type Comparison struct {
	Documents, Sentences, Words [2]int64 // words without punctuation
	// Unlisted is how many words have values that are in no list because it was full.
	Unlisted int64
}

// ErrEmpty says that there is no sentence in a corpus.
var ErrEmpty = errors.New("no sentences")

// A corpus is what Compare knows of one. Each measure of sentences and arcs is a rate.
type corpus struct {
	sentences, words, arcs whole
	measures               [len(measures)]rate
	lists                  []map[string]*rate
	sample                 sampler
	unlisted               int64
}

// measures are means. Punctuation does not count in them, neither as words nor on the way
// from a word to its head.
var measures = [...]string{"words per sentence", "depth of trees", "length of arcs"}

// Compare reads two corpora and writes what differs: means of the length of sentences, of
// the depth of trees (arcs from the root to the deepest word) and of the length of arcs
// (words from a word to its head), and the frequencies of values, those with the largest
// log-likelihood first. Documents are the rows with the same document one after the other.
// The same rows and options give the same bytes. Errors come from reading, writing or ctx,
// or are ErrEmpty. It keeps at most 500,000 values of each list and corpus: those met first.
func Compare(ctx context.Context, a, b []Source, o *CompareOptions, w io.Writer) (Comparison, error) {
	var sides [2]*corpus
	var sum Comparison
	for i, sources := range [][]Source{a, b} {
		c := &corpus{lists: make([]map[string]*rate, len(o.Lists))}
		for k, n := range []*whole{&c.sentences, &c.sentences, &c.arcs} {
			c.measures[k].of = n
		}
		if err := c.read(ctx, sources, o.Lists); err != nil {
			return sum, err
		}
		sides[i] = c
		sum.Documents[i], sum.Sentences[i], sum.Words[i] = int64(c.sentences.units[ofDocuments].n), c.sentences.n, c.words.n
		sum.Unlisted += c.unlisted
	}
	if min(sum.Sentences[0], sum.Sentences[1]) == 0 {
		return sum, ErrEmpty
	}
	out := bufio.NewWriterSize(w, 1<<16)
	if o.As == Text {
		writeText(out, sides, o, &sum)
		return sum, out.Flush()
	}
	t := newTable(out, o.As, o.Title)
	t.header([]string{"kind", "value", "count_a", "a", "a_low", "a_high", "count_b", "b", "b_low", "b_high",
		"difference", "difference_low", "difference_high", "log_likelihood", "log_ratio", "log_ratio_low", "log_ratio_high"})
	for _, size := range sum.sizes() {
		t.row([]string{"size", size.name, number(size.n[0]), "", "", "", number(size.n[1]), "", "", "", "", "", "", "", "", "", ""})
	}
	for i, name := range measures {
		x, y := &sides[0].measures[i], &sides[1].measures[i]
		row := append([]string{"mean", name, number(x.n)}, x.cells((*rate).mean)...)
		row = append(append(row, number(y.n)), y.cells((*rate).mean)...)
		t.row(append(append(row, differing(x, y)...), make([]string, 4)...))
	}
	for i, kind := range o.Lists {
		for _, c := range compareLists(sides, i, o.Top) {
			row := append([]string{kind, c.values, number(c.a.n)}, c.a.cells((*rate).frequency)...)
			row = append(append(row, number(c.b.n)), c.b.cells((*rate).frequency)...)
			t.row(append(append(row, make([]string, 3)...), c.keyness()...))
		}
	}
	if err := t.end(); err != nil {
		return sum, err
	}
	return sum, out.Flush()
}

// cells are a rate and its interval, which is empty for none; all are of nothing.
func (r *rate) cells(of func(*rate) (v, low, high float64)) []string {
	switch v, low, high := of(r); {
	case r.of.n == 0:
		return make([]string, 3)
	case r.n == 0:
		return append(decimals(v), "", "")
	default:
		return decimals(v, low, high)
	}
}

// differing are the cells of the difference of two means.
func differing(a, b *rate) []string {
	if a.of.n == 0 || b.of.n == 0 {
		return make([]string, 3)
	}
	return decimals(difference(a, b))
}

// compareLists compares the values of a list, those that differ most first.
func compareLists(sides [2]*corpus, at, top int) (list []compared) {
	of := func(c *corpus, value string) *rate {
		if r := c.lists[at][value]; r != nil {
			return r
		}
		return &rate{of: &c.words}
	}
	values := maps.Clone(sides[0].lists[at])
	if values == nil {
		values = map[string]*rate{}
	}
	maps.Copy(values, sides[1].lists[at])
	for value := range values {
		list = append(list, compared{value, of(sides[0], value), of(sides[1], value)})
	}
	byKeyness(list)
	if top > 0 {
		list = list[:min(top, len(list))]
	}
	return list
}

// read reads a corpus.
func (c *corpus) read(ctx context.Context, sources []Source, lists []string) error {
	columns := []string{"doc_id", "upos", "head"}
	for _, name := range lists {
		columns = append(columns, ofWord[name].Column)
	}
	slices.Sort(columns)
	columns = slices.Compact(columns)
	var words []syntax.Word
	for _, from := range sources {
		rows := from.Trees
		if from.TreesWith != nil {
			rows = from.TreesWith(columns...)
		}
		for t, err := range rows {
			if err == nil {
				err = ctx.Err()
			}
			if err == nil && t.Len() > syntax.MaxWords {
				err = fmt.Errorf("%s: %w: a row of %s has %d words", from.Name, parquet.ErrDamaged, t.SourceURI, t.Len())
			}
			if err != nil {
				return err
			}
			c.sample.enter(t.DocID)
			words = slices.Grow(words[:0], t.Len())[:t.Len()]
			t.Words(words)
			c.sentence(words, lists)
			c.sample.end(ofSentences)
		}
		c.sample.end(ofDocuments)
	}
	return nil
}

// sentence adds a sentence.
func (c *corpus) sentence(words []syntax.Word, lists []string) {
	s := &c.sample
	n, depth, arcs, length := measure(words)
	s.grow(&c.sentences, 1)
	s.grow(&c.words, n)
	s.grow(&c.arcs, arcs)
	for i, v := range [...]int64{n, depth, length} {
		s.count(&c.measures[i], v)
	}
	for i := range words {
		w := &words[i]
		if w.UPOS == punctuation {
			continue
		}
		for k, name := range lists {
			value := ""
			switch name {
			case "lemma":
				value = w.Lemma
			case "form":
				value = strings.ToLower(w.Form)
			case "upos":
				value = w.UPOS
			case "deprel":
				value = w.Deprel
			}
			if value = cell(value); value == "" {
				continue
			}
			r := c.lists[k][value]
			if r == nil {
				if len(c.lists[k]) >= maxGroups {
					c.unlisted++
					continue
				}
				if c.lists[k] == nil {
					c.lists[k] = map[string]*rate{}
				}
				r = &rate{of: &c.words}
				c.lists[k][strings.Clone(value)] = r
			}
			s.count(r, 1)
		}
	}
}

// measure returns how many words a sentence has, how many arcs there are from its root to
// the deepest one, how many arcs there are between words, and their length together. Words
// that are punctuation are left out.
func measure(words []syntax.Word) (n, depth, arcs, length int64) {
	place := make([]int64, len(words))
	for i := range words {
		place[i] = n
		if words[i].UPOS != punctuation {
			n++
		}
	}
	above := depths(words)
	for i := range words {
		if words[i].UPOS == punctuation {
			continue
		}
		if h := int(words[i].Head) - 1; h >= 0 && h < len(words) && words[h].UPOS != punctuation {
			arcs++
			length += max(place[i]-place[h], place[h]-place[i])
		}
		depth = max(depth, above[i])
	}
	return n, depth, arcs, length
}

// depths returns how many words other than punctuation are above each word, in two steps a
// word. Of a cycle, it counts some.
func depths(words []syntax.Word) []int64 {
	above := slices.Repeat([]int64{-1}, len(words)) // -1 of words that were not met
	var path []int
	for i := range words {
		path = path[:0]
		for w := i; w >= 0 && w < len(words) && above[w] < 0; w = int(words[w].Head) - 1 {
			path, above[w] = append(path, w), 0
		}
		for _, w := range slices.Backward(path) {
			h := int(words[w].Head) - 1
			if h < 0 || h >= len(words) {
				continue
			}
			if above[w] = above[h]; words[h].UPOS != punctuation {
				above[w]++
			}
		}
	}
	return above
}

// A size is how large the corpora are.
type size struct {
	name string
	n    [2]int64
}

func (c *Comparison) sizes() []size {
	return []size{{"documents", c.Documents}, {"sentences", c.Sentences}, {"words", c.Words}}
}

// writeText writes the comparison for a reader, in columns.
func writeText(out io.Writer, sides [2]*corpus, o *CompareOptions, sum *Comparison) {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	line := func(cells ...string) {
		for i, c := range cells {
			cells[i] = view.Visible(c)
		}
		fmt.Fprintln(w, strings.TrimRight(strings.Join(cells, "\t"), "\t"))
	}
	between := func(cells []string) string { // an interval
		if cells[0] == "" {
			return "-"
		}
		return cells[0] + " to " + cells[1]
	}
	line("", "A", "B")
	line("corpus", o.Names[0], o.Names[1])
	for _, s := range sum.sizes() {
		line(s.name, view.Number(s.n[0]), view.Number(s.n[1]))
	}
	w.Flush()
	fmt.Fprintln(w)
	line("mean", "A", "95% interval", "B", "95% interval", "A - B", "95% interval")
	for i, name := range measures {
		row := []string{name}
		x, y := &sides[0].measures[i], &sides[1].measures[i]
		for _, cells := range [][]string{x.cells((*rate).mean), y.cells((*rate).mean), differing(x, y)} {
			row = append(row, cells[0], between(cells[1:]))
		}
		line(row...)
	}
	w.Flush()
	for i, kind := range o.Lists {
		fmt.Fprintln(w)
		line(kind, "A", "per million", "B", "per million", "log-likelihood", "log ratio", "95% interval")
		for _, c := range compareLists(sides, i, o.Top) {
			keyness := c.keyness()
			line(c.values, number(c.a.n), perMillion(c.a), number(c.b.n), perMillion(c.b), keyness[0], keyness[1], between(keyness[2:]))
		}
		w.Flush()
	}
}
