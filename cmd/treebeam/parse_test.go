package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/treebeam/treebeam/io/output"
	"github.com/treebeam/treebeam/transforms/transformstest"
)

// treebeam runs the program in this process and returns what it printed.
func treebeam(t *testing.T, stdin string, args ...string) (status int, stdout, stderr string) {
	t.Helper()
	return treebeamTo(t, stdin, nil, args...)
}

// ends runs the program, which must end with a status and say something, and returns
// what it printed.
func ends(t *testing.T, want int, said string, args ...string) (stdout, stderr string) {
	t.Helper()
	status, stdout, stderr := treebeam(t, "", args...)
	if status != want || !strings.Contains(stderr, said) {
		t.Errorf("%q: status %d, want %d and %q:\n%s%s", args, status, want, said, stdout, stderr)
	}
	if status != want && want == exitOK {
		t.FailNow() // what follows needs its output
	}
	return stdout, stderr
}

// treebeamTo is treebeam with its own standard output, nil for a file that is
// returned.
func treebeamTo(t *testing.T, stdin string, out *os.File, args ...string) (status int, stdout, stderr string) {
	t.Helper()
	dir := t.TempDir()
	stream := func(name, content string) *os.File {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
		f, err := os.OpenFile(path, os.O_RDWR, 0)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	oldIn, oldOut, oldErr := os.Stdin, os.Stdout, os.Stderr
	os.Stdin, os.Stdout, os.Stderr = stream("in", stdin), stream("out", ""), stream("err", "")
	if out != nil {
		os.Stdout.Close()
		os.Stdout = out
	}
	log.SetOutput(io.Discard)
	defer func() {
		os.Stdin.Close()
		if out == nil {
			os.Stdout.Close()
		}
		os.Stderr.Close()
		os.Stdin, os.Stdout, os.Stderr = oldIn, oldOut, oldErr
		log.SetOutput(oldErr)
	}()
	status = dispatch(context.Background(), args)
	written, _ := os.ReadFile(filepath.Join(dir, "out"))
	text, _ := os.ReadFile(filepath.Join(dir, "err"))
	return status, string(written), string(text)
}

func writeFiles(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// toyCommand is parse with the toy model.
func toyCommand(args ...string) []string {
	transformstest.Register()
	return append([]string{"parse", "--model", transformstest.ModelURI}, args...)
}

func zipped(s string) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	io.WriteString(w, s)
	w.Close()
	return b.String()
}

// words makes a CoNLL-U sentence of n words whose heads form a cycle.
func words(n int) string {
	var b strings.Builder
	for i := 1; i <= n; i++ {
		fmt.Fprintf(&b, "%d\tw%d\t_\t_\t_\t_\t%d\tdep\t_\t_\n", i, i, i%n+1)
	}
	return b.String() + "\n"
}

const fine = "Here is text .\n\nAnd more of it .\n"

// noise does not compress well.
func noise(n int) string {
	var b strings.Builder
	for i := uint32(1); b.Len() < n; i++ {
		fmt.Fprintf(&b, "w%x ", i*2654435761)
	}
	return b.String()
}

// badInput is everything that may be wrong with a file, and what must come of
// it: trees, rows of failures/ and a part of one's reason ("" is none).
var badInput = map[string]struct {
	content string
	trees   int64
	rows    int64
	reason  string
}{
	"fine.txt":         {fine, 2, 0, ""},
	"invalid.txt":      {"Bad \xff\xfe byte .\n\n" + fine, 3, 1, "invalid bytes"},
	"nul.txt":          {"A NUL \x00 here .\n\n" + strings.Repeat(fine, 40), 81, 1, ""},
	"bom.txt":          {"\ufeff" + fine, 2, 0, ""},
	"crlf.txt":         {strings.ReplaceAll(fine, "\n", "\r\n"), 2, 0, ""},
	"empty.txt":        {"", 0, 0, ""},
	"blank.txt":        {" \n\n\t\n", 0, 0, ""},
	"line.txt":         {strings.Repeat(strings.Repeat("x", 999)+" ", 30000) + ".", -1, 0, ""},
	"long.txt":         {strings.Repeat("word ", 20000) + ".\n", -1, 0, ""},
	"long.conllu":      {words(20000), 1, 0, ""},
	"truncated.txt.gz": {zipped(fine + noise(300000))[:60000], -1, 1, ""},
	"zipped.txt.gz":    {zipped(fine), 2, 0, ""},
	"paper.pdf":        {"%PDF-1.7\n\x00\x01\x02binary", 0, 1, "not text"},
	"cyclic.conllu":    {words(3), 1, 0, ""},
	"broken.conllu":    {words(2) + "1\tno\tcolumns\n\n" + words(2) + "2\tx\t_\t_\t_\t_\t_\t_\t_\t_\n\n" + words(2), 3, 2, "column"},
	"crlf.conllu":      {strings.ReplaceAll("\ufeff"+words(2), "\n", "\r\n"), 1, 0, ""},
}

func TestBadInput(t *testing.T) {
	content := map[string]string{}
	for name, c := range badInput {
		content[name] = c.content
	}
	in := writeFiles(t, content)
	out := filepath.Join(t.TempDir(), "out")
	stdout, stderr := ends(t, exitOK, "", toyCommand("--input", in, "--output", out)...)
	trees, rows, reasons := map[string]int64{}, map[string]int64{}, map[string]string{}
	from, err := output.Open(t.Context(), out)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := from.Sentences(func(r *output.Row) error {
		trees[r.DocID]++
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	_, table, _ := treebeam(t, "", "failures", out)
	for _, line := range strings.Split(strings.TrimSpace(table), "\n")[1:] {
		cells := strings.Split(line, "\t")
		rows[cells[0]]++
		reasons[cells[0]] += cells[7] + "\n"
	}
	for name, c := range badInput {
		if trees[name] != c.trees && (c.trees >= 0 || trees[name] < 1) {
			t.Errorf("%s: %d trees, want %d", name, trees[name], c.trees)
		}
		if rows[name] != c.rows || !strings.Contains(reasons[name], c.reason) {
			t.Errorf("%s: %d failure rows, want %d with %q:\n%s", name, rows[name], c.rows, c.reason, reasons[name])
		}
	}
	var last struct {
		output.Summary
		Seconds *float64
	}
	lines := strings.Split(strings.TrimSpace(stdout), "\n")
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &last); err != nil || last.Seconds == nil {
		t.Fatalf("last line %q: %v", lines[len(lines)-1], err)
	}
	if last.Files != int64(len(badInput)) || last.Blocks != last.Segmented+last.BlocksFailed ||
		last.Sentences != last.Trees+last.SentencesFailed || last.Status["long"] < 20 || last.Status["repaired"] < 2 {
		t.Errorf("summary %+v", last.Summary)
	}
	if !strings.Contains(stderr, "trees are in") {
		t.Errorf("no summary in %q", stderr)
	}
}

func TestRefusedBeforeAnyWork(t *testing.T) {
	in := writeFiles(t, map[string]string{"a.txt": fine, "bad.tbm": "no model", "file": "x"})
	at := func(name string) string { return filepath.Join(in, name) }
	transformstest.Register()
	for name, c := range map[string]struct {
		args []string
		want []string // cause and remedy
	}{
		"missing input":  {toyCommand(at("none.txt"), "--output", at("out")), []string{"none.txt"}},
		"no output":      {toyCommand(at("a.txt"), "--overwrite"), []string{"--output"}},
		"remote file":    {toyCommand(at("a.txt"), "-o", "gs://b/x.conllu"), []string{"local file"}},
		"bad output":     {toyCommand(at("a.txt"), "--output", at("file/out")), []string{"is a file", "name another"}},
		"foreign model":  {[]string{"parse", at("a.txt"), "--output", at("out"), "--model", at("bad.tbm")}, []string{"bad.tbm"}},
		"unknown option": {toyCommand(at("a.txt"), "--output", at("out"), "--fast-please"), []string{"unknown option --fast-please", "--help"}},
		"bad value":      {toyCommand(at("a.txt"), "--output", at("out"), "--max-words", "many"), []string{"many"}},
		"bad format":     {toyCommand(at("a.txt"), "--to", "xml"), []string{"xml", "conllu"}},
		"bad limit":      {toyCommand(at("a.txt"), "--output", at("out"), "--max-failures", "x"), []string{"--max-failures"}},
		"no command":     {[]string{"prase"}, []string{"treebeam help"}},
		"no folder":      {[]string{"convert", at("none")}, []string{"does not exist", "check the spelling"}},
		"runner":         {toyCommand(at("a.txt"), "--output", at("out"), "--runner=flink", "--environment_type=DOCKER"), []string{"--shared-filesystem"}},
	} {
		t.Run(name, func(t *testing.T) {
			for _, name := range []string{"runner", "environment_type"} { // the flags are the process's
				defer flag.Set(name, flag.Lookup(name).Value.String())
			}
			status, stdout, stderr := treebeam(t, "", c.args...)
			if status != exitRefused || stdout != "" {
				t.Errorf("status %d, output %q", status, stdout)
			}
			for _, want := range c.want {
				if !strings.Contains(stderr, want) {
					t.Errorf("no %q in %q", want, stderr)
				}
			}
			if _, err := os.Stat(at("out")); err == nil {
				t.Error("something was written")
			}
		})
	}
}

func TestToCoNLLU(t *testing.T) {
	status, stdout, stderr := treebeam(t, "One two .\n", toyCommand("-", "--to", "conllu")...)
	if status != exitOK || !strings.Contains(stdout, "# text = One two .\n1\tOne\tone\t") || stderr != "" {
		t.Errorf("status %d\n%s\n%s", status, stdout, stderr)
	}
	in := writeFiles(t, map[string]string{"a.conllu": words(2), "b.txt": "PANICTAG .\n"})
	file := filepath.Join(t.TempDir(), "x.conllu")
	status, stdout, stderr = treebeam(t, "", toyCommand(in, "--to=conllu", "--output="+file, "--max_failures=0")...)
	if status != exitFailures || stdout != "" || !strings.Contains(stderr, "b.txt") {
		t.Errorf("status %d\n%s\n%s", status, stdout, stderr)
	}
	got, err := os.ReadFile(file)
	if err != nil || !strings.HasPrefix(unsigned(t, string(got)), "1\tw1\tw1\t") || !strings.Contains(string(got), "# treebeam_failure = internal") {
		t.Errorf("%v\n%s", err, got)
	}
}

// Schedulers pass flags only, with underscores.
func TestFlagsOnly(t *testing.T) {
	in := writeFiles(t, map[string]string{"sub/a.txt": fine})
	out := filepath.Join(t.TempDir(), "out")
	transformstest.Register()
	args := []string{"--runner=DirectRunner", "--job_name=nightly", "--model=" + transformstest.ModelURI,
		"--input=" + in, "--output=" + out, "--max_words=50"}
	ends(t, exitOK, "", args...)
	status, stdout, _ := treebeam(t, "", "show", out, "--count", "1")
	if status != exitOK || !strings.HasPrefix(stdout, "sub/a.txt@0\nHere is text .\n") || !strings.Contains(stdout, "─╼ Here ") {
		t.Errorf("status %d, show gives\n%s", status, stdout)
	}
	status, stdout, _ = treebeam(t, "", "show", "--id", "sub/a.txt@16", out)
	if status != exitOK || !strings.Contains(stdout, "And more of it .") || strings.Contains(stdout, "Here") {
		t.Errorf("status %d, show --id gives\n%s", status, stdout)
	}
	status, stdout, _ = treebeam(t, "", "show", "--lowest", "1", out)
	if status != exitOK || strings.Count(stdout, "sub/a.txt@") != 1 {
		t.Errorf("status %d, show --lowest gives\n%s", status, stdout)
	}
	status, stdout, _ = treebeam(t, "", "convert", out, "--to", "text")
	if status != exitOK || stdout != "Here is text .\nAnd more of it .\n" {
		t.Errorf("status %d, convert --to text gives\n%s", status, stdout)
	}
	status, stdout, _ = treebeam(t, "", "convert", out, "--to", "jsonl")
	var row map[string]any
	first, _, _ := strings.Cut(stdout, "\n")
	if err := json.Unmarshal([]byte(first), &row); err != nil || status != exitOK || row["sent_id"] != "sub/a.txt@0" || row["tree_conf"] != 0.5 || row["certificate"] != "all" {
		t.Errorf("status %d, %v: convert --to jsonl gives\n%s", status, err, first)
	}
	mirror := t.TempDir()
	ends(t, exitOK, "", "convert", out, "--per-file", mirror)
	if _, err := os.Stat(filepath.Join(mirror, "sub", "a.txt.conllu")); err != nil {
		t.Error(err)
	}
}

func TestIsWorker(t *testing.T) {
	for args, want := range map[string]bool{
		"--worker=true --id=1 --control_endpoint=x": true,
		"--id=1 --worker":      true,
		"-worker":              true,
		"--worker=false":       false,
		"parse --worker":       false,
		"--input=x --output=y": false,
	} {
		if got := isWorker(strings.Fields(args)); got != want {
			t.Errorf("%q: %v", args, got)
		}
	}
}

func TestHelp(t *testing.T) {
	for _, args := range [][]string{{"help"}, {"--help"}, {"help", "parse"}, {"parse", "--help"}, {"version"}, {"help", "beam"}} {
		status, stdout, stderr := treebeam(t, "", args...)
		if status != exitOK || stdout == "" || stderr != "" {
			t.Errorf("%v: status %d\n%s\n%s", args, status, stdout, stderr)
		}
	}
	if _, stdout, _ := treebeam(t, "", "help", "parse"); strings.Contains(stdout, "job_name") || !strings.Contains(stdout, "--max-failures N") {
		t.Errorf("help parse gives\n%s", stdout)
	}
}
