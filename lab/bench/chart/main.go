// Package chart draws the accuracy of parsers against their speed, from a table of
// lab/results:
//
//	chart lab/results/speed.tsv lab/notes/speed.svg
//
// It reads the columns series, point (the name, or nothing), words_per_second and las.
// Points of a series are joined in the order of the rows. The same table gives the same
// bytes.
package chart

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/treebeam/treebeam/io/store"
	"github.com/treebeam/treebeam/lab/bench/tables"
)

// Main runs the measurement with the arguments of the command line.
func Main() error {
	if len(os.Args) != 3 || !strings.HasSuffix(os.Args[2], ".svg") {
		return errors.New("want a table and a picture, FILE.tsv FILE.svg")
	}
	svg, err := fromFile(os.Args[1])
	if err != nil {
		return err
	}
	return store.ReplaceFile(os.Args[2], svg)
}

// fromFile returns the chart of the table at path.
func fromFile(path string) ([]byte, error) {
	t, err := tables.Read(path)
	if err != nil {
		return nil, err
	}
	list, err := seriesOf(t)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return drawChart(list)
}

// A series is a parser, or one at several settings.
type series struct {
	name   string
	points []point
}

// A point is one measured setting.
type point struct {
	name string  // empty if it needs none
	rate float64 // words per second, above 0
	las  float64 // in percent
}

// seriesOf returns the points of a table. Its errors name the row.
func seriesOf(t *tables.Table) ([]series, error) {
	var list []series
	for i, row := range t.Rows {
		p := point{name: t.Cell(row, "point")}
		var err error
		cell := t.Cell(row, "words_per_second")
		if p.rate, err = strconv.ParseFloat(cell, 64); err != nil || !(p.rate > 0 && p.rate <= 1e9) {
			return nil, fmt.Errorf("row %d: words_per_second %q: want a positive number", i+1, cell)
		}
		cell = t.Cell(row, "las")
		if p.las, err = strconv.ParseFloat(cell, 64); err != nil || !(p.las >= 0 && p.las <= 100) {
			return nil, fmt.Errorf("row %d: las %q: want 0 to 100", i+1, cell)
		}
		name := t.Cell(row, "series")
		k := slices.IndexFunc(list, func(s series) bool { return s.name == name })
		if k < 0 {
			k = len(list)
			list = append(list, series{name: name})
		}
		list[k].points = append(list[k].points, p)
	}
	return list, nil
}
