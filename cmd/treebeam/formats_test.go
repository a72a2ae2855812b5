package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/treebeam/treebeam/io/output"
	"github.com/treebeam/treebeam/pipeline"
)

// JSON lines through a run, a stream and convert give the golden file; a
// record's id is the document's, and no path.
func TestRecordsAreGolden(t *testing.T) {
	const golden = "testdata/records.conllu"
	out, mirror := filepath.Join(t.TempDir(), "out"), filepath.Join(t.TempDir(), "mirror")
	status, streamed, stderr := treebeam(t, "", toyCommand("--quiet", "testdata/records.jsonl", "--to", "conllu")...)
	if status != exitOK || !strings.Contains(stderr, "text is no string") {
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
		if err := os.WriteFile(golden, []byte(streamed), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
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
	_, stdout, stderr := treebeam(t, "", toyCommand("--quiet", in, "--to", "conllu", "--text-key", "body", "--id-key=meta.n", "--document", "line")...)
	for _, want := range []string{"# newdoc id = 7\n", "# newdoc id = y.txt#0\n", "# newdoc id = y.txt#13\n# newpar\n# sent_id = y.txt#13@13\n"} {
		if !strings.Contains(stdout, want) {
			t.Errorf("%q is missing in\n%s%s", want, stdout, stderr)
		}
	}
	c := newParseCommand(newCommand("parse", "", "").Flags())
	if err := c.flags.Parse([]string{"--text-key", "text", "--id-key", "id", "--document", "file"}); err != nil || c.options.Rows != pipeline.DefaultRows() {
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
