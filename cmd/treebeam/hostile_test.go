package main

import (
	"bytes"
	"compress/bzip2"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode"

	pq "github.com/parquet-go/parquet-go"

	"github.com/treebeam/treebeam/io/conllu"
	"github.com/treebeam/treebeam/io/output"
	"github.com/treebeam/treebeam/io/parquet"
	"github.com/treebeam/treebeam/io/source"
	"github.com/treebeam/treebeam/parser/syntax"
	"github.com/treebeam/treebeam/transforms/transformstest"
)

// A hostile case is a run of treebeam parse on bad input or in a bad place,
// with what must come of it. What every run owes, see check, holds beside.
type hostile struct {
	in       map[string]string              // files below the folder IN
	setup    func(t *testing.T, dir string) // what the map cannot say; IN is dir/in
	args     []string                       // IN, OUT and DIR stand for folders; nil is IN --output OUT
	stdin    string                         //
	hook     func(t *testing.T, dir string) // called once, when the first sentence is parsed
	want     int                            // exit status
	trees    int64                          // -1: some
	rows     []row                          // all rows of failures/, in order
	last     string                         // part of standard error
	once     bool                           // large: no second run, and standard output is not read
	model    bool                           // with the embedded model, not the toy
	accurate bool                           // with model: by the accurate model, not the fast one
	quick    bool                           // takes at most maxProcessor
	after    func(t *testing.T, dir string) // further checks
}

// A row is a row of failures/ by document ("" is any), stage and a part of the
// reason.
type row struct{ doc, stage, reason string }

// maxMemory is what a run on two cores may take from the system, in bytes, at
// any time, whatever its input is.
const maxMemory = 400 << 20

// maxMemory is maxMemory for the case: the encoder has 50 MB more.
func (c *hostile) maxMemory() int64 {
	if c.accurate {
		return maxMemory + 50<<20
	}
	return maxMemory
}

// maxProcessor is what a run may take for a megabyte of input, whatever that is,
// beside four seconds for the start.
const maxProcessor = time.Minute

// A usage is what a process has taken: its peak in memory, in bytes, and its time
// on all processors.
type usage struct {
	memory    int64
	processor time.Duration
}

// measured is treebeam in a process of its own, on two cores, and its usage, where
// that can be told.
var measured = func(t *testing.T, stdin string, args ...string) (status int, stdout, stderr string, used usage) {
	status, stdout, stderr = treebeam(t, stdin, args...)
	return status, stdout, stderr, usage{}
}

// allocated is how many bytes this process has allocated since it began. A run that
// allocates little in all takes little at any time, and need not be measured.
func allocated() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.TotalAlloc
}

func runHostile(t *testing.T, cases map[string]hostile) {
	for _, name := range slices.Sorted(maps.Keys(cases)) {
		t.Run(name, func(t *testing.T) {
			c := cases[name]
			c.run(t)
		})
	}
}

func (c *hostile) run(t *testing.T) {
	dir := memoryFolder(t)
	for _, sub := range []string{"in", "tmp"} {
		must(t, os.Mkdir(filepath.Join(dir, sub), 0o755))
	}
	for name, content := range c.in {
		path := filepath.Join(dir, "in", name)
		must(t, os.MkdirAll(filepath.Dir(path), 0o755))
		must(t, os.WriteFile(path, []byte(content), 0o644))
	}
	if c.setup != nil {
		c.setup(t, dir)
	}
	t.Setenv("TMPDIR", filepath.Join(dir, "tmp"))
	before := snapshot(t, dir, "out")
	c.parse(t, dir, "out", false)
	if c.hook == nil {
		same(t, "what is beside the output", before, snapshot(t, dir, "out"))
	} else if left, err := os.ReadDir(filepath.Join(dir, "tmp")); err != nil || len(left) > 0 {
		t.Errorf("temporary files are left: %v, %v", left, err)
	}
	if c.want == exitOK && !c.once && c.hook == nil && c.writes(dir, "out") {
		first := contents(t, filepath.Join(dir, "out"))
		c.parse(t, dir, "out", true)
		same(t, "a second run into the same folder", first, contents(t, filepath.Join(dir, "out")))
		c.parse(t, dir, "again", true)
		same(t, "a run into another folder", first, contents(t, filepath.Join(dir, "again")))
	}
	if c.after != nil {
		c.after(t, dir)
	}
}

// memoryFolder is a folder for one test, in memory if there is a place for
// that: runs wait for the disk otherwise.
func memoryFolder(t *testing.T) string {
	elsewhere := t.TempDir() // so that TMPDIR can change without moving it
	dir, err := os.MkdirTemp("/dev/shm", "treebeam-test-*")
	if err != nil {
		return elsewhere
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

func (c *hostile) writes(dir, out string) bool {
	_, err := os.Stat(filepath.Join(dir, out, output.ManifestFile))
	return err == nil
}

// command is the command of the case, with dir/out as OUT.
func (c *hostile) command(dir, out string) []string {
	args := slices.Clone(c.args)
	if args == nil {
		args = []string{"IN", "--output", "OUT"}
	}
	for i := range args {
		args[i] = strings.NewReplacer("IN", filepath.Join(dir, "in"), "OUT", filepath.Join(dir, out), "DIR", dir).Replace(args[i])
	}
	if !slices.Contains(args, "--max-failures") {
		args = append(args, "--max-failures", "100%")
	}
	if !c.model {
		return toyCommand(args...)
	}
	args = append([]string{"parse"}, args...)
	if !c.accurate && !slices.Contains(args, "--model") {
		args = append(args, "--fast")
	}
	return args
}

// execute runs the case in the test's process, unless it may need much memory: then it is measured
// in a process of its own. first says that nothing has run yet.
func (c *hostile) execute(t *testing.T, dir, out string, first bool) (status int, stdout, stderr string) {
	t.Helper()
	args := c.command(dir, out)
	if c.hook != nil {
		var once sync.Once
		transformstest.Register().SetHook(func(*syntax.Sentence) { once.Do(func() { c.hook(t, dir) }) })
	}
	first = first && c.hook == nil
	if !first || !c.once && !c.quick && !c.model {
		before := allocated()
		status, stdout, stderr = treebeam(t, c.stdin, args...)
		if !first || allocated()-before < maxMemory/2 {
			return status, stdout, stderr
		}
	}
	must(t, os.RemoveAll(filepath.Join(dir, out)))
	status, stdout, stderr, used := measured(t, c.stdin, args...)
	if used.memory > c.maxMemory() && !underRace {
		t.Errorf("the run has taken %d MB from the system", used.memory>>20)
	}
	size := 0
	for _, content := range c.in {
		size += len(content)
	}
	if most := 4*time.Second + maxProcessor*time.Duration(size)>>20; c.quick && used.processor > most && !underRace {
		t.Errorf("the run has taken %v of processor time for %d bytes, limit %v", used.processor, size, most)
	}
	return status, stdout, stderr
}

// parse runs the case, again or for the first time, with dir/out as OUT, and checks what
// came of it.
func (c *hostile) parse(t *testing.T, dir, out string, again bool) {
	t.Helper()
	_, err := os.Stat(filepath.Join(dir, out))
	existed := err == nil
	status, stdout, stderr := c.execute(t, dir, out, !existed && !again)
	want := c.want
	if want == exitOK && c.trees == 0 && strings.Contains(stderr, errNothingParsed.Error()) {
		want = exitFailures
	}
	if status != want {
		t.Fatalf("status %d, want %d\n%.2000s", status, want, stderr)
	}
	if !strings.Contains(stderr, c.last) {
		t.Errorf("no %q in\n%.2000s", c.last, stderr)
	}
	if !c.once {
		checkSpoken(t, stdout)
	}
	checkSpoken(t, stderr)
	if at := strings.IndexFunc(stderr, func(r rune) bool { return unicode.IsControl(r) && r != '\n' }); at >= 0 {
		t.Errorf("the message acts on a terminal: %.200q", stderr[at:])
	}
	switch {
	case status == exitRefused:
		if stderr == "" || stdout != "" {
			t.Errorf("refused with %q on standard error and %q on standard output", stderr, stdout)
		}
		if _, err := os.Stat(filepath.Join(dir, out)); err == nil && !existed {
			t.Error("a refused run has made its output folder")
		}
	case status == exitFailed:
		if c.writes(dir, out) {
			t.Error("a failed run has left a manifest")
		}
	case c.writes(dir, out) && again:
		// It must hold the bytes of the first run, which were read.
	case c.writes(dir, out):
		var last output.Summary
		text, err := os.ReadFile(filepath.Join(dir, out, "summary.json"))
		must(t, err, json.Unmarshal(text, &last))
		if nothing := last.Errors > 0 && last.Trees == 0; c.want == exitOK && nothing != (status == exitFailures) {
			t.Errorf("status %d with %d trees and %d failures", status, last.Trees, last.Errors)
		}
		c.checkOutput(t, dir, filepath.Join(dir, out))
	default:
		if _, err := conllu.ReadTrees(strings.NewReader(stdout), "output", conllu.Options{NoHeads: true}); err != nil {
			t.Errorf("standard output: %v", err)
		}
	}
	if left, err := os.ReadDir(filepath.Join(dir, out, output.OwnDir, "tmp")); err == nil && len(left) > 0 {
		t.Errorf("temporary files are left: %v", left)
	}
}

// checkSpoken fails on what no user should see.
func checkSpoken(t *testing.T, printed string) {
	t.Helper()
	for _, ugly := range []string{"panic", "goroutine ", "runtime error", "%!", "<nil>", ".go:"} {
		if strings.Contains(printed, ugly) {
			t.Errorf("%q is in the output:\n%.3000s", ugly, printed)
		}
	}
}

// checkOutput reads a complete output: its rows are the expected ones, and
// every byte of every file is accounted for.
func (c *hostile) checkOutput(t *testing.T, dir, out string) {
	t.Helper()
	failures := allRows[parquet.Failure](t, out, "failures")
	var got []row
	broken := map[string]bool{} // files with errors
	for _, f := range failures {
		got = append(got, row{f.DocID, f.Stage, f.Reason})
		checkKind(t, &f)
		broken[f.SourceURI] = broken[f.SourceURI] || f.Severity == "error"
	}
	if len(got) != len(c.rows) {
		t.Errorf("%d rows of failures, want %d:\n%.3000q", len(got), len(c.rows), got)
	} else {
		for i, want := range c.rows {
			if want.doc != "" && got[i].doc != want.doc || got[i].stage != want.stage || !strings.Contains(got[i].reason, want.reason) {
				t.Errorf("row %q, want %q", got[i], want)
			}
		}
	}
	trees := map[string][]interval{}
	n := int64(0)
	for _, r := range allRows[parquet.Tree](t, out, "trees") {
		trees[r.SourceURI] = append(trees[r.SourceURI], interval{r.StartByte, r.EndByte})
		n++
	}
	if n != c.trees && (c.trees >= 0 || n == 0) {
		t.Errorf("%d trees, want %d", n, c.trees)
	}
	for _, d := range allRows[parquet.Document](t, out, "documents") {
		if int64(len(trees[d.SourceURI])) != d.Trees {
			t.Errorf("%s: %d trees, its document says %d", d.DocID, len(trees[d.SourceURI]), d.Trees)
		}
		c.checkDocument(t, dir, &d, trees[d.SourceURI], broken[d.SourceURI])
	}
	if c.once {
		return
	}
	commands := [][]string{{"convert", out}, {"convert", out, "--to", "jsonl"}, {"convert", out, "--to", "text"}, {"failures", out}, {"show", out, "--lowest", "2"}}
	if n > 0 {
		commands = append(commands, []string{"sample", out, "--random", "2"})
	}
	for _, args := range commands {
		stdout, stderr := ends(t, exitOK, "", args...)
		checkSpoken(t, stderr)
		if args[0] == "failures" && strings.Count(stdout, "\n") != len(failures)+1 {
			t.Errorf("treebeam failures prints %d lines for %d rows", strings.Count(stdout, "\n"), len(failures))
		}
		if len(args) == 2 && args[0] == "convert" || args[0] == "sample" {
			if _, err := conllu.ReadTrees(strings.NewReader(stdout), "convert", conllu.Options{NoHeads: true}); err != nil {
				t.Error(err)
			}
		}
	}
}

// An interval is a half open one of bytes.
type interval struct{ start, end int64 }

// checkDocument checks that the document was read to its end and that only
// white space is outside its trees, unless rows of failures/ are about it.
func (c *hostile) checkDocument(t *testing.T, dir string, d *parquet.Document, trees []interval, broken bool) {
	t.Helper()
	data, ok := decompressed(filepath.Join(dir, "in", filepath.FromSlash(d.DocID)))
	if !ok || broken {
		return
	}
	size := int64(len(data))
	if d.Format == "parquet" {
		file, err := pq.OpenFile(bytes.NewReader(data), size)
		must(t, err)
		size = file.NumRows() << 24 // places, for a cell has no bytes of the file
	}
	if d.StartByte != 0 || d.EndByte != size {
		t.Errorf("%s: bytes %d to %d are accounted for, it has %d", d.DocID, d.StartByte, d.EndByte, size)
	}
	if strings.HasPrefix(d.Encoding, "utf-16") || d.Format == "" || d.Format == "jsonl" || source.Format(d.Format).Table() {
		return // what is between trees may be keys, ids and other columns
	}
	trees = append(slices.Clone(trees), interval{int64(len(data)), int64(len(data))})
	at := int64(0)
	for _, s := range trees {
		if s.start < at || s.end < s.start || s.end > int64(len(data)) {
			t.Fatalf("%s: a tree of the bytes %d to %d follows byte %d", d.DocID, s.start, s.end, at)
		}
		if gap := bytes.TrimFunc(data[at:s.start], func(r rune) bool { return unicode.IsSpace(r) || r == '\ufeff' }); len(gap) > 0 {
			t.Fatalf("%s: in no tree and no row: %.60q", d.DocID, gap)
		}
		at = s.end
	}
}

// decompressed returns what is in a file, and false if it cannot be read.
func decompressed(path string) ([]byte, bool) {
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return nil, false
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, false
	}
	defer f.Close()
	var r io.Reader = f
	switch filepath.Ext(path) {
	case ".gz":
		if r, err = gzip.NewReader(f); err != nil {
			return nil, false
		}
	case ".bz2":
		r = bzip2.NewReader(f)
	case ".zst":
		return nil, false
	}
	data, err := io.ReadAll(r)
	return data, err == nil
}

// allRows reads the rows of a kind of a complete output.
func allRows[T parquet.Row](t *testing.T, out, kind string) (list []T) {
	t.Helper()
	m, err := output.ReadManifest(out)
	must(t, err)
	for v, err := range parquet.Parts[T](m.Parts(out, kind)) {
		must(t, err)
		list = append(list, *v)
	}
	return list
}

// snapshot describes everything below dir but the folder skip.
func snapshot(t *testing.T, dir, skip string) map[string]string {
	t.Helper()
	list := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return nil // below a path that is too long
		}
		if skip != "" && path == filepath.Join(dir, skip) {
			return fs.SkipDir
		}
		info, err := e.Info()
		if err != nil {
			return nil
		}
		name, _ := filepath.Rel(dir, path)
		list[name] = info.Mode().String()
		if info.Mode().IsRegular() {
			list[name] += fmt.Sprint(info.Size(), info.ModTime())
		}
		return nil
	})
	must(t, err)
	return list
}

// contents is the content of every file below dir but plans, which hold the
// place of the copy of standard input.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	list := map[string]string{}
	for name := range snapshot(t, dir, "") {
		if strings.HasPrefix(filepath.Base(name), "plan-") {
			continue
		}
		if data, err := os.ReadFile(filepath.Join(dir, name)); err == nil {
			list[name] = string(data)
		}
	}
	return list
}

func same(t *testing.T, what string, a, b map[string]string) {
	t.Helper()
	for _, name := range slices.Sorted(maps.Keys(a)) {
		if other, ok := b[name]; !ok || other != a[name] {
			t.Errorf("%s: %q has changed", what, name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(b)) {
		if _, ok := a[name]; !ok {
			t.Errorf("%s: %q is new", what, name)
		}
	}
}

// must ends the test if there is an error.
func must(tb testing.TB, errs ...error) {
	tb.Helper()
	for _, err := range errs {
		if err != nil {
			tb.Fatal(err)
		}
	}
}
