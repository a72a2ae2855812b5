package confidence

import (
	"bytes"
	"fmt"
	"image/color"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"

	"github.com/treebeam/treebeam/io/store"
)

// Sizes of a figure: a page wide, whatever the number of its panels.
const (
	figureWidth = 18 * vg.Centimeter
	curveHeight = 9 * vg.Centimeter  // of the panels of lines
	countHeight = 4 * vg.Centimeter  // of those of counts, below
	fontSize    = 10 * vg.Length(1)  // of all but titles
	gap         = vg.Centimeter / 2  // between panels, and around them
	leastCases  = 20                 // of a bin that is drawn: fewer are chance
	lineWidth   = 1.4 * vg.Length(1) // in points, like dashes
)

// A style sets a treebank apart from the others, also in grey.
type style struct {
	colour color.Color
	dashes []vg.Length
	shape  draw.GlyphDrawer
}

var paleGrey = color.Gray{0xdd}

// styles get lighter from the first to the last.
var styles = []style{
	{color.RGBA{0x1f, 0x1f, 0x5c, 0xff}, nil, draw.CircleGlyph{}},
	{color.RGBA{0xb0, 0x2a, 0x44, 0xff}, []vg.Length{7, 3}, draw.PyramidGlyph{}},
	{color.RGBA{0x2b, 0x8c, 0xbe, 0xff}, []vg.Length{2, 2}, draw.BoxGlyph{}},
	{color.RGBA{0xe3, 0xa5, 0x2c, 0xff}, []vg.Length{9, 2, 2, 2}, draw.CrossGlyph{}},
	{color.RGBA{0x77, 0x77, 0x77, 0xff}, []vg.Length{4, 1}, draw.RingGlyph{}},
}

// drawAll draws the figures of the tables with a prefix.
func drawAll(prefix string) error {
	r := newReport()
	bins, err := readTable(prefix, r.bins)
	if err != nil {
		return err
	}
	coverage, err := readTable(prefix, r.coverage)
	if err != nil {
		return err
	}
	for _, column := range drawn {
		list, err := bins.curves("mean", "right", "cases", func(cell func(string) string) bool { return cell("column") == column })
		if err != nil {
			return err
		}
		if len(list) == 0 {
			continue // the models have no such column
		}
		svg, err := drawDiagrams(column, list)
		if err != nil {
			return err
		}
		if err := store.ReplaceFile(file(prefix, column, "svg"), svg); err != nil {
			return err
		}
	}
	list, err := coverage.curves("kept", "wrong", "", func(func(string) string) bool { return true })
	if err != nil || len(list) == 0 {
		return err
	}
	svg, err := drawCoverage(list)
	if err != nil {
		return err
	}
	return store.ReplaceFile(file(prefix, "coverage", "svg"), svg)
}

// A figure has a column of panels for each model, and a row or two of them.
type figure struct {
	models, treebanks []string
	rows              [][]*plot.Plot // rows[r][m]
}

// newFigure makes so many rows of panels for the models of the curves.
func newFigure(list []curve, rows int) *figure {
	f := &figure{rows: make([][]*plot.Plot, rows)}
	for _, c := range list {
		if !slices.Contains(f.models, c.model) {
			f.models = append(f.models, c.model)
		}
		if !slices.Contains(f.treebanks, c.treebank) {
			f.treebanks = append(f.treebanks, c.treebank)
		}
	}
	for r := range f.rows {
		for _, name := range f.models {
			p := plot.New()
			p.BackgroundColor = color.White
			if r == 0 {
				p.Title.Text = name
			}
			for _, a := range []*plot.Axis{&p.X, &p.Y} {
				a.Label.TextStyle.Font.Size, a.Tick.Label.Font.Size = fontSize, fontSize*0.9
			}
			p.Legend.TextStyle.Font.Size, p.Legend.Padding, p.Legend.YOffs = fontSize, 2, -2
			grid := plotter.NewGrid()
			grid.Vertical.Color, grid.Horizontal.Color = paleGrey, paleGrey
			p.Add(grid)
			f.rows[r] = append(f.rows[r], p)
		}
	}
	return f
}

// add adds points of a treebank to a panel, joined by lines, with a glyph on each
// if dots says so, and a key if it has a name.
func (f *figure) add(p *plot.Plot, treebank string, points plotter.XYs, dots, key bool) error {
	if len(points) == 0 {
		return nil
	}
	line, glyphs, err := plotter.NewLinePoints(points)
	if err != nil {
		return err
	}
	s := styles[slices.Index(f.treebanks, treebank)%len(styles)]
	line.Color, line.Dashes, line.Width = s.colour, s.dashes, lineWidth
	glyphs.Color, glyphs.Shape, glyphs.Radius = s.colour, s.shape, 3
	p.Add(line)
	thumbnails := []plot.Thumbnailer{line}
	if dots {
		p.Add(glyphs)
		thumbnails = append(thumbnails, glyphs)
	}
	if key {
		p.Legend.Add(treebank, thumbnails...)
	}
	return nil
}

// svg draws the rows, each as high as heights says, with axes below each other.
func (f *figure) svg(heights ...vg.Length) ([]byte, error) {
	height := gap * vg.Length(len(heights)+1)
	for _, h := range heights {
		height += h
	}
	canvas := vgsvg.New(figureWidth, height)
	all := draw.New(canvas)
	all.SetColor(color.White)
	all.Fill(all.Rectangle.Path())
	// Align knows rows of one height only: it places the panels from left to
	// right, and then each row is placed again for itself.
	tiles := draw.Tiles{Rows: len(f.rows), Cols: len(f.models), PadX: gap, PadLeft: gap / 2, PadRight: gap}
	across := plot.Align(f.rows, tiles, all)
	top := height - gap
	for r, row := range f.rows {
		area := draw.Crop(all, 0, 0, top-heights[r], top-height)
		tiles.Rows = 1
		down := plot.Align([][]*plot.Plot{row}, tiles, area)[0]
		for m, p := range row {
			c := down[m]
			c.Min.X, c.Max.X = across[r][m].Min.X, across[r][m].Max.X
			p.Draw(c)
		}
		top -= heights[r] + gap
	}
	var b bytes.Buffer
	_, err := canvas.WriteTo(&b)
	return b.Bytes(), err
}

// drawDiagrams draws the diagrams of reliability of a column (DeGroot and Fienberg
// 1983): how many are right of those that a value is said of, with the number of
// cases below.
func drawDiagrams(column string, list []curve) ([]byte, error) {
	f := newFigure(list, 2)
	for m := range f.models {
		above, below := f.rows[0][m], f.rows[1][m]
		diagonal, err := plotter.NewLine(plotter.XYs{{X: 0, Y: 0}, {X: 1, Y: 1}})
		if err != nil {
			return nil, err
		}
		diagonal.Color, diagonal.Width = color.Gray{0xa0}, lineWidth/2
		above.Add(diagonal)
		above.X.Label.Text, above.Y.Label.Text = "", "share that is right"
		below.X.Label.Text, below.Y.Label.Text = column, "cases"
		below.Y.Scale, below.Y.Tick.Marker = plot.LogScale{}, powersOfTen
		above.Legend.Top, above.Legend.Left = true, true
		for _, p := range f.rows {
			p[m].X.Min, p[m].X.Max, p[m].X.Tick.Marker = 0, 1, tenths
		}
		above.Y.Min, above.Y.Max, above.Y.Tick.Marker = 0, 1, tenths
	}
	most := 10.0
	for _, c := range list {
		m := slices.Index(f.models, c.model)
		var shares, counts plotter.XYs
		for _, p := range c.points {
			if p.cases >= leastCases {
				shares = append(shares, plotter.XY{X: p.x, Y: p.y})
			}
			counts = append(counts, plotter.XY{X: p.x, Y: p.cases})
			most = max(most, p.cases)
		}
		if err := f.add(f.rows[0][m], c.treebank, shares, true, true); err != nil {
			return nil, err
		}
		if err := f.add(f.rows[1][m], c.treebank, counts, false, false); err != nil {
			return nil, err
		}
	}
	for _, p := range f.rows[1] {
		p.Y.Min, p.Y.Max = 1, 2*most
	}
	return f.svg(curveHeight, countHeight)
}

// drawCoverage draws curves of risk and coverage.
func drawCoverage(list []curve) ([]byte, error) {
	f := newFigure(list, 1)
	most := 0.0
	for _, c := range list {
		m := slices.Index(f.models, c.model)
		var points plotter.XYs
		for _, p := range c.points {
			points = append(points, plotter.XY{X: 100 * p.x, Y: 100 * p.y})
			most = max(most, 100*p.y)
		}
		if err := f.add(f.rows[0][m], c.treebank, points, false, true); err != nil {
			return nil, err
		}
	}
	for _, p := range f.rows[0] {
		p.X.Tick.Marker, p.Y.Tick.Marker = steps(100, 10), steps(most, 5)
		p.X.Label.Text, p.Y.Label.Text = "words kept, the surest first, %", "wrong heads among them, %"
		p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = 0, 100, 0, most*1.05+0.01
		p.Legend.Top, p.Legend.Left = true, true
	}
	return f.svg(curveHeight)
}

// steps are ticks from 0 to most.
func steps(most, by float64) (list plot.ConstantTicks) {
	for at := 0.0; at <= most; at += by {
		list = append(list, plot.Tick{Value: at, Label: fmt.Sprint(at)})
	}
	return list
}

// tenths are the ticks of a probability.
var tenths = func() plot.ConstantTicks {
	var list plot.ConstantTicks
	for i := range 11 {
		t := plot.Tick{Value: float64(i) / 10}
		if i%2 == 0 {
			t.Label = fmt.Sprintf("%.1f", t.Value)
		}
		list = append(list, t)
	}
	return list
}()

// powersOfTen are the ticks of counts.
var powersOfTen = plot.ConstantTicks{{Value: 1, Label: "1"}, {Value: 10, Label: "10"}, {Value: 100, Label: "100"},
	{Value: 1000, Label: "1,000"}, {Value: 1e4, Label: "10,000"}, {Value: 1e5, Label: "100,000"}}
