package main

import (
	"bytes"
	"os"

	"github.com/spf13/cobra"

	"github.com/treebeam/treebeam/io/conllu"
	"github.com/treebeam/treebeam/io/source"
	"github.com/treebeam/treebeam/io/text"
	"github.com/treebeam/treebeam/parser/syntax"
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

// rawBlocks makes raw text of sentences and cuts it into blocks as a run of
// the pipeline would.
func rawBlocks(sents []syntax.Sentence) ([]string, error) {
	var raw bytes.Buffer
	if err := conllu.RawText(&raw, sents); err != nil {
		return nil, err
	}
	return text.Blocks(raw.Bytes(), source.HeadBytes, text.Options{Lines: text.Paragraph})
}
