package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/treebeam/treebeam/io/conllu"
	"github.com/treebeam/treebeam/io/parquet"
	"github.com/treebeam/treebeam/parser/eval"
	"github.com/treebeam/treebeam/parser/syntax"
	"github.com/treebeam/treebeam/transforms/transformstest"
)

// Lists of files and exclusions do the same to Parquet, to streams and to states.
func TestFilesFrom(t *testing.T) {
	dir := memoryFolder(t)
	for name, text := range map[string]string{
		"a/x.txt": "One two .\n", "b/x.txt": "Three four .\n", "b/old/y.txt": "Five six .\n", "c [1].txt": "Seven eight .\n",
		"list": "b/x.txt\r\na/x.txt\n\nb\nc [1].txt\na/x.txt\n",
	} {
		path := filepath.Join(dir, name)
		must(t, os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644))
	}
	t.Chdir(dir)
	list, err := os.ReadFile("list")
	must(t, err)
	const want = "One two .\nFive six .\nThree four .\nSeven eight .\n" // in the order of the paths
	status, text, stderr := treebeam(t, "", toyCommand("--files-from", "list", "--to", "text")...)
	if status != exitOK || text != want {
		t.Errorf("status %d, %q, %s", status, text, stderr)
	}
	if status, text, stderr = treebeam(t, string(list), toyCommand("--files-from", "-", "--exclude", "old", "-t", "text", "--exclude", "a/*")...); status != exitOK ||
		text != "Three four .\nSeven eight .\n" {
		t.Errorf("status %d, %q, %s", status, text, stderr)
	}
	must(t, os.WriteFile("list.gz", []byte(zipped(string(list))), 0o644))
	if status, text, stderr = treebeam(t, "", toyCommand("--files-from", "list.gz", "-t", "text")...); status != exitOK || text != want {
		t.Errorf("status %d, %q, %s", status, text, stderr)
	}
	ends(t, exitOK, "", toyCommand("--files-from=list", "--output=out", "-q")...)
	if _, text, stderr = treebeam(t, "", "convert", "out", "--to", "text"); text != want {
		t.Errorf("%q, %s", text, stderr)
	}
	ends(t, exitRefused, "leaves no file", toyCommand("--files-from=list", "--exclude", "*.txt", "--state=state", "-q")...)
	ends(t, exitOK, "", toyCommand("--files-from=list", "--exclude", "b/*.txt", "--state=state", "-q")...)
	if _, text, stderr = treebeam(t, "", "convert", "state", "--to", "text"); text != "One two .\nFive six .\nSeven eight .\n" {
		t.Errorf("%q, %s", text, stderr)
	}
}

// A folder of mixed files is read by rules: the first that matches counts, and what it
// does not set is as the flags say. All ways to run give the same rows.
func TestRules(t *testing.T) {
	in := writeFiles(t, map[string]string{
		"tickets.csv":       "ticket,Body,Stars,state\nT1,One here .,5,open\n",
		"more.csv.gz":       zipped("ticket,Body\nT2,Two here .\n"),
		"old/tickets.csv":   "id,text\nT3,Three here .\n",
		"reviews.jsonl":     `{"id": "r4", "content": {"text": "Four here ."}, "stars": 3}` + "\n",
		"lines/a.txt":       "Five here .\nSix here .\n",
		"latin.txt":         "S\xe9pt here .\n",
		"left-as-flags.csv": "id,content\nT8,Eight here .\n",
	})
	rules := filepath.Join(t.TempDir(), "rules")
	must(t, os.WriteFile(rules, []byte("\ufeff# a comment\r\n\r\n*.csv: text=Body id=ticket keep=Stars,state\r\nlatin.*: encoding=windows-1252\n*.pdf: from=text\n"), 0o644))
	args := toyCommand(in, "--quiet", "--rule", "old/*.csv:", "--rule", `lines: document=line lines="paragraph"`, "--rule=left*: keep=stars", "--rules", rules,
		"--text", "content.text, content,text", "--keep", "stars")
	status, rows, stderr := treebeam(t, "", append(args, "--to", "jsonl")...)
	if status != exitOK || !strings.HasPrefix(stderr, "--rule \"*.pdf: from=text\": matches no file that no rule before it matches\n") {
		t.Errorf("status %d: %s", status, stderr)
	}
	for _, want := range []string{
		`"doc_id":"T1"`, `"doc_id":"T2"`, `"doc_id":"T3"`, `"doc_id":"r4"`, `"doc_id":"T8"`, `"doc_id":"lines/a.txt#0"`, `"doc_id":"lines/a.txt#12"`,
		`"text":"Sépt here ."`, `"text":"Two here ."`, `"text":"Eight here ."`, `"meta_stars":"5","meta_state":"open"`, `"meta_stars":"3"`,
	} {
		if !strings.Contains(rows, want) {
			t.Errorf("%s is missing in\n%s", want, rows)
		}
	}
	out, state := filepath.Join(t.TempDir(), "out"), filepath.Join(t.TempDir(), "state")
	ends(t, exitOK, "", append(args, "--output", out)...)
	ends(t, exitOK, "", append(args, "--state", state)...)
	for _, folder := range []string{out, state} {
		if _, text, stderr := treebeam(t, "", "convert", folder, "--to", "jsonl"); text != rows {
			t.Errorf("%s: %s, %s", folder, firstDifference(text, rows), stderr)
		}
	}
	ends(t, exitRefused, "--rule: was ", toyCommand(in, "--quiet", "--rule", "*.csv: text=Body", "--state", state)...)
	for rule, why := range map[string]string{
		"*.csv text=Body":     `there is no ": " after the pattern`,
		"*.csv: txt=Body":     `"txt" is not one of from, text, id, keep, encoding, lines, document, language`,
		"*.csv: text=a text=": "it sets text twice",
		"*.csv: text=":        "text: it is empty",
		`*.csv: text="a b`:    "a quote is not closed",
		"[: text=Body":        "is not a valid pattern",
		"#a: text=Body":       "begins with #",
		"*.csv: from=pdf":     `--rule "*.csv: from=pdf": --from: unknown format "pdf"`,
		"*.csv: keep=a,,b":    "a key is empty",
	} {
		ends(t, exitRefused, why, toyCommand(in, "--to", "conllu", "--rule", rule)...)
	}
}

// A file whose language cannot be found is not left out in silence.
func TestLanguagesOfFiles(t *testing.T) {
	in := t.TempDir()
	must(t, os.WriteFile(filepath.Join(in, "a.txt"), []byte("Nobody knows.\n"), 0o644),
		os.WriteFile(filepath.Join(in, "b.txt"), []byte(zipped("text")), 0o644))
	status, stdout, stderr := treebeam(t, "", "languages", in)
	if status != exitOK || !strings.Contains(stdout, "a.txt\ten\t") || strings.Contains(stdout, "b.txt") || !strings.Contains(stderr, "b.txt: not text: gzip data") {
		t.Errorf("status %d, %q, %q", status, stdout, stderr)
	}
}

// A list that cannot be read is refused; a file that it names and that is gone is
// a failure.
func TestListsRefused(t *testing.T) {
	dir := memoryFolder(t)
	must(t, os.WriteFile(filepath.Join(dir, "empty"), nil, 0o644), os.WriteFile(filepath.Join(dir, "a.txt"), []byte("One two .\n"), 0o644),
		os.WriteFile(filepath.Join(dir, "wrong"), []byte("no/such.txt\n"), 0o644), os.WriteFile(filepath.Join(dir, "gone"), []byte("no/such.txt\na.txt\n"), 0o644))
	t.Chdir(dir)
	transformstest.Register()
	for args, want := range map[string]string{
		"--files-from none":                 "--files-from none: no such file",
		"--files-from=":                     "--files-from is empty",
		"--files-from .":                    "--files-from .: is a directory",
		"--files-from empty":                "--files-from: empty: names no file",
		"--files-from wrong":                "no/such.txt: does not exist, and it is the only path in the list; check the working directory",
		"--files-from - -":                  "standard input is read once",
		"--files-from - --files-from -":     "standard input is read once",
		"--files-from ftp://b/list":         "ftp:// is not supported",
		"a.txt --exclude [":                 `--exclude "[": is not a valid pattern`,
		"--files-from gone --exclude *.txt": "leaves no file",
	} {
		if status, _, stderr := treebeam(t, "a.txt\n", toyCommand(append(strings.Fields(args), "-t", "conllu")...)...); status != exitRefused || !strings.Contains(stderr, want) {
			t.Errorf("%s: status %d, %s", args, status, stderr)
		}
	}
	status, stdout, stderr := treebeam(t, "", toyCommand("--files-from", "gone", "-t", "text")...)
	if status != exitOK || stdout != "One two .\n" || !strings.Contains(stderr, "no/such.txt") {
		t.Errorf("status %d, %q, %s", status, stdout, stderr)
	}
}

// withHeads is toyTrain with what hide says hidden: heads and deprels by
// sentence and word, both from 0.
func withHeads(t *testing.T, hide func(i, k int, w *syntax.Word)) (text string, gold []syntax.Sentence) {
	t.Helper()
	gold, err := conllu.ReadAll(toyTrain)
	must(t, err)
	var b []byte
	for i := range gold {
		s := gold[i]
		s.Words = slices.Clone(s.Words)
		for k := range s.Words {
			hide(i, k, &s.Words[k])
		}
		b = conllu.Append(b, &s)
	}
	return string(b), gold
}

// Whatever heads are given come back with their deprels, the others get heads
// that make a tree, and the file is otherwise the same. Without the option all
// heads are found.
func TestKeepHeads(t *testing.T) {
	for round := range 6 {
		kept := func(i, k int) bool { return (7*i+5*k+3*round+i*k)%6 < round }
		text, _ := withHeads(t, func(i, k int, w *syntax.Word) {
			if w.Deprel = fmt.Sprintf("given%d", k); !kept(i, k) {
				w.Head, w.Deprel = syntax.NoHead, ""
			}
		})
		status, out, stderr := treebeam(t, text, "parse", "--model", trainedToy(t), "-", "--from", "conllu", "--to", "conllu", "--keep-heads")
		if status != exitOK || stderr != "" {
			t.Fatalf("status %d\n%s", status, stderr)
		}
		got, err := conllu.ReadTrees(strings.NewReader(out), "output", conllu.Options{}) // checks that they are trees
		must(t, err)
		_, gold := withHeads(t, func(i, k int, w *syntax.Word) {})
		for i := range gold {
			for k := range gold[i].Words {
				w := &got[i].Words[k]
				if is := strings.HasPrefix(w.Deprel, "given"); is != kept(i, k) || w.Deprel == "" {
					t.Errorf("sentence %d, word %d: deprel %s", i+1, k+1, w.Deprel)
				}
				if kept(i, k) && w.Head != gold[i].Words[k].Head {
					t.Errorf("sentence %d, word %d: head %d, given %d", i+1, k+1, w.Head, gold[i].Words[k].Head)
				}
			}
		}
		if round == 5 {
			continue
		}
		_, free, _ := treebeam(t, text, "parse", "--model", trainedToy(t), "-", "--from", "conllu", "--to", "conllu")
		if strings.Contains(free, "given") || (free == out) != (round == 0) {
			t.Errorf("round %d: without the option\n%s", round, free)
		}
	}
}

// Wrong heads are kept too, and the rest of the tree is built around them.
func TestKeepHeadsAgainstTheModel(t *testing.T) {
	const text = `1	the	the	DET	DT	_	4	odd	_	_
2	boat	boat	NOUN	NN	_	_	_	_	_
3	sank	sink	VERB	VBD	_	1	_	_	_
4	.	.	PUNCT	.	_	_	_	_	_

`
	status, out, stderr := treebeam(t, text, "parse", "--model", trainedToy(t), "-", "--from", "conllu", "--to", "conllu", "--keep-heads")
	got, err := conllu.ReadTrees(strings.NewReader(out), "output", conllu.Options{})
	if status != exitOK || err != nil || len(got) != 1 {
		t.Fatalf("status %d, %v\n%s%s", status, err, out, stderr)
	}
	w := got[0].Words
	if w[0].Head != 4 || w[0].Deprel != "odd" || w[2].Head != 1 || w[2].Deprel == "" || w[2].Deprel == "odd" {
		t.Errorf("%s", out)
	}
}

// Heads that no tree can have are failures that say where, and the sentence
// comes back in its place without them.
func TestKeepHeadsRefused(t *testing.T) {
	sentence := func(heads ...string) string {
		var b strings.Builder
		b.WriteString("# a comment\n")
		for i, h := range heads {
			fmt.Fprintf(&b, "%d\tw%d\tw\tNOUN\tNN\t_\t%s\t_\t_\t_\n", i+1, i+1, h)
		}
		return b.String() + "\n"
	}
	text := sentence("2", "_", "_") + sentence("2", "3", "1", "_") + sentence("0", "_", "0") + sentence("_", "7") +
		sentence("_", "x") + sentence("_", "2") + sentence("2", "0")
	in := writeFiles(t, map[string]string{"a.conllu": text})
	dir := filepath.Join(t.TempDir(), "out")
	ends(t, exitOK, "", "parse", "--model", trainedToy(t), in, "--output", dir, "--keep-heads", "--max-failures", "100%")
	_, streamed, _ := treebeam(t, "", "parse", "--model", trainedToy(t), in, "--to", "conllu", "--keep-heads")
	status, converted, stderr := treebeam(t, "", "convert", dir, "--to", "conllu")
	if status != exitOK || streamed != converted {
		t.Errorf("status %d %s\nconverted\n%s\nstreamed\n%s", status, stderr, converted, streamed)
	}
	if parts := strings.Split(converted, "\n\n"); len(parts) != 8 || strings.Count(converted, "# treebeam_failure = ") != 5 ||
		strings.Contains(parts[0], "failure") || strings.Contains(parts[6], "failure") || !strings.Contains(parts[1], "failure") {
		t.Errorf("%s", converted)
	}
	paths, err := filepath.Glob(filepath.Join(dir, "failures", "*.parquet"))
	if err != nil || len(paths) != 1 {
		t.Fatal(paths, err)
	}
	r, err := parquet.Open[parquet.Failure](paths[0])
	must(t, err)
	defer r.Close()
	want := []struct {
		line   int64
		reason string
	}{{7, "cycle"}, {15, "words 1 and 3 are both roots"}, {19, "head 7 of word 2"}, {23, `"x" is not a number`}, {27, "cycle"}}
	k := 0
	for f, err := range r.All() {
		if err != nil || k == len(want) {
			t.Fatal(f, err)
		}
		lines := strings.Split(text[:f.ByteOffset], "\n")
		if *f.Line != want[k].line || !strings.Contains(f.Reason, want[k].reason) || f.Stage != "read" || int64(len(lines)) != want[k].line {
			t.Errorf("row %d: %+v at line %d, byte %d; want %+v", k, f, *f.Line, f.ByteOffset, want[k])
		}
		k++
	}
	if k != len(want) {
		t.Errorf("%d rows, want %d", k, len(want))
	}
}

// With --projective no two arcs cross, whatever the words; given heads that would have
// to be lifted are a failure.
func TestProjective(t *testing.T) {
	var b strings.Builder
	for i := range 60 {
		for k := range 3 + i%9 {
			tag := []string{"NOUN", "VERB", "DET", "PUNCT", "ADP"}[(i*k+i+2*k)%5]
			fmt.Fprintf(&b, "%d\tw%d\tw\t%s\t_\t_\t_\t_\t_\t_\n", k+1, (i+k)%7, tag)
		}
		b.WriteByte('\n')
	}
	crossing := func(args ...string) (count int) {
		status, out, stderr := treebeam(t, b.String(), append([]string{"parse", "--model", trainedToy(t), "-", "--from", "conllu", "--to", "conllu"}, args...)...)
		if status != exitOK || stderr != "" {
			t.Fatalf("status %d\n%s", status, stderr)
		}
		got, err := conllu.ReadTrees(strings.NewReader(out), "output", conllu.Options{})
		if err != nil || len(got) != 60 {
			t.Fatalf("%d sentences, %v", len(got), err)
		}
		for _, s := range got {
			r, err := eval.Evaluate([]syntax.Sentence{s}, []syntax.Sentence{s})
			must(t, err)
			count += r.Crossing.System
		}
		return count
	}
	if free, projective := crossing(), crossing("--projective"); free == 0 || projective != 0 {
		t.Errorf("%d crossing arcs, %d with --projective", free, projective)
	}
	const given = `1	a	a	NOUN	_	_	3	_	_	_
2	b	b	NOUN	_	_	4	_	_	_
3	c	c	NOUN	_	_	_	_	_	_
4	d	d	NOUN	_	_	_	_	_	_

`
	parse := []string{"parse", "--model", trainedToy(t), "-", "--from", "conllu", "--to", "conllu", "--keep-heads"}
	if _, out, _ := treebeam(t, given, parse...); !strings.Contains(out, "1\ta\ta\tNOUN\t_\t_\t3\t") || strings.Contains(out, "failure") {
		t.Errorf("%s", out)
	}
	if _, out, stderr := treebeam(t, given, append(parse, "--projective")...); !strings.Contains(out, "# treebeam_failure = the given head of word 2 is not kept") {
		t.Errorf("%s%s", out, stderr)
	}
}
