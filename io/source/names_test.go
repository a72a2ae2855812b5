package source

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// Names that no document id can hold as they are give ids that no reader of
// comments ends a line in, and that differ from those of all other files.
func TestIDsOfOddNames(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("such names are for Linux")
	}
	dir := t.TempDir()
	names := []string{"%FF.txt", "\xff.txt", "%25FF.txt", "a\rb.txt", "a%0Db.txt", "a\nb.txt", "\x1b[31m.txt", "a\u2028b.txt", "a\u0085b.txt", "100%.txt"}
	for _, name := range names {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	inputs, err := List(context.Background(), []string{dir}, ListOptions{})
	if err != nil || len(inputs) != len(names) {
		t.Fatalf("%d inputs, %v", len(inputs), err)
	}
	var ids []string
	for i := range inputs {
		ids = append(ids, inputs[i].DocID)
		if _, err := NewPlan(inputs[i:i+1], PlanOptions{}); err != nil {
			t.Error(err)
		}
	}
	slices.Sort(ids)
	want := []string{"%1B[31m.txt", "%2525FF.txt", "%25FF.txt", "%FF.txt", "100%.txt", "a%0Ab.txt", "a%0Db.txt", "a%250Db.txt", "a%C2%85b.txt", "a%E2%80%A8b.txt"}
	if strings.Join(ids, " ") != strings.Join(want, " ") {
		t.Errorf("ids %q, want %q", ids, want)
	}
}
