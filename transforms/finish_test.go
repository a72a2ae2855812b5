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
		return source.Piece{URI: fmt.Sprintf("gs://a-bucket-of-text/%s%d", name, i), DocID: name, Size: 1 << 30, Version: "1700000000000000", Start: 1 << 29, End: 1<<29 + 1<<24}
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

// BenchmarkFinish measures what a part costs at the end of a run.
func BenchmarkFinish(b *testing.B) {
	const ranges = 2000
	job := Job{FP: strings.Repeat("0123456789abcdef", 4), Ranges: ranges, Output: b.TempDir(), ModelID: "m"}
	for k := range ranges {
		r, err := openRangeParts(&job, k)
		if err != nil {
			b.Fatal(err)
		}
		end := File{DocID: fmt.Sprintf("%d.txt", k), URI: fmt.Sprintf("/corpus/%d.txt", k), Version: strings.Repeat("f", 64), Format: "text", EOF: true, End: 1000}
		if err := r.commit([]File{end}); err != nil {
			b.Fatal(err)
		}
	}
	for b.Loop() {
		if err := job.finish(b.Context(), false); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/ranges, "us/part")
}
