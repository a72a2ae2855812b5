package chart

import (
	"bytes"
	"encoding/xml"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The chart in the documentation is that of the table beside it.
func TestDocumented(t *testing.T) {
	table := filepath.FromSlash("../../../lab/notes/speed.tsv")
	got, err := fromFile(table)
	if err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile(strings.TrimSuffix(table, ".tsv") + ".svg")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("lab/notes/speed.svg is not what its table gives: go run -C lab ./bench chart lab/notes/speed.tsv")
	}
}

const table = `# series, name, words/s, LAS
ours	quick	20000	83.5	measured here
ours		9000	85
ours	slow	4000	88
peer	peer	1500	77.7
`

func TestChart(t *testing.T) {
	list, err := parse(table)
	if err != nil {
		t.Fatal(err)
	}
	if len(list) != 2 || len(list[0].points) != 3 || list[0].points[2].las != 88 || list[1].points[0].rate != 1500 {
		t.Errorf("read as %+v", list)
	}
	if slow, fast, low, high := span(list); slow != 1000 || fast != 30000 || low != 76 || high != 89 {
		t.Errorf("axes %g to %g, %g to %g", slow, fast, low, high)
	}
	svg, err := drawChart(list)
	if err != nil {
		t.Fatal(err)
	}
	for d := xml.NewDecoder(bytes.NewReader(svg)); ; {
		if _, err := d.Token(); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"quick", "slow", "peer", "words per second", "LAS, %"} {
		if !strings.Contains(string(svg), name) {
			t.Errorf("no %q in the chart", name)
		}
	}
	if got := len(ticks(900, 30000)); got != 5 { // 1000, 2000, 5000, 10000, 20000
		t.Errorf("%d ticks", got)
	}
	again, err := drawChart(list)
	if err != nil || !bytes.Equal(svg, again) {
		t.Errorf("two charts of one table differ: %v", err)
	}
}

func TestBadTables(t *testing.T) {
	for text, want := range map[string]string{
		table + "peer\tx\t10\n": "line 6: 3 fields",
		"a\tb\t0\t50":           "line 1: words/s",
		"\na\tb\tx\t50":         "line 2: words/s",
		"a\tb\t10\t101":         "line 1: LAS",
		"a\tb\t10\tNaN":         "line 1: LAS",
		"# nothing\n":           "no point",
		"a\tb\t10\t\n":          "line 1: LAS",
		"a\tb\tInf\t50\n":       "line 1: words/s",
		"a\tb\tNaN\t50\n":       "line 1: words/s",
		"a\tb\t-10\t50\n":       "line 1: words/s",
		"a\tb\t10\tmany\n":      "line 1: LAS",
	} {
		if _, err := parse(text); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}
