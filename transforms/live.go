package transforms

import (
	"context"
	"io"

	"github.com/treebeam/treebeam/io/output"
	"github.com/treebeam/treebeam/io/source"
)

// A Live is an input that can be read only once, as its bytes arrive.
type Live struct {
	Input source.Input
	From  io.Reader
}

// A Pace makes the first chunks small, so that the first sentences need not wait for
// thousands of others. It changes no result. It belongs to one goroutine.
type Pace struct {
	// Ends asks for File.Ended: every document, even one without sentences, then has a
	// File in the chunk in which it ends.
	Ends bool

	tokens int // of the last chunk
}

// firstTokens is the size of the first chunk. Every other chunk is twice as large as the
// one before, up to ChunkTokens.
const firstTokens = 64

// full is how many tokens fill the chunk that is being read.
func (p *Pace) full() int {
	if p == nil {
		return ChunkTokens
	}
	return max(p.tokens, firstTokens)
}

// next makes the next chunk larger.
func (p *Pace) next() {
	if p != nil {
		p.tokens = min(2*p.full(), ChunkTokens)
	}
}

// ReadPaced reads the pieces of a range and calls emit with one chunk after another. The
// last chunk holds the counts. ReadPaced finds the languages of documents among those of
// m, unless m is nil. Chunks grow as pace says, also from range to range; if pace is nil,
// they have ChunkTokens from the start. A piece that can never be read becomes a failure
// row; after any error, the range must be read again.
func ReadPaced(ctx context.Context, r *source.Range, m Stages, o output.RowOptions, pace *Pace, emit func(Chunk) error) error {
	rd := newRangeReader(ctx, r, m, o, emit)
	rd.pace = pace
	return rd.all()
}

// ReadLive is ReadPaced on a live input. Whenever the input pauses, ReadLive emits what
// has come so far.
func ReadLive(ctx context.Context, live *Live, m Stages, o output.RowOptions, pace *Pace, emit func(Chunk) error) error {
	r := &source.Range{N: 1, Pieces: []source.Piece{source.LivePiece(&live.Input)}}
	rd := newRangeReader(ctx, r, m, o, emit)
	rd.pace, rd.live = pace, live
	return rd.all()
}

// openPiece opens the file of piece i, or the live input.
func (rd *rangeReader) openPiece(i int) (*source.File, error) {
	if rd.live == nil {
		return rd.files.Open(i)
	}
	return source.OpenLive(rd.ctx, &rd.live.Input, rd.live.From, func() error {
		if len(rd.chunk.Files) == 0 { // no row, and no end of a document
			return nil
		}
		return rd.flush()
	})
}
