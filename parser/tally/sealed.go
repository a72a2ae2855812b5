package tally

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
)

// A run is stored in blocks of at most blockBytes: their length, a CRC-32 of their
// number and bytes, and the bytes. Nothing of a block is used before the sum is known
// to be right: damage is never taken for other counts.
const (
	blockBytes  = 32 << 10
	headerBytes = 8
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// blockSum is the CRC-32 of block number n.
func blockSum(n uint64, block []byte) uint32 {
	var number [8]byte
	binary.LittleEndian.PutUint64(number[:], n)
	return crc32.Update(crc32.Checksum(number[:], castagnoli), castagnoli, block)
}

// seal returns a run as it is stored.
func seal(run []byte) []byte {
	out := make([]byte, 0, len(runMagic)+len(run)+(len(run)/blockBytes+1)*headerBytes)
	out = append(out, runMagic...)
	for n := uint64(0); len(run) > 0; n++ {
		block := run[:min(len(run), blockBytes)]
		run = run[len(block):]
		out = binary.LittleEndian.AppendUint32(out, uint32(len(block)))
		out = binary.LittleEndian.AppendUint32(out, blockSum(n, block))
		out = append(out, block...)
	}
	return out
}

// A blockReader reads what seal was given, behind runMagic.
type blockReader struct {
	r     io.Reader
	n     uint64 // of the next block
	block []byte
	left  []byte // of block, to read
}

func (b *blockReader) Read(to []byte) (int, error) {
	if len(b.left) == 0 {
		if err := b.next(); err != nil {
			return 0, err
		}
	}
	n := copy(to, b.left)
	b.left = b.left[n:]
	return n, nil
}

func (b *blockReader) ReadByte() (byte, error) {
	if len(b.left) == 0 {
		if err := b.next(); err != nil {
			return 0, err
		}
	}
	x := b.left[0]
	b.left = b.left[1:]
	return x, nil
}

// next reads a block.
func (b *blockReader) next() error {
	var header [headerBytes]byte
	if _, err := io.ReadFull(b.r, header[:]); err != nil {
		return err
	}
	length, sum := binary.LittleEndian.Uint32(header[:]), binary.LittleEndian.Uint32(header[4:])
	if length == 0 || length > blockBytes {
		return fmt.Errorf("block %d has %d bytes", b.n, length)
	}
	if b.block == nil {
		b.block = make([]byte, blockBytes)
	}
	block := b.block[:length]
	if _, err := io.ReadFull(b.r, block); err != nil {
		return err
	}
	if blockSum(b.n, block) != sum {
		return fmt.Errorf("block %d does not have the sum that it was written with", b.n)
	}
	b.n++
	b.left = block
	return nil
}
