// Package find searches trees for a pattern (package pattern). Run writes the hits as
// sentences with the words marked, tables of their attributes, counts, or CoNLL-U. It
// reads the rows of outputs, states and CoNLL-U files in order, one at a time, and
// decodes only the columns that the pattern and the written format need.
package find

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"io"
	"iter"
	"slices"

	"github.com/treebeam/treebeam/io/output"
	"github.com/treebeam/treebeam/io/parquet"
	"github.com/treebeam/treebeam/io/pick"
	"github.com/treebeam/treebeam/parser/pattern"
	"github.com/treebeam/treebeam/parser/syntax"
)

// What Options.To may be.
const (
	Text   = "text"   // a line a hit: the sentence's id, a tab, and its text with the words marked
	CoNLLU = "conllu" // the sentences with a hit, and comments "# hit = v:3 s:1"
	Tree   = "tree"   // the same as trees for a terminal
	Table  = "table"  // a row a hit with the attributes of Options.Attributes
	Groups = "groups" // how many hits have the same attributes, the commonest first
	Count  = "count"  // hits, sentences with one, sentences and words searched, hits per million words
)

// Options say what to search for and how to write the hits.
type Options struct {
	Pattern *pattern.Pattern
	// MinConf is the least probability of what a hit rests on, from 0 to 1: see
	// pattern.Matcher. Sentences without probabilities are then an error.
	MinConf    float32
	To         string   // Text and so on; "" is Text
	As         string   // of Table, Groups and Count: TSV, CSV or HTML; "" is TSV
	Title      string   // of a page of HTML: what was searched for
	Attributes []string // of Table and Groups: see ParseAttributes
	Limit      int64    // hits; 0 is all
	// Random is how many of all hits to write, drawn at random with the Seed, from 1 to
	// pick.MaxSample; 0 is all. Not for Groups, Count, or with a Limit.
	Random  int
	Seed    uint64
	Against []Source // another corpus that Groups compares the frequencies with
	Met     *Met     // where to note what is met before the first hit; nil is nowhere
	Color   bool     // of Text and Tree: escape sequences of a terminal
	Columns int      // of Text and Tree: of the terminal; 0 is any width
}

// A Source yields rows of trees.
type Source struct {
	Name  string
	Trees iter.Seq2[*parquet.Tree, error]
	// TreesWith is Trees with some columns only; nil if columns cannot be read
	// separately.
	TreesWith func(columns ...string) iter.Seq2[*parquet.Tree, error]
}

// Of returns the Source of an output or a state.
func Of(o *output.Reader) Source { return Source{o.Name, o.Trees, o.TreesWith} }

// A Result counts what was found.
type Result struct {
	Hits, Sentences, Searched int64
	// Partial is how many sentences have more hits than were found: pattern.MaxHits
	// were, or there was too much work in them.
	Partial int64
	// Against is how many sentences of Options.Against were searched.
	Against int64
}

// A search is the state of Run.
type search struct {
	*Options
	matcher    *pattern.Matcher
	attributes []attribute
	around     bool // an attribute is of the sentence before or after
	out        *bufio.Writer
	table      table
	sum        Result
	sentence   syntax.Sentence
	last       *parquet.Tree // of the source, if around
	waiting    *found        // for the sentence after it
	line       []byte
	lot        pick.Best[drawn]
	tallies
	against tallies // of Options.Against
}

// A found is a sentence with hits. before and after are the rows around it in its
// document if an attribute needs them and there are such rows.
type found struct {
	tree, before, after *parquet.Tree
	hits                []pattern.Hit
}

// Run searches the sources one after the other and writes the hits to w. The same rows
// and options give the same bytes. Errors come from reading, writing or ctx, or are an
// *output.Refusal that names the remedy. Options.Against is searched last and counts
// only in Result.Partial and Result.Against.
func Run(ctx context.Context, sources []Source, o *Options, w io.Writer) (Result, error) {
	options := *o
	options.To = cmp.Or(o.To, Text)
	s := &search{Options: &options, matcher: o.Pattern.NewMatcher(), out: bufio.NewWriterSize(w, 1<<16), lot: lot(o.Random)}
	s.matcher.MinConf = o.MinConf
	var err error
	if s.attributes, err = parseAttributes(o.Pattern, o.Attributes); err != nil {
		return s.sum, err
	}
	s.around = slices.ContainsFunc(s.attributes, func(a attribute) bool { return a.around })
	if s.table = newTable(s.out, o.As, o.Title); o.To == Table {
		s.table.header(o.Attributes)
	}
	if err := s.sources(ctx, sources); err != nil {
		return s.sum, err
	}
	if len(o.Against) > 0 {
		tallied, sum := s.tallies, s.sum
		s.tallies = tallies{}
		err := s.sources(ctx, o.Against)
		sum.Partial, sum.Against = s.sum.Partial, s.sum.Searched-sum.Searched
		s.against, s.tallies, s.sum = s.tallies, tallied, sum
		if err != nil {
			return s.sum, err
		}
	}
	if err := s.end(); err != nil {
		return s.sum, err
	}
	return s.sum, s.out.Flush()
}

func (s *search) sources(ctx context.Context, list []Source) error {
	for i := range list {
		if err := s.source(ctx, &list[i]); err != nil {
			return err
		}
		s.sample.end(ofSentences)
		s.sample.end(ofDocuments)
	}
	return nil
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
		if err == nil {
			err = s.settle(t)
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
	s.last = nil
	return s.settle(nil)
}

// settle writes the sentence that waits for the row t, nil at the end of a source.
func (s *search) settle(t *parquet.Tree) error {
	f := s.waiting
	if f == nil {
		return nil
	}
	if s.waiting = nil; t != nil && t.DocID == f.tree.DocID {
		f.after = t
	}
	if s.Random > 0 {
		return nil // it is written at the end if it is drawn
	}
	return s.write(f)
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
		list = append(list, a.columns...)
	}
	if s.To == Count || s.To == Groups {
		list = append(list, "upos") // of the words that are counted
	}
	if s.Random > 0 {
		list = append(list, "doc_id", "sent_id")
	}
	if len(s.Against) > 0 {
		list = append(list, "doc_id")
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
	f := &found{tree: t}
	if s.around {
		if s.last != nil && s.last.DocID == t.DocID {
			f.before = s.last
		}
		s.last = t
	}
	if err := s.tally(f); err != nil {
		return err
	}
	hits, whole := s.matcher.Match(&s.sentence)
	if !whole {
		s.sum.Partial++
	}
	if len(hits) == 0 {
		if s.Met != nil && s.sum.Hits == 0 {
			s.Met.see(s.sentence.Words)
		}
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
	f.hits = hits
	switch {
	case s.Random > 0:
		s.draw(f)
	case !s.around:
		return s.write(f)
	default:
		f.keep()
	}
	if s.around {
		s.waiting = f
	}
	return nil
}

// keep makes the hits last beyond the next sentence.
func (f *found) keep() {
	f.hits = slices.Clone(f.hits)
	for i := range f.hits {
		f.hits[i].Words = slices.Clone(f.hits[i].Words)
	}
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

func (s *search) write(f *found) (err error) {
	s.line = s.line[:0]
	switch s.To {
	case Count:
		return nil
	case CoNLLU:
		s.line, err = appendCoNLLU(s.line, f.tree, s.Pattern, f.hits)
	case Tree:
		s.line = s.appendTree(s.line, f.tree, f.hits)
	case Table:
		for _, h := range f.hits {
			s.table.row(s.cells(f, h))
		}
	case Groups:
		return s.count(f)
	default:
		for _, h := range f.hits {
			s.line = s.appendText(s.line, f.tree, h)
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
func (s *search) end() error {
	if err := s.writeDrawn(); err != nil {
		return err
	}
	switch s.To {
	case Count:
		s.writeCount()
	case Groups:
		if len(s.Against) > 0 {
			s.writeCompared()
		} else {
			s.writeGroups()
		}
	case Table:
	default:
		return nil
	}
	return s.table.end()
}
