package main

import (
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
	color  string
	lemmas bool
}

func (d *display) define(f *pflag.FlagSet) {
	f.BoolVar(&d.lemmas, "lemmas", false, "with --to tree, svg or html: also show lemmas")
	colorFlag(f, &d.color, "with --to tree: use color `WHEN`: auto (on a terminal), always or never")
}

func colorFlag(f *pflag.FlagSet, color *string, usage string) {
	f.StringVar(color, "color", "auto", usage)
	choose(f, "color", "auto", "always", "never")
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
	return pipeline.WriteOptions{Generator: "treebeam " + pipeline.Version(), Conf: conf != view.NoConf, Tree: tree,
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
