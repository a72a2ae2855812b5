package main

import (
	"cmp"
	"context"
	"errors"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/treebeam/treebeam/io/store"
	"github.com/treebeam/treebeam/io/view"
	search "github.com/treebeam/treebeam/pipeline/find"
)

const compareAbout = `
Compares two corpora of different texts: output folders of treebeam parse, states, CoNLL-U
files (also .gz, .zst, .bz2), folders that contain some, globs, or - for standard input.

The means are words per sentence, the depth of trees (arcs from the root to the deepest word)
and the length of arcs (words from a word to its head). Lists have frequencies per million
words, log-likelihood and log ratio (1: twice as frequent in A, -1: in B), the largest
log-likelihood first. Punctuation is left out everywhere. Intervals are of 95% and treat
documents as the sample, or sentences if a corpus has fewer than 10 documents.

treebeam diff compares two parses of the same texts; find --against compares what a pattern
finds.`

// newCompare is treebeam compare.
func newCompare() *cobra.Command {
	cmd := newCommand("compare A B", "compare the words and trees of two corpora", compareAbout)
	fs := cmd.Flags()
	var f compareFlags
	fs.StringVar(&f.lists, "of", "lemma,upos,deprel", "list these `COLUMNS`: "+strings.Join(search.Lists, ", "))
	fs.IntVar(&f.top, "top", 20, "list the `N` values that differ most; 0 lists all")
	f.only.define(fs)
	fs.StringVarP(&f.output, "output", "o", "", "write to `FILE`: a table if it ends in .tsv, .csv, .xlsx or .html, else .txt; .gz and .zst compress (standard output)")
	cmd.Example = `
  treebeam compare letters news
  treebeam compare 'novels/*.conllu' 'essays/*.conllu' --of lemma --top 0 -o keyness.tsv`
	cmd.RunE = stoppable(f.run)
	return cmd
}

// compareFlags are the options of treebeam compare.
type compareFlags struct {
	lists  string
	top    int
	only   selection
	output string
}

func (f *compareFlags) run(ctx context.Context, names []string) error {
	switch {
	case len(names) != 2:
		return refuse("name two corpora, a folder, a file or a glob in quotation marks each; got %s", view.Many(len(names), "argument"))
	case names[0] == "-" && names[1] == "-":
		return refuse("standard input cannot be both corpora; write one of them to a file")
	}
	o, err := f.options()
	if err != nil {
		return err
	}
	o.Title = strings.Join(names, " and ")
	var broken brokenBlocks
	var sides [2][]search.Source
	for i, name := range names {
		if sides[i], err = openSources(ctx, []string{name}, f.output, &broken); err != nil {
			return err
		}
		sides[i] = f.only.of(sides[i])
		o.Names[i] = store.Redact(name)
	}
	var sum search.Comparison
	err = writeOutput("--output", f.output, func(out io.Writer) (err error) {
		sum, err = search.Compare(ctx, sides[0], sides[1], o, out)
		return err
	})
	searched := sum.Sentences[0] + sum.Sentences[1]
	if errors.Is(err, search.ErrEmpty) {
		empty := o.Names[slices.Index(sum.Sentences[:], 0)]
		err = cmp.Or(broken.end(searched), refuse("there is nothing to compare: %s has %w%s", empty, err, f.only.said()))
	}
	if err != nil {
		return err
	}
	if sum.Unlisted > 0 {
		say(os.Stderr, "%s are in no list: a list has the first 500,000 values of a corpus\n", view.Many(sum.Unlisted, "word"))
	}
	return broken.end(searched)
}

// options returns the options of the comparison.
func (f *compareFlags) options() (*search.CompareOptions, error) {
	o := &search.CompareOptions{Lists: strings.Split(f.lists, ","), Top: f.top, As: search.Text}
	if f.top < 0 {
		return nil, refuse("--top %d: must not be negative", f.top)
	}
	for i, name := range o.Lists {
		if !slices.Contains(search.Lists, name) {
			return nil, refuse("--of %s: there is no list %q; there are %s", f.lists, name, strings.Join(search.Lists, ", "))
		}
		if slices.Contains(o.Lists[:i], name) {
			return nil, refuse("--of %s: %s is there twice", f.lists, name)
		}
	}
	switch ending := endingOf(f.output); ending {
	case "-", "", ".txt":
	case ".tsv", ".csv", ".html", ".htm", ".xlsx":
		o.As = tableOf[ending]
	default:
		return nil, refuse("--output %s: compare does not write %s; it writes .tsv, .csv, .xlsx, .html and .txt, and .gz or .zst after these", f.output, ending)
	}
	return o, nil
}
