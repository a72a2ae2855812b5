package transforms_test

import (
	"context"
	"io"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/treebeam/treebeam/io/output"
	"github.com/treebeam/treebeam/io/source"
	"github.com/treebeam/treebeam/io/store"
	"github.com/treebeam/treebeam/io/store/storetest"
	"github.com/treebeam/treebeam/parser/syntax"
	"github.com/treebeam/treebeam/transforms"
)

// A panicking store's files panic at their last byte, but for the first reader that
// comes there: the one for their digest.
type panicking struct {
	*storetest.Memory
	passed atomic.Bool
}

func (p *panicking) Open(ctx context.Context, name, _ string, off, n int64) (io.ReadCloser, error) {
	r, err := p.Memory.Open(ctx, name, "", off, n)
	return struct {
		io.Reader
		io.Closer
	}{io.MultiReader(io.LimitReader(r, n-1), &bomb{store: p, last: r}), r}, err
}

// A bomb reads the last byte of a file.
type bomb struct {
	store *panicking
	last  io.Reader
	safe  bool
}

func (b *bomb) Read(to []byte) (int, error) {
	if !b.safe && b.store.passed.Swap(true) {
		panic("planted")
	}
	b.safe = true
	return b.last.Read(to)
}

// A panic while a file is read costs the rest of that file: there is a row of
// a defect, and what came before is parsed. One in a later stage is not the
// file's.
func TestReadPanics(t *testing.T) {
	s := &panicking{Memory: new(storetest.Memory)}
	store.Register("panicking", func(context.Context) (store.Store, error) { return s, nil })
	text := strings.Repeat("One two three .\n\n", 600_000) // over what is fetched ahead
	s.Put("panicking://b/a.txt", []byte(text))
	size := int64(len(text))
	r := source.Range{N: 1, Pieces: []source.Piece{
		{Input: source.Input{URI: "panicking://b/a.txt", DocID: "a.txt", Size: size, Version: "1"}, End: size},
	}}
	blocks, ends := int64(0), []output.File(nil)
	var rows []output.Failure
	emit := func(c transforms.Chunk) error {
		blocks += int64(len(c.Blocks))
		ends = append(ends, c.Ends...)
		rows = append(rows, c.Failures...)
		return nil
	}
	if err := transforms.ReadPaced(t.Context(), &r, output.RowOptions{}, nil, emit); err != nil {
		t.Fatal(err)
	}
	if blocks < 590_000 || len(ends) != 1 || ends[0].Blocks != blocks || !ends[0].Failed || ends[0].Version != "" {
		t.Errorf("%d blocks, %+v", blocks, ends)
	}
	if len(rows) != 1 || rows[0].Kind != syntax.KindInternal || rows[0].Stage != "read" || rows[0].ByteOffset != ends[0].End {
		t.Errorf("rows %+v", rows)
	}

	in := strings.Repeat("One two three .\n\n", 20_000)
	dir := write(t, "b.txt", in)
	inputs, err := source.List(t.Context(), []string{dir}, source.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	plan, err := source.NewPlan(inputs, source.PlanOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if recover() != "of a later stage" {
			t.Error("a panic of a later stage was recovered")
		}
	}()
	transforms.ReadPaced(t.Context(), &plan.Ranges[0], output.RowOptions{}, nil, func(transforms.Chunk) error { panic("of a later stage") })
}
