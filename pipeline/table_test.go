package pipeline

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/treebeam/treebeam/io/output"
)

// reviews is a table of n rows.
func reviews(n int) string {
	var b strings.Builder
	b.WriteString("id,text,stars,shop\n")
	for i := range n {
		fmt.Fprintf(&b, "r%d,\"One \"\"two\"\" %d .\nThree .\",%d,here\n", i, i, i%5)
	}
	return b.String()
}

// TestTable parses a table in ranges: its values come with its trees, and with
// the file those that all its rows have. A run in other ranges and the stream have
// the same sentences.
func TestTable(t *testing.T) {
	dir := write(t, map[string]string{"a.csv": reviews(100), "b.txt": "Five six .\n"})
	o := options(dir, filepath.Join(t.TempDir(), "out"))
	o.Rows.Keep, o.RangeBytes = "shop, stars,none", 700
	run(t, o)
	from, err := output.Open(t.Context(), o.Output)
	if err != nil {
		t.Fatal(err)
	}
	trees := 0
	for tree, err := range from.Trees {
		if err != nil {
			t.Fatal(err)
		}
		trees++
		var n int
		if _, err := fmt.Sscanf(tree.DocID, "r%d", &n); err != nil && tree.DocID != "b.txt" {
			t.Fatal(err)
		}
		want := fmt.Sprintf("[{shop here} {stars %d} {none }]", n%5)
		if tree.DocID == "b.txt" {
			want = "[{shop } {stars } {none }]"
		}
		if got := fmt.Sprint(tree.Meta); got != want {
			t.Fatalf("%s: %s, want %s", tree.SentID, got, want)
		}
	}
	if trees != 201 {
		t.Errorf("%d trees", trees)
	}
	if got := fmt.Sprint(documents(t, o.Output)["a.csv"].Meta); got != "[{shop here} {stars } {none }]" {
		t.Errorf("the file: %s", got)
	}
	whole := o
	whole.Output, whole.RangeBytes = filepath.Join(t.TempDir(), "out"), 0
	run(t, whole)
	for _, other := range []string{converted(t, whole.Output), streamed(t, Options{Inputs: o.Inputs, Model: o.Model, Rows: DefaultRows()})} {
		if got := converted(t, o.Output); got != other {
			t.Fatal("sentences differ with the ranges")
		}
	}
	lines := Options{Inputs: o.Inputs, Model: o.Model, Rows: o.Rows, To: "jsonl"}
	if got := streamed(t, lines); strings.Count(got, `,"meta_shop":"here","meta_stars":"3","meta_none":null}`) != 40 || strings.Count(got, `,"meta_shop":null,`) != 1 {
		t.Errorf("as JSON lines:\n%.900s", got)
	}
	again := o
	again.Rows.Keep = "shop"
	if err := tryRun(again); !isRefusal(err) || !strings.Contains(err.Error(), "--keep: was shop,stars,none, is shop") {
		t.Errorf("with other keys: %v", err)
	}
}

// TestKeepRefusals has keys that cannot be columns, and formats without columns.
func TestKeepRefusals(t *testing.T) {
	dir := write(t, map[string]string{"a.csv": reviews(1)})
	stream := options(dir, "")
	stream.Rows.Keep = "stars"
	if _, err := Stream(t.Context(), stream, io.Discard); !isRefusal(err) || !strings.Contains(err.Error(), "--keep: conllu has no place") {
		t.Errorf("as CoNLL-U: %v", err)
	}
	for keep, says := range map[string]string{
		"a,,b": "a key is empty", "a,A": `"A" is given twice`, "a\tb": "cannot be the name of a column",
		strings.Repeat("a", 201): "over 200 bytes", strings.Repeat("a,", 100) + "b": "101 keys",
	} {
		o := options(dir, filepath.Join(t.TempDir(), "out"))
		o.Rows.Keep = keep
		if err := tryRun(o); !isRefusal(err) || !strings.Contains(err.Error(), says) {
			t.Errorf("%.20q: %v, want %s", keep, err, says)
		}
	}
}
