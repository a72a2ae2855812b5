// Package losses draws which stages lose the points of several models, from what
// treebeam eval --causes --json prints, as an SVG with one bar a model:
//
//	losses -o lab/notes/losses.svg fast=fast.json accurate=accurate.json
//
// The same figures give the same bytes.
package losses

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"image/color"
	"os"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"

	"github.com/treebeam/treebeam/io/store"
	"github.com/treebeam/treebeam/parser/eval"
)

// Main runs the measurement with the arguments of the command line.
func Main() error {
	out := flag.String("o", "", "write the chart to `FILE`.svg")
	flag.Parse()
	return run(*out, flag.Args())
}

func run(out string, args []string) error {
	if out == "" || len(args) == 0 {
		return errors.New("want -o FILE.svg and one or more NAME=FILE.json")
	}
	var list []bar
	for _, arg := range args {
		name, path, ok := strings.Cut(arg, "=")
		if !ok {
			return fmt.Errorf("%q: want NAME=FILE.json", arg)
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		var r struct{ Losses *eval.Losses }
		if err := json.Unmarshal(data, &r); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		if r.Losses == nil || len(r.Losses.Stages) == 0 {
			return fmt.Errorf("%s has no losses: it wants the output of treebeam eval --causes --json", path)
		}
		list = append(list, bar{name, r.Losses})
	}
	svg, err := drawChart(list)
	if err != nil {
		return err
	}
	printTable(list)
	return store.ReplaceFile(out, svg)
}

// printTable prints the shares of the stages and the LAS before each as Markdown.
func printTable(list []bar) {
	fmt.Print("| model |")
	for _, stage := range stages {
		fmt.Printf(" %s |", stage)
	}
	fmt.Print(" all | LAS |\n|---", strings.Repeat("|---", len(stages)+2), "|\n")
	for _, b := range list {
		fmt.Printf("| %s |", b.name)
		for _, stage := range stages {
			fmt.Printf(" %s |", share(b.losses, stage))
		}
		fmt.Printf(" %.2f | %.2f |\n", 100*float64(b.losses.Lost)/float64(max(b.losses.Gold, 1)), 100*b.losses.Stages[0].LAS)
	}
}

// share is what a stage has lost, as a cell; a dash if gold was given for it.
func share(l *eval.Losses, stage eval.Stage) string {
	for _, s := range l.Stages {
		if s.Stage == stage {
			return fmt.Sprintf("%.2f", 100*s.Share)
		}
	}
	return "-"
}

// A bar is what one model has lost.
type bar struct {
	name   string
	losses *eval.Losses
}

// stages are those of the legend, in the order of a parse.
var stages = []eval.Stage{eval.SegmentationStage, eval.TaggingStage, eval.PruningStage, eval.SearchStage, eval.ModelStage, eval.LabelStage}

var colors = []color.Color{
	color.RGBA{0x7b, 0x5e, 0xa7, 0xff}, color.RGBA{0x1b, 0x6c, 0xa8, 0xff}, color.RGBA{0x66, 0xa1, 0x82, 0xff},
	color.RGBA{0x44, 0x44, 0x44, 0xff}, color.RGBA{0xd1, 0x49, 0x5b, 0xff}, color.RGBA{0xe0, 0xa4, 0x3a, 0xff},
}

// drawChart returns the chart as an SVG: models above each other, points to the right.
func drawChart(list []bar) ([]byte, error) {
	p := plot.New()
	p.BackgroundColor = color.White
	p.X.Label.Text = "gold words without their head and relation, %"
	p.Legend.Top, p.Legend.Padding = true, vg.Centimeter/8
	var names []string
	for k := range list { // the first on top
		names = append(names, list[len(list)-1-k].name)
	}
	p.NominalY(names...)
	var below *plotter.BarChart
	for k, stage := range stages {
		values := make(plotter.Values, len(list))
		for i, b := range list {
			for _, s := range b.losses.Stages {
				if s.Stage == stage {
					values[len(list)-1-i] = 100 * s.Share
				}
			}
		}
		bars, err := plotter.NewBarChart(values, 0.7*vg.Centimeter)
		if err != nil {
			return nil, err
		}
		bars.Horizontal, bars.Color, bars.LineStyle.Width = true, colors[k], 0
		if below != nil {
			bars.StackOn(below)
		}
		below = bars
		p.Add(bars)
		p.Legend.Add(string(stage)+"    ", bars)
	}
	p.Y.Max += 1 + 0.2*float64(len(list)) // room for the legend
	canvas := vgsvg.New(18*vg.Centimeter, (4+1.4*vg.Length(len(list)))*vg.Centimeter)
	p.Draw(draw.Crop(draw.New(canvas), vg.Centimeter/2, -vg.Centimeter/2, 0, -vg.Centimeter/2))
	var b bytes.Buffer
	_, err := canvas.WriteTo(&b)
	return b.Bytes(), err
}
