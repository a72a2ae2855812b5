package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/treebeam/treebeam/io/output"
	"github.com/treebeam/treebeam/transforms"
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
		must(t, os.WriteFile(path, []byte(content), 0o644))
		f, err := os.OpenFile(path, os.O_RDWR, 0)
		must(t, err)
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
		must(t, os.MkdirAll(filepath.Dir(path), 0o755))
		must(t, os.WriteFile(path, []byte(content), 0o644))
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
	w, _ := gzip.NewWriterLevel(&b, gzip.BestSpeed)
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

// Everything that may be wrong with a file, and what must come of it: trees, rows of
// failures/ and a part of one's reason ("" is none).
func TestBadInput(t *testing.T) {
	badInput := map[string]struct {
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
	content := map[string]string{}
	for name, c := range badInput {
		content[name] = c.content
	}
	in := writeFiles(t, content)
	out := filepath.Join(t.TempDir(), "out")
	stdout, stderr := ends(t, exitOK, "", toyCommand("--input", in, "--output", out, "--json", "--max-failures", "90%")...)
	trees, rows, reasons := map[string]int64{}, map[string]int64{}, map[string]string{}
	from, err := output.Open(t.Context(), out)
	must(t, err)
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
	if !strings.Contains(stderr, "\ntrees: ") {
		t.Errorf("no summary in %q", stderr)
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

// With --strip-html, HTML leaves the text, and positions are those of the file.
func TestStripHTML(t *testing.T) {
	const text = "<p>Tom &amp; Ann <b>left</b>.</p>\n"
	path := filepath.Join(t.TempDir(), "a.txt")
	must(t, os.WriteFile(path, []byte(text), 0o644))
	stdout, _ := ends(t, exitOK, "", "parse", "--strip-html", "--to", "conllu", path)
	if want := fmt.Sprintf("# sent_id = a.txt@%d\n# text = Tom & Ann left.\n", strings.Index(text, "Tom")); !strings.Contains(stdout, want) {
		t.Errorf("no %q in\n%s", want, stdout)
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

// --threads bounds the process, and changes no byte.
func TestThreads(t *testing.T) {
	before := runtime.GOMAXPROCS(0)
	defer func() {
		runtime.GOMAXPROCS(before)
		transforms.SetCores(before)
	}()
	in := writeFiles(t, map[string]string{"x.txt": strings.Repeat("One two three .\n\nFour five .\n\n", 200)})
	var first string
	for i, flag := range []string{"--threads=1", "-j3"} {
		status, stdout, stderr := treebeam(t, "", toyCommand("-q", in, "--to", "conllu", flag)...)
		if status != exitOK || stdout == "" {
			t.Fatalf("%s: status %d, %s", flag, status, stderr)
		}
		if first == "" {
			first = stdout
		}
		if stdout != first {
			t.Errorf("%s changes the trees", flag)
		}
		if n, want := runtime.GOMAXPROCS(0), []int{1, 3, 2}[i]; n != want {
			t.Errorf("%s: %d threads", flag, n)
		}
	}
	for _, args := range [][]string{
		toyCommand(in, "--output", filepath.Join(t.TempDir(), "out"), "--threads", "-1"),
		{"eval", "--gold", toyDev, "--system", toyDev, "-j", "5000"},
		{"train", "--train", toyTrain, "--dev", toyDev, "--check", "--threads=-2"},
		{"calibrate", "--model", "m.tbm", "--dev", toyDev, "--threads=-2"},
		{"worker-pool", "--threads=-2"},
	} {
		ends(t, exitRefused, "must be from 1 to 1024", args...)
	}
}

// What is known of the text takes effect in parse and in eval.
func TestCustomByFlags(t *testing.T) {
	dir := memoryFolder(t)
	at := func(name string) string { return filepath.Join(dir, name) }
	for name, text := range map[string]string{
		"a.txt": "It ran to approx. no. 5 . New York ran .\n", "abbreviations": "approx.\nno.\n", "together": "New York\n", "exceptions": "ran\tINTJ\trun\n",
	} {
		must(t, os.WriteFile(at(name), []byte(text), 0o644))
	}
	flags := []string{"--abbreviations", at("abbreviations"), "--keep_together", at("together"), "--exceptions=" + at("exceptions"), "--unconstrained"}
	plain, _ := ends(t, exitOK, "", toyCommand(at("a.txt"), "--to", "conllu")...)
	got, _ := ends(t, exitOK, "", toyCommand(append(flags, at("a.txt"), "--to", "conllu")...)...)
	for part, want := range map[string][2]int{"# text = ": {4, 2}, "\tran\trun\tINTJ\t": {0, 2}, "\tNew York\t": {0, 1}, "\tfree\t": {0, 8}} {
		if n := [2]int{strings.Count(plain, part), strings.Count(got, part)}; n != want {
			t.Errorf("%q: %d without and with the lists, want %d\n%s", part, n, want, got)
		}
	}
	if _, out, _ := treebeam(t, "", toyCommand(append(flags, at("a.txt"), "--output", at("out"), "--quiet", "--json")...)...); out == "" {
		t.Error("no summary")
	}
	if _, converted, stderr := treebeam(t, "", "convert", at("out")); converted != got {
		t.Errorf("the run gives\n%s\nthe stream\n%s\n%s", converted, got, stderr)
	}
}

// Lists take effect in eval.
func TestCustomInEval(t *testing.T) {
	exceptions := filepath.Join(memoryFolder(t), "exceptions")
	must(t, os.WriteFile(exceptions, []byte(".\tX\n"), 0o644))
	eval := func(more ...string) string {
		t.Helper()
		out, _ := ends(t, exitOK, "", append([]string{"eval", "--gold", toyDev, "--model", trainedToy(t), "--gold-tokens", "--row", "x"}, more...)...)
		return out
	}
	plain, got := eval(), eval("--exceptions", exceptions)
	_, before, _ := strings.Cut(plain, "UPOS ")
	_, after, ok := strings.Cut(got, "UPOS ")
	if !ok || before == after {
		t.Errorf("full stops that are X change nothing: %s", got)
	}
	if out := eval("--unconstrained"); out == "" {
		t.Error("no figures of unconstrained trees")
	}
}

// An output of format version 3, written by the program of that time, is read
// by every command that reads outputs: columns that came later are null. Its
// folder is refused to a run, for this program makes other rows.
func TestFormat3(t *testing.T) {
	old, golden := filepath.Join("testdata", "format3"), filepath.Join("testdata", "format3.conllu")
	want, err := os.ReadFile(golden)
	must(t, err)
	trees := regexp.MustCompile("(?m)^# tree_conf = .*\n") // which that program did not print
	for name, c := range map[string]struct {
		args []string
		want string
	}{
		"convert":  {[]string{"convert", old, "--to", "conllu", "--conf"}, string(want)},
		"show":     {[]string{"show", old, "--lowest", "2"}, "garden.txt@"},
		"sample":   {[]string{"sample", old, "--uncertain", "2"}, "expected wrong by deprel_conf"},
		"failures": {[]string{"failures", old}, "column_count"},
		"diff":     {[]string{"diff", old, old, "--json"}, `"head_marginal"`},
		"eval":     {[]string{"eval", "--gold", golden, "--system", old}, "deprel_conf"},
		"report":   {[]string{"report", old, "--output", filepath.Join(t.TempDir(), "r.html")}, ""},
	} {
		status, stdout, stderr := treebeam(t, "", c.args...)
		if name == "convert" {
			stdout = trees.ReplaceAllString(unsigned(t, stdout), "")
		}
		if status != exitOK || !strings.Contains(stdout, c.want) || name == "convert" && stdout != c.want {
			t.Errorf("%s: status %d %s\n%s", name, status, stderr, stdout)
		}
		if strings.Contains(stdout+stderr, "upos_conf") || strings.Contains(stdout, "UPOSConf") {
			t.Errorf("%s: what version 3 had not is there:\n%s", name, stdout)
		}
	}
	out := filepath.Join(t.TempDir(), "out")
	must(t, os.CopyFS(out, os.DirFS(old)))
	ends(t, exitRefused, "name another --output", toyCommand(golden, "--output", out)...)
}
