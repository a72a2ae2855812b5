package main

import (
	"bufio"
	"fmt"
	"os"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/treebeam/treebeam/io/parquet"
	"github.com/treebeam/treebeam/io/pick"
	"github.com/treebeam/treebeam/io/view"
	"github.com/treebeam/treebeam/pipeline"
)

const showAbout = `
Draws trees of an output folder, or of what is current in a state: the first
ones, those with an id, or the least certain ones. Behind a tag stands the
probability that it is right (upos_conf), and behind a label the one that head and
label are (deprel_conf), if it is below 0.9. Before the words stands how many of
them are expected to be wrong, punctuation left out. --lowest takes the sentences
with the largest share of such words, as if each had five more that are right, so
that not all are fragments. If the model is not calibrated, all goes by
head_marginal, which is no more than an order. Lines are as wide as the terminal,
or 80 columns; control characters in the text are shown as pictures, such as ␛.

treebeam sample writes uncertain sentences as CoNLL-U, to correct them.`

// newShow is treebeam show.
func newShow() *cobra.Command {
	cmd := newCommand("show FOLDER", "trees as text", showAbout)
	fs := cmd.Flags()
	var c choice
	fs.StringVar(&c.id, "id", "", "only the sentence with this `ID` (column sent_id)")
	fs.StringVar(&c.doc, "doc", "", "only sentences of the document with this `ID` (column doc_id)")
	fs.IntVar(&c.lowest, "lowest", 0, "the `N` least certain sentences, the least certain first")
	fs.IntVarP(&c.count, "count", "n", 5, "the first `N` sentences")
	cmd.Example = `
  treebeam show out -n 3
  treebeam show out --lowest 10
  treebeam show state --doc a/letter.txt`
	cmd.RunE = func(cmd *cobra.Command, others []string) error {
		ctx := cmd.Context()
		if c.lowest < 0 || c.count < 0 {
			return refuse("--lowest and --count must not be negative")
		}
		from, err := openOne(ctx, others)
		if err != nil {
			return err
		}
		trees, err := c.trees(from, others[0])
		if err != nil {
			return err
		}
		columns := 80
		if width, _, err := term.GetSize(int(os.Stdout.Fd())); err == nil {
			columns = width
		}
		out := bufio.NewWriter(os.Stdout)
		for _, t := range trees {
			if err := view.Text(out, t, columns); err != nil {
				return err
			}
		}
		return out.Flush()
	}
	return cmd
}

// A choice says which trees to show.
type choice struct {
	id, doc       string // "" is any
	lowest, count int    // the lowest ones unless that is 0, else the first
}

// trees reads the trees to show, in the order to show them.
func (c *choice) trees(from *pipeline.Output, output string) ([]*parquet.Tree, error) {
	var list []*parquet.Tree
	lowest := pick.Lowest{N: c.lowest}
	matched, all := false, 0
	for t, err := range from.Trees {
		if err != nil {
			return nil, err
		}
		all++
		if c.id != "" && t.SentID != c.id || c.doc != "" && t.DocID != c.doc {
			continue
		}
		matched = true
		if c.lowest > 0 {
			lowest.Add(t)
			continue
		}
		if c.id == "" && len(list) >= c.count {
			break
		}
		list = append(list, t)
	}
	switch {
	case all == 0:
		say(os.Stderr, "%s has no trees; treebeam failures %s lists what could not be parsed\n", output, output)
	case !matched && c.id != "":
		return nil, refuse("no sentence of %s%s has the id %q; treebeam convert %s --to jsonl lists the ids as sent_id", output, c.of(), c.id, output)
	case !matched:
		return nil, refuse("no sentence of %s is of a document with the id %q; treebeam convert %s --to jsonl lists the ids as doc_id", output, c.doc, output)
	}
	if c.lowest > 0 {
		return lowest.Trees(), nil
	}
	return list, nil
}

// of says that only one document was looked at.
func (c *choice) of() string {
	if c.doc == "" {
		return ""
	}
	return fmt.Sprintf(" in the document %q", c.doc)
}
