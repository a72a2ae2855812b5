package pipeline

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/treebeam/treebeam/io/output"
)

// ofStdin is the output for a file as it is for standard input.
func ofStdin(s, name string) string {
	s = strings.ReplaceAll(s, "# newdoc id = "+name+"\n", "# newdoc id = -\n")
	return strings.ReplaceAll(s, "# sent_id = "+name+"@", "# sent_id = -@")
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
			stdin, toStdin := io.Pipe()
			fromStdout, stdout := io.Pipe()
			o := options("-", "")
			o.Stdin, o.Rows.Lines = stdin, c.lines
			done := make(chan error, 1)
			go func() {
				_, err := Stream(context.Background(), o, stdout)
				stdout.Close()
				done <- err
			}()
			var got bytes.Buffer
			b := make([]byte, 1<<16)
			for _, piece := range c.pieces {
				io.WriteString(toStdin, piece)
				if name == "in bytes" {
					continue
				}
				n, err := fromStdout.Read(b)
				if err != nil {
					t.Fatal(err)
				}
				got.Write(b[:n])
			}
			toStdin.Close()
			rest, _ := io.ReadAll(fromStdout)
			got.Write(rest)
			if err := <-done; err != nil {
				t.Fatal(err)
			}
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
	var refused *Refusal
	if err := tryRun(o); !errors.As(err, &refused) || !strings.Contains(err.Error(), "--to conllu") {
		t.Errorf("Parquet without trees: %v", err)
	}
	o.Rows.StopAfter = "parse"
	if _, err := Stream(context.Background(), o, io.Discard); !errors.As(err, &refused) {
		t.Errorf("unknown stage: %v", err)
	}
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
