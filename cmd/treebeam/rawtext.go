package main

import (
	"os"

	"github.com/spf13/cobra"

	"github.com/treebeam/treebeam/io/conllu"
)

const rawTextAbout = `
Writes the raw text of a CoNLL-U file to standard output: the sentences of a
paragraph on one line, with a space between two tokens unless the first has
SpaceAfter=No, and a blank line between paragraphs, which begin at the comments
"# newpar" and "# newdoc".`

// newRawText is treebeam rawtext.
func newRawText() *cobra.Command {
	cmd := newCommand("rawtext G.conllu", "the raw text of a CoNLL-U file, as eval --model reads it", rawTextAbout)
	cmd.Example = `
  treebeam rawtext dev.conllu > dev.txt`
	cmd.RunE = func(cmd *cobra.Command, files []string) error {
		if len(files) != 1 {
			return refuse("want one CoNLL-U file, got %d", len(files))
		}
		sents, err := conllu.ReadAllWith(files[0], conllu.Options{MultipleRoots: true, NoHeads: true})
		if err != nil {
			return &refusal{err}
		}
		return conllu.RawText(os.Stdout, sents)
	}
	return cmd
}
