package main

import (
	"bytes"
	"errors"
	"io"
	"strings"

	"github.com/treebeam/treebeam/io/conllu"
	"github.com/treebeam/treebeam/io/source"
	"github.com/treebeam/treebeam/io/text"
	"github.com/treebeam/treebeam/parser/syntax"
)

// rawBlocks makes raw text of sentences and cuts it into blocks as a run of
// the pipeline would.
func rawBlocks(sents []syntax.Sentence) ([]string, error) {
	var raw bytes.Buffer
	if err := conllu.RawText(&raw, sents); err != nil {
		return nil, err
	}
	layout, err := text.Decide(raw.Bytes()[:min(raw.Len(), source.HeadBytes)], text.Options{})
	if err != nil {
		return nil, err
	}
	r, err := text.NewReader(bytes.NewReader(raw.Bytes()), layout, 0, -1)
	if err != nil {
		return nil, err
	}
	var blocks []string
	for {
		b, err := r.Next()
		if errors.Is(err, io.EOF) {
			return blocks, nil
		}
		if err != nil {
			return nil, err
		}
		blocks = append(blocks, strings.Clone(b.Text))
	}
}
