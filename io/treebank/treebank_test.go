package treebank

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/treebeam/treebeam/parser/syntax"
	"github.com/treebeam/treebeam/parser/train"
	"github.com/treebeam/treebeam/parser/word"
)

// Files to train on may hold partial trees, those to measure on may not.
func TestPartialTreesAreForTraining(t *testing.T) {
	path := filepath.Join(t.TempDir(), "p.conllu")
	text := "1\ta\ta\tX\t_\t_\t_\t_\t_\t_\n2\tb\tb\tX\t_\t_\t0\troot\t_\t_\n\n"
	must(t, os.WriteFile(path, []byte(text), 0o644))
	bank, err := ReadAll([]string{path, path})
	must(t, err)
	for _, s := range bank.All() {
		if s.Words[0].Head != syntax.NoHead || s.Words[0].Deprel != "" || s.Words[1].Head != syntax.Root {
			t.Errorf("read %+v", s.Words)
		}
	}
	if _, err := Read(path); err == nil || !strings.Contains(err.Error(), "p.conllu:1: column HEAD: word 1 has no head") {
		t.Errorf("a partial tree to measure on: %v", err)
	}
	cycle := strings.Replace(text, "0\troot", "2\troot", 1)
	must(t, os.WriteFile(path, []byte(cycle), 0o644))
	if _, err := ReadAll([]string{path}); err == nil {
		t.Error("a cycle of known heads: no error")
	}
}

// A device that never ends is no file to learn from: every reader says so, with its
// name, before it has read more than its limit.
func TestEndlessFiles(t *testing.T) {
	const device = "/dev/zero"
	if _, err := os.Stat(device); err != nil {
		t.Skip(err)
	}
	sampler := train.NewSampler(train.Treebank{}, train.Treebank{}, 100, 0)
	for name, read := range map[string]func() error{
		"treebank": func() error { _, err := ReadAll([]string{device}); return err },
		"dev":      func() error { _, err := Read(device); return err },
		"silver":   func() error { _, err := AddSilver(sampler, 0, device); return err },
		"text":     func() error { _, _, err := ReadTexts([]string{device}); return err },
		"lexicon":  func() error { _, _, err := ReadLexicon(device); return err },
		"clusters": func() error { _, err := ReadClusters(device, train.Treebank{}); return err },
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		err := read()
		runtime.ReadMemStats(&after)
		if err == nil || !strings.Contains(err.Error(), device) {
			t.Errorf("%s: %v, want an error with the name", name, err)
		}
		limit := uint64(64 << 20)
		if name == "lexicon" {
			limit = 6 * maxLexicon // a slice that grows
		}
		if n := after.TotalAlloc - before.TotalAlloc; n > limit {
			t.Errorf("%s: %d MB allocated, want %d at most", name, n>>20, limit>>20)
		}
	}
}

// The words of a text are those of the whole file, wherever a buffer ends.
func TestTextsInParts(t *testing.T) {
	text := "\u3000 año\xffb\xe3\x80 " + strings.Repeat("日本\u3000語é ", 9999) + strings.Repeat("w", maxToken-2) + "\nend."
	path := filepath.Join(t.TempDir(), "t.txt")
	must(t, os.WriteFile(path, []byte(text), 0o644))
	about, list, err := ReadTexts([]string{path})
	must(t, err)
	sum := fmt.Sprintf("%x", sha256.Sum256([]byte(text)))
	if fields := strings.Fields(strings.ToValidUTF8(text, " ")); about[0].Words != len(fields) || about[0].SHA256 != sum {
		t.Errorf("%+v, want %d words and %s", about[0], len(fields), sum)
	}
	if len(list) != 6 { // año b 日本 語é www end.
		t.Errorf("%d different tokens, want 6", len(list))
	}
}

func TestPhasesAreKeptUntilAsked(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "m.tbm.train")
	p, err := OpenPhases(dir, false)
	must(t, err)
	if _, ok := p.Load("tagger"); ok {
		t.Error("a new folder holds a phase")
	}
	for _, text := range []string{"first", "second"} {
		must(t, p.Save("tagger", []byte(text)))
	}
	if _, err := OpenPhases(dir, false); err == nil || !strings.Contains(err.Error(), "--resume") {
		t.Errorf("an earlier training's phases: %v", err)
	}
	if err := os.WriteFile(filepath.Join(dir, ".encoder.epoch.phase123"), []byte("half of"), 0o644); err != nil { // by a training that was killed
		t.Fatal(err)
	}
	p, err = OpenPhases(dir, true)
	must(t, err)
	if data, ok := p.Load("tagger"); !ok || !bytes.Equal(data, []byte("second")) {
		t.Errorf("phase = %q, %t", data, ok)
	}
	must(t, p.Remove())
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("the folder is still there: %v", err)
	}
	if _, err := OpenPhases(filepath.Join(t.TempDir(), "file", "x"), true); err != nil {
		t.Errorf("a folder in a new folder: %v", err)
	}
}

// readSome is readClasses of a small file.
func readSome(r io.Reader) ([]word.ClusterWord, error) { return readClasses(r, 1000, maxClassKept) }

func TestClassesInAnyOrder(t *testing.T) {
	want := []word.ClusterWord{{Bits: "00", Form: "b", Count: 3}, {Bits: "00", Form: "a", Count: 2}, {Bits: "00", Form: "c", Count: 2}, {Bits: "1", Form: "d", Count: 0}}
	lines := []string{"1\td\t0", "00\tc\t2", "00\ta\t2", "00\tb\t3"}
	for range 2 {
		if got, err := readSome(strings.NewReader(strings.Join(lines, "\r\n"))); err != nil || !slices.Equal(got, want) {
			t.Errorf("%v, %v, want %v", got, err, want)
		}
		slices.Reverse(lines)
	}
}

func TestClassesNameTheLine(t *testing.T) {
	for file, want := range map[string]string{
		"01\ta\t1\n01\tb\n":                               "line 2: fields: 2",
		"01\ta\t1\n\n02\tb\t3\n":                          "line 3: bits",
		"01\ta\t1\n01\t\t3\n":                             "line 2: word",
		"01\ta\t1\n01\t\xff\t3\n":                         "line 2: word",
		"01\ta\t1\n01\tb\t-3\n":                           "line 2: count",
		"01\ta\t1\n01\tb\tx\n":                            "line 2: count",
		"01\ta\t1\n11\ta\t3\n":                            "line 2: \"a\" has a class already, in line 1",
		"01\ta\t1\n01\tb\t1\tx\n":                         "line 2: fields: 4",
		"\ta\t1\n":                                        "line 1: no bits before \"a\": a single class says nothing",
		strings.Repeat("0", maxClassBits+1) + "\ta\t1":    "line 1: bits of length 4097: at most 4096 are supported",
		"1\ta\t1\n" + strings.Repeat("0", maxClassLine+1): "line 2: longer than 65536 bytes: must be bits",
		"0\ta\t1\n1\tb\t1\n1\tc\t1\n1\td\t1\n1\te\t1":     "line 5: at most 4 words",
	} {
		if _, err := readClasses(strings.NewReader(file), 4, maxClassKept); err == nil || !strings.HasPrefix(err.Error(), want) || len(err.Error()) > 200 {
			t.Errorf("%.40q: %v, want %s", file, err, want)
		}
	}
	if _, err := readClasses(strings.NewReader("01\ta\t1\n0\tb\t1\n"), 4, 10); err == nil || !strings.Contains(err.Error(), "line 2: at most 4 words are supported, and 10 bytes") {
		t.Error(err)
	}
	// A byte order mark is no part of the first line.
	if table, err := readSome(strings.NewReader("\ufeff0\ta\t1\r\n1\t\ufeffb\t1")); err != nil || len(table) != 2 || table[0].Form != "a" || table[1].Form != "\ufeffb" {
		t.Error(table, err)
	}
}

func FuzzClasses(f *testing.F) {
	f.Add("01\ta\t1\n0\tb\t22\n")
	f.Add("\ufeff0\ta\t0\r\n\r\n1\tb c\t1")
	f.Add("\ta\t1\n")
	f.Add("\xff\xfe0\x00\n")
	f.Add("\x1f\x8b\x00\n")
	f.Add(strings.Repeat("1", 10_000) + "\ta\t1\n0\ta\t1\n0\ta\t1")
	f.Fuzz(func(t *testing.T, file string) {
		table, err := readSome(strings.NewReader(file))
		if err != nil {
			if text := err.Error(); !strings.HasPrefix(text, "line ") || strings.Contains(text, "\n") || len(text) > 300 {
				t.Fatalf("%v: want the number of the line and one short line", err)
			}
			return
		}
		var out bytes.Buffer
		for _, w := range table {
			fmt.Fprintf(&out, "%s\t%s\t%d\n", w.Bits, w.Form, w.Count)
		}
		again, err := readSome(&out)
		if err != nil || !slices.Equal(again, table) {
			t.Fatal(fmt.Sprint(again), err)
		}
	})
}

// must ends the test at the first error.
func must(tb testing.TB, errs ...error) {
	tb.Helper()
	for _, err := range errs {
		if err != nil {
			tb.Fatal(err)
		}
	}
}
