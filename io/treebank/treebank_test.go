package treebank

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/treebeam/treebeam/parser/syntax"
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
