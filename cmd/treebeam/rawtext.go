package main

import (
	"github.com/spf13/cobra"

	"github.com/treebeam/treebeam/io/conllu"
	"github.com/treebeam/treebeam/io/treebank"
)

const rawTextAbout = `
Writes the raw text of a CoNLL-U file to standard output. The sentences of a paragraph are
on one line, with spaces between tokens unless there is SpaceAfter=No. Paragraphs, which
begin at the comments "# newpar" and "# newdoc", are separated by blank lines.`

// newRawText is treebeam rawtext.
func newRawText() *cobra.Command {
	cmd := newCommand("rawtext G.conllu", "write the raw text of a CoNLL-U file, as eval --model reads it", rawTextAbout)
	cmd.Example = `
  treebeam rawtext dev.conllu > dev.txt`
	cmd.RunE = func(cmd *cobra.Command, files []string) error {
		if len(files) != 1 {
			return refuse("name one CoNLL-U file; got %d", len(files))
		}
		sents, err := treebank.Trees(files[0], conllu.Options{MultipleRoots: true, NoHeads: true})
		if err != nil {
			return &refusal{err}
		}
		return conllu.RawText(stdout, sents)
	}
	return cmd
}
