// Package chart draws the accuracy of parsers against their speed, from a table
// that is kept beside the documentation, as an SVG beside the table:
//
//	chart lab/notes/speed.tsv
//
// A line of the table has, apart by tabs, a series, the name of the point (or
// nothing), words per second, and LAS; what follows says where the figures are
// from, and is not read. Points of a series are joined in the order of the lines.
// Lines that begin with # and empty
// ones are passed over. The same table gives the same bytes.
package chart

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/treebeam/treebeam/io/store"
)

// Main runs the measurement with the arguments of the command line.
func Main() error {
	if len(os.Args) != 2 || !strings.HasSuffix(os.Args[1], ".tsv") {
		return errors.New("want one table, FILE.tsv")
	}
	return run(os.Args[1])
}

func run(path string) error {
	svg, err := fromFile(path)
	if err != nil {
		return err
	}
	return store.ReplaceFile(strings.TrimSuffix(path, ".tsv")+".svg", svg)
}

// fromFile returns the chart of the table at path.
func fromFile(path string) ([]byte, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	list, err := parse(string(text))
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

// parse reads a table. Its errors name the line.
func parse(text string) ([]series, error) {
	var list []series
	for i, line := range strings.Split(text, "\n") {
		if line == "" || line[0] == '#' {
			continue
		}
		fields := strings.Split(line, "\t")
		if len(fields) < 4 {
			return nil, fmt.Errorf("line %d: %d fields, want series, name, words/s and LAS, apart by tabs", i+1, len(fields))
		}
		p := point{name: fields[1]}
		var err error
		if p.rate, err = strconv.ParseFloat(fields[2], 64); err != nil || !(p.rate > 0 && p.rate <= 1e9) {
			return nil, fmt.Errorf("line %d: words/s %q: want a positive number", i+1, fields[2])
		}
		if p.las, err = strconv.ParseFloat(fields[3], 64); err != nil || !(p.las >= 0 && p.las <= 100) {
			return nil, fmt.Errorf("line %d: LAS %q: want 0 to 100", i+1, fields[3])
		}
		k := slices.IndexFunc(list, func(s series) bool { return s.name == fields[0] })
		if k < 0 {
			k = len(list)
			list = append(list, series{name: fields[0]})
		}
		list[k].points = append(list[k].points, p)
	}
	if len(list) == 0 {
		return nil, errors.New("no point")
	}
	return list, nil
}
