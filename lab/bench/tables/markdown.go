package tables

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// markdown writes rows as a table; the first has the heads.
func markdown(rows [][]string) string {
	var b strings.Builder
	for i, r := range rows {
		b.WriteString("|")
		for _, cell := range r {
			if cell != "" {
				b.WriteString(" " + strings.ReplaceAll(cell, "|", `\|`))
			}
			b.WriteString(" |")
		}
		b.WriteString("\n")
		if i == 0 {
			b.WriteString(strings.Repeat("|---", len(r)) + "|\n")
		}
	}
	return b.String()
}

// wrap breaks text into lines of at most 90 characters, where words allow it.
func wrap(text string) string {
	var b strings.Builder
	width := 0
	for _, word := range strings.Fields(text) {
		switch {
		case width == 0:
		case width+1+len(word) > 90:
			b.WriteString("\n")
			width = 0
		default:
			b.WriteString(" ")
			width++
		}
		b.WriteString(word)
		width += len(word)
	}
	return b.String() + "\n"
}

// thousands writes a whole number with commas; other text stays.
func thousands(number string) string {
	if _, err := strconv.ParseUint(number, 10, 64); err != nil {
		return number
	}
	for i := len(number) - 3; i > 0; i -= 3 {
		number = number[:i] + "," + number[i:]
	}
	return number
}

// difference says how far a figure is above or below another.
func difference(figure, other string) string {
	a, err1 := strconv.ParseFloat(figure, 64)
	b, err2 := strconv.ParseFloat(other, 64)
	switch d := a - b; {
	case err1 != nil || err2 != nil:
		return "not comparable with"
	case math.Abs(d) < 0.05:
		return "level with"
	case d >= 0:
		return fmt.Sprintf("%.1f above", d)
	default:
		return fmt.Sprintf("%.1f below", -d)
	}
}

// A mean is the mean of what was added.
type mean struct {
	sum float64
	n   int
}

func (m *mean) add(x float64) { m.sum, m.n = m.sum+x, m.n+1 }

// value returns the mean; 0 if nothing was added.
func (m *mean) value() float64 { return m.sum / float64(max(m.n, 1)) }
