package main

import (
	"errors"
	"io"
	"os"
	"runtime"

	"github.com/spf13/pflag"
	"golang.org/x/term"

	"github.com/treebeam/treebeam/io/view"
	"github.com/treebeam/treebeam/pipeline"
)

// A display has what flags say of how trees are drawn.
type display struct {
	color  colorWhen
	lemmas bool
}

func (d *display) define(f *pflag.FlagSet) {
	d.color = "auto"
	f.BoolVar(&d.lemmas, "lemmas", false, "with --to tree, svg or html: also show lemmas")
	f.Var(&d.color, "color", "with --to tree: use color `WHEN`: auto (on a terminal), always or never")
	choose(f, "color", "auto", "always", "never")
}

// A colorWhen is the value of --color.
type colorWhen string

func (c *colorWhen) String() string { return string(*c) }
func (c *colorWhen) Type() string   { return "WHEN" }

func (c *colorWhen) Set(s string) error {
	switch s {
	case "auto", "always", "never":
		*c = colorWhen(s)
		return nil
	}
	return errors.New("must be auto, always or never")
}

// write is how rows are written to a file, which may be stdout.
func (d *display) write(conf view.Conf, to io.Writer) pipeline.WriteOptions {
	tree := view.TreeOptions{Lemmas: d.lemmas, Conf: conf, Color: d.color == "always"}
	if to == stdout {
		if width, _, err := term.GetSize(int(os.Stdout.Fd())); err == nil {
			tree.Width = width
		}
		tree.Color = tree.Color || d.color == "auto" && showsColors(os.Stdout)
	}
	return pipeline.WriteOptions{Generator: "treebeam " + pipeline.Version(), Tree: tree,
		Picture: view.SVGOptions{Conf: conf, Lemmas: d.lemmas}}
}

// showsColors says whether f is a terminal that shows colors, and whose user has
// nothing against them (https://no-color.org).
func showsColors(f *os.File) bool {
	if os.Getenv("NO_COLOR") != "" || os.Getenv("TERM") == "dumb" || !term.IsTerminal(int(f.Fd())) {
		return false
	}
	return runtime.GOOS != "windows" || os.Getenv("WT_SESSION") != "" || os.Getenv("TERM") != "" // old consoles print the sequences
}

// allConf is what --conf shows.
func allConf(given bool) view.Conf {
	if given {
		return view.AllConf
	}
	return view.NoConf
}
