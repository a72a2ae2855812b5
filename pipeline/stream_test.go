package pipeline

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/treebeam/treebeam/io/output"
	"github.com/treebeam/treebeam/transforms"
)

// ofStdin is the output for a file as it is for standard input.
func ofStdin(s, name string) string {
	s = strings.ReplaceAll(s, "# newdoc id = "+name+"\n", "# newdoc id = -\n")
	return strings.ReplaceAll(s, "# sent_id = "+name+"@", "# sent_id = -@")
}

// piped is a stream between two pipes, and its error when it has ended.
func piped(o Options) (toStdin *io.PipeWriter, fromStdout *io.PipeReader, done chan error) {
	stdin, toStdin := io.Pipe()
	fromStdout, stdout := io.Pipe()
	o.Stdin, done = stdin, make(chan error, 1)
	go func() {
		_, err := Stream(context.Background(), o, stdout)
		stdout.Close()
		done <- err
	}()
	return toStdin, fromStdout, done
}

// The writer of a pipe may wait for the tree of what it wrote before it
// writes more: this hangs if Stream waits for the end of its input.
func TestStreamIsNoBatch(t *testing.T) {
	for name, c := range map[string]struct {
		lines  string
		pieces []string
	}{
		"a line":   {"auto", []string{"One sentence is here .\n"}},
		"lines":    {"paragraph", []string{"One sentence is here .\n", "Another comes !\n", "A third .\n"}},
		"titles":   {"auto", []string{"A title\n\n", "Another title\n\n"}},
		"no ends":  {"paragraph", []string{"one\n", "two\n", "three\n"}},
		"wrapped":  {"wrapped", []string{"one\ntwo .\n\n", "three\nfour .\n\n"}},
		"CoNLL-U":  {"auto", []string{words("a", "b") + "\n", words("c") + "\n"}},
		"in bytes": {"auto", strings.SplitAfter("It ends .\nNot\n\nIt ends again .\n", "")},
	} {
		t.Run(name, func(t *testing.T) {
			o := options("-", "")
			o.Rows.Lines = c.lines
			toStdin, fromStdout, done := piped(o)
			var got bytes.Buffer
			b := make([]byte, 1<<16)
			for _, piece := range c.pieces {
				io.WriteString(toStdin, piece)
				if name == "in bytes" {
					continue
				}
				n, err := fromStdout.Read(b)
				must(t, err)
				got.Write(b[:n])
			}
			toStdin.Close()
			rest, _ := io.ReadAll(fromStdout)
			got.Write(rest)
			must(t, <-done)
			file := write(t, map[string]string{"a": strings.Join(c.pieces, "")})
			from := options(file, "")
			from.Rows.Lines = c.lines
			if want := ofStdin(streamed(t, from), "a"); got.String() != want {
				t.Errorf("got\n%s\nof a file\n%s", got.String(), want)
			}
		})
	}
}

func words(forms ...string) string {
	var b strings.Builder
	for i, form := range forms {
		b.WriteString(string(rune('1'+i)) + "\t" + form + strings.Repeat("\t_", 8) + "\n")
	}
	return b.String()
}

func TestStreamOfLongInput(t *testing.T) {
	text := prose(3000)
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	io.WriteString(z, text)
	z.Close()
	dir := write(t, map[string]string{"a.txt": text})
	for _, to := range []string{"conllu", "text", "jsonl"} {
		o := options(dir, "")
		o.To = to
		file := streamed(t, o)
		for name, stored := range map[string]string{"plain": text, "gzip": zipped.String()} {
			o.Inputs, o.Stdin = []string{"-"}, strings.NewReader(stored)
			got := streamed(t, o)
			if to == "conllu" && got != ofStdin(file, "a.txt") || to == "text" && got != file ||
				strings.Count(got, "\n") != strings.Count(file, "\n") {
				t.Errorf("%s, %s: %d bytes of standard input, %d of the file", to, name, len(got), len(file))
			}
		}
	}
}

// Lines of standard input mean what those of a file mean, although the first says too little.
func TestStreamOfLines(t *testing.T) {
	lines := strings.Repeat("A boat that nobody had seen before came in .\n", 600) + "It ends here . It does not end ?\n"
	o := options(write(t, map[string]string{"a.txt": lines}), "")
	o.To = "conllu"
	file := streamed(t, o)
	o.Inputs, o.Stdin = []string{"-"}, strings.NewReader(lines)
	if live := streamed(t, o); live != ofStdin(file, "a.txt") {
		t.Errorf("standard input has %d sentences, a file %d", strings.Count(live, "# text ="), strings.Count(file, "# text ="))
	}
}

// Standard input has its place among files: where "-" sorts.
func TestStreamAmongFiles(t *testing.T) {
	t.Chdir(write(t, map[string]string{"!first": "One .\n", "a": "Three .\n"}))
	o := options("a", "")
	o.Inputs = append(o.Inputs, "-", "!first")
	o.Stdin, o.To = strings.NewReader("Two .\n"), "text"
	if got := streamed(t, o); got != "One .\nTwo .\nThree .\n" {
		t.Errorf("got %q", got)
	}
}

// What was segmented or tagged and then parsed is what is parsed at once.
func TestStopAfter(t *testing.T) {
	dir := write(t, map[string]string{"a.txt": prose(20) + "Under _ score .\n", "b.conllu": small})
	whole := streamed(t, options(dir, ""))
	for _, stage := range []string{output.StopSegment, output.StopTag} {
		o := options(dir, "")
		o.Rows.StopAfter = stage
		before := toy.Parsed.Load()
		half := streamed(t, o)
		if toy.Parsed.Load() != before {
			t.Errorf("%s: something was parsed", stage)
		}
		upos := strings.Split(strings.Split(half, "\n")[4], "\t")[3]
		if (upos == "_") != (stage == output.StopSegment) || !strings.Contains(half, "\t_\t_\t_\t_\n") {
			t.Errorf("%s: gives\n%.400s", stage, half)
		}
		o.To = "jsonl"
		if rows := streamed(t, o); !strings.Contains(rows, `"head":[null,`) {
			t.Errorf("%s: gives\n%.400s", stage, rows)
		}
		o = options("-", "")
		o.Stdin = strings.NewReader(half)
		if got := streamed(t, o); got != whole {
			t.Errorf("%s and then the rest differ from all at once:\n%.1000s\nwant\n%.1000s", stage, got, whole)
		}
	}
	o := options(dir, filepath.Join(t.TempDir(), "out"))
	o.Rows.StopAfter = output.StopTag
	refused(t, tryRun(o), "--to conllu") // Parquet without trees
	o.Rows.StopAfter = "parse"
	refused(t, discarded(o), "")
}

// An interrupt ends a stream that waits for its input.
func TestStreamIsInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	stdin, w := io.Pipe()
	defer w.Close()
	defer stdin.Close()
	o := options("-", "")
	o.Stdin = stdin
	go io.WriteString(w, "It ends .\n")
	if _, err := Stream(ctx, o, writer(func() error { cancel(); return nil })); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// A writer that fails ends it, too: the reader of a pipe has had enough.
func TestStreamToClosedPipe(t *testing.T) {
	o := options("-", "")
	o.Stdin = strings.NewReader(prose(3000))
	if _, err := Stream(context.Background(), o, writer(func() error { return syscall.EPIPE })); !errors.Is(err, syscall.EPIPE) {
		t.Errorf("got %v", err)
	}
}

type writer func() error

func (f writer) Write(b []byte) (int, error) { return len(b), f() }

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
		must(t, err)
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
	refused(t, discarded(o), "") // text has no place for marks
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
			o := options("-", "")
			o.To, o.EndMarks = c.to, true
			o.Rows.From, o.Rows.Document = c.from, c.document
			toStdin, fromStdout, done := piped(o)
			out := bufio.NewReader(fromStdout)
			for i := range 3 {
				io.WriteString(toStdin, c.piece)
				for {
					line, err := out.ReadString('\n')
					must(t, err)
					if strings.Contains(line, fmt.Sprintf(`"document":%d,`, i+1)) {
						break
					}
				}
			}
			toStdin.Close()
			if rest, _ := io.ReadAll(out); len(rest) > 1 {
				t.Errorf("more than %q", rest)
			}
			must(t, <-done)
		})
	}
}
