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
	var only selection
	lists := fs.String("of", "lemma,upos,deprel", "list these `COLUMNS`: "+strings.Join(search.Lists, ", "))
	top := fs.Int("top", 20, "list the `N` values that differ most; 0 lists all")
	only.define(fs)
	file := fs.StringP("output", "o", "", "write to `FILE`: a table if it ends in .tsv, .csv, .xlsx or .html, else .txt; .gz and .zst compress (standard output)")
	cmd.Example = `
  treebeam compare letters news
  treebeam compare 'novels/*.conllu' 'essays/*.conllu' --of lemma --top 0 -o keyness.tsv`
	cmd.RunE = stoppable(func(ctx context.Context, names []string) error {
		o := &search.CompareOptions{Lists: strings.Split(*lists, ","), Top: *top, As: search.Text, Title: strings.Join(names, " and ")}
		switch {
		case len(names) != 2:
			return refuse("name two corpora, a folder, a file or a glob in quotation marks each; got %s", view.Many(len(names), "argument"))
		case names[0] == "-" && names[1] == "-":
			return refuse("standard input cannot be both corpora; write one of them to a file")
		case *top < 0:
			return refuse("--top %d: must not be negative", *top)
		}
		for i, name := range o.Lists {
			if !slices.Contains(search.Lists, name) {
				return refuse("--of %s: there is no list %q; there are %s", *lists, name, strings.Join(search.Lists, ", "))
			}
			if slices.Contains(o.Lists[:i], name) {
				return refuse("--of %s: %s is there twice", *lists, name)
			}
		}
		switch ending := endingOf(*file); ending {
		case "-", "", ".txt":
		case ".tsv", ".csv", ".html", ".htm", ".xlsx":
			o.As = tableOf[ending]
		default:
			return refuse("--output %s: compare does not write %s; it writes .tsv, .csv, .xlsx, .html and .txt, and .gz or .zst after these", *file, ending)
		}
		var broken brokenBlocks
		var sides [2][]search.Source
		for i, name := range names {
			var err error
			if sides[i], err = openSources(ctx, []string{name}, *file, &broken); err != nil {
				return err
			}
			sides[i] = only.of(sides[i])
			o.Names[i] = store.Redact(name)
		}
		var sum search.Comparison
		err := writeOutput("--output", *file, func(out io.Writer) (err error) {
			sum, err = search.Compare(ctx, sides[0], sides[1], o, out)
			return err
		})
		if errors.Is(err, search.ErrEmpty) {
			empty := o.Names[slices.Index(sum.Sentences[:], 0)]
			err = cmp.Or(broken.end(sum.Sentences[0]+sum.Sentences[1]), refuse("there is nothing to compare: %s has %w%s", empty, err, only.said()))
		}
		if err != nil {
			return err
		}
		if sum.Unlisted > 0 {
			say(os.Stderr, "%s are in no list: a list has the first 500,000 values of a corpus\n", view.Many(sum.Unlisted, "word"))
		}
		return broken.end(sum.Sentences[0] + sum.Sentences[1])
	})
	return cmd
}
