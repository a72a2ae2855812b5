package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/treebeam/treebeam/model"
	"github.com/treebeam/treebeam/model/modeltest"
	"github.com/treebeam/treebeam/parser/syntax"
)

// vmHWM is the peak of what is resident, which a child's resource usage does
// not tell: that begins with what its parent had.
var vmHWM = regexp.MustCompile(`(?m)^VmHWM:\s+(\d+) kB$`)

func init() {
	peakMemory = func() int64 {
		text, err := os.ReadFile("/proc/self/status")
		if err != nil {
			return 0
		}
		m := vmHWM.FindSubmatch(text)
		if m == nil {
			return 0
		}
		n, _ := strconv.ParseInt(string(m[1]), 10, 64)
		return n << 10
	}
	measured = inItsOwnProcess
}

func inItsOwnProcess(t *testing.T, stdin string, args ...string) (status int, stdout, stderr string, used usage) {
	t.Helper()
	dir := t.TempDir()
	note, in := filepath.Join(dir, "peak"), filepath.Join(dir, "in")
	must(t, os.WriteFile(in, []byte(stdin), 0o600))
	f, err := os.Open(in)
	must(t, err)
	defer f.Close()
	cmd := exec.Command(os.Args[0], args...)
	var out, errs bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = f, &out, &errs
	cmd.Env = append(os.Environ(), asProgram+"=1", asMeasured+"="+note, "GOMAXPROCS=2", "GOGC=100", "GOMEMLIMIT=")
	var exit *exec.ExitError
	if err := cmd.Run(); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	text, err := os.ReadFile(note)
	if err != nil {
		t.Fatalf("the process has not come to its end: %v\n%.3000s", cmd.ProcessState, &errs)
	}
	if used.memory, err = strconv.ParseInt(string(text), 10, 64); err != nil || used.memory == 0 {
		t.Fatalf("a peak of %q bytes", text)
	}
	used.processor = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	t.Logf("peak %d MB, %v of processor time", used.memory>>20, used.processor)
	return cmd.ProcessState.ExitCode(), out.String(), errs.String(), used
}

// Small files, or usual ones, that could take much memory: a part of them with
// the embedded model, for the toy has no scratch.
func TestHostileMemory(t *testing.T) {
	word := wordLine("1", "x", "0")
	file := func(name, content string) map[string]string { return map[string]string{name: content} }
	var nodes strings.Builder
	for i := range 1_200_000 {
		fmt.Fprintf(&nodes, "1.%d\te\t_\t_\t_\t_\t_\t_\t_\t_\n", i+1)
	}
	featured := func(n int) string {
		feats := strings.Repeat("|A=b", n)[1:]
		return "1\tx\t_\tNOUN\t_\t" + feats + "\t2\t_\t_\t_\n2\ty\t_\tVERB\t_\t" + feats + "\t0\t_\t_\t_\n\n"
	}
	long := strings.Repeat("the boat , which they had found in the old harbour , was not theirs to sell or to keep and ", 55)
	columns := strings.Join([]string{"1", strings.Repeat("f", 1<<20), strings.Repeat("l", 1<<20), strings.Repeat("N", 1<<20), "_", "_", "0", "_", "_", strings.Repeat("m", 1<<20-100)}, "\t") + "\n\n"
	whole := words(syntax.MaxWords)
	runHostile(t, map[string]hostile{
		"a bomb of comments":    {in: file("a.conllu.gz", zipped(word+strings.Repeat("#\n", 4_000_000))), rows: []row{{"", "read", "more than the limit"}}},
		"a bomb of comments, 2": {in: file("a.conllu.gz", zipped(word+strings.Repeat("#\n", 1_000_000))), rows: []row{{"", "read", "9999 more"}, {"", "read", "comments"}}},
		"comments to the limit": {in: file("a.conllu.gz", zipped(strings.Repeat(word+strings.Repeat("#\n", syntax.MaxComments)+"\n", 200))), trees: 200, once: true, rows: many(200, "9999 more")},
		"a bomb of FEATS":       {in: file("a.conllu", featured(20_000)), model: true, rows: []row{{"", "read", "items"}}},
		"FEATS to the limit":    {in: file("a.conllu", strings.Repeat(featured(syntax.MaxItems), 20)), model: true, trees: 20, once: true},
		"empty nodes":           {in: file("a.conllu.gz", zipped(word+nodes.String())), rows: []row{{"", "read", "more than the limit"}}},
		"a lemma of 30 MB":      {in: file("a.conllu", strings.Replace(word, "x\t_", "x\t"+strings.Repeat("l", 30<<20), 1)), rows: []row{{"", "read", "more than the limit"}}, once: true},
		"columns to the limit":  {in: map[string]string{"a.conllu": strings.Repeat(columns, 4), "b.conllu": strings.Repeat(columns, 4)}, trees: 8, once: true},
		"comments of 1 MB":      {in: file("a.conllu.gz", zipped(strings.Repeat("# sent_id = "+strings.Repeat("c", 1<<20-20)+"\n# "+strings.Repeat("d", 1<<20-10)+"\n# "+strings.Repeat("e", 1<<20-10)+"\n"+word+"\n", 120))), trees: 120, once: true},
		"words to the limit":    {in: map[string]string{"a.conllu": whole + whole, "b.conllu": whole + whole}, trees: 4, once: true},
		"1,000 words":           {in: file("a.conllu", strings.Repeat(words(1000), 4)), model: true, trees: 4, once: true},
		"1,000 words encoded": {in: file("a.tok", strings.Repeat(strings.Repeat("the boat they had found ", syntax.MaxWholeWords/5)+"\n", 4)), setup: withEncoder, model: true, trees: 4, once: true,
			args: []string{"IN", "--output", "OUT", "--from", "tokens", "--model", "DIR/accurate.tbm"}},
		"1,000 words of text":  {in: file("a.txt", strings.Repeat(long+".\n", 4)), args: []string{"IN", "--output", "OUT", "--lines", "sentence"}, model: true, trees: -1, once: true},
		"a record of 15 MB":    {in: map[string]string{"a.jsonl": jsonRecord(15 << 20), "b.jsonl": jsonRecord(15 << 20)}, trees: -1, once: true},
		"records of 17 MB":     {in: map[string]string{"a.jsonl": jsonRecord(17 << 20), "b.jsonl": jsonRecord(17 << 20)}, rows: many(2, "record too long"), once: true},
		"records of braces":    {in: fourOf(".jsonl.gz", zipped(strings.Repeat(`{"a":[`+strings.Repeat("{},", 5<<20)+`1],"text":"One ."}`+"\n", 2))), trees: 8, once: true},
		"records of long keys": {in: fourOf(".jsonl.gz", zipped(strings.Repeat(`{"`+strings.Repeat("k", 15<<20)+`":1,"text":"One ."}`+"\n", 2))), trees: 8, once: true},
		"sentences of tokens":  {in: file("a.tok", strings.Repeat(strings.Repeat("x ", 2_000_000)+"\n", 4)), rows: many(4, "too long"), once: true},
		"small paragraphs":     {in: map[string]string{"a.txt": strings.Repeat("x\n\n", 100_000), "b.txt": strings.Repeat("y\n\n", 100_000)}, trees: 200_000, once: true},
		"many failures":        {in: file("a.jsonl", strings.Repeat("{}\n", 100_000)), rows: many(100_000, "no text"), once: true},
		"zstd, 128 MB window":  {setup: wideZstd(4<<20, 34, ""), args: []string{"IN", "--output", "OUT", "--range-bytes", "1000"}, once: true},
		"records behind it":    {setup: wideZstd(15<<20, 8, jsonRecord(15<<20)+jsonRecord(15<<20)), trees: -1, once: true},
	})
}

// maxUsualMemory is what two cores may take for usual text: some 210 MB, as collected
// here, on a busy machine a tenth more; 180 MB with boundMemory. Two ranges and the
// scratch memory of two sentences are all there, so more text adds little.
const maxUsualMemory = 280 << 20

func TestUsualMemory(t *testing.T) {
	dir := memoryFolder(t)
	letters, err := os.ReadFile("../../sample/text/letters/garden.txt")
	must(t, err)
	for _, name := range []string{"a.txt", "b.txt"} {
		must(t, os.WriteFile(filepath.Join(dir, name), bytes.Repeat(append(letters, "\n\n"...), 200_000/len(letters)), 0o644))
	}
	status, _, said, used := measured(t, "", "parse", "--quiet", "--fast", dir, "--output", filepath.Join(dir, "out"))
	if status != exitOK || used.memory > maxUsualMemory && !underRace {
		t.Errorf("status %d, %d MB\n%s", status, used.memory>>20, said)
	}
}

// withEncoder puts the embedded model with a tiny encoder, which scores as many
// tags, FEATS and relations as a large one, into a folder.
func withEncoder(t *testing.T, dir string) {
	t.Helper()
	m, err := model.Open(model.Embedded)
	must(t, err)
	data, err := modeltest.WithEncoder(m)
	must(t, err, os.WriteFile(filepath.Join(dir, "accurate.tbm"), data, 0o600))
}

// many is n rows of stage read with a reason.
func many(n int, reason string) []row {
	list := make([]row, n)
	for i := range list {
		list[i] = row{"", "read", reason}
	}
	return list
}

// record is a line of JSON lines of about n bytes.
func jsonRecord(n int) string {
	return `{"id": "a", "text": "` + strings.Repeat("word"+strings.Repeat(" ", 4<<10), n/(4<<10+4)) + `"}` + "\n"
}

// fourOf is four files of the same content.
func fourOf(ext, content string) map[string]string {
	return map[string]string{"a" + ext: content, "b" + ext: content, "c" + ext: content, "d" + ext: content}
}

// wideZstd writes three files of n records of a size, whose text is empty, and what follows.
// A decoder needs 128 MB for each, in a frame behind a narrow one.
func wideZstd(size, n int, then string) func(*testing.T, string) {
	return func(t *testing.T, dir string) {
		record := `{"text":"","other":"` + strings.Repeat("x", size) + `"}` + "\n"
		var wide bytes.Buffer
		w, err := zstd.NewWriter(&wide, zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(128<<20), zstd.WithEncoderLevel(zstd.SpeedFastest))
		must(t, err)
		_, err = io.WriteString(w, strings.Repeat(record, n)+then)
		must(t, err, w.Close())
		for _, name := range []string{"a", "b", "c"} {
			must(t, os.WriteFile(filepath.Join(dir, "in", name+".jsonl.zst"), []byte(zstdOf(record)+wide.String()), 0o644))
		}
	}
}
