package pipeline

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/treebeam/treebeam/io/output"
	"github.com/treebeam/treebeam/transforms"
)

// However many sentences are asked for, they are the first ones, on any number of
// threads, with those that have failed in their places.
func TestLimit(t *testing.T) {
	dir := write(t, map[string]string{
		"a.txt": prose(7) + "PANICPARSE here .\n\nAnd PANICTAG .\n", "b.conllu": small, "c.txt": strings.Repeat("One two . Three .\n\n", 9), "d.txt": "",
	})
	for _, to := range []string{"conllu", "text"} {
		o := options(dir, "")
		o.To = to
		all := streamed(t, o)
		var rows []string
		if to == "text" {
			rows = strings.SplitAfter(strings.TrimSuffix(all, "\n"), "\n")
		} else {
			rows = strings.SplitAfter(strings.TrimSuffix(all, "\n"), "\n\n")
		}
		if len(rows) < 20 {
			t.Fatalf("%d rows", len(rows))
		}
		for n := 1; n <= len(rows)+1; n++ {
			o := options(dir, "")
			o.To, o.Limit, o.RangeBytes = to, int64(n), 50
			transforms.SetCores(1 + n%4)
			want := all
			if n < len(rows) {
				want = strings.Join(rows[:n], "")
			}
			if got := streamed(t, o); got != want {
				t.Errorf("%s, %d of %d: got\n%s\nwant\n%s", to, n, len(rows), got, want)
			}
		}
	}
	transforms.SetCores(2)
}

// The sums of a run with a limit are those of what it has written.
func TestLimitSums(t *testing.T) {
	dir := write(t, map[string]string{
		"a.txt": prose(7) + "PANICPARSE here .\n\nAnd PANICTAG .\n", "b.conllu": small, "c.txt": strings.Repeat("One two . Three .\n\n", 9), "d.pdf": "%PDF-1.4\n",
	})
	sums := func(limit int64) (*output.Summary, string) {
		var b strings.Builder
		o := options(dir, "")
		o.To, o.Limit, o.RangeBytes = "tsv", limit, 50
		sum, err := Stream(t.Context(), o, &b)
		if err != nil {
			t.Fatal(err)
		}
		return sum, b.String()
	}
	whole, _ := sums(0)
	if whole.Files != 4 || whole.Errors != 3 || whole.SentencesFailed != 2 {
		t.Fatalf("sums %+v", whole)
	}
	for n := int64(1); n <= whole.Sentences; n++ {
		sum, out := sums(n)
		var want output.Counts
		for line := range strings.Lines(out[strings.IndexByte(out, '\n')+1:]) {
			if want.Words++; strings.Split(line, "\t")[3] == "1" {
				want.Trees++
			}
		}
		if sum.Sentences != n || sum.Trees != want.Trees || sum.Words != want.Words || sum.SentencesFailed != n-want.Trees || sum.Errors != sum.SentencesFailed ||
			sum.Blocks != sum.Segmented+sum.BlocksFailed || sum.Files < 1 || sum.Files > 3 {
			t.Errorf("limit %d: %d files, %+v, written were %d trees, %d words", n, sum.Files, sum.Counts, want.Trees, want.Words)
		}
		if n == whole.Sentences && (sum.Files != 3 || sum.Words != whole.Words || sum.Expected != whole.Expected) {
			t.Errorf("sums %+v of all sentences, want %+v", sum, whole)
		}
	}
}

// An input without end ends.
func TestLimitOfEndlessInput(t *testing.T) {
	from, to := io.Pipe()
	go func() {
		for i := 0; ; i++ {
			if _, err := fmt.Fprintf(to, "Line %d .\n", i); err != nil {
				return
			}
		}
	}()
	defer from.Close()
	o := options("-", "")
	o.Stdin, o.To, o.Limit, o.Rows.Lines = from, "text", 3, "sentence"
	if got := streamed(t, o); got != "Line 0 .\nLine 1 .\nLine 2 .\n" {
		t.Errorf("got %q", got)
	}
}

func TestLimitRefused(t *testing.T) {
	for want, change := range map[string]func(*Options){
		"must be 1 or more":  func(o *Options) { o.Limit = -1 },
		"exclude each other": func(o *Options) { o.Limit, o.EndMarks = 1, true },
	} {
		o := options(write(t, map[string]string{"a.txt": "One ."}), "")
		change(&o)
		if _, err := Stream(t.Context(), o, io.Discard); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	o := options(write(t, map[string]string{"a.txt": "One ."}), t.TempDir()+"/out")
	o.Limit = 5
	if err := tryRun(o); err == nil || !strings.Contains(err.Error(), "--limit 5: a run that writes Parquet parses all") {
		t.Errorf("got %v", err)
	}
}
