package main

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
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

func TestAnalyze(t *testing.T) {
	run := func(what string, workers int) (string, string) {
		a := newAnalysis()
		a.inputs, a.models, a.output, a.restarts, a.workers = list{toyDev, toyTrain}, list{trainedToy(t)}, t.TempDir(), 40, workers
		var out bytes.Buffer
		if err := a.run(what, &out); err != nil {
			t.Fatal(err)
		}
		return out.String(), a.output
	}
	text, folder := run("optima", 1)
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
	again, _ := run("search", 3)
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

// Points lie where the axes say, bars fill their panel, and labels are
// escaped.
func TestPlot(t *testing.T) {
	p := plot{title: "a < b", logX: true, keys: []string{"one", "two"}, panels: []panel{
		{title: "x", lines: []line{{{1, 0}, {100, 50}}, {{10, 25}}}},
		{title: "flat", lines: []line{{{1, 3}, {100, 3}}}},
	}}
	svg := string(p.svg())
	wellFormed(t, "plot", []byte(svg))
	for _, want := range []string{"a &lt; b", `cx="0.0" cy="189.3"`, `cx="250.0" cy="10.7"`, `cx="125.0" cy="100.0"`, ">10<"} {
		if !strings.Contains(svg, want) {
			t.Errorf("no %q in\n%s", want, svg)
		}
	}
	bars := plot{categories: []string{"a", "b"}, panels: []panel{{bars: [][]float64{{25, 75}, {0, 100}}}}}
	svg = string(bars.svg())
	wellFormed(t, "bars", []byte(svg))
	for _, want := range []string{`x="12.5" y="150.0" width="100.0" height="50.0"`, `x="12.5" y="0.0" width="100.0" height="150.0"`, `x="137.5" y="0.0" width="100.0" height="200.0"`} {
		if !strings.Contains(svg, want) {
			t.Errorf("no %q in\n%s", want, svg)
		}
	}
	for _, x := range (axis{low: -0.01, high: 1}).ticks() {
		if math.Signbit(x) {
			t.Errorf("tick %v", x)
		}
	}
}

func TestAnalyzeRefusals(t *testing.T) {
	for _, c := range []struct {
		what string
		set  func(a *analysis)
		want string
	}{
		{"trees", func(a *analysis) {}, "analyze optima"},
		{"optima", func(a *analysis) { a.inputs = nil }, "--input"},
		{"optima", func(a *analysis) { a.models = list{"a", "b"} }, "2 models for 1 inputs"},
		{"search", func(a *analysis) { a.restarts = 0 }, "--restarts"},
		{"search", func(a *analysis) { a.maxWords = 0 }, "--max-words"},
		{"search", func(a *analysis) { a.inputs = list{"nowhere.conllu"} }, "nowhere.conllu"},
		{"search", func(a *analysis) { a.maxWords = 1 }, "no sentence"},
	} {
		a := newAnalysis()
		a.inputs, a.models = list{toyDev}, list{trainedToy(t)}
		c.set(a)
		err := a.run(c.what, io.Discard)
		var refused *refusal
		if !errors.As(err, &refused) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want a refusal that says %q", c.what, err, c.want)
		}
	}
}
