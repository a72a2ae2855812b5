package chart

import (
	"bytes"
	"encoding/xml"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/treebeam/treebeam/lab/bench/tables"
)

// The chart in the documentation is that of its table.
func TestDocumented(t *testing.T) {
	got, err := fromFile(filepath.FromSlash("../../results/speed.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile(filepath.FromSlash("../../notes/speed.svg"))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("lab/notes/speed.svg is not what its table gives: go run -C lab ./bench chart lab/results/speed.tsv lab/notes/speed.svg")
	}
}

// tableOf has rows of four cells each, separated by spaces; - is an empty cell.
func tableOf(rows ...string) *tables.Table {
	t := &tables.Table{Columns: []string{"series", "point", "words_per_second", "las"}}
	for _, r := range rows {
		t.Rows = append(t.Rows, strings.Split(strings.ReplaceAll(r, "-", ""), " "))
	}
	return t
}

func TestChart(t *testing.T) {
	list, err := seriesOf(tableOf("ours quick 20000 83.5", "ours - 9000 85", "ours slow 4000 88", "peer peer 1500 77.7"))
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
	for row, want := range map[string]string{
		"a b 0 50":    "row 2: words_per_second",
		"a b x 50":    "row 2: words_per_second",
		"a b Inf 50":  "row 2: words_per_second",
		"a b NaN 50":  "row 2: words_per_second",
		"a b 10 101":  "row 2: las",
		"a b 10 NaN":  "row 2: las",
		"a b 10 -":    "row 2: las",
		"a b 10 many": "row 2: las",
	} {
		if _, err := seriesOf(tableOf("a b 10 50", row)); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v, want %s", row, err, want)
		}
	}
}
