package main

import (
	"os"
	"strings"
	"testing"
)

// Without a file, parse reads what is piped into it, but only for a stream: a
// scheduler's run that lacks its input must not wait for one.
func TestPiped(t *testing.T) {
	const text = "The old boat wasn't theirs to sell.\n"
	status, named, stderr := treebeam(t, text, "parse", "-")
	if status != exitOK || !strings.Contains(named, "\tboat\t") {
		t.Fatalf("status %d: %s%s", status, stderr, named)
	}
	if status, piped, stderr := treebeam(t, text, "parse"); status != exitOK || piped != named {
		t.Errorf("without a dash: status %d, %s%s", status, stderr, piped)
	}
	out := t.TempDir() + "/out"
	if status, _, stderr := treebeam(t, text, "parse", "--output", out); status != exitRefused || !strings.Contains(stderr, "no input") {
		t.Errorf("to Parquet: status %d, %s", status, stderr)
	}
	null, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	if isPiped(null) {
		t.Errorf("%s is taken for input", os.DevNull)
	}
}
