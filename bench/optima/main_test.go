package main

import (
	"bytes"
	"encoding/xml"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"gonum.org/v1/plot/plotter"
)

// tables returns the data rows of a Markdown text by section title.
func tables(text string) map[string][][]string {
	found := map[string][][]string{}
	title, rows := "", 0
	for _, l := range strings.Split(text, "\n") {
		switch {
		case strings.HasPrefix(l, "## "):
			title, rows = l[3:], 0
		case strings.HasPrefix(l, "|"):
			if rows++; rows > 2 {
				var cells []string
				for _, c := range strings.Split(strings.Trim(l, "|"), "|") {
					cells = append(cells, strings.TrimSpace(c))
				}
				found[title] = append(found[title], cells)
			}
		}
	}
	return found
}

const (
	toyTrain = "../../cmd/treebeam/testdata/xx_toy-ud-train.conllu"
	toyDev   = "../../cmd/treebeam/testdata/xx_toy-ud-dev.conllu"
)

func TestTables(t *testing.T) {
	run := func(searchOnly bool, workers int) (string, string) {
		a := newAnalysis()
		a.inputs, a.output, a.restarts, a.workers, a.searchOnly = []string{toyDev, toyTrain}, t.TempDir(), 40, workers, searchOnly
		var out bytes.Buffer
		if err := a.run(&out); err != nil {
			t.Fatal(err)
		}
		return out.String(), a.output
	}
	text, folder := run(false, 1)
	got := tables(text)
	for title, rows := range map[string]int{
		"Local optima of the first-order model":        2,
		"First-order climbs against the exact optimum": 4,
		"Starts of the whole model's climbs":           6,
		"The parser's search":                          16,
	} {
		if len(got[title]) != rows {
			t.Errorf("%s: %d rows, want %d\n%s", title, len(got[title]), rows, text)
		}
	}
	if row := got["Local optima of the first-order model"][0]; row[0] != "xx_toy dev" || row[1] != "3" {
		t.Errorf("first row %q", row)
	}
	// So short sentences: all climbs end in the best tree.
	for _, row := range got["First-order climbs against the exact optimum"] {
		if row[len(row)-3] != "100.00" {
			t.Errorf("row %q", row)
		}
	}
	if last := got["The parser's search"]; last[len(last)-1][4] != "100.00" {
		t.Errorf("most climbs do not reach the best score: %q", last)
	}
	md, err := os.ReadFile(filepath.Join(folder, "optima.md"))
	if err != nil || !strings.HasPrefix(string(md), text) {
		t.Errorf("optima.md: %v", err)
	}
	for _, link := range regexp.MustCompile(`\]\((.*)\)`).FindAllStringSubmatch(string(md), -1) {
		data, err := os.ReadFile(filepath.Join(folder, link[1]))
		if err != nil {
			t.Error(err)
		}
		wellFormed(t, link[1], data)
	}
	if n := strings.Count(string(md), ".svg)"); n != 4 {
		t.Errorf("%d plots, want 4", n)
	}
	// Times apart, the result does not depend on the number of workers.
	again, _ := run(true, 3)
	last := func(text string) string { return timeless(text[strings.Index(text, "## The parser's search"):]) }
	if a, b := last(text), last(again); a != b {
		t.Errorf("one worker:\n%s\nthree:\n%s", a, b)
	}
}

// timeless cuts off the column of times.
func timeless(text string) string {
	return regexp.MustCompile(`(?m)\| \d+ \|$`).ReplaceAllString(text, "|")
}

func wellFormed(t *testing.T, name string, data []byte) {
	t.Helper()
	d := xml.NewDecoder(bytes.NewReader(data))
	for {
		if _, err := d.Token(); err == io.EOF {
			break
		} else if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
	if bytes.Contains(data, []byte("NaN")) || bytes.Contains(data, []byte("Inf")) {
		t.Errorf("%s has a coordinate that is no number", name)
	}
}

// A figure has all that it should: titles, names of axes, keys and categories,
// with what XML gives a meaning escaped.
func TestFigure(t *testing.T) {
	lines := figure{title: "a < b", x: "climbs", y: "UAS", logX: true, keys: []string{"one", "two"}, panels: []panel{
		{title: "left", lines: []plotter.XYs{{{X: 1, Y: 0}, {X: 100, Y: 50}}, {{X: 10, Y: 25}}}},
		{title: "flat", lines: []plotter.XYs{{{X: 1, Y: 3}, {X: 100, Y: 3}}}},
	}}
	bars := figure{title: "bars", categories: []string{"few", "many"}, keys: []string{"red", "blue"}, panels: []panel{{title: "p", bars: [][]float64{{25, 75}, {0, 100}}}}}
	for _, c := range []struct {
		f    figure
		want []string
	}{
		{lines, []string{"a &lt; b", "left", "flat", "climbs", "UAS", "one", "two", ">10<", ">100<"}},
		{bars, []string{"bars", "p", "few", "many", "red", "blue"}},
	} {
		svg, err := c.f.svg()
		if err != nil {
			t.Fatal(err)
		}
		wellFormed(t, c.f.title, svg)
		for _, want := range c.want {
			if !strings.Contains(string(svg), want) {
				t.Errorf("%s: no %q in\n%s", c.f.title, want, svg)
			}
		}
	}
}

func TestWrongOptions(t *testing.T) {
	for _, c := range []struct {
		set  func(a *analysis)
		want string
	}{
		{func(a *analysis) { a.inputs = nil }, "-input"},
		{func(a *analysis) { a.models = []string{"a", "b"} }, "2 models for 1 inputs"},
		{func(a *analysis) { a.restarts = 0 }, "-restarts"},
		{func(a *analysis) { a.maxWords = 0 }, "-max-words"},
		{func(a *analysis) { a.inputs = []string{"nowhere.conllu"} }, "nowhere.conllu"},
		{func(a *analysis) { a.maxWords = 1 }, "no sentence"},
	} {
		a := newAnalysis()
		a.inputs = []string{toyDev}
		c.set(a)
		if err := a.run(io.Discard); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want an error that says %q", err, c.want)
		}
	}
}

// All sentences of the toy treebank are so short that their trees are the best
// ones, as a few steps show.
func TestCertificates(t *testing.T) {
	run := func(workers int) string {
		a := newAnalysis()
		a.inputs, a.output, a.workers, a.certify = []string{toyDev, toyTrain}, t.TempDir(), workers, true
		var out bytes.Buffer
		if err := a.run(&out); err != nil {
			t.Fatal(err)
		}
		svg, err := os.ReadFile(filepath.Join(a.output, "certificates-steps.svg"))
		if err != nil {
			t.Fatal(err)
		}
		wellFormed(t, "certificates-steps.svg", svg)
		return out.String()
	}
	text := run(1)
	rows := tables(text)["By steps"]
	if len(rows) != 2*len(steps) {
		t.Fatalf("%d rows\n%s", len(rows), text)
	}
	for i, row := range rows {
		if i%len(steps) == 0 { // without proofs
			if row[5] != "0.00" || row[12] != "0" {
				t.Errorf("row %q", row)
			}
		} else if i%len(steps) == at(byLength) && row[6] != "100.00" {
			t.Errorf("row %q", row)
		}
	}
	if len(tables(text)["By length"]) < 3 {
		t.Errorf("few rows by length\n%s", text)
	}
	without := func(text string) string { return regexp.MustCompile(`(?m)\| [\d.]+ \|$`).ReplaceAllString(text, "|") }
	if a, b := without(text), without(run(3)); a != b {
		t.Errorf("one worker:\n%s\nthree:\n%s", a, b)
	}
}

// On so short sentences the exact programs, all climbs and the proofs agree;
// nothing depends on the number of workers.
func TestThird(t *testing.T) {
	run := func(workers int) string {
		a := newAnalysis()
		a.inputs, a.workers, a.tertiary = []string{toyDev, toyTrain}, workers, true
		var out bytes.Buffer
		if err := a.run(&out); err != nil {
			t.Fatal(err)
		}
		return out.String()
	}
	text := run(1)
	rows := tables(text)["Third-order projective trees"]
	if len(rows) != 2*(len(judged)+1) {
		t.Fatalf("%d rows:\n%s", len(rows), text)
	}
	for _, row := range rows {
		if row[1] != "`gp` `cs` `hb` `cross`" || row[2] == "100 climbs" && row[5] != "100.00" {
			t.Errorf("row %q", row)
		}
	}
	times := regexp.MustCompile(`\d+\.\d\d \|( \d+\.\d\d \| \d+ \|)?\n`)
	if a, b := times.ReplaceAllString(text, ""), times.ReplaceAllString(run(3), ""); a != b {
		t.Errorf("one worker:\n%s\nthree:\n%s", a, b)
	}
}
