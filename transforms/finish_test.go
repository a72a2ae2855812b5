package transforms

import (
	"fmt"
	"strings"
	"testing"

	"github.com/treebeam/treebeam/io/source"
)

// Through the shuffles go descriptions of ranges and a row for each finished
// one: a few hundred bytes for up to 16 MB of text, or a hundred for a small file.
func TestDescriptorsAreSmall(t *testing.T) {
	name := "crawl-2026/segment-0042/" + strings.Repeat("x", 40) + ".txt"
	piece := func(i int) source.Piece {
		return source.Piece{Input: source.Input{URI: fmt.Sprintf("gs://a-bucket-of-text/%s%d", name, i), DocID: name, Size: 1 << 30, Version: "1700000000000000"}, Start: 1 << 29, End: 1<<29 + 1<<24}
	}
	size := func(data []byte, err error) int {
		if err != nil {
			t.Fatal(err)
		}
		return len(data)
	}
	one := size(encodeRange(source.Range{K: 123456, N: 312500, Dir: "/home/user", Pieces: []source.Piece{piece(1)}}))
	pack := source.Range{K: 123456, N: 312500, Dir: "/home/user"}
	for i := range source.MaxPack {
		pack.Pieces = append(pack.Pieces, piece(i))
	}
	full := size(encodeRange(pack))
	done := size(encodeDone(Done{K: 123456}))
	t.Logf("a range of one piece: %d bytes; of %d files: %d (%d a file); a finished range: %d", one, source.MaxPack, full, full/source.MaxPack, done)
	if one > 600 || full > 300*source.MaxPack || done > 100 {
		t.Errorf("a range of one piece has %d bytes, of %d files %d, a finished one %d", one, source.MaxPack, full, done)
	}
}
