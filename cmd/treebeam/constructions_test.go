package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// The patterns of docs/find.md find something in the text that is named beside them.
func TestConstructions(t *testing.T) {
	page, err := os.ReadFile("../../docs/find.md")
	must(t, err)
	patterns := regexp.MustCompile(`(?m)^f '(.+)' # (.+)$`).FindAllStringSubmatch(string(page), -1)
	if len(patterns) != 20 {
		t.Errorf("docs/find.md has %d patterns of constructions, not the twenty that it promises", len(patterns))
	}
	trees := filepath.Join(t.TempDir(), "trees.conllu")
	ends(t, exitOK, "", "parse", "--quiet", "../../sample/constructions.txt", "-o", trees)
	for _, p := range patterns {
		if status, stdout, stderr := treebeam(t, "", "find", trees, p[1], "-n", "1"); status != exitOK || !strings.Contains(stdout, "[") {
			t.Errorf("%s, %s: status %d, %s%s", p[2], p[1], status, stdout, stderr)
		}
	}
}
