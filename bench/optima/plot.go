package main

import (
	"bytes"
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// A figure is a row of panels: lines over numbers, or stacked bars over
// categories.
type figure struct {
	name, title string
	x, y        string   // names of the axes
	logX        bool     // the horizontal axis has powers of ten
	categories  []string // of stacked bars, instead of a number line
	keys        []string // names of the lines, or of the parts of bars
	panels      []panel
}

type panel struct {
	title string
	lines []plotter.XYs
	bars  [][]float64 // [category][part], summing to 100
}

// Sizes of a panel, of the bars in it, and of what stands around the panels.
const (
	panelWidth  = 8 * vg.Centimeter
	panelHeight = 7 * vg.Centimeter
	barWidth    = 0.6 * vg.Centimeter
	titleHeight = 0.8 * vg.Centimeter
	legendWidth = 5 * vg.Centimeter
)

var colours = []color.Color{
	color.RGBA{0x1b, 0x6c, 0xa8, 0xff}, color.RGBA{0xd1, 0x49, 0x5b, 0xff}, color.RGBA{0xed, 0xae, 0x49, 0xff},
	color.RGBA{0x66, 0xa1, 0x82, 0xff}, color.RGBA{0x7b, 0x5e, 0xa7, 0xff}, color.RGBA{0x44, 0x44, 0x44, 0xff},
}

// svg draws the figure: its title above the panels, the legend beside them.
func (f *figure) svg() ([]byte, error) {
	row := make([]*plot.Plot, len(f.panels))
	legend := plot.NewLegend()
	for i, one := range f.panels {
		p := plot.New()
		p.BackgroundColor = color.White
		p.Title.Text, p.X.Label.Text, p.Y.Label.Text = one.title, f.x, f.y
		p.Add(plotter.NewGrid())
		key := legend.Add
		if i > 0 { // it is the same in all panels
			key = func(string, ...plot.Thumbnailer) {}
		}
		drawPanel := f.drawLines
		if f.categories != nil {
			drawPanel = f.drawBars
		}
		if err := drawPanel(p, key, one); err != nil {
			return nil, err
		}
		row[i] = p
	}
	width := panelWidth * vg.Length(len(row))
	canvas := vgsvg.New(width+legendWidth, panelHeight+titleHeight)
	all := draw.New(canvas)
	all.SetColor(color.White)
	all.Fill(all.Rectangle.Path())
	title := plot.New().Title.TextStyle
	title.XAlign, title.YAlign = text.XLeft, text.YTop
	all.FillText(title, vg.Point{X: vg.Centimeter, Y: all.Max.Y - titleHeight/4}, f.title)
	panels := draw.Crop(all, 0, -legendWidth, 0, -titleHeight)
	tiles := draw.Tiles{Rows: 1, Cols: len(row), PadX: vg.Centimeter, PadRight: vg.Centimeter / 2}
	for i, c := range plot.Align([][]*plot.Plot{row}, tiles, panels)[0] {
		row[i].Draw(c)
	}
	legend.Top, legend.Left = true, true
	legend.Draw(draw.Crop(all, width+vg.Centimeter/4, 0, 0, -titleHeight))
	var b bytes.Buffer
	_, err := canvas.WriteTo(&b)
	return b.Bytes(), err
}

// drawLines draws lines; one of a single point is a dot.
func (f *figure) drawLines(p *plot.Plot, key func(string, ...plot.Thumbnailer), one panel) error {
	if f.logX {
		p.X.Scale, p.X.Tick.Marker = plot.LogScale{}, plot.LogTicks{Prec: -1}
	}
	for i, points := range one.lines {
		line, dots, err := plotter.NewLinePoints(points)
		if err != nil {
			return err
		}
		line.Color, dots.Color, dots.Shape = colours[i%len(colours)], colours[i%len(colours)], draw.CircleGlyph{}
		p.Add(line, dots)
		key(f.keys[i], line, dots)
	}
	return nil
}

// drawBars stacks the parts of every category.
func (f *figure) drawBars(p *plot.Plot, key func(string, ...plot.Thumbnailer), one panel) error {
	var below *plotter.BarChart
	for k, name := range f.keys {
		part := make(plotter.Values, len(one.bars))
		for i := range part {
			part[i] = one.bars[i][k]
		}
		bar, err := plotter.NewBarChart(part, barWidth)
		if err != nil {
			return err
		}
		bar.Color, bar.LineStyle.Width = colours[k%len(colours)], 0
		if below != nil {
			bar.StackOn(below)
		}
		below = bar
		p.Add(bar)
		key(name, bar)
	}
	p.NominalX(f.categories...)
	p.X.Tick.Label.Rotation = 0.8
	p.X.Tick.Label.XAlign, p.X.Tick.Label.YAlign = text.XRight, text.YCenter
	return nil
}
