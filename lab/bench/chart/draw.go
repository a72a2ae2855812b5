package chart

import (
	"bytes"
	"image/color"
	"math"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

const (
	width, height = 18 * vg.Centimeter, 11 * vg.Centimeter
	margin        = vg.Centimeter / 2 // at the top and on the right
	labelGap      = 5 * vg.Length(1)  // between a point and its name
)

var colours = []color.Color{
	color.RGBA{0x1b, 0x6c, 0xa8, 0xff}, color.RGBA{0xd1, 0x49, 0x5b, 0xff}, color.RGBA{0x66, 0xa1, 0x82, 0xff},
	color.RGBA{0x7b, 0x5e, 0xa7, 0xff}, color.RGBA{0x44, 0x44, 0x44, 0xff},
}

// drawChart returns the chart as an SVG: speed to the right, by powers of ten, and
// LAS upwards, over the range of the points.
func drawChart(list []series) ([]byte, error) {
	p := plot.New()
	p.BackgroundColor = color.White
	p.X.Label.Text, p.Y.Label.Text = "words per second", "LAS, %"
	p.X.Scale = plot.LogScale{}
	p.Add(plotter.NewGrid())
	slow, fast, low, high := span(list)
	p.X.Tick.Marker = ticks(slow, fast)
	for i, s := range list {
		if err := add(p, s, colours[i%len(colours)]); err != nil {
			return nil, err
		}
	}
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = slow, fast, low, high
	canvas := vgsvg.New(width, height)
	p.Draw(draw.Crop(draw.New(canvas), 0, -margin, 0, -margin))
	var b bytes.Buffer
	_, err := canvas.WriteTo(&b)
	return b.Bytes(), err
}

// ticks returns those of a logarithmic axis: 1, 2 and 5 times the powers of ten.
func ticks(from, to float64) plot.ConstantTicks {
	var list plot.ConstantTicks
	for power := math.Pow(10, math.Floor(math.Log10(from))); power <= to; power *= 10 {
		for _, at := range []float64{power, 2 * power, 5 * power} {
			if at >= from && at <= to {
				list = append(list, plot.Tick{Value: at, Label: strconv.FormatFloat(at, 'f', -1, 64)})
			}
		}
	}
	return list
}

// span returns the ranges of the axes: words per second, wide enough for the names,
// and whole points of LAS.
func span(list []series) (slow, fast, low, high float64) {
	slow, fast, low, high = math.Inf(1), 0, 100, 0
	for _, s := range list {
		for _, p := range s.points {
			slow, fast = min(slow, p.rate), max(fast, p.rate)
			low, high = min(low, p.las), max(high, p.las)
		}
	}
	return slow / 1.5, fast * 1.5, max(math.Floor(low)-1, 0), min(math.Ceil(high)+1, 100)
}

// add draws a series: its points, what joins them, and their names.
func add(p *plot.Plot, s series, c color.Color) error {
	var points plotter.XYs
	var names plotter.XYLabels
	for _, one := range s.points {
		points = append(points, plotter.XY{X: one.rate, Y: one.las})
		names.Labels = append(names.Labels, one.name)
	}
	names.XYs = points
	line, dots, err := plotter.NewLinePoints(points)
	if err != nil {
		return err
	}
	line.Color, dots.Color, dots.Shape = c, c, draw.CircleGlyph{}
	labels, err := plotter.NewLabels(names)
	if err != nil {
		return err
	}
	for i := range labels.TextStyle {
		labels.TextStyle[i].Color = c
	}
	labels.Offset = vg.Point{X: labelGap, Y: labelGap}
	p.Add(line, dots, labels)
	return nil
}
