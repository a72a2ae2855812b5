package parquet

import (
	"bytes"
	"strings"
	"testing"
)

// Long values stand in a file once, compressed: not as bounds in the headers of
// pages and in the footer, which stays in memory until the end.
func TestLongValuesAreNoStatistics(t *testing.T) {
	var file bytes.Buffer
	w := NewWriter[Tree](&file, nil)
	for range 64 {
		long := strings.Repeat("c", 1<<20)
		row := Tree{SentID: "s", Text: "x", Comments: []string{long}, Tokens: []string{long}, Lemmas: []string{long}, Head: []int32{0},
			Misc: []string{long}, MWT: []MWT{{ID: "1-1", Form: long}}, EmptyNodes: []EmptyNode{{ID: "1.1", Form: long}}}
		if err := w.Write(row); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if file.Len() > 1<<20 {
		t.Errorf("%d bytes for 64 rows of the same letter", file.Len())
	}
}
