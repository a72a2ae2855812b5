package main

import (
	"bytes"
	"fmt"
	"html"
	"math"
	"strings"
)

// A plot is a row of panels that share their axes: lines over numbers, or
// stacked bars over categories.
type plot struct {
	name, title string
	x, y        string   // names of the axes
	logX        bool     // the horizontal axis has powers of ten
	categories  []string // of stacked bars, instead of a number line
	keys        []string // names of the lines, or of the parts of bars
	panels      []panel
}

type panel struct {
	title string
	lines []line
	bars  [][]float64 // [category][part], summing to 100
}

type (
	line  []point
	point struct{ x, y float64 }
)

// Sizes in pixels.
const (
	panelWidth, panelHeight = 250, 200
	marginLeft, marginTop   = 55, 60
	marginBetween           = 50
	marginBottom            = 75
)

var colours = []string{"#1b6ca8", "#d1495b", "#edae49", "#66a182", "#7b5ea7", "#444444"}

// An axis maps values to pixels from 0 to size.
type axis struct {
	low, high float64
	log       bool
	size      float64
}

func (a axis) at(v float64) float64 {
	if a.log {
		v = math.Log10(v)
	}
	if a.high == a.low {
		return a.size / 2
	}
	return (v - a.low) / (a.high - a.low) * a.size
}

// ticks returns a few round values on the axis.
func (a axis) ticks() []float64 {
	var list []float64
	if a.log {
		for e := math.Ceil(a.low - 1e-9); e <= a.high+1e-9; e++ {
			list = append(list, math.Pow(10, e))
		}
		return list
	}
	step := math.Pow(10, math.Floor(math.Log10(max(a.high-a.low, 1e-9))))
	for _, f := range []float64{0.2, 0.5, 1} {
		if (a.high-a.low)/(step*f) <= 6 {
			step *= f
			break
		}
	}
	for k := math.Ceil(a.low/step - 1e-9); k*step <= a.high+1e-9; k++ {
		list = append(list, k*step+0) // -0 + 0 is 0
	}
	return list
}

// axes returns those that hold all lines of one panel, x shared by all.
func (p *plot) axes(one panel) (x, y axis) {
	x = axis{math.Inf(1), math.Inf(-1), p.logX, panelWidth}
	y = axis{math.Inf(1), math.Inf(-1), false, panelHeight}
	if p.categories != nil {
		return axis{0, float64(len(p.categories)), false, panelWidth}, axis{0, 100, false, panelHeight}
	}
	for _, other := range p.panels {
		for _, l := range other.lines {
			for _, q := range l {
				v := q.x
				if p.logX {
					v = math.Log10(v)
				}
				x.low, x.high = min(x.low, v), max(x.high, v)
			}
		}
	}
	for _, l := range one.lines {
		for _, q := range l {
			y.low, y.high = min(y.low, q.y), max(y.high, q.y)
		}
	}
	room := max((y.high-y.low)*0.06, 1e-3)
	y.low, y.high = y.low-room, y.high+room
	return x, y
}

// svg draws the plot.
func (p *plot) svg() []byte {
	var b bytes.Buffer
	width := max(marginLeft+len(p.panels)*(panelWidth+marginBetween), marginLeft+8*len(p.title), marginLeft+75*len(p.keys))
	height := marginTop + panelHeight + marginBottom
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" font-family="sans-serif" font-size="11">`+"\n",
		width, height, width, height)
	fmt.Fprintf(&b, `<rect width="%d" height="%d" fill="white"/>`+"\n", width, height)
	p.text(&b, marginLeft, 20, "start", 14, p.title)
	for i, one := range p.panels {
		fmt.Fprintf(&b, `<g transform="translate(%d %d)">`+"\n", marginLeft+i*(panelWidth+marginBetween), marginTop)
		p.text(&b, panelWidth/2, -8, "middle", 12, one.title)
		x, y := p.axes(one)
		p.frame(&b, x, y)
		p.draw(&b, one, x, y)
		b.WriteString("</g>\n")
	}
	at := float64(marginLeft)
	for i, key := range p.keys {
		y := float64(marginTop + panelHeight + 60)
		fmt.Fprintf(&b, `<rect x="%.1f" y="%.1f" width="14" height="8" fill="%s"/>`+"\n", at, y-8, colours[i%len(colours)])
		p.text(&b, at+20, y, "start", 11, key)
		at += 45 + 6.5*float64(len(key))
	}
	b.WriteString("</svg>\n")
	return b.Bytes()
}

func (p *plot) text(b *bytes.Buffer, x, y float64, anchor string, size int, s string) {
	fmt.Fprintf(b, `<text x="%.1f" y="%.1f" text-anchor="%s" font-size="%d">%s</text>`+"\n", x, y, anchor, size, html.EscapeString(s))
}

// frame draws the axes with their ticks.
func (p *plot) frame(b *bytes.Buffer, x, y axis) {
	fmt.Fprintf(b, `<rect width="%d" height="%d" fill="none" stroke="#888"/>`+"\n", panelWidth, panelHeight)
	for _, v := range y.ticks() {
		at := panelHeight - y.at(v)
		fmt.Fprintf(b, `<path d="M0 %.1fh%d" stroke="#ddd"/>`+"\n", at, panelWidth)
		p.text(b, -5, at+4, "end", 10, fmt.Sprintf("%.4g", v))
	}
	if p.categories != nil {
		for i, name := range p.categories {
			p.text(b, x.at(float64(i)+0.5), panelHeight+15, "middle", 10, name)
		}
	} else {
		for _, v := range x.ticks() {
			at := x.at(v)
			fmt.Fprintf(b, `<path d="M%.1f %dv-4" stroke="#888"/>`+"\n", at, panelHeight)
			p.text(b, at, panelHeight+15, "middle", 10, fmt.Sprintf("%.6g", v))
		}
	}
	p.text(b, panelWidth/2, panelHeight+33, "middle", 11, p.x)
	fmt.Fprintf(b, `<text transform="translate(-38 %d) rotate(-90)" text-anchor="middle">%s</text>`+"\n", panelHeight/2, html.EscapeString(p.y))
}

// draw draws the bars or the lines; a line of one point is a dot.
func (p *plot) draw(b *bytes.Buffer, one panel, x, y axis) {
	for i, parts := range one.bars {
		from := 0.0
		for k, v := range parts {
			if v > 0 {
				fmt.Fprintf(b, `<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" fill="%s"/>`+"\n",
					x.at(float64(i)+0.1), panelHeight-y.at(from+v), x.at(0.8), y.at(v), colours[k%len(colours)])
			}
			from += v
		}
	}
	for i, l := range one.lines {
		colour := colours[i%len(colours)]
		steps := make([]string, len(l))
		for k, q := range l {
			px, py := x.at(q.x), panelHeight-y.at(q.y)
			steps[k] = fmt.Sprintf("%.1f,%.1f", px, py)
			fmt.Fprintf(b, `<circle cx="%.1f" cy="%.1f" r="3" fill="%s"/>`+"\n", px, py, colour)
		}
		fmt.Fprintf(b, `<polyline points="%s" fill="none" stroke="%s" stroke-width="1.5"/>`+"\n", strings.Join(steps, " "), colour)
	}
}
