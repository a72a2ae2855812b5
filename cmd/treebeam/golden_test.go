package main

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var rewrite = flag.Bool("rewrite", false, "rewrite testdata/sample.conllu from what the program prints now")

// The bundled sample through the embedded model, by both ways, is what it was
// when the golden file was last looked at: a change of it is a change of the
// model, of the parser or of the format, and is to be looked at line by line.
// It holds for every build and any number of cores.
func TestSampleIsGolden(t *testing.T) {
	const golden = "testdata/sample.conllu"
	in := filepath.Join("..", "..", "sample", "text")
	status, streamed, stderr := treebeam(t, "", "parse", "--quiet", in, "--to", "conllu")
	if status != 0 {
		t.Fatalf("status %d: %s", status, stderr)
	}
	out := filepath.Join(t.TempDir(), "out")
	if status, _, stderr := treebeam(t, "", "parse", "--quiet", "--input", in, "--output", out); status != 0 {
		t.Fatalf("status %d: %s", status, stderr)
	}
	status, converted, stderr := treebeam(t, "", "convert", out, "--to", "conllu")
	if status != 0 {
		t.Fatalf("convert: status %d: %s", status, stderr)
	}
	if converted != streamed {
		t.Errorf("the run's output differs from the stream's, %s", firstDifference(converted, streamed))
	}
	if *rewrite {
		if err := os.WriteFile(golden, []byte(streamed), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if streamed != string(want) {
		t.Errorf("differs from %s, %s; look at the difference, then: go test ./cmd/treebeam -run Golden -rewrite", golden, firstDifference(streamed, string(want)))
	}
}

func firstDifference(got, want string) string {
	a, b := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return "first in line:\n  " + a[i] + "\nwhere it should be:\n  " + b[i]
		}
	}
	return "in length only"
}
