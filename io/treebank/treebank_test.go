package treebank

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/treebeam/treebeam/io/conllu"
	"github.com/treebeam/treebeam/io/source/sourcetest"
	"github.com/treebeam/treebeam/parser/syntax"
	"github.com/treebeam/treebeam/parser/train"
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

// Compressed treebanks are read, and what cannot be read is said as parse says it.
func TestPackedTreebanks(t *testing.T) {
	path := filepath.Join(t.TempDir(), "p.conllu")
	text := "1\ta\ta\tX\t_\t_\t0\troot\t_\t_\n\n"
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	w.Write([]byte(text))
	w.Close()
	must(t, os.WriteFile(path+".gz", packed.Bytes(), 0o644))
	if list, err := Trees(path+".gz", conllu.Options{}); err != nil || len(list) != 1 || list[0].Words[0].Form != "a" {
		t.Errorf("read %+v, %v", list, err)
	}
	if bank, err := Read(path + ".gz"); err != nil || bank.SHA256 != fmt.Sprintf("%x", sha256.Sum256(packed.Bytes())) {
		t.Errorf("%+v, %v", bank, err)
	}
	for content, want := range map[string]string{
		packed.String():                  "p.conllu: not text: gzip data under another name; let the name end in .gz",
		"\xff\xfe1\x00\t\x00a\x00\t\x00": "p.conllu: not text: conllu in UTF-16; make it UTF-8 first",
	} {
		must(t, os.WriteFile(path, []byte(content), 0o644))
		if _, err := Read(path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
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

// A lexicon may be compressed, as treebanks may. One without words would change nothing.
func TestReadLexicon(t *testing.T) {
	path := filepath.Join(t.TempDir(), "words.gz")
	for text, want := range map[string]string{"swam\tVERB\t_\t_\tswim\n": "", "# swam\n": path + ": has no words"} {
		var packed bytes.Buffer
		w := gzip.NewWriter(&packed)
		_, err := w.Write([]byte(text))
		must(t, err)
		must(t, w.Close())
		must(t, os.WriteFile(path, packed.Bytes(), 0o644))
		list, sum, err := ReadLexicon(path)
		if want != "" {
			if err == nil || err.Error() != want {
				t.Errorf("%v, want %s", err, want)
			}
		} else if err != nil || len(list) != 1 || sum != fmt.Sprintf("%x", sha256.Sum256(packed.Bytes())) {
			t.Errorf("%v, %s, %v", list, sum, err)
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

// A compressed text has the words of the text, as compressed trees have those of trees.
func TestCompressedTexts(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"t.txt.gz": sourcetest.BGZF("Some words .\n", 5), "t.txt.zst": sourcetest.Frames("Some words .\n", 5),
	} {
		path := filepath.Join(dir, name)
		must(t, os.WriteFile(path, []byte(text), 0o644))
		about, list, err := ReadTexts([]string{path})
		sum := fmt.Sprintf("%x", sha256.Sum256([]byte(text)))
		if err != nil || about[0].Words != 3 || len(list) != 3 || about[0].SHA256 != sum {
			t.Errorf("%s: %+v, %d tokens, %v", name, about, len(list), err)
		}
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
	for _, resume := range []bool{false, true} {
		if _, err := OpenPhases(dir, resume); err == nil || !strings.Contains(err.Error(), "another training") {
			t.Errorf("--resume=%t while a training keeps its phases there: %v", resume, err)
		}
	}
	must(t, p.Close())
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

// must ends the test at the first error.
func must(tb testing.TB, errs ...error) {
	tb.Helper()
	for _, err := range errs {
		if err != nil {
			tb.Fatal(err)
		}
	}
}

// Only names as Universal Dependencies has them say a language: rules depend on it.
func TestLanguageOfNames(t *testing.T) {
	for path, want := range map[string]string{"a/en_ewt-ud-train.conllu": "en", "gsw_uzh-ud-test.conllu": "gsw", "bank.conllu": "",
		"my_bank.conllu": "my", "corrected_2.conllu": "", "_x.conllu": ""} {
		if got := FactsOf([]string{path}).Language; got != want {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
}
