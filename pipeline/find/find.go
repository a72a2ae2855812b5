// Package find searches trees for a pattern (package pattern) and writes what it finds:
// sentences with the words marked, tables of their attributes, counts, or CoNLL-U. It
// reads rows of outputs, states and CoNLL-U files in order, one at a time, and decodes
// only the columns that the pattern and the written format need.
package find

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"io"
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/treebeam/treebeam/io/output"
	"github.com/treebeam/treebeam/io/parquet"
	"github.com/treebeam/treebeam/parser/pattern"
	"github.com/treebeam/treebeam/parser/syntax"
)

// What Options.To may be.
const (
	Text   = "text"   // a line a hit: the sentence's id, a tab, and its text with the words marked
	CoNLLU = "conllu" // the sentences with a hit, and comments "# hit = v:3 s:1"
	Tree   = "tree"   // the same as trees for a terminal
	Table  = "tsv"    // a line a hit with the attributes of Options.Attributes
	Groups = "groups" // how many hits have the same attributes, the commonest first
	Count  = "count"  // hits, sentences with one, and sentences searched
)

// Options say what to look for and how to write it.
type Options struct {
	Pattern *pattern.Pattern
	// MinConf is the least probability of what a hit rests on, from 0 to 1: see
	// pattern.Matcher. Sentences without probabilities are then an error.
	MinConf    float32
	To         string   // Text and so on; "" is Text
	Attributes []string // of Table and Groups: see ParseAttributes
	Limit      int64    // hits; 0 is all
	Color      bool     // of Text and Tree: escape sequences of a terminal
	Columns    int      // of Text and Tree: of the terminal; 0 is any width
}

// A Source yields rows of trees.
type Source struct {
	Name  string
	Trees iter.Seq2[*parquet.Tree, error]
	// TreesWith is Trees with some columns only; nil if columns cannot be read
	// separately.
	TreesWith func(columns ...string) iter.Seq2[*parquet.Tree, error]
}

// Of is the source of an output or a state.
func Of(o *output.Reader) Source { return Source{o.Name, o.Trees, o.TreesWith} }

// A Result says what was found.
type Result struct {
	Hits, Sentences, Searched int64
	// Partial is how many sentences have more hits than were found: pattern.MaxHits
	// were, or there was too much work in them.
	Partial int64
}

// maxGroups bounds what Groups keeps.
const maxGroups = 500_000

// A search is Run at work.
type search struct {
	*Options
	matcher    *pattern.Matcher
	attributes []attribute
	out        *bufio.Writer
	sum        Result
	sentence   syntax.Sentence
	line       []byte
	groups     map[string]int64
}

// Run searches the sources one after the other and writes to w. The same rows and
// options give the same bytes. An error is one of reading, writing or of ctx, or
// an *output.Refusal of what cannot be done.
func Run(ctx context.Context, sources []Source, o *Options, w io.Writer) (Result, error) {
	options := *o
	options.To = cmp.Or(o.To, Text)
	s := &search{Options: &options, matcher: o.Pattern.NewMatcher(), out: bufio.NewWriterSize(w, 1<<16), groups: map[string]int64{}}
	s.matcher.MinConf = o.MinConf
	var err error
	if s.attributes, err = parseAttributes(o.Pattern, o.Attributes); err != nil {
		return s.sum, err
	}
	if o.To == Table {
		s.line = append(s.line, strings.Join(o.Attributes, "\t")...)
		s.out.Write(append(s.line, '\n'))
	}
	for _, from := range sources {
		if err := s.source(ctx, &from); err != nil {
			return s.sum, err
		}
	}
	s.end()
	return s.sum, s.out.Flush()
}

func (s *search) source(ctx context.Context, from *Source) error {
	columns := s.columns()
	rows := from.Trees
	if columns != nil && from.TreesWith != nil {
		rows = from.TreesWith(columns...)
	}
	for t, err := range rows {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return err
		}
		if s.Limit > 0 && s.sum.Hits >= s.Limit {
			return nil
		}
		if err := s.tree(from, t); err != nil {
			return err
		}
	}
	return nil
}

// needed returns the attributes of words for pattern.Columns, in order.
var needed = [...]string{"form", "lemma", "upos", "xpos", "feats", "head", "deprel", "misc"}

// columns are the columns that the search reads, nil if it wants all.
func (s *search) columns() []string {
	var list []string
	switch s.To {
	case CoNLLU, Tree:
		return nil
	case Text:
		list = []string{"sent_id", "tokens", "text", "start_char", "end_char"}
	}
	for i, name := range needed {
		if s.Pattern.Needs()&(pattern.Form<<i) != 0 {
			list = append(list, ofWord[name].Column)
		}
	}
	for _, a := range s.attributes {
		list = append(list, a.column)
	}
	if s.MinConf > 0 {
		list = append(list, "head_conf", "deprel_conf", "upos_conf")
	}
	if !slices.ContainsFunc(list, func(c string) bool { return c == "head" || c == "tokens" || c == "upos" || c == "lemmas" }) {
		list = append(list, "head") // which says how many words there are
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// tree searches one row.
func (s *search) tree(from *Source, t *parquet.Tree) error {
	s.sum.Searched++
	if err := s.fill(t); err != nil {
		return fmt.Errorf("%s: %w", from.Name, err)
	}
	if c := &s.sentence.Confidence; s.MinConf > 0 && len(s.sentence.Words) > 0 && len(c.HeadConf)+len(c.DeprelConf) == 0 {
		return output.Refuse("%s has trees without probabilities, such as those of a model that is not calibrated or CoNLL-U that was written without --conf: leave --conf out", from.Name)
	}
	hits, whole := s.matcher.Match(&s.sentence)
	if !whole {
		s.sum.Partial++
	}
	if len(hits) == 0 {
		return nil
	}
	if column := lacks(s.attributes, t); column != "" {
		return output.Refuse("%s has no column %s: treebeam parse --keep KEY,... makes one", from.Name, column)
	}
	if s.Limit > 0 {
		hits = hits[:min(int64(len(hits)), s.Limit-s.sum.Hits)]
	}
	s.sum.Sentences++
	s.sum.Hits += int64(len(hits))
	return s.write(t, hits)
}

// fill makes the sentence of a row that may have some columns only.
func (s *search) fill(t *parquet.Tree) error {
	n := t.Len()
	if n > syntax.MaxWords {
		return fmt.Errorf("%w: a row of %s has %d words", parquet.ErrDamaged, t.SourceURI, n)
	}
	words := slices.Grow(s.sentence.Words[:0], n)[:n]
	t.Words(words)
	s.sentence = syntax.Sentence{Words: words, Confidence: syntax.Confidence{HeadConf: t.HeadConf, DeprelConf: t.DeprelConf, UPOSConf: t.UPOSConf}}
	return nil
}

func (s *search) write(t *parquet.Tree, hits []pattern.Hit) (err error) {
	s.line = s.line[:0]
	switch s.To {
	case Count:
		return nil
	case CoNLLU:
		s.line, err = appendCoNLLU(s.line, t, s.Pattern, hits)
	case Tree:
		s.line = s.appendTree(s.line, t, hits)
	case Table:
		for _, h := range hits {
			s.line = append(appendValues(s.line, s.attributes, t, h), '\n')
		}
	case Groups:
		for _, h := range hits {
			s.line = appendValues(s.line[:0], s.attributes, t, h)
			if _, ok := s.groups[string(s.line)]; !ok && len(s.groups) >= maxGroups {
				return output.Refuse("the hits have more than %d different values of %s: count fewer attributes, or --tsv them and sort that", maxGroups, strings.Join(s.Attributes, ","))
			}
			s.groups[string(s.line)]++
		}
		return nil
	default:
		for _, h := range hits {
			s.line = s.appendText(s.line, t, h)
		}
	}
	if err == nil {
		_, err = s.out.Write(s.line)
	}
	if err == nil && s.Columns > 0 { // somebody waits for it
		err = s.out.Flush()
	}
	return err
}

// end writes what is known only at the end.
func (s *search) end() {
	switch s.To {
	case Count:
		fmt.Fprintf(s.out, "hits\t%d\nsentences\t%d\nsearched\t%d\n", s.sum.Hits, s.sum.Sentences, s.sum.Searched)
	case Groups:
		commonest := func(a, b string) int { return cmp.Or(cmp.Compare(s.groups[b], s.groups[a]), strings.Compare(a, b)) }
		fmt.Fprintf(s.out, "hits\t%s\n", strings.Join(s.Attributes, "\t"))
		for _, values := range slices.SortedFunc(maps.Keys(s.groups), commonest) {
			fmt.Fprintf(s.out, "%d\t%s\n", s.groups[values], values)
		}
	}
}
