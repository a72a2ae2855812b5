package cluster

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/treebeam/treebeam/io/treebank"
	"github.com/treebeam/treebeam/parser/train"
)

// The product reads what Write has written.
func TestWriteForTraining(t *testing.T) {
	table, err := Brown(CountSentences(toy(5, 60, 500), 1, 1000), 9, nil)
	if err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	if err := table.Write(&file); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "classes.tsv")
	if err := os.WriteFile(path, file.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	classes, err := treebank.ReadClusters(path, train.Treebank{})
	if err != nil {
		t.Fatal(err)
	}
	if classes.Words != len(table.Rows) || table.Classes() != 9 {
		t.Errorf("%d words in %d classes, want %d in 9", classes.Words, table.Classes(), len(table.Rows))
	}
}
