package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/treebeam/treebeam/io/encoder"
	"github.com/treebeam/treebeam/parser/encode"
	"github.com/treebeam/treebeam/parser/piece"
)

// tinyEncoder is one whose weights are zeros.
func tinyEncoder() *encode.Params {
	p := &encode.Params{Name: "tiny", Source: "a test", Notice: "of nobody\nat all"}
	p.Shape = encode.Shape{Width: 2, Heads: 1, FeedForward: 4, Positions: 26, Epsilon: 1e-12}
	p.Pieces = &piece.Vocabulary{Pieces: []string{"<s>", "</s>", "<unk>", "▁"}, Scores: []float32{0, 0, -11, -1}, End: 1, Unknown: 2}
	p.Layers = make([]encode.Layer, 1)
	encode.Flatten(p.Tensors())
	return p
}

func TestEncoder(t *testing.T) {
	dir := t.TempDir()
	in, out := filepath.Join(dir, "in.tbe"), filepath.Join(dir, "out.tbe")
	var b bytes.Buffer
	must(t, encoder.Write(&b, tinyEncoder()), os.WriteFile(in, b.Bytes(), 0o644))

	// A licence is needed; without one nothing is written.
	status, _, stderr := treebeam(t, "", "encoder", "import", in, "-o", out)
	if _, err := os.Stat(out); status != exitRefused || err == nil || !strings.Contains(stderr, "--licence NAME") {
		t.Fatalf("status %d, %s (%v)", status, stderr, err)
	}
	status, stdout, stderr := treebeam(t, "", "encoder", "import", in, "-o", out, "--licence", "CC0", "--name", "small")
	if status != exitOK || stderr != "" || !strings.Contains(stdout, "sha256") {
		t.Fatalf("status %d, %s%s", status, stdout, stderr)
	}
	p, err := encoder.Open(out)
	if err != nil || p.Licence != "CC0" || p.Name != "small" || p.Source != "a test" || p.Notice != "of nobody\nat all" {
		t.Errorf("got %+v, %v", p, err)
	}
	const want = `name        small
source      a test
licence     CC0
notice      of nobody
layers      1 of width 2, 1 heads, feed-forward 4: 0.0 million weights
positions   26
vocabulary  Unigram, 4 pieces: 0.0 million weights
`
	if !strings.HasPrefix(stdout, want) {
		t.Errorf("got\n%swant\n%s", stdout, want)
	}
}
