// Command bench runs one of the project's measurements. Run it from the root of
// the repository; file names are relative to the root.
//
//	go run -C lab ./bench                  the list of measurements
//	go run -C lab ./bench NAME -h          the flags of one
//	go run -C lab ./bench NAME ARGUMENT...
//
// The comment of the package with that name says what it measures. The scripts
// beside this file run several measurements in a row.
package main

import (
	"flag"
	"fmt"
	"os"
	"strings"

	"github.com/treebeam/treebeam/lab/bench/chaos"
	"github.com/treebeam/treebeam/lab/bench/chart"
	"github.com/treebeam/treebeam/lab/bench/coarse"
	"github.com/treebeam/treebeam/lab/bench/confidence"
	"github.com/treebeam/treebeam/lab/bench/curve"
	"github.com/treebeam/treebeam/lab/bench/effort"
	"github.com/treebeam/treebeam/lab/bench/encoder"
	"github.com/treebeam/treebeam/lab/bench/families"
	"github.com/treebeam/treebeam/lab/bench/figures"
	"github.com/treebeam/treebeam/lab/bench/further"
	"github.com/treebeam/treebeam/lab/bench/hub"
	"github.com/treebeam/treebeam/lab/bench/languages"
	"github.com/treebeam/treebeam/lab/bench/layouts"
	"github.com/treebeam/treebeam/lab/bench/losses"
	"github.com/treebeam/treebeam/lab/bench/measure"
	"github.com/treebeam/treebeam/lab/bench/mutants"
	"github.com/treebeam/treebeam/lab/bench/overhead"
	"github.com/treebeam/treebeam/lab/bench/rerank"
	"github.com/treebeam/treebeam/lab/bench/scale"
	"github.com/treebeam/treebeam/lab/bench/shift"
	"github.com/treebeam/treebeam/lab/bench/stages"
	"github.com/treebeam/treebeam/lab/bench/tables"
	"github.com/treebeam/treebeam/lab/bench/transition"
	"github.com/treebeam/treebeam/lab/bench/treebanks"
	"github.com/treebeam/treebeam/lab/bench/world"
)

// measurements is sorted by name. Main reads flags and arguments from the
// command line, behind the name.
var measurements = []struct {
	name, what string
	main       func() error
}{
	{"chaos", "kill runs at random moments: nothing may be lost or doubled", chaos.Main},
	{"chart", "draw accuracy against speed", chart.Main},
	{"coarse", "give the vectors of pieces of an overlay fewer bits", coarse.Main},
	{"confidence", "what the columns of confidence are worth", confidence.Main},
	{"curve", "what the pruner leaves under several cuts", curve.Main},
	{"effort", "what the encoder is worth where only some sentences are encoded", effort.Main},
	{"encoder", "an encoder beside the C program of its package", encoder.Main},
	{"families", "what models get right of everyday English", families.Main},
	{"figures", "accuracy, speed and memory of the built-in English models, into lab/results", figures.Main},
	{"further", "let the encoder of many languages learn from its treebanks again", further.Main},
	{"hub", "write an encoder in the form of ONNX as a folder of a model hub", hub.Main},
	{"languages", "which language a text is in: train and measure", languages.Main},
	{"layouts", "what the layout of raw text costs the segmenter", layouts.Main},
	{"losses", "draw which stages lose the points", losses.Main},
	{"measure", "time and memory of another command", measure.Main},
	{"mutants", "change one operator at a time: how many changes the tests notice", mutants.Main},
	{"overhead", "what Beam and Parquet cost beside the parser; two cores against one", overhead.Main},
	{"rerank", "choosing among the parser's trees", rerank.Main},
	{"scale", "memory of runs of growing input", scale.Main},
	{"shift", "expected accuracy on text unlike what a model was calibrated on", shift.Main},
	{"stages", "time of each stage of a model", stages.Main},
	{"tables", "write the tables of the pages from lab/results", tables.Main},
	{"transition", "parsing from left to right", transition.Main},
	{"treebanks", "prepare the treebanks of many languages for train --treebanks", treebanks.Main},
	{"world", "a model file of many languages on their tests", world.Main},
}

func main() {
	if len(os.Args) < 2 || strings.HasPrefix(os.Args[1], "-") {
		fmt.Println("go run -C lab ./bench NAME ARGUMENT...")
		for _, m := range measurements {
			fmt.Printf("  %-12s %s\n", m.name, m.what)
		}
		return
	}
	name := os.Args[1]
	os.Args = os.Args[1:]
	flag.CommandLine.Init("bench "+name, flag.ExitOnError)
	for _, m := range measurements {
		if m.name == name {
			if err := run(m.main); err != nil {
				fmt.Fprintf(os.Stderr, "%s: %v\n", name, err)
				os.Exit(1)
			}
			return
		}
	}
	fmt.Fprintf(os.Stderr, "bench: there is no %q\n", name)
	os.Exit(64)
}

// run runs a measurement in the root of the repository, where go run -C lab was
// called: it starts programs in lab.
func run(measurement func() error) error {
	if _, err := os.Stat("bench/main.go"); err == nil {
		if err := os.Chdir(".."); err != nil {
			return err
		}
	}
	return measurement()
}
