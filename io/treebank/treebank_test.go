package treebank

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/treebeam/treebeam/parser/syntax"
	"github.com/treebeam/treebeam/parser/train"
)

// Files to train on may hold partial trees, those to measure on may not.
func TestPartialTreesAreForTraining(t *testing.T) {
	path := filepath.Join(t.TempDir(), "p.conllu")
	text := "1\ta\ta\tX\t_\t_\t_\t_\t_\t_\n2\tb\tb\tX\t_\t_\t0\troot\t_\t_\n\n"
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	bank, err := ReadAll([]string{path, path})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range bank.All() {
		if s.Words[0].Head != syntax.NoHead || s.Words[0].Deprel != "" || s.Words[1].Head != syntax.Root {
			t.Errorf("read %+v", s.Words)
		}
	}
	if _, err := Read(path); err == nil || !strings.Contains(err.Error(), "p.conllu:1: column HEAD: word 1 has no head") {
		t.Errorf("a partial tree to measure on: %v", err)
	}
	cycle := strings.Replace(text, "0\troot", "2\troot", 1)
	if err := os.WriteFile(path, []byte(cycle), 0o644); err != nil {
		t.Fatal(err)
	}
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
	sampler := train.NewSampler(train.Treebank{}, train.Treebank{}, 100)
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
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	about, list, err := ReadTexts([]string{path})
	if err != nil {
		t.Fatal(err)
	}
	sum, err := FileSum(path)
	if err != nil {
		t.Fatal(err)
	}
	if fields := strings.Fields(strings.ToValidUTF8(text, " ")); about[0].Words != len(fields) || about[0].SHA256 != sum {
		t.Errorf("%+v, want %d words and %s", about[0], len(fields), sum)
	}
	if len(list) != 6 { // año b 日本 語é www end.
		t.Errorf("%d different tokens, want 6", len(list))
	}
}
