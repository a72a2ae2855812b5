package text

import (
	"io"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
)

// A text of up to StreamHead bytes gives the same blocks as a stream and as a
// file, whatever is in it; but if it is found to be wrapped, lines that end
// sentences may have gone before that was known.
func TestOddTextIsLikeFile(t *testing.T) {
	nasty, err := os.ReadFile("../../cmd/treebeam/testdata/nasty.txt")
	if err != nil {
		t.Fatal(err)
	}
	pieces := append(strings.SplitAfter(string(nasty), "\n"), "x\r", "a.\r", "end. ", "Mr.\n", "go on\n", " \x00\n", "\u2029", "\n", "\n", "\r\n",
		"One. Two\n", "It ends here.\n", "```\n", "- an item, and\n", "```go\n", "Ada: what\n")
	rng := rand.New(rand.NewPCG(1, 2))
	unlike := 0
	for range 1500 {
		var b strings.Builder
		for range 1 + rng.IntN(14) {
			p := pieces[rng.IntN(len(pieces))]
			b.WriteString(p[max(0, len(p)-600):])
		}
		data := b.String()
		data = data[:min(len(data), StreamHead)]
		for _, lines := range []Lines{AutoLines, Wrapped, Paragraph, Sentence} {
			o := Options{Lines: lines}
			layout := decide(t, data, o)
			file, err := NewReader(strings.NewReader(data), layout, 0, -1)
			if err != nil {
				t.Fatal(err)
			}
			var want []Block
			for block, err := file.Next(); err != io.EOF; block, err = file.Next() {
				if err != nil {
					t.Fatal(err)
				}
				want = append(want, block)
			}
			got := streamBlocks(t, data, strings.NewReader(data), o)
			equal := slices.EqualFunc(got, want, func(a, b Block) bool {
				return a.Text == b.Text && a.Start == b.Start && a.End == b.End && a.Line == b.Line && a.Opens == b.Opens && a.Cut == b.Cut
			})
			if !equal && lines == AutoLines && layout.Lines == Wrapped {
				unlike++
				continue
			}
			if !equal {
				t.Fatalf("--lines %s: %d blocks as a stream, %d as a file (lines %s, ended by %q):\n%q", lines, len(got), len(want), layout.Lines, layout.Newline, data)
			}
		}
	}
	if unlike == 0 || unlike > 100 {
		t.Errorf("%d of 1500 texts differ because they were found to be wrapped", unlike)
	}
}
