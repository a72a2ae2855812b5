package transforms

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/treebeam/treebeam/io/output"
	"github.com/treebeam/treebeam/io/source"
	"github.com/treebeam/treebeam/parser/syntax"
)

// However many reasons there are, they are counted by kind, and so are the
// counters of Beam; outside Beam counting does nothing.
func TestReasonsAreCountedByKind(t *testing.T) {
	c := &Chunk{}
	sum := output.Tally{}
	c.Files = []output.File{{URI: "in/a"}}
	for i := range 5000 {
		kind := syntax.Kind(i % len(syntax.Kinds()))
		why := syntax.Because(kind, "%s %d", strings.Repeat(string(rune('a'+i%26)), 2000), i)
		c.Failures = append(c.Failures, failed(stageRead, why, place{int64(i), 0}, ""))
	}
	c.count(context.Background())
	names := 0
	failureCounters.Range(func(name, _ any) bool {
		names++
		return true
	})
	if n := len(syntax.Kinds()); names != n {
		t.Errorf("%d names of counters for %d kinds", names, n)
	}
	must(t, sum.Add(c.Batch()))
	if len(sum.Reasons) != len(syntax.Kinds()) {
		t.Errorf("%d reasons for %d kinds", len(sum.Reasons), len(syntax.Kinds()))
	}
	for i, r := range sum.Reasons {
		if int(r.Kind) != i || r.ByteOffset != int64(i) || r.Count < 5000/int64(len(sum.Reasons)) || len(r.Reason) != output.FailureText || r.SourceURI != "in/a" {
			t.Errorf("reason %d: %+v", i, r)
		}
	}
}

// Through the shuffles go descriptions of ranges and a row for each finished
// one: a few hundred bytes for up to 16 MB of text, or a hundred for a small file.
func TestDescriptorsAreSmall(t *testing.T) {
	name := "crawl-2026/segment-0042/" + strings.Repeat("x", 40) + ".txt"
	piece := func(i int) source.Piece {
		return source.Piece{Input: source.Input{URI: fmt.Sprintf("gs://a-bucket-of-text/%s%d", name, i), DocID: name, Size: 1 << 30, Version: "1700000000000000"}, Start: 1 << 29, End: 1<<29 + 1<<24}
	}
	size := func(data []byte, err error) int {
		must(t, err)
		return len(data)
	}
	one := size(encodeSpan(Span{[]source.Range{{K: 123456, N: 312500, Dir: "/home/user", Pieces: []source.Piece{piece(1)}}}}))
	pack := source.Range{K: 123456, N: 312500, Dir: "/home/user"}
	for i := range source.MaxPack {
		pack.Pieces = append(pack.Pieces, piece(i))
	}
	full := size(encodeSpan(Span{[]source.Range{pack}}))
	t.Logf("a range of one piece: %d bytes; of %d files: %d (%d a file)", one, source.MaxPack, full, full/source.MaxPack)
	if one > 600 || full > 300*source.MaxPack {
		t.Errorf("a range of one piece has %d bytes, of %d files %d", one, source.MaxPack, full)
	}
}
