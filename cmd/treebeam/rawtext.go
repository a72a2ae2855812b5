package main

import (
	"bytes"
	"context"
	"os"

	"github.com/treebeam/treebeam/io/conllu"
	"github.com/treebeam/treebeam/io/source"
	"github.com/treebeam/treebeam/io/text"
	"github.com/treebeam/treebeam/parser/syntax"
)

func init() {
	commands = append(commands, command{"rawtext", "rawtext G.conllu", "the raw text of a CoNLL-U file, as eval --model reads it", runRawText})
}

const rawTextAbout = `
Writes the raw text of a CoNLL-U file to standard output: the sentences of a
paragraph on one line, with a space between two tokens unless the first has
SpaceAfter=No, and a blank line between paragraphs, which begin at the comments
"# newpar" and "# newdoc".`

func runRawText(_ context.Context, args []string) error {
	fs := newFlags("rawtext", "rawtext G.conllu", rawTextAbout)
	files, err := parseFlags(fs, args)
	if err != nil {
		return err
	}
	if len(files) != 1 {
		return refuse("want one CoNLL-U file, got %d", len(files))
	}
	sents, err := conllu.ReadAllWith(files[0], conllu.Options{MultipleRoots: true, NoHeads: true})
	if err != nil {
		return &refusal{err}
	}
	return conllu.RawText(os.Stdout, sents)
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
