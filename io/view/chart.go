package view

import (
	"fmt"
	"slices"
)

// Sizes of a chart, in units of its viewBox.
const (
	chartWidth, chartHeight = 420, 190
	plotLeft, plotRight     = 44, 412
	plotTop, plotBottom     = 16, 150
)

// A chart is a histogram as the template draws it.
type chart struct {
	Title, About, Unit, Note string
	Label                    string // for readers who cannot see it
	Bars                     []bar
	Ticks                    []tick // below
	Lines                    []tick // from the left, with their shares
	Rows                     [][3]string
}

type bar struct{ X, Y, Width, Height float64 }

type tick struct {
	At   float64
	Text string
}

func newChart(title, about, unit string, h *histogram) chart {
	c := chart{Title: title, About: about, Unit: unit}
	most := slices.Max(h.Counts)
	step := float64(plotRight-plotLeft) / float64(len(h.Counts))
	for i, n := range h.Counts {
		c.Rows = append(c.Rows, [3]string{h.Names[i], number(n), percent(n, h.N)})
		if n == 0 {
			continue
		}
		height := max(float64(plotBottom-plotTop)*float64(n)/float64(most), 1)
		c.Bars = append(c.Bars, bar{round(plotLeft + float64(i)*step + 1), round(plotBottom - height), round(step - 2), round(height)})
	}
	for _, part := range []float64{0, 0.5, 1} {
		share := 0.0
		if h.N > 0 {
			share = part * float64(most) / float64(h.N)
		}
		c.Lines = append(c.Lines, tick{round(plotBottom - part*(plotBottom-plotTop)), fmt.Sprintf("%.3g%%", 100*share)})
	}
	c.Ticks = ticks(h, step)
	if h.N > 0 {
		c.Note = fmt.Sprintf("%s %s, mean %.3g", number(h.N), unit, h.Sum/float64(h.N))
	} else {
		c.Note = "none"
	}
	common := slices.Index(h.Counts, most)
	c.Label = fmt.Sprintf("Histogram of %s: %s. Commonest: %s (%s).", title, c.Note, h.Names[common], percent(most, h.N))
	return c
}

// ticks are the ends of the bins, as many as fit.
func ticks(h *histogram, step float64) (list []tick) {
	if len(h.Ends) == 19 { // shares
		for i := range 5 {
			list = append(list, tick{round(plotLeft + float64(i)*5*step), fmt.Sprintf("%.2g", float64(i)/4)})
		}
		return list
	}
	for i, name := range h.Names {
		if i%2 == 1 && i != len(h.Names)-1 {
			continue
		}
		var from string
		if _, err := fmt.Sscan(name, &from); err != nil {
			continue
		}
		if from == "over" {
			from = ">200"
		}
		list = append(list, tick{round(plotLeft + (float64(i)+0.5)*step), from})
	}
	return list
}

// round keeps a decimal.
func round(v float64) float64 { return float64(int64(v*10+0.5)) / 10 }
