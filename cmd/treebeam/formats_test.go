package main

import (
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/treebeam/treebeam/io/conllu"
	"github.com/treebeam/treebeam/io/output"
	"github.com/treebeam/treebeam/pipeline"
)

// JSON lines through a run, a stream and convert give the golden file; a
// record's id is the document's, and no path.
func TestRecordsAreGolden(t *testing.T) {
	const golden = "testdata/records.conllu"
	out, mirror := filepath.Join(t.TempDir(), "out"), filepath.Join(t.TempDir(), "mirror")
	status, streamed, stderr := treebeam(t, "", toyCommand("--quiet", "testdata/records.jsonl", "--to", "conllu")...)
	if status != exitOK || !strings.Contains(stderr, "not a string") {
		t.Fatalf("status %d: %s", status, stderr)
	}
	ends(t, exitOK, "", toyCommand("--quiet", "testdata/records.jsonl", "--output", out)...)
	_, converted, _ := treebeam(t, "", "convert", out, "--to", "conllu")
	if converted != streamed {
		t.Errorf("the run's output differs from the stream's, %s", firstDifference(converted, streamed))
	}
	ends(t, exitOK, "", "convert", out, "--to", "conllu", "--per-file", mirror)
	if text, err := os.ReadFile(filepath.Join(mirror, "records.jsonl.conllu")); err != nil || string(text) != converted {
		t.Errorf("--per-file: %v, %s", err, firstDifference(string(text), converted))
	}
	streamed = unsigned(t, streamed)
	if *rewrite {
		must(t, os.WriteFile(golden, []byte(streamed), 0o644))
	}
	want, err := os.ReadFile(golden)
	must(t, err)
	if streamed != string(want) {
		t.Errorf("differs from %s, %s", golden, firstDifference(streamed, string(want)))
	}
	sum, err := output.ReadSummary(out)
	if err != nil || sum.Records != 8 || sum.Blocks != 9 || sum.BlocksFailed != 2 || sum.Errors != 2 || sum.Trees != 8 {
		t.Errorf("summary %+v, %v", sum, err)
	}
	if status, stdout, _ := treebeam(t, "", "show", out, "--id", "2@129"); status != exitOK || !strings.Contains(stdout, "A second record 😀 .") {
		t.Errorf("show: status %d: %s", status, stdout)
	}
}

// The flags reach the reader, and those that say what is the default anyway
// make no other run.
func TestFormatFlags(t *testing.T) {
	in := writeFiles(t, map[string]string{"x.txt": `{"meta": {"n": 7}, "body": "One here . Two ."}` + "\n", "y.txt": "Three here .\nFour here .\n"})
	_, stdout, stderr := treebeam(t, "", toyCommand("--quiet", in, "--to", "conllu", "--text", "body", "--id=meta.n", "--document", "line")...)
	for _, want := range []string{"# newdoc id = 7\n", "# newdoc id = y.txt#0\n", "# newdoc id = y.txt#13\n# newpar\n# sent_id = y.txt#13@13\n"} {
		if !strings.Contains(stdout, want) {
			t.Errorf("%q is missing in\n%s%s", want, stdout, stderr)
		}
	}
	c := newParseCommand(newCommand("parse", "", "").Flags())
	if err := c.flags.Parse([]string{"--text", "text", "--id", "id", "--document", "file"}); err != nil || c.options.Rows != pipeline.DefaultRows() {
		t.Errorf("got %+v, %v", c.options.Rows, err)
	}
	for _, args := range [][]string{{"--document", "page"}, {"--document", "line", "--lines", "wrapped"}, {"--from", "pdf"}} {
		ends(t, exitRefused, "--", toyCommand(append(args, in, "--to", "conllu")...)...)
	}
}

// Pre-tokenised text keeps its tokens, by both ways.
func TestTokenFormats(t *testing.T) {
	in := writeFiles(t, map[string]string{"x.tok": "Don't stop\t! Now\n\nGo on\n", "y.txt": "A\tDET\nNew York\n\nIt\n"})
	const want = `# newdoc id = x.tok
# newpar
# sent_id = x.tok@0
# text = Don't stop ! Now
1	Don't	don't	NOUN	_	_	0	root	_	_
2	stop	stop	ADJ	_	_	1	dep	_	_
3	!	!	ADJ	_	_	2	dep	_	_
4	Now	now	ADJ	_	_	3	dep	_	_

# newpar
# sent_id = x.tok@18
# text = Go on
1	Go	go	VERB	_	_	0	root	_	_
2	on	on	ADJ	_	_	1	dep	_	_

`
	out := filepath.Join(t.TempDir(), "out")
	status, streamed, stderr := treebeam(t, "", toyCommand("--quiet", filepath.Join(in, "x.tok"), "--to", "conllu")...)
	if status != exitOK || unsigned(t, streamed) != want {
		t.Errorf("status %d\n%s%s", status, streamed, stderr)
	}
	ends(t, exitOK, "", toyCommand("--quiet", filepath.Join(in, "x.tok"), "--output", out)...)
	if _, converted, _ := treebeam(t, "", "convert", out); unsigned(t, converted) != want {
		t.Errorf("converted: %s", firstDifference(converted, want))
	}
	_, streamed, stderr = treebeam(t, "", toyCommand("--quiet", "--from", "vertical", filepath.Join(in, "y.txt"), "--to", "conllu")...)
	if !strings.Contains(streamed, "# text = A New York\n1\tA\t") || !strings.Contains(streamed, "\n2\tNew York\tnew york\t") || strings.Contains(streamed, "newpar") {
		t.Errorf("vertical:\n%s%s", streamed, stderr)
	}
}

// The name of an output says what is written.
func TestFormatOf(t *testing.T) {
	t.Chdir(writeFiles(t, map[string]string{"folder.conllu/x": "", "file.conllu": ""}))
	for name, want := range map[string]string{
		"out": "", "out/": "", "a.conllu/": "", "folder.conllu": "", "out.d/run": "", ".conllu.d": "", "out.parquet": "",
		"file.conllu": "conllu", "new.conllu": "conllu", "dir/NEW.CoNLLU.gz": "conllu", "x.conllu.zst": "conllu", "x.gz": "", "x.conllu.bz2": "",
		"x.jsonl": "jsonl", "x.ndjson.gz": "jsonl", "x.txt": "text", "x.tree": "tree", "x.svg": "svg", "x.html": "html", "x.htm": "html",
	} {
		if got := formatOf(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

// Without --to, trees are CoNLL-U on standard output, and what --output names
// elsewhere.
func TestOutputSaysTheFormat(t *testing.T) {
	in := writeFiles(t, map[string]string{"a.txt": fine})
	dir := t.TempDir()
	parse := func(args ...string) string {
		t.Helper()
		stdout, _ := ends(t, exitOK, "", toyCommand(append([]string{"--quiet", in}, args...)...)...)
		return stdout
	}
	want := parse("--to", "conllu")
	if got := parse(); got != want || !strings.HasPrefix(got, "# generator") {
		t.Errorf("without flags:\n%s", got)
	}
	if got := parse("-o", "-"); got != want {
		t.Errorf("with -o -:\n%s", got)
	}
	unpack := map[string]func(io.Reader) (io.Reader, error){
		"x.conllu":     func(r io.Reader) (io.Reader, error) { return r, nil },
		"x.conllu.gz":  func(r io.Reader) (io.Reader, error) { return gzip.NewReader(r) },
		"x.conllu.zst": func(r io.Reader) (io.Reader, error) { return zstd.NewReader(r) },
	}
	for name, open := range unpack {
		path := filepath.Join(dir, name)
		parse("-o", path)
		f, err := os.Open(path)
		must(t, err)
		defer f.Close()
		r, err := open(f)
		must(t, err)
		if text, err := io.ReadAll(r); err != nil || string(text) != want {
			t.Errorf("%s: %v\n%s", name, err, text)
		}
	}
	parse("-o", filepath.Join(dir, "out"))
	if _, err := output.Open(t.Context(), filepath.Join(dir, "out")); err != nil {
		t.Errorf("a folder: %v", err)
	}
	if _, got, _ := treebeam(t, "", "convert", filepath.Join(dir, "out"), "-o", filepath.Join(dir, "y.jsonl")); got != "" {
		t.Errorf("convert prints %s", got)
	}
	if text, err := os.ReadFile(filepath.Join(dir, "y.jsonl")); err != nil || !strings.HasPrefix(string(text), "{") {
		t.Errorf("%v: %.100s", err, text)
	}
}

// A run that fails leaves no half of a file, compressed or not.
func TestNoHalfOfAFile(t *testing.T) {
	in := writeFiles(t, map[string]string{"a.txt": "One two .\n\nThree four .\n"})
	for _, name := range []string{"x.svg", "x.svg.gz", "x.svg.zst"} {
		dir := t.TempDir()
		status, _, stderr := treebeam(t, "", toyCommand(in, "-o", filepath.Join(dir, name))...)
		left, err := os.ReadDir(dir)
		if status != exitRefused || err != nil || len(left) != 0 || !strings.Contains(stderr, "html") {
			t.Errorf("%s: status %d, %v left: %s", name, status, left, stderr)
		}
	}
}

// TestShownTreesAreRight holds the trees that README.md and make run show, as
// the golden test has them, against trees by hand: form, head, deprel.
func TestShownTreesAreRight(t *testing.T) {
	sents, err := conllu.ReadAll("testdata/sample.conllu")
	must(t, err)
	trees := map[string]string{}
	for i := range sents {
		var b strings.Builder
		for _, w := range sents[i].Words {
			fmt.Fprintf(&b, "%s %d %s, ", w.Form, w.Head, w.Deprel)
		}
		trees[strings.Split(b.String(), " ")[0]+fmt.Sprint(len(sents[i].Words))] = strings.TrimSuffix(b.String(), ", ")
	}
	for name, want := range map[string]string{
		"Dear3":  "Dear 2 amod, Ines 0 root, , 2 punct",
		"Thank6": "Thank 0 root, you 1 obj, for 5 case, the 5 det, seeds 1 obl, ! 1 punct",
		"The8":   "The 2 det, slugs 3 nsubj, found 0 root, them 3 obj, on 7 case, the 7 det, tenth 3 obl, . 3 punct",
	} {
		if trees[name] != want {
			t.Errorf("%s: %q, want %q: choose other trees to show", name, trees[name], want)
		}
	}
}

// Trees are shown of an output, of files and of standard input alike, and what
// parse writes at once is the same.
func TestShowsTheSame(t *testing.T) {
	in := writeFiles(t, map[string]string{"a.txt": fine, "b.txt": "Here is one more .\n"})
	out := filepath.Join(t.TempDir(), "out")
	ends(t, exitOK, "", "parse", "--quiet", "--fast", in, "-o", out)
	_, text, _ := treebeam(t, "", "convert", out, "--conf")
	file := filepath.Join(writeFiles(t, map[string]string{"x.conllu": text}), "x.conllu")
	for _, flags := range []string{"", "--conf", "--lemmas --color always", "--to html --conf"} {
		args := strings.Fields(flags)
		show := func(stdin string, names ...string) string {
			t.Helper()
			status, stdout, stderr := treebeam(t, stdin, append(append([]string{"show", "-n", "99"}, names...), args...)...)
			if status != exitOK || stderr != "" {
				t.Errorf("%s: status %d: %s", flags, status, stderr)
			}
			return stdout
		}
		want := show("", out)
		if got := show("", file); got != want {
			t.Errorf("%s: of a file: %s", flags, firstDifference(got, want))
		}
		if got := show(text, "-"); got != want {
			t.Errorf("%s: of standard input: %s", flags, firstDifference(got, want))
		}
		if !strings.Contains(flags, "--to") {
			args = append(args, "--to", "tree")
		}
		if _, got, stderr := treebeam(t, "", append([]string{"parse", "--fast", in}, args...)...); got != want {
			t.Errorf("%s: parse: %s%s", flags, firstDifference(got, want), stderr)
		}
		if _, got, stderr := treebeam(t, "", append([]string{"convert", out}, args...)...); got != want {
			t.Errorf("%s: convert: %s%s", flags, firstDifference(got, want), stderr)
		}
	}
	if _, got, _ := treebeam(t, "", "show", out, "--id", "b.txt@0"); !strings.Contains(got, "Here is one more .\n") || !strings.Contains(got, "─╼ Here") {
		t.Errorf("got\n%s", got)
	}
	if _, got, _ := treebeam(t, text, "show", "-", "--doc", "b.txt", "--to", "svg"); !strings.HasPrefix(got, "<svg ") || !strings.Contains(got, "<title>Here is one more .</title>") {
		t.Errorf("got\n%s", got)
	}
}

// Standard output that is no terminal has no colors unless they are wanted.
func TestColor(t *testing.T) {
	in := writeFiles(t, map[string]string{"a.txt": fine})
	for when, want := range map[string]bool{"": false, "auto": false, "never": false, "always": true} {
		args := []string{in, "--to", "tree"}
		if when != "" {
			args = append(args, "--color", when)
		}
		if _, got, stderr := treebeam(t, "", toyCommand(args...)...); strings.Contains(got, "\x1b[") != want || got == "" {
			t.Errorf("%q: %s%s", when, got, stderr)
		}
	}
	ends(t, exitRefused, "always", toyCommand(in, "--color", "blue")...)
}

func TestShowRefusals(t *testing.T) {
	dir := writeFiles(t, map[string]string{"a.txt": "Some text .\n", "two.conllu": "1\ta\t_\t_\t_\t_\t0\troot\t_\t_\n\n1\tb\t_\t_\t_\t_\t0\troot\t_\t_\n\n", "none.conllu": "# nothing\n"})
	for args, want := range map[string]string{
		"":                     "name an output folder",
		"a.txt":                "treebeam parse",
		"missing.conllu":       "does not exist",
		"two.conllu --id x":    "# sent_id",
		"two.conllu --doc x":   "# newdoc id",
		"two.conllu --to svg":  "--to html",
		"two.conllu --to text": "must be tree, svg, html or tikz",
	} {
		fields := strings.Fields(args)
		if len(fields) > 0 {
			fields[0] = filepath.Join(dir, fields[0])
		}
		if status, stdout, stderr := treebeam(t, "", append([]string{"show"}, fields...)...); status != exitRefused || stdout != "" || !strings.Contains(stderr, want) {
			t.Errorf("%s: status %d %s%s", args, status, stdout, stderr)
		}
	}
	if status, stdout, stderr := treebeam(t, "", "show", "-"); status != exitOK || stdout != "" || !strings.Contains(stderr, "no trees") {
		t.Errorf("status %d %s%s", status, stdout, stderr)
	}
}

// What is drawn or searched is not written over, however it is named.
func TestDrawnFilesStay(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "x.conllu")
	const text = "1\tGo\tgo\tVERB\t_\t_\t0\troot\t_\t_\n\n"
	must(t, os.WriteFile(file, []byte(text), 0o644))
	for _, name := range []string{file, dir, filepath.Join(dir, "*.conllu"), filepath.Join(dir, "**", "x*")} {
		for _, args := range [][]string{{"show", name, "--to", "tree", "-o", file}, {"find", name, "VERB", "-o", file}} {
			ends(t, exitRefused, "it would be lost", args...)
		}
	}
	ends(t, exitOK, "", "show", filepath.Join(dir, "*.conllu"), "--to", "tree", "-o", filepath.Join(dir, "new.txt"))
	if b, err := os.ReadFile(file); err != nil || string(b) != text {
		t.Errorf("the file is %q now, %v", b, err)
	}
}

// Without a file, parse reads what is piped into it, but only for a stream: a
// scheduler's run that lacks its input must not wait for one.
func TestPiped(t *testing.T) {
	const text = "The old boat wasn't theirs to sell.\n"
	status, named, stderr := treebeam(t, text, "parse", "--fast", "-")
	if status != exitOK || !strings.Contains(named, "\tboat\t") {
		t.Fatalf("status %d: %s%s", status, stderr, named)
	}
	if status, piped, stderr := treebeam(t, text, "parse", "--fast"); status != exitOK || piped != named {
		t.Errorf("without a dash: status %d, %s%s", status, stderr, piped)
	}
	out := t.TempDir() + "/out"
	if status, _, stderr := treebeam(t, text, "parse", "--fast", "--output", out); status != exitRefused || !strings.Contains(stderr, "no input") {
		t.Errorf("to Parquet: status %d, %s", status, stderr)
	}
	null, err := os.Open(os.DevNull)
	must(t, err)
	defer null.Close()
	if isPiped(null) {
		t.Errorf("%s is taken for input", os.DevNull)
	}
}
