// Package layouts says what the layout of raw text costs the segmenter. It
// writes the text of a treebank in several layouts, reads each as parse does
// with --lines auto, and prints a row a layout:
//
//	layout | F1 of sentences, tokens, words | blocks | what auto took line breaks for
//
// by the rules of CoNLL 2018, in percent. The layouts are
//
//	plain       a paragraph a line, a blank line between two (treebeam rawtext)
//	wrapped     the same, broken at 72 columns
//	paragraph   a paragraph a line
//	unmarked    broken at 72 columns, nothing between paragraphs
//	sentence    a sentence a line
//	sentence+   a sentence a line, a blank line between paragraphs
//
// The treebank is one file, or with -files, a file for each of its documents
// ("# newdoc"), of which the row says how many auto took for what.
//
// With -uncut, paragraphs of over text.MaxBlock bytes are put together again
// before they are segmented: the difference is what cutting them costs. With
// -lines, line breaks are taken for what it says.
//
//	layouts -model FILE -gold FILE.conllu [-lines auto] [-files] [-uncut]
package layouts

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/treebeam/treebeam/io/conllu"
	"github.com/treebeam/treebeam/io/source"
	"github.com/treebeam/treebeam/io/text"
	"github.com/treebeam/treebeam/model"
	"github.com/treebeam/treebeam/parser/eval"
	"github.com/treebeam/treebeam/parser/syntax"
)

// maxWords is the default of --max-words.
const maxWords = 1000

// Main runs the measurement with the arguments of the command line.
func Main() error {
	path := flag.String("model", "embedded", "model file, or embedded")
	gold := flag.String("gold", "", "treebank")
	lines := flag.String("lines", "auto", "what line breaks mean")
	files := flag.Bool("files", false, "a file for each document")
	uncut := flag.Bool("uncut", false, "segment long paragraphs as a whole")
	flag.Parse()
	return run(os.Stdout, *path, *gold, text.Lines(*lines), *files, *uncut)
}

func run(w io.Writer, path, gold string, lines text.Lines, files, uncut bool) error {
	m, err := model.Open(path)
	if err != nil {
		return err
	}
	sents, err := conllu.ReadAllWith(gold, conllu.Options{MultipleRoots: true})
	if err != nil {
		return err
	}
	docs := [][]syntax.Sentence{sents}
	if files {
		docs = documents(sents)
	}
	fmt.Fprintf(w, "%-10s %9s %7s %7s %7s  %s\n", "layout", "sentences", "tokens", "words", "blocks", "lines")
	for k, name := range layoutNames {
		var found []syntax.Sentence
		blocks, taken := 0, map[text.Lines]int{}
		for _, doc := range docs {
			all, err := layouts(doc)
			if err != nil {
				return err
			}
			list, l, err := read(all[k], text.Options{Lines: lines})
			if err != nil {
				return err
			}
			blocks += len(list)
			taken[l.Lines]++
			if uncut {
				list = whole(all[k], list)
			}
			found = append(found, segment(m, list, l.Lines)...)
		}
		r, err := eval.Evaluate(sents, found)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		f1 := func(m eval.Metric) float64 { return 100 * r.Scores[m].F1() }
		fmt.Fprintf(w, "%-10s %9.2f %7.2f %7.2f %7d", name, f1(eval.Sentences), f1(eval.Tokens), f1(eval.Words), blocks)
		for _, l := range []text.Lines{text.Wrapped, text.Paragraph, text.Sentence} {
			if taken[l] > 0 {
				fmt.Fprintf(w, "  %d %s", taken[l], l)
			}
		}
		fmt.Fprintln(w)
	}
	return nil
}

// segment makes sentences of blocks, as transforms does.
func segment(m *model.Model, blocks []text.Block, lines text.Lines) []syntax.Sentence {
	var found []syntax.Sentence
	for _, b := range blocks {
		if lines == text.Sentence {
			found = append(found, m.SegmentLine(b.Text, maxWords)...)
		} else {
			found = append(found, m.Segment(b.Text, maxWords)...)
		}
	}
	return found
}

// read decides on the layout of a text and cuts it into blocks, as transforms
// does.
func read(raw []byte, o text.Options) ([]text.Block, text.Layout, error) {
	layout, err := text.Decide(raw[:min(len(raw), source.HeadBytes)], o)
	if err != nil {
		return nil, layout, err
	}
	r, err := text.NewReader(bytes.NewReader(raw), layout, 0, -1)
	if err != nil {
		return nil, layout, err
	}
	var blocks []text.Block
	for {
		b, err := r.Next()
		if errors.Is(err, io.EOF) {
			return blocks, layout, nil
		}
		if err != nil {
			return nil, layout, err
		}
		blocks = append(blocks, b)
	}
}

// whole joins the blocks that were cut from one paragraph.
func whole(raw []byte, blocks []text.Block) []text.Block {
	var out []text.Block
	for _, b := range blocks {
		if b.Continues {
			last := &out[len(out)-1]
			last.End = b.End
			last.Text = string(raw[last.Start:last.End])
			continue
		}
		out = append(out, b)
	}
	return out
}
