package source

import (
	"encoding/binary"
	"errors"
	"io"

	"github.com/klauspost/compress/zstd"

	"github.com/treebeam/treebeam/io/store"
)

// A Member is a place in a compressed file at which decompression can begin.
type Member struct {
	At   int64 `json:"at"`   // of the stored bytes
	From int64 `json:"from"` // of the decompressed bytes
}

// seenBefore is how many decompressed bytes before a piece its readers look at, as a rule.
const seenBefore = 64 << 10

// split cuts a compressed local file into n pieces or fewer, before blocks of bgzf or
// frames of zstd. What follows one that does not say how long it and its contents are is
// in one piece. split returns nil if there is only one. It reads some bytes of every
// block, so it would have to read all of a file in a bucket.
func split(in *Input, dir string, n int64) (list []Piece) {
	if store.IsRemote(in.stored()) || in.In != nil {
		return nil
	}
	file, _, err := store.OpenLocal(resolve(dir, in.stored()))
	if err != nil {
		return nil
	}
	defer file.Close()
	walk := bgzfBlock
	if in.compression() == zstandard {
		walk = zstdFrame
	}
	piece := Piece{Input: *in, End: in.Size}
	recent := []Member{{}} // where a reader of the next piece may have to begin, and later ones
	for at := (Member{}); ; {
		if at, err = walk(file, at); err != nil || at.At >= in.Size-in.Size/n/2 {
			break
		}
		for len(recent) > 1 && recent[1].From <= at.From-seenBefore {
			recent = recent[1:]
		}
		if at.At >= in.Size/n*int64(len(list)+1) && at.From > piece.From {
			piece.End, piece.To = at.At, at.From
			list = append(list, piece)
			piece = Piece{Input: *in, Start: at.At, End: in.Size, From: at.From, Before: recent[0]}
		}
		recent = append(recent, at)
	}
	if len(list) == 0 {
		return nil
	}
	return append(list, piece)
}

// errUnknown says that a member does not say how long it is.
var errUnknown = errors.New("the end of the member is not known")

// bgzfBlock returns the end of a block of bgzf, a member of gzip that says in its header
// how long it is (Li et al. 2009, and the specification of SAM).
func bgzfBlock(r io.ReaderAt, m Member) (Member, error) {
	const header = "\x1f\x8b\x08\x04\x00\x00\x00\x00\x00\xff\x06\x00BC\x02\x00"
	var b [len(header) + 2]byte
	if _, err := r.ReadAt(b[:], m.At); err != nil {
		return m, err
	}
	if string(b[:4]) != header[:4] || string(b[10:16]) != header[10:] { // between them are a time and a system
		return m, errUnknown
	}
	m.At += int64(binary.LittleEndian.Uint16(b[16:])) + 1
	if _, err := r.ReadAt(b[:4], m.At-4); err != nil {
		return m, err
	}
	m.From += int64(binary.LittleEndian.Uint32(b[:]))
	return m, nil
}

// zstdFrame returns the end of a frame of zstd, which may be one to skip (RFC 8878).
func zstdFrame(r io.ReaderAt, m Member) (Member, error) {
	var b [zstd.HeaderMaxSize]byte
	n, err := r.ReadAt(b[:], m.At)
	if err != nil && err != io.EOF {
		return m, err
	}
	var h zstd.Header
	if err := h.Decode(b[:n]); err != nil {
		return m, err
	}
	if m.At += int64(h.HeaderSize); h.Skippable {
		m.At += int64(h.SkippableSize)
		return m, nil
	}
	if !h.HasFCS || int64(h.FrameContentSize) < 0 {
		return m, errUnknown
	}
	m.From += int64(h.FrameContentSize)
	for last := false; !last; {
		if _, err := r.ReadAt(b[:3], m.At); err != nil {
			return m, err
		}
		block := int64(b[0]) | int64(b[1])<<8 | int64(b[2])<<16
		const repeated = 1 // a block of one byte
		size := block >> 3
		if block>>1&3 == repeated {
			size = 1
		}
		m.At, last = m.At+3+size, block&1 == 1
	}
	if h.HasCheckSum {
		m.At += 4
	}
	return m, nil
}
