package cluster

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

// Write writes every row, in order, as a line of three columns.
func TestWrite(t *testing.T) {
	table, err := Brown(CountSentences(toy(5, 60, 500), 1, 1000), 9, nil)
	if err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	if err := table.Write(&file); err != nil {
		t.Fatal(err)
	}
	var want strings.Builder
	for _, r := range table.Rows {
		fmt.Fprintf(&want, "%s\t%s\t%d\n", r.Bits, r.Word, r.Count)
	}
	if file.String() != want.String() || table.Classes() != 9 {
		t.Errorf("%d classes, want 9:\n%s", table.Classes(), &file)
	}
}
