package transforms

import (
	"context"
	"io"

	"github.com/treebeam/treebeam/io/output"
	"github.com/treebeam/treebeam/io/source"
)

// A Live is an input that can be read only once, as it comes.
type Live struct {
	Input source.Input
	From  io.Reader
}

// A Pace makes the first chunks small, so that the first sentences need not
// wait for thousands of others. It changes no result.
type Pace struct {
	// Ends asks for File.Ended: every document, even one without sentences, then has a
	// File in the chunk where it ends.
	Ends bool

	tokens int // of the last chunk
}

// firstTokens is how large the first chunk is. Every other one is twice as
// large as the one before, up to ChunkTokens.
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

// ReadPaced reads the pieces of a range and gives what is in them to emit,
// chunk by chunk; the last one holds the counts. The sizes of chunks grow from
// range to range, but if pace is nil. A piece that cannot be read for good is a
// failure row; an error means that the range must be read again.
func ReadPaced(ctx context.Context, r *source.Range, o output.RowOptions, pace *Pace, emit func(Chunk) error) error {
	rd := newRangeReader(ctx, r, o, emit)
	rd.pace = pace
	return rd.all()
}

// ReadLive is ReadPaced on a live input. Whenever the input pauses, ReadLive emits what
// has come so far.
func ReadLive(ctx context.Context, live *Live, o output.RowOptions, pace *Pace, emit func(Chunk) error) error {
	r := &source.Range{N: 1, Pieces: []source.Piece{source.LivePiece(&live.Input)}}
	rd := &rangeReader{ctx: ctx, r: r, options: o, emit: emit, pace: pace, live: live}
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
