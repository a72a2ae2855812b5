package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/treebeam/treebeam/io/output"
	"github.com/treebeam/treebeam/io/parquet"
)

// craftOutput makes a complete output of these rows, whatever is in them: they
// may come from anywhere. Documents that are not given have a row of their own,
// and all count their rows.
func craftOutput(t *testing.T, trees []parquet.Tree, failures []parquet.Failure, documents []parquet.Document) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "crafted")
	m := output.Manifest{Record: output.Record{FP: strings.Repeat("ab", 32), Provenance: output.Provenance{FormatVersion: output.FormatVersion}}, Model: "m", Ranges: 1}
	documents = slices.Clone(documents)
	var sum output.Summary
	of := func(uri string) *parquet.Document {
		at := slices.IndexFunc(documents, func(d parquet.Document) bool { return d.SourceURI == uri })
		if at < 0 {
			at = len(documents)
			documents = append(documents, parquet.Document{DocID: uri, SourceURI: uri})
		}
		return &documents[at]
	}
	for i := range documents {
		documents[i].Trees, documents[i].Failures, documents[i].Warnings = 0, 0, 0
	}
	for i := range trees {
		of(trees[i].SourceURI).Trees++
	}
	for i := range failures {
		if d := of(failures[i].SourceURI); failures[i].Severity == "warning" {
			d.Warnings++
		} else {
			d.Failures++
		}
	}
	sum.Trees, sum.Sentences, sum.Errors, sum.Files = int64(len(trees)), int64(len(trees)), int64(len(failures)), int64(len(documents))
	writePart(t, dir, "trees", &m, trees)
	writePart(t, dir, "failures", &m, failures)
	writePart(t, dir, "documents", &m, documents)
	writeJSON(t, dir, output.SummaryFile, sum)
	m.Files = append(m.Files, output.Listed{Path: output.SummaryFile, Bytes: 1})
	must(t, os.WriteFile(filepath.Join(dir, output.ManifestFile), withDigest(t, m), 0o644))
	return dir
}

func writeJSON(t *testing.T, dir, name string, v any) {
	t.Helper()
	text, err := json.Marshal(v)
	must(t, err, os.WriteFile(filepath.Join(dir, name), text, 0o644))
}

func writePart[T parquet.Row](t *testing.T, dir, kind string, m *output.Manifest, rows []T) {
	t.Helper()
	name := kind + "/" + parquet.PartName(0, 1, m.FP)
	must(t, os.MkdirAll(filepath.Join(dir, kind), 0o755))
	var data bytes.Buffer
	w := parquet.NewWriter[T](&data, []parquet.KeyValue{
		{Key: parquet.KeyFingerprint, Value: m.FP}, {Key: parquet.KeyRange, Value: "0"}, {Key: parquet.KeyRanges, Value: "1"}})
	must(t, w.Write(rows...), w.Close(), os.WriteFile(filepath.Join(dir, name), data.Bytes(), 0o644))
	m.Files = append(m.Files, output.Listed{Path: name, Bytes: int64(data.Len()), Rows: int64(len(rows))})
}

// craftedTree is a sentence of one word of a document in a source.
func craftedTree(source, doc, form string, start int64) parquet.Tree {
	one := []string{form}
	return parquet.Tree{SentID: fmt.Sprintf("%s@%d", doc, start), Text: form, Tokens: one, Lemmas: one, UPOS: []string{"X"}, XPOS: []string{""},
		Feats: []string{""}, Head: []int32{0}, Deprel: []string{"root"}, Deps: []string{""}, Misc: []string{""},
		DocID: doc, SourceURI: source, StartByte: start, EndByte: start + 1, HeadMarginal: []float32{1}, Status: "ok"}
}

// Whatever the documents are called, each gets a file of its own below the
// folder, with all its sentences.
func TestPerFileWithHostileIDs(t *testing.T) {
	ids := []string{"../up", "/abs", "", "a", "a.conllu", "A", "a.conllu/b", "nul\x00", "new\nline", "..", strings.Repeat("n", 400), "x/../../y", "a/b"}
	var trees []parquet.Tree
	var documents []parquet.Document
	for i, id := range ids {
		source := fmt.Sprintf("in/%02d", i)
		documents = append(documents, parquet.Document{DocID: id, SourceURI: source, Format: "text", Blocks: 2, Sentences: 2, Trees: 2})
		// The ids of the rows repeat and come back: one file has many documents.
		trees = append(trees, craftedTree(source, "same", fmt.Sprintf("word%d", i), 0), craftedTree(source, fmt.Sprint("doc", i%2), fmt.Sprintf("word%d", i), 5))
	}
	out := craftOutput(t, trees, nil, documents)
	parent := t.TempDir()
	dir := filepath.Join(parent, "mirror")
	status, stdout, stderr := treebeam(t, "", "convert", out, "--per-file", dir, "--to", "text")
	if status != exitOK || stdout != "" || !strings.Contains(stderr, fmt.Sprintf("files written to %s: %d, with %d sentences\n", dir, len(ids), 2*len(ids))) ||
		!strings.Contains(stderr, `"../up" is in "%2E./up.txt"`) {
		t.Errorf("status %d\n%s", status, stderr)
	}
	var contents []string
	err := filepath.WalkDir(parent, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		if !strings.HasPrefix(path, dir+string(filepath.Separator)) {
			t.Errorf("%s was written outside of the folder", path)
		}
		text, err := os.ReadFile(path)
		contents = append(contents, string(text))
		return err
	})
	var want []string
	for i := range ids {
		want = append(want, fmt.Sprintf("word%d\nword%d\n", i, i))
	}
	slices.Sort(contents)
	slices.Sort(want)
	if err != nil || !slices.Equal(contents, want) {
		t.Errorf("%v, files hold %q, want %q", err, contents, want)
	}
}

// Files that are there are not replaced unless that is wanted, and then no
// others are touched.
func TestPerFileOverwrite(t *testing.T) {
	out := craftOutput(t, []parquet.Tree{craftedTree("in/a", "a", "new", 0), craftedTree("in/b", "b", "new", 0)}, nil,
		[]parquet.Document{{DocID: "a", SourceURI: "in/a", Format: "text", Blocks: 1}, {DocID: "b", SourceURI: "in/b", Format: "text", Blocks: 1}})
	dir := writeFiles(t, map[string]string{"b.txt": "precious\n", "other.txt": "mine\n"})
	read := func(name string) string {
		text, _ := os.ReadFile(filepath.Join(dir, name))
		return string(text)
	}
	status, _, stderr := treebeam(t, "", "convert", out, "--per-file", dir, "--to", "text")
	if status != exitRefused || !strings.Contains(stderr, `files that are there already: 1 of 2, such as "b.txt"`) || !strings.Contains(stderr, "--overwrite") ||
		read("b.txt") != "precious\n" || read("a.txt") != "" {
		t.Errorf("status %d, %q\n%s", status, read("b.txt"), stderr)
	}
	status, _, stderr = treebeam(t, "", "convert", out, "--per-file", dir, "--to", "text", "--overwrite")
	if status != exitOK || read("b.txt") != "new\n" || read("a.txt") != "new\n" || read("other.txt") != "mine\n" {
		t.Errorf("status %d, %q\n%s", status, read("b.txt"), stderr)
	}
}

// An output whose rows are not together is not taken for a good one.
func TestPerFileOfDamagedOutput(t *testing.T) {
	a, b := craftedTree("in/a", "a", "x", 0), craftedTree("in/b", "b", "x", 0)
	documents := []parquet.Document{{DocID: "a", SourceURI: "in/a", Blocks: 1}, {DocID: "b", SourceURI: "in/b", Blocks: 1}}
	for name, out := range map[string]string{
		"or are not together":  craftOutput(t, []parquet.Tree{a, b, a}, nil, documents),
		"no row in documents/": craftOutput(t, []parquet.Tree{a, b}, nil, documents[:1]),
	} {
		ends(t, exitFailed, name, "convert", out, "--per-file", t.TempDir())
	}
}

// Text is one sentence a line whatever is in it, and failed sentences are
// whole.
func TestConvertText(t *testing.T) {
	odd := craftedTree("in/a", "a", "x", 0)
	odd.Text = "no\u00a0break\u2028 and \r\n\tso\u0085 on  "
	block := "# treebeam_failure = why\n# text = " + strings.Repeat("long ", 400) + "end\n1\tlong\t_\t_\t_\t_\t_\t_\t_\t_\n\n"
	out := craftOutput(t, []parquet.Tree{odd}, []parquet.Failure{
		{DocID: "a", SourceURI: "in/a", ByteOffset: 50, Severity: "error", Stage: "parse", Reason: "why", Text: "cut", Block: block},
		{DocID: "a", SourceURI: "in/a", ByteOffset: 60, Severity: "error", Stage: "parse", Reason: "why", Text: "cut", Block: "1\ttwo\t_\t_\t_\t_\t_\t_\t_\t_\n2\twords\t_\t_\t_\t_\t_\t_\t_\t_\n\n"},
		{DocID: "a", SourceURI: "in/a", ByteOffset: 70, Severity: "error", Stage: "read", Reason: "no sentence", Text: "cut"},
	}, []parquet.Document{{DocID: "a", SourceURI: "in/a", Format: "conllu", Blocks: 3}})
	status, stdout, stderr := treebeam(t, "", "convert", out, "--to", "text")
	if want := "no\u00a0break and so on\n" + strings.Repeat("long ", 400) + "end\ntwo words\n"; status != exitOK || stdout != want {
		t.Errorf("status %d, %q", status, stdout)
	}
	if !strings.Contains(stderr, "2 sentences could not be parsed") || !strings.Contains(stderr, "could not be read: 1") {
		t.Errorf("%s", stderr)
	}
}

func TestFailures(t *testing.T) {
	line := int64(7)
	out := craftOutput(t, nil, []parquet.Failure{
		{DocID: "d\t1", SourceURI: "in/\nd", ByteOffset: 3, Line: &line, Stage: "read", Severity: "error", Kind: "not_text", Reason: "bad: \x1b[31mred", Text: "a\tb\r\nc\x00"},
		{DocID: "e", SourceURI: "in/e", Stage: "parse", Severity: "warning", Kind: "late_comment", Reason: "odd"},
	}, nil)
	const header = "doc_id\tsource_uri\tbyte_offset\tline\tstage\tseverity\tkind\treason\ttext\n"
	const first = "d 1\tin/ d\t3\t7\tread\terror\tnot_text\tbad: ␛[31mred\ta b c␀\n"
	const second = "e\tin/e\t0\t\tparse\twarning\tlate_comment\todd\t\n"
	for args, want := range map[string]string{
		"": header + first + second, "--severity all": header + first + second,
		"--severity error": header + first, "--errors": header + first, "--severity warning": header + second,
		"--kind not_text": header + first, "--kind cycle": header, "--kind not_text --severity warning": header,
		"--count": "2\n", "--count --errors": "1\n", "-c --kind cycle": "0\n",
		"--group kind --kind cycle": "rows\tkind\n", "--group kind": "rows\tkind\n1\tlate_comment\n1\tnot_text\n",
		"--group reason,source_uri --errors": "rows\treason\tsource_uri\n1\tbad: ␛[31mred\tin/ d\n",
	} {
		if status, stdout, stderr := treebeam(t, "", append([]string{"failures", out}, strings.Fields(args)...)...); status != exitOK || stdout != want {
			t.Errorf("%s: status %d %s\n%q", args, status, stderr, stdout)
		}
	}
	for _, args := range []string{"--severity bad", "--kind bad", "--errors --severity warning", "--group line", "--group kind,", "--group kind --count"} {
		if status, stdout, stderr := treebeam(t, "", append([]string{"failures", out}, strings.Fields(args)...)...); status != exitRefused || stdout != "" || stderr == "" {
			t.Errorf("%s: status %d %s%s", args, status, stdout, stderr)
		}
	}
	if status, stdout, _ := treebeam(t, "", "failures", craftOutput(t, nil, nil, nil)); status != exitOK || stdout != header {
		t.Errorf("status %d, %q", status, stdout)
	}
}

// The counts of groups are those of the rows, counted by hand: the largest first.
func TestFailureGroups(t *testing.T) {
	var rows []parquet.Failure
	for i := range 40 {
		f := parquet.Failure{SourceURI: fmt.Sprintf("in/%d", i%7), ByteOffset: int64(i), Stage: "read", Severity: "error", Kind: "no_text", Reason: "a"}
		if i%3 == 0 {
			f.Kind, f.Severity = "late_comment", "warning"
		}
		rows = append(rows, f)
	}
	slices.SortFunc(rows, func(a, b parquet.Failure) int { return strings.Compare(a.SourceURI, b.SourceURI) })
	out := craftOutput(t, nil, rows, nil)
	_, table, _ := treebeam(t, "", "failures", out)
	for name, column := range map[string]int{"source_uri": 1, "stage": 4, "severity": 5, "kind": 6, "reason": 7} {
		want := map[string]int{}
		for line := range strings.Lines(table) {
			want[strings.Split(line, "\t")[column]]++
		}
		delete(want, name) // the header
		status, stdout, stderr := treebeam(t, "", "failures", out, "--group", name)
		last, got := 1<<30, map[string]int{}
		for line := range strings.Lines(strings.TrimPrefix(stdout, "rows\t"+name+"\n")) {
			var n int
			var value string
			if _, err := fmt.Sscanf(line, "%d\t%s", &n, &value); err != nil || n > last {
				t.Errorf("%s: %q, %v after %d", name, line, err, last)
			}
			got[value], last = n, n
		}
		if status != exitOK || !maps.Equal(got, want) {
			t.Errorf("%s: status %d %s %v, want %v", name, status, stderr, got, want)
		}
	}
}

func TestShow(t *testing.T) {
	a, b, c := craftedTree("in/a", "a", "one", 0), craftedTree("in/b", "b", "\x1b[2Jtwo", 0), craftedTree("in/b", "b", "three", 9)
	a.HeadMarginal[0], c.HeadMarginal[0] = 0.5, 0.25
	d := craftedTree("in/c", "c", "four", 0)
	d.SentID = "b@9" // ids of CoNLL sentences may repeat
	out := craftOutput(t, []parquet.Tree{a, b, c, d}, nil, nil)
	for args, want := range map[string]string{
		"":                    "a@0 b@0 b@9 b@9",
		"--count 1":           "a@0",
		"--lowest 2":          "b@9 a@0",
		"--doc b":             "b@0 b@9",
		"--doc b --count 1":   "b@0",
		"--doc b --lowest 1":  "b@9",
		"--doc b --id b@9":    "b@9",
		"--id a@0 --lowest 9": "a@0",
		"--id b@9":            "b@9 b@9",
		"--id b@9 --count 1":  "b@9",
	} {
		status, stdout, stderr := treebeam(t, "", append([]string{"show", out}, strings.Fields(args)...)...)
		var ids []string
		for _, line := range strings.Split(stdout, "\n") {
			if strings.Contains(line, "@") {
				ids = append(ids, line)
			}
		}
		if got := strings.Join(ids, " "); status != exitOK || got != want || strings.Contains(stdout, "\x1b") {
			t.Errorf("%s: status %d %s\n%s", args, status, stderr, stdout)
		}
	}
	for args, want := range map[string]string{
		"--id none":         `has the id "none"; treebeam convert`,
		"--id a@0 --doc b":  `in the document "b" has the id "a@0"`,
		"--doc none":        "no sentence of a document with the id",
		"--doc mine/b":      `the id "mine/b"; did you mean "b"?`,
		"--lowest -1":       "must be 1 or more",
		"--doc b --id none": `in the document "b"`,
	} {
		ends(t, exitRefused, want, append([]string{"show", out}, strings.Fields(args)...)...)
	}
	if status, stdout, stderr := treebeam(t, "", "show", craftOutput(t, nil, nil, nil)); status != exitOK || stdout != "" || !strings.Contains(stderr, "has no trees") {
		t.Errorf("status %d %s%s", status, stdout, stderr)
	}
}

func TestReport(t *testing.T) {
	const attack = "<script>alert(1)</script>"
	out := craftOutput(t, []parquet.Tree{craftedTree("in/"+attack, attack, attack, 0)},
		[]parquet.Failure{{SourceURI: "in/" + attack, Stage: "read", Severity: "warning", Reason: "odd " + attack, Text: attack}},
		[]parquet.Document{{DocID: attack, SourceURI: "in/" + attack, SourceVersion: "v", Format: "text", Blocks: 1, Trees: 1, Words: 1, Warnings: 1}})
	file := filepath.Join(t.TempDir(), "report.html")
	status, stdout, stderr := treebeam(t, "", "report", out, "--output", file)
	page, err := os.ReadFile(file)
	if status != exitOK || stdout != "" || err != nil || !strings.Contains(stderr, file) {
		t.Fatalf("status %d, %v\n%s%s", status, err, stdout, stderr)
	}
	if text := string(page); strings.Contains(text, "<script") || strings.Count(text, "&lt;script&gt;") < 6 ||
		!strings.Contains(text, "1 word in 1 tree from 1 file; 0 errors, 1 warning.") {
		t.Errorf("%s", text)
	}
	if status, again, _ := treebeam(t, "", "report", out, "--output", "-"); status != exitOK || again != string(page) {
		t.Errorf("status %d: standard output gets other bytes", status)
	}
	t.Chdir(t.TempDir())
	ends(t, exitOK, "crafted-report.html", "report", out+"/")
	if text, err := os.ReadFile("crafted-report.html"); err != nil || string(text) != string(page) {
		t.Errorf("%v, or other bytes", err)
	}
	for args, want := range map[string]string{
		out + " --output " + out + "/trees/x.html":  "among the data",
		out + " --output " + out + "/manifest.json": "among the data",
		out + " --lowest -1":                        "from 0 to 1000",
		out + " --output none/x.html":               "cannot be written",
		"none":                                      "check the spelling",
		"a b":                                       "got 2 arguments",
	} {
		ends(t, exitRefused, want, append([]string{"report"}, strings.Fields(args)...)...)
	}
}

// A run that could parse nothing at all is no success: it ends with status 3,
// the reason in full, which names the remedy, and the command that shows more.
func TestNothingParsed(t *testing.T) {
	records := strings.Repeat(`{"id": 7, "body": "Here is text ."}`+"\n", 5)
	in := writeFiles(t, map[string]string{"a.jsonl": records})
	out := filepath.Join(t.TempDir(), "out")
	const why = `but "id", "body"; name the right one with --text`
	status, stdout, stderr := treebeam(t, "", toyCommand(in, "--json", "--output", out)...)
	if status != exitFailures || !strings.Contains(stdout, `"errors":5`) ||
		!strings.Contains(stderr, "  5 failures no_text (read), the first in "+filepath.Join(in, "a.jsonl")+", line 1: ") ||
		!strings.Contains(stderr, why) || !strings.Contains(stderr, "\nfor the full list: treebeam failures "+out+"\n") ||
		!strings.HasSuffix(stderr, "\nnothing could be parsed\n") {
		t.Errorf("status %d, output %q\n%s", status, stdout, stderr)
	}
	status, stdout, stderr = treebeam(t, "", toyCommand(in, "--to", "text")...)
	if status != exitFailures || stdout != "" || !strings.Contains(stderr, why) || !strings.Contains(stderr, "treebeam failures FOLDER") {
		t.Errorf("to standard output: status %d, %q\n%s", status, stdout, stderr)
	}
	ends(t, exitOK, "", toyCommand(in, "--output", out, "--overwrite", "--text", "body")...)
	// One tree is enough, and nothing to parse is no failure.
	for _, files := range []map[string]string{
		{"a.jsonl": records + `{"text": "One ."}` + "\n"},
		{"a.txt": ""},
	} {
		ends(t, exitOK, "", toyCommand(writeFiles(t, files), "--max-failures", "100%", "--output", filepath.Join(t.TempDir(), "out"))...)
	}
}

// A first night that could parse nothing makes nothing current, so that another
// option can be tried; a later one keeps what there is.
func TestNothingParsedAtNight(t *testing.T) {
	in := writeFiles(t, map[string]string{"a.jsonl": `{"body": "Here is text ."}` + "\n"})
	state := filepath.Join(t.TempDir(), "state")
	night := func(args ...string) (int, string) {
		status, _, stderr := treebeam(t, "", toyCommand(append([]string{in, "--state", state}, args...)...)...)
		return status, stderr
	}
	for range 2 {
		status, stderr := night()
		if status != exitFailures || !strings.Contains(stderr, "nothing could be parsed") || !strings.Contains(stderr, "treebeam failures "+state) {
			t.Errorf("status %d\n%s", status, stderr)
		}
		if _, err := os.Stat(filepath.Join(state, "CURRENT")); err == nil {
			t.Error("a night without trees is current")
		}
	}
	if status, stderr := night("--text", "body"); status != exitOK {
		t.Fatalf("with the right key: status %d\n%s", status, stderr)
	}
	if status, stderr := night("--text", "text", "--all"); status != exitFailures {
		t.Errorf("all anew, with the wrong key: status %d\n%s", status, stderr)
	}
	must(t, os.WriteFile(filepath.Join(in, "b.pdf"), []byte("%PDF-1.7\n"), 0o644))
	if status, stderr := night("--text", "body"); status != exitOK {
		t.Errorf("one more file, which is no text: status %d\n%s", status, stderr)
	}
}

// The pages and the help know the same exit statuses as the program, and 2,
// with which Go's runtime ends a crash, is none of them.
func TestStatusesAreDocumented(t *testing.T) {
	ours := []int{exitOK, exitFailed, exitFailures, exitRefused, exitInterrupted}
	row := regexp.MustCompile(`(?m)^\| (\d+)(?:, [^|]*)? \| `)
	tabled := func(page, heading string) (list []int) {
		text, err := os.ReadFile(filepath.Join("..", "..", page))
		must(t, err)
		_, table, found := strings.Cut(string(text), heading)
		if !found {
			t.Fatalf("%s has no table %q", page, heading)
		}
		table, _, _ = strings.Cut(table, "\n\n")
		for _, m := range row.FindAllStringSubmatch(table, -1) {
			n, err := strconv.Atoi(m[1])
			must(t, err)
			list = append(list, n)
		}
		return list
	}
	const killed = 137 // by the kernel, 128 and SIGKILL
	want := []int{exitOK, exitFailed, 2, exitFailures, exitRefused, exitInterrupted, killed, exitClosed}
	if got := slices.Compact(tabled("docs/failures.md", "| exit status | meaning |")); !slices.Equal(got, want) {
		t.Errorf("docs/failures.md explains %v, want %v", got, want)
	}
	_, help, _ := treebeam(t, "", "help")
	_, help, _ = strings.Cut(help, "Exit status:")
	var listed []int
	for _, m := range regexp.MustCompile(`(?:^|[,;])\s+(\d+)\b`).FindAllStringSubmatch(help, -1) {
		n, _ := strconv.Atoi(m[1])
		listed = append(listed, n)
	}
	if !slices.Equal(listed, ours) {
		t.Errorf("help explains %v, the program ends with %v", listed, ours)
	}
	if slices.Contains(append(ours, exitClosed), 2) {
		t.Error("2 is the status of a Go program that crashed")
	}
}

// A process that is refused ends with 64, whoever has started it.
func TestRefusedProcess(t *testing.T) {
	for _, args := range [][]string{
		{},
		{"prase"},
		{"--no-such-flag"},
		{"parse", "--max-words", "many"},
		{"--worker=true", "--no-such-flag"}, // a runner's call
	} {
		cmd := exec.Command(os.Args[0], args...)
		cmd.Env = append(os.Environ(), asProgram+"=1")
		out, _ := cmd.CombinedOutput()
		if got := cmd.ProcessState.ExitCode(); got != 64 {
			t.Errorf("%q: status %d\n%.500s", args, got, out)
		}
	}
}
