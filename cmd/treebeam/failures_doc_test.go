package main

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/treebeam/treebeam/io/parquet"
	"github.com/treebeam/treebeam/parser/syntax"
)

// kindLine is a line of the table of kinds in docs/failures.md.
var kindLine = regexp.MustCompile("(?m)^\\| `([a-z_]+)` \\| (\\w+(?:, \\w+)*) \\| (\\w+(?:, \\w+)*) \\| .{10,} \\|$")

// docs/failures.md explains the kinds that there are, and no others.
func TestKindsAreExplained(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "failures.md"))
	if err != nil {
		t.Fatal(err)
	}
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
