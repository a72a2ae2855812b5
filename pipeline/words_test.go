package pipeline

import (
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/treebeam/treebeam/io/output"
	"github.com/treebeam/treebeam/io/parquet"
)

// wordsOf are the rows of words/ of an output, as text, and those that follow from
// its trees.
func wordsOf(t *testing.T, folder string) (got, want []string) {
	t.Helper()
	m, err := output.Check(t.Context(), folder)
	if err != nil {
		t.Fatal(err)
	}
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
	for w, err := range parquet.Parts[parquet.Word](m.Parts(folder, "words")) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, text(w))
	}
	for tree, err := range parquet.Parts[parquet.Tree](m.Parts(folder, "trees")) {
		if err != nil {
			t.Fatal(err)
		}
		words := parquet.AppendWords(nil, tree)
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
			other, err := os.ReadFile(parts[1])
			if err != nil {
				return err
			}
			return os.WriteFile(path, other, 0o644)
		},
		"changed": func(path string) error {
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			data[len(data)/3] ^= 1
			return os.WriteFile(path, data, 0o644)
		},
	} {
		if err := harm(parts[0]); err != nil {
			t.Fatal(err)
		}
		same(t, "a part of words "+what, run(t, o), first)
	}
	stream := options(dir, "")
	stream.Rows.Words = true
	if _, err := Stream(t.Context(), stream, os.Stdout); !isRefusal(err) || !strings.Contains(err.Error(), "--words is for Parquet") {
		t.Errorf("a stream: %v", err)
	}
	o.Rows.Words = false
	if err := tryRun(o); !isRefusal(err) || !strings.Contains(err.Error(), "--words: was true") {
		t.Errorf("without words: %v", err)
	}
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
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, row := range rows {
			got = append(got, fmt.Sprintf("%s|%s|%s|%s", row[0], row[3], row[4], row[len(row)-1]))
		}
		want := []string{"doc_id|id|form|meta_note", "a.csv#1|1|He|a\tb\nc", "a.csv#1|2|said|a\tb\nc", "a.csv#1|3|\"no\"|a\tb\nc", "a.csv#1|4|.|a\tb\nc", "b.conllu|1|x,y|"}
		if strings.Join(got, "\n") != strings.Join(want, "\n") {
			t.Errorf("%s:\n%q, want\n%q", to, got, want)
		}
		empty := options(write(t, map[string]string{"a.txt": ""}), "")
		empty.To = to
		if got := streamed(t, empty); strings.Count(got, "\n") != 1 || !strings.HasPrefix(got, "doc_id") {
			t.Errorf("%s without a row: %q", to, got)
		}
	}
}
