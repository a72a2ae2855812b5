package pipeline

import (
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/treebeam/treebeam/io/parquet"
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
	trees := rowsOf[parquet.Tree](t, o.Output, "trees")
	for _, tree := range trees {
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
	if len(trees) != 201 {
		t.Errorf("%d trees", len(trees))
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
	refused(t, tryRun(again), `--keep: was "shop,stars,none", is shop`)
}

// TestKeepRefusals has keys that cannot be columns, and formats without columns.
func TestKeepRefusals(t *testing.T) {
	dir := write(t, map[string]string{"a.csv": reviews(1)})
	stream := options(dir, "")
	stream.Rows.Keep = "stars"
	refused(t, discarded(stream), "--keep: conllu has no place")
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

// wordsOf are the rows of words/ of an output, as text, and those that follow from
// its trees.
func wordsOf(t *testing.T, folder string) (got, want []string) {
	t.Helper()
	text := func(w *parquet.Word) string {
		number := func(v *int32) string {
			if v == nil {
				return ""
			}
			return fmt.Sprint(*v)
		}
		return fmt.Sprint(w.DocID, w.SourceURI, w.SentID, w.ID, w.Form, w.Lemma, w.UPOS, w.Feats, number(w.Head), w.Deprel,
			number(w.StartChar), number(w.EndChar), w.HeadConf != nil, w.Meta)
	}
	for _, w := range rowsOf[parquet.Word](t, folder, "words") {
		got = append(got, text(&w))
	}
	for _, tree := range rowsOf[parquet.Tree](t, folder, "trees") {
		words := parquet.AppendWords(nil, &tree)
		for i := range words {
			want = append(want, text(&words[i]))
		}
	}
	return got, want
}

// TestWords compares words/ with the trees, damages it and removes it.
func TestWords(t *testing.T) {
	dir := write(t, map[string]string{"a.csv": reviews(60), "b.conllu": "1\t\"\t_\t_\t_\t_\t_\t_\t_\t_\n\n", "c.txt": prose(20)})
	o := options(dir, filepath.Join(t.TempDir(), "out"))
	o.Rows.Keep, o.Rows.Words, o.RangeBytes = "stars", true, 700
	first := run(t, o)
	got, want := wordsOf(t, o.Output)
	if len(got) < 500 || strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Fatalf("%d words, %d in trees", len(got), len(want))
	}
	if !strings.Contains(got[0], "r0@") || !strings.Contains(got[0], "[{stars 0}]") {
		t.Errorf("the first word: %s", got[0])
	}
	parts, _ := filepath.Glob(filepath.Join(o.Output, "words", "*"))
	if len(parts) < 3 {
		t.Fatalf("parts %q", parts)
	}
	o.Verify = true
	for what, harm := range map[string]func(path string) error{
		"removed": os.Remove,
		"of another range": func(path string) error {
			return os.WriteFile(path, []byte(files(t, filepath.Dir(path))[filepath.Base(parts[1])]), 0o644)
		},
		"changed": func(path string) error {
			data := []byte(files(t, filepath.Dir(path))[filepath.Base(path)])
			data[len(data)/3] ^= 1
			return os.WriteFile(path, data, 0o644)
		},
	} {
		must(t, harm(parts[0]))
		same(t, "a part of words "+what, run(t, o), first)
	}
	stream := options(dir, "")
	stream.Rows.Words = true
	refused(t, discarded(stream), "--words is for Parquet")
	o.Rows.Words = false
	refused(t, tryRun(o), "--words: was true")
	o.Overwrite = true
	for name := range run(t, o) {
		if strings.HasPrefix(name, "words") {
			t.Errorf("%s is left", name)
		}
	}
}

// TestFlat reads tables of words with the library that other programs use: they
// have the rows of words/, and a header even without a row.
func TestFlat(t *testing.T) {
	dir := write(t, map[string]string{"a.csv": "text,note\n\"He said \"\"no\"\" .\",\"a\tb\nc\"\n", "b.conllu": "1\tx,y\t_\t_\t_\t_\t_\t_\t_\t_\n\n"})
	o := options(dir, "")
	o.Rows.Keep = "note"
	for to, comma := range map[string]rune{"tsv": '\t', "csv": ','} {
		o.To = to
		r := csv.NewReader(strings.NewReader(streamed(t, o)))
		r.Comma = comma
		rows, err := r.ReadAll()
		must(t, err)
		var got []string
		for _, row := range rows {
			got = append(got, fmt.Sprintf("%s|%s|%s|%s", row[0], row[3], row[4], row[len(row)-1]))
		}
		want := []string{"doc_id|id|form|meta_note", "a.csv#10|1|He|a\tb\nc", "a.csv#10|2|said|a\tb\nc", "a.csv#10|3|\"no\"|a\tb\nc", "a.csv#10|4|.|a\tb\nc", "b.conllu|1|x,y|"}
		if strings.Join(got, "\n") != strings.Join(want, "\n") {
			t.Errorf("%s:\n%q, want\n%q", to, got, want)
		}
		empty := options(write(t, map[string]string{"a.txt": ""}), "")
		empty.To, empty.Rows.Keep = to, "note"
		if header, _, _ := strings.Cut(streamed(t, o), "\n"); streamed(t, empty) != header+"\n" {
			t.Errorf("%s without a row: %q, want %q", to, streamed(t, empty), header)
		}
	}
}
