package pipeline

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/treebeam/treebeam/io/output"
)

// marked parses stdin with end marks as JSON lines, and says of every line what
// it is: the document of a tree or failure, or the mark.
func marked(t *testing.T, o Options) (lines []string) {
	t.Helper()
	o.To, o.EndMarks = "jsonl", true
	for line := range strings.Lines(streamed(t, o)) {
		var row struct {
			endMark
			Doc      string `json:"doc_id"`
			Text     string `json:"text"`
			Severity string `json:"severity"`
		}
		if err := json.Unmarshal([]byte(line), &row); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		switch {
		case row.EndOf != "":
			lines = append(lines, fmt.Sprintf("end %d of %s: %d %d %d", row.Document, row.EndOf, row.Sentences, row.Failures, row.Warnings))
		case row.Severity != "":
			lines = append(lines, row.Severity+" "+row.Doc)
		default:
			lines = append(lines, row.Doc+" "+row.Text)
		}
	}
	return lines
}

func TestEndMarks(t *testing.T) {
	record := func(id, text string) string { return fmt.Sprintf("{\"id\": %q, \"text\": %q}\n", id, text) }
	for name, c := range map[string]struct {
		set  func(*Options)
		in   string
		want []string
	}{
		"records": {nil, record("a", "One .\n\nTwo .") + record("a", "Three .") + "\n" + record("b", " "),
			[]string{"a One .", "a Two .", "end 1 of a: 2 0 0", "a Three .", "end 2 of a: 1 0 0", "end 3 of b: 0 0 0"}},
		"no id": {nil, `{"text": "One ."}`, []string{"-#0 One .", "end 1 of -#0: 1 0 0"}},
		"no text": {nil, `{"id": "x"}` + "\n{\n" + record("a", "One ."),
			[]string{"error x", "end 1 of x: 0 1 0", "error -#12", "end 2 of -#12: 0 1 0", "a One .", "end 3 of a: 1 0 0"}},
		"panic": {nil, record("a", "One .\n\nPANICTAG .\n\nTwo ."),
			[]string{"a One .", "error a", "a Two .", "end 1 of a: 2 1 0"}},
		"bytes": {nil, "{\"id\": \"a\", \"text\": \"One \xff .\"}\n",
			[]string{"a One � .", "warning a", "end 1 of a: 1 0 1"}},
		"lines": {func(o *Options) { o.Rows.Document, o.Rows.From = output.ByLine, "text" }, "One .\n\nTwo .",
			[]string{"-#0 One .", "end 1 of -#0: 1 0 0", "-#7 Two .", "end 2 of -#7: 1 0 0"}},
		"text":           {nil, "One .\n\nTwo .", []string{"- One .", "- Two .", "end 1 of -: 2 0 0"}},
		"CoNLL-U":        {nil, words("a") + "\n" + words("b") + "\n", []string{"- a", "- b", "end 1 of -: 2 0 0"}},
		"no text at all": {nil, "%PDF-1.4\n", []string{"error -", "end 1 of -: 0 1 0"}},
		"rows": {func(o *Options) { o.Rows.From = "csv" }, "id,text\na,One .\nb,\nc,Two .\n",
			[]string{"a One .", "end 1 of a: 1 0 0", "end 2 of b: 0 0 0", "c Two .", "end 3 of c: 1 0 0"}},
		"nothing": {nil, "", []string{"end 1 of -: 0 0 0"}},
	} {
		t.Run(name, func(t *testing.T) {
			o := options("-", "")
			o.Stdin = strings.NewReader(c.in)
			if c.set != nil {
				c.set(&o)
			}
			if got := marked(t, o); strings.Join(got, "\n") != strings.Join(c.want, "\n") {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(c.want, "\n"))
			}
		})
	}
}

// A file has as many marks however it is cut, and the rows between are those of
// a stream without marks.
func TestEndMarksOfFiles(t *testing.T) {
	var records strings.Builder
	for i := range 500 {
		fmt.Fprintf(&records, "{\"id\": \"d%d\", \"text\": %q}\n", i, prose(i%4))
	}
	dir := write(t, map[string]string{"a.txt": prose(300), "b.jsonl": records.String(), "c.conllu": small, "d.txt": "", "e.pdf": "%PDF-1.4\n"})
	o := options(dir, "")
	o.To = "jsonl"
	plain := streamed(t, o)
	for _, size := range []int64{0, 700, 10_000} {
		o.RangeBytes, o.EndMarks = size, true
		var rows, marks strings.Builder
		for line := range strings.Lines(streamed(t, o)) {
			switch {
			case strings.HasPrefix(line, `{"end_of"`):
				marks.WriteString(line)
			case !strings.Contains(line, `"severity"`):
				rows.WriteString(line)
			}
		}
		if rows.String() != plain {
			t.Errorf("ranges of %d bytes: other rows than without marks", size)
		}
		if n := strings.Count(marks.String(), "\n"); n != 504 || !strings.Contains(marks.String(), `{"end_of":"d499","document":501,"sentences":`) {
			t.Errorf("ranges of %d bytes: %d marks", size, n)
		}
	}
	o.RangeBytes, o.To = 0, "conllu"
	got := streamed(t, o)
	o.EndMarks = false
	if without := streamed(t, o); markless(got) != without {
		t.Error("CoNLL-U without its marks is not CoNLL-U")
	}
	o.EndMarks, o.To = true, "text"
	var refused *Refusal
	if _, err := Stream(context.Background(), o, io.Discard); !errors.As(err, &refused) {
		t.Errorf("marks in text: %v", err)
	}
}

// markless is CoNLL-U without end marks.
func markless(s string) string {
	var b strings.Builder
	for block := range strings.SplitSeq(s, "\n\n") {
		if !strings.HasPrefix(block, "# treebeam_end = ") && block != "" {
			b.WriteString(block + "\n\n")
		}
	}
	return b.String()
}

// Who writes a document may wait for its mark before the next: this hangs if
// a mark waits for more input.
func TestEndMarksAreNoBatch(t *testing.T) {
	for name, c := range map[string]struct{ from, to, document, piece string }{
		"records":       {"jsonl", "jsonl", "", "{\"text\": \"One .\"}\n"},
		"empty records": {"jsonl", "jsonl", "", "{\"text\": \"\"}\n"},
		"no records":    {"jsonl", "jsonl", "", "x\n"},
		"lines":         {"text", "conllu", "line", "One .\n"},
		"long lines":    {"text", "conllu", "line", strings.Repeat("many words ", 20_000) + "\n"},
		"same ids":      {"jsonl", "conllu", "", "{\"id\": 1, \"text\": \"One .\"}\n"},
	} {
		t.Run(name, func(t *testing.T) {
			stdin, toStdin := io.Pipe()
			fromStdout, stdout := io.Pipe()
			o := options("-", "")
			o.Stdin, o.To, o.EndMarks = stdin, c.to, true
			o.Rows.From, o.Rows.Document = c.from, c.document
			done := make(chan error, 1)
			go func() {
				_, err := Stream(context.Background(), o, stdout)
				stdout.Close()
				done <- err
			}()
			out := bufio.NewReader(fromStdout)
			for i := range 3 {
				io.WriteString(toStdin, c.piece)
				for {
					line, err := out.ReadString('\n')
					if err != nil {
						t.Fatal(err)
					}
					if strings.Contains(line, fmt.Sprintf(`"document":%d,`, i+1)) {
						break
					}
				}
			}
			toStdin.Close()
			if rest, _ := io.ReadAll(out); len(rest) > 1 {
				t.Errorf("more than %q", rest)
			}
			if err := <-done; err != nil {
				t.Fatal(err)
			}
		})
	}
}
