package main

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/treebeam/treebeam/io/output"
	"github.com/treebeam/treebeam/io/parquet"
	"github.com/treebeam/treebeam/io/view"
	"github.com/treebeam/treebeam/parser/syntax"
	"github.com/treebeam/treebeam/pipeline"
)

func TestGrouped(t *testing.T) {
	for n, want := range map[int64]string{0: "0", 7: "7", 999: "999", 1000: "1,000", 2792415: "2,792,415", -1: "-1", -999: "-999", -1234567: "-1,234,567"} {
		if got := view.Number(n); got != want {
			t.Errorf("%d: %s, want %s", n, got, want)
		}
	}
	if view.Many(1, "tree") != "1 tree" || view.Many(0, "tree") != "0 trees" || view.Many(1200, "tree") != "1,200 trees" {
		t.Error(view.Many(1, "tree"), view.Many(0, "tree"), view.Many(1200, "tree"))
	}
}

// A shell gives back what a command that we name says.
func TestShellWord(t *testing.T) {
	for s, want := range map[string]string{
		"out/a-1.x": "out/a-1.x", "": "''", "my out": "'my out'", "a'b": `'a'\''b'`, "$(rm x)": "'$(rm x)'", "a;b": "'a;b'", "*": "'*'", "~x": "'~x'",
		`C:\out`: `'C:\out'`, "gs://b/out": "gs://b/out",
	} {
		if got := wordOf(s, false); got != want {
			t.Errorf("%q: %s, want %s", s, got, want)
		}
	}
	for s, want := range map[string]string{"out": "out", "-dash": "./-dash"} {
		if got := pathWord(s); got != want {
			t.Errorf("%q: %s, want %s", s, got, want)
		}
	}
	for s, want := range map[string]string{`C:\out`: `C:\out`, `C:\my out`: `"C:\my out"`, "a,b": `"a,b"`, "": `""`} {
		if got := wordOf(s, true); got != want {
			t.Errorf("on Windows, %q: %s, want %s", s, got, want)
		}
	}
}

// The first reason of every kind is there in full, errors before warnings,
// however many kinds there are, and then what shows all.
func TestReasonsInFull(t *testing.T) {
	sum := &output.Summary{Counts: output.Counts{Trees: 1000, Errors: 12, Warnings: 1}}
	long := strings.Repeat("why ", 200) + "end"
	for i, k := range []syntax.Kind{syntax.KindBytes, syntax.KindHead, syntax.KindCycle, syntax.KindNoRoot, syntax.KindJSON} {
		r := output.Reason{Stage: "read", Severity: "error", Kind: k, Count: 3, Reason: long, SourceURI: "in/a", ByteOffset: int64(i)}
		if k == syntax.KindBytes {
			r.Severity, r.Count, r.Line = "warning", 1, 7
		}
		sum.Reasons = append(sum.Reasons, r)
	}
	var b bytes.Buffer
	printReasons(&b, sum, "that is all")
	lines := strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
	if len(lines) != 6 || strings.Count(b.String(), long+"\n") != 5 || lines[5] != "that is all" {
		t.Fatal(b.String())
	}
	if want := "  3 failures bad_head (read), the first in in/a, byte 1: " + long; lines[0] != want {
		t.Errorf("%s\nwant %s", lines[0], want)
	}
	if want := "  1 warning invalid_bytes (read), in in/a, line 7: " + long; lines[4] != want {
		t.Errorf("%s\nwant %s", lines[4], want)
	}
	b.Reset()
	printReasons(&b, &output.Summary{Counts: output.Counts{Trees: 1000}}, "that is all")
	if b.Len() > 0 {
		t.Error(b.String())
	}
}

// What was done before counts in no rate.
func TestRunLines(t *testing.T) {
	sum := &output.Summary{Files: 2, Counts: output.Counts{Trees: 3000, Words: 60000, Warnings: 1}}
	for want, d := range map[string]pipeline.Done{
		"3,000 trees, 60,000 words from 2 files; no failures, 1 warning, in 10s (6,000 words/s)\n":                                        {Elapsed: 10 * time.Second, Words: 60000, Known: true, Finished: 4},
		"3,000 trees, 60,000 words from 2 files; no failures, 1 warning, in 10s\n":                                                        {Elapsed: 10 * time.Second, Finished: 4},
		"5,000 words parsed in 10s (500 words/s); with what an earlier run has done: 3,000 trees, 60,000 words from 2 files; no failures": {Elapsed: 10 * time.Second, Words: 5000, Known: true, Earlier: 3, Finished: 1},
		"1 part parsed in 10s; with what an earlier run has done: 3,000 trees":                                                            {Elapsed: 10 * time.Second, Earlier: 3, Finished: 1},
		"nothing to do: an earlier run has done all 4 parts; it has 3,000 trees, 60,000 words from 2 files; no failures, 1 warning\n":     {Elapsed: 20 * time.Millisecond, Known: true, Earlier: 4},
	} {
		var b bytes.Buffer
		printRun(&b, "my out", sum, &d)
		if !strings.Contains(b.String(), want) || strings.Contains(want, "nothing to do") && strings.Contains(b.String(), "words/s") {
			t.Errorf("%+v:\n%swant\n%s", d, b.String(), want)
		}
		if !strings.Contains(b.String(), "\nto see some: treebeam show 'my out'\n") {
			t.Error(b.String())
		}
	}
}

// The same command again has nothing to do; when parts are missing it counts
// only what it parses itself.
func TestContinuedSummary(t *testing.T) {
	in := writeFiles(t, map[string]string{"a.txt": strings.Repeat("One two .\n\n", 60), "b.txt": strings.Repeat("Three four .\n\n", 40)})
	folder := filepath.Join(t.TempDir(), "out")
	run := func() (s struct {
		Words       int64
		ParsedWords int64 `json:"parsed_words"`
	}, said string) {
		status, stdout, stderr := treebeam(t, "", toyCommand(in, "--output", folder, "--range-bytes", "200", "--json")...)
		if err := json.Unmarshal([]byte(stdout), &s); status != exitOK || err != nil {
			t.Fatalf("status %d, %v\n%s%s", status, err, stdout, stderr)
		}
		return s, stderr
	}
	first, said := run()
	if first.Words != 300 || first.ParsedWords != 300 || !strings.Contains(said, "words/s)") {
		t.Fatalf("%+v\n%s", first, said)
	}
	again, said := run()
	if again.Words != 300 || again.ParsedWords != 0 || !strings.Contains(said, "nothing to do: ") || strings.Contains(said, "words/s") {
		t.Errorf("again: %+v\n%s", again, said)
	}
	parts, err := filepath.Glob(filepath.Join(folder, "trees", "*.parquet"))
	must(t, err)
	must(t, os.Remove(parts[0]))
	rest, said := run()
	if rest.Words != 300 || rest.ParsedWords < 9 || rest.ParsedWords > 150 || !strings.Contains(said, "with what an earlier run has done: ") {
		t.Errorf("one part of %d missing: %+v\n%s", len(parts), rest, said)
	}
}

// A stream into a file says what is in it, in words and, if asked for, as JSON; one to
// standard output says nothing there but its rows.
func TestStreamSummary(t *testing.T) {
	in := writeFiles(t, map[string]string{"a.txt": "One two .\n"})
	file := filepath.Join(t.TempDir(), "a.conllu")
	for _, c := range []struct{ args, stdout, stderr string }{
		{"--to conllu --output " + file, "", file + ": 1 tree, 3 words from 1 file; no failures, in "},
		{"--to conllu --quiet --output " + file, "", ""},
		{"--to conllu --quiet --json --output " + file, `"parsed_words":3`, ""},
		{"--to text", "One two .\n", ""},
	} {
		status, stdout, stderr := treebeam(t, "", toyCommand(append(strings.Fields(c.args), in)...)...)
		if status != exitOK || !strings.Contains(stdout, c.stdout) || c.stdout == "" && stdout != "" ||
			!strings.HasPrefix(stderr, c.stderr) || c.stderr == "" && stderr != "" {
			t.Errorf("%s: status %d\n%s\n%s", c.args, status, stdout, stderr)
		}
	}
	ends(t, exitRefused, "standard output has the trees", toyCommand(in, "--to", "conllu", "--json")...)
}

// A key to keep that no record has is a warning for each file, wherever the trees go and
// wherever the records come from; the column is null.
func TestKeyOfNoRecord(t *testing.T) {
	const record = `{"text": "One two .", "stars": 3}` + "\n"
	in := writeFiles(t, map[string]string{"a.jsonl": record + record, "b.jsonl": record})
	const why = `value not kept: no record has the key "starz", but "text", "stars"` + "\n"
	keep := func(args ...string) []string { return toyCommand(append(args, "--keep", "starz,stars")...) }
	for _, c := range []struct {
		stdin string
		args  []string
		count int
	}{
		{"", keep(in, "--json", "--output", filepath.Join(t.TempDir(), "out")), 2},
		{"", keep(in, "--json", "--state", filepath.Join(t.TempDir(), "state")), 2},
		{"", keep(in, "--to", "jsonl", "--json", "--output", filepath.Join(t.TempDir(), "a.jsonl")), 2},
		{record + record, keep("-", "--from", "jsonl", "--to", "jsonl", "--json", "--output", filepath.Join(t.TempDir(), "a.jsonl")), 1},
	} {
		status, stdout, stderr := treebeam(t, c.stdin, c.args...)
		var sum output.Summary
		if err := json.Unmarshal([]byte(stdout), &sum); err != nil {
			t.Fatalf("%q: %v\n%s", c.args, err, stderr)
		}
		if status != exitOK || sum.Warnings != int64(c.count) || sum.Errors != 0 || len(sum.Reasons) != 1 || sum.Reasons[0].Kind != syntax.KindKept || !strings.Contains(stderr, why) {
			t.Errorf("%q: status %d, %+v\n%s", c.args, status, sum.Reasons, stderr)
		}
	}
}

// A run says at its end how good its trees are expected to be, if the model
// knows; sentences of five words the toy does not.
func TestForecast(t *testing.T) {
	line := regexp.MustCompile(`\nexpected: UPOS \d+\.\d, UAS \d+\.\d, LAS \d+\.\d \(standard error \d+\.\d\)\n`)
	summary := regexp.MustCompile(`"expected":\{"words":8,"upos":0\.\d{1,6},"upos_stderr":0\.\d{1,6},"uas":0\.\d{1,6},`)
	for text, known := range map[string]bool{"One two three .\n\nFour five six .\n": true, "One two three four .\n": false} {
		in := filepath.Join(t.TempDir(), "a.txt")
		must(t, os.WriteFile(in, []byte(text), 0o644))
		status, stdout, stderr := treebeam(t, "", toyCommand(in, "--json", "--output", filepath.Join(t.TempDir(), "out"))...)
		if status != exitOK || line.MatchString(stderr) != known || summary.MatchString(stdout) != known {
			t.Errorf("status %d\n%s\n%s", status, stdout, stderr)
		}
		status, stdout, stderr = treebeam(t, "", toyCommand(in, "--json", "--state", filepath.Join(t.TempDir(), "state"))...)
		if status != exitOK || line.MatchString(stderr) != known || summary.MatchString(stdout) != known {
			t.Errorf("a night: status %d\n%s\n%s", status, stdout, stderr)
		}
	}
}

// kindLine is a line of the table of kinds in docs/failures.md.
var kindLine = regexp.MustCompile("(?m)^\\| `([a-z_]+)` \\| (\\w+(?:, \\w+)*) \\| (\\w+(?:, \\w+)*) \\| .{10,} \\|$")

// docs/failures.md explains the kinds that there are, and no others.
func TestKindsAreExplained(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "failures.md"))
	must(t, err)
	_, table, _ := strings.Cut(string(page), "## Kinds")
	table, _, _ = strings.Cut(table, "\n## ")
	got := map[string]int{}
	for _, m := range kindLine.FindAllStringSubmatch(table, -1) {
		got[m[1]]++
	}
	want := map[string]int{}
	for _, k := range syntax.Kinds() {
		want[k.String()]++
	}
	if !maps.Equal(got, want) {
		t.Errorf("docs/failures.md explains %q, but the kinds are %q", slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(want)))
	}
}

// checkKind fails on a row without a kind, or of a kind that no input should
// lead to.
func checkKind(t *testing.T, row *parquet.Failure) {
	t.Helper()
	f, err := parquet.FromFailure(row)
	if err != nil || f.Kind == syntax.KindInternal || f.Reason == "" {
		t.Errorf("row %+v: %v", row, err)
	}
}
