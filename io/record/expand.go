package record

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/bits"
	"sync"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
	pq "github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"
	"github.com/pierrec/lz4/v4"
)

// maxValues is the most values of a page, nulls included. In addition to its own bytes,
// each takes up to six: two levels, and its place in a dictionary or a page.
const maxValues = 16 << 20

// plainDictionary is the old name of RLEDictionary in pages, and of Plain in
// dictionaries.
const plainDictionary format.Encoding = 2

var errSize = errors.New("a page is larger than its header says")

// zstdDecoder is for whole pages, from any goroutine.
var zstdDecoder = sync.OnceValues(func() (*zstd.Decoder, error) {
	return zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxPage))
})

// decompress decompresses src into dst, which must have room for all of it, and returns
// the result. The library's own codecs trust the page.
func decompress(codec format.CompressionCodec, dst, src []byte) ([]byte, error) {
	var r io.Reader
	switch codec {
	case format.Snappy:
		if n, err := snappy.DecodedLen(src); err != nil {
			return nil, err
		} else if n > len(dst) {
			return nil, errSize
		}
		return snappy.Decode(dst, src)
	case format.Zstd:
		d, err := zstdDecoder()
		if err != nil {
			return nil, err
		}
		b, err := d.DecodeAll(src, dst[:0])
		if err == nil && len(b) > len(dst) || errors.Is(err, zstd.ErrDecoderSizeExceeded) {
			err = errSize
		}
		return b, err
	case format.Lz4Raw:
		n, err := lz4.UncompressBlock(src, dst)
		if err != nil {
			return nil, fmt.Errorf("a page that is larger than its header says, or %w", err)
		}
		return dst[:n], nil
	case format.Gzip:
		z, err := gzip.NewReader(bytes.NewReader(src))
		if err != nil {
			return nil, err
		}
		r = z
	case format.Brotli:
		r = brotli.NewReader(bytes.NewReader(src))
	default:
		return nil, fmt.Errorf("pages compressed with %s", codec)
	}
	n, err := io.ReadFull(r, dst)
	switch {
	case err == io.EOF || err == io.ErrUnexpectedEOF:
		return dst[:n], nil
	case err != nil:
		return nil, err
	}
	if n, err := r.Read(make([]byte, 1)); n > 0 || err == nil {
		return nil, errSize
	}
	return dst, nil
}

// A load is the memory of a page that the library has decoded.
type load struct {
	values int64 // in the longest of its lists: of levels, places or values
	bytes  int64 // of values that the page does not hold as they are
}

// add counts n values of width bytes that the page does not hold in this form.
func (l *load) add(n, width int64) {
	l.values = max(l.values, n)
	l.bytes += n * width
}

// large says why the page is too large for memory, "" if it is not.
func (l load) large() string {
	switch {
	case l.values > maxValues:
		return fmt.Sprintf("a page of %d values, the limit is %d", l.values, maxValues)
	case l.bytes > maxPage:
		return fmt.Sprintf("a page that decodes to %d bytes or more, the limit is %d", l.bytes, maxPage)
	}
	return ""
}

// loadOf returns the memory that a page of data with values of a column takes. levels
// are the bytes before the values in version 2 of such pages. A fault of its encoding
// is an error.
func loadOf(h *format.PageHeader, leaf *pq.LeafColumn, levels, data []byte) (l load, err error) {
	encoding, v1 := h.DataPageHeaderV2.V.Encoding, h.DataPageHeader
	if v1.Valid {
		encoding = v1.V.Encoding
	}
	l.values = int64(v1.V.NumValues) + int64(h.DataPageHeaderV2.V.NumValues)
	for _, of := range []struct {
		most     int
		length   int32
		encoding format.Encoding
	}{
		{leaf.MaxRepetitionLevel, h.DataPageHeaderV2.V.RepetitionLevelsByteLength, v1.V.RepetitionLevelEncoding},
		{leaf.MaxDefinitionLevel, h.DataPageHeaderV2.V.DefinitionLevelsByteLength, v1.V.DefinitionLevelEncoding},
	} {
		var list []byte
		switch {
		case !v1.Valid:
			list, levels = levels[:of.length], levels[of.length:]
		case of.most == 0:
			continue
		default:
			if list, data, err = prefixed(data); err != nil {
				return l, err
			}
		}
		width := bits.Len(uint(of.most))
		n := int64(8*len(list)) / int64(max(width, 1))
		if !v1.Valid || of.encoding == format.RLE {
			n = runs(list, width)
		}
		l.add(n, 0)
	}
	err = l.of(encoding, leaf, data)
	return l, err
}

// of adds the memory of the values.
func (l *load) of(encoding format.Encoding, leaf *pq.LeafColumn, data []byte) (err error) {
	n := int64(0)
	switch encoding {
	case plainDictionary, format.RLEDictionary:
		if len(data) > 0 {
			l.add(runs(data[1:], int(data[0])), 0)
		}
	case format.RLE:
		list, _, err := prefixed(data)
		l.add(runs(list, 1), 0)
		return err
	case format.DeltaBinaryPacked:
		if n, _, err = deltas(data, nil); err == nil {
			l.add(n, 8)
		}
	case format.DeltaLengthByteArray:
		if n, _, err = deltas(data, nil); err == nil {
			l.add(n, 0)
		}
	case format.DeltaByteArray:
		for range 2 { // prefixes, then what follows them
			count := func(length int32) error {
				if l.bytes += int64(length); length < 0 || l.bytes > maxPage {
					return errEnough
				}
				return nil
			}
			if n, data, err = deltas(data, count); err != nil {
				break
			}
			l.add(n, 0)
		}
	}
	if err == errEnough {
		err = nil
	}
	return err
}

// prefixed cuts off a list that has its length before it.
func prefixed(data []byte) (list, rest []byte, err error) {
	if len(data) < 4 {
		return nil, nil, io.ErrUnexpectedEOF
	}
	n := int64(binary.LittleEndian.Uint32(data))
	if data = data[4:]; n > int64(len(data)) {
		return nil, nil, io.ErrUnexpectedEOF
	}
	return data[:n], data[n:], nil
}

// runs counts the values of width bits in runs of one value and in packed ones.
// What it cannot read, the library refuses.
func runs(data []byte, width int) (n int64) {
	for len(data) > 0 && n <= maxValues {
		u, k := binary.Uvarint(data)
		if k <= 0 || u>>1 > 1<<31 {
			return n
		}
		size := (width + 7) / 8
		count := int64(u >> 1)
		if u&1 == 1 {
			size = int(count) * width
			count *= 8
		}
		n += count
		data = data[min(len(data), k+size):]
	}
	return n
}

// errEnough ends deltas.
var errEnough = errors.New("enough")

// deltas counts the values of a list that is stored as differences, each in as many
// bits as its part of a block needs. It passes them to each unless that is nil. rest is
// the bytes after the list; it is empty without each.
func deltas(data []byte, each func(int32) error) (n int64, rest []byte, err error) {
	var head [3]uint64 // values of a block, its parts, values in all
	for i := range head {
		u, k := binary.Uvarint(data)
		if k <= 0 {
			return 0, nil, io.ErrUnexpectedEOF
		}
		head[i], data = u, data[k:]
	}
	first, k := binary.Varint(data)
	if k <= 0 {
		return 0, nil, io.ErrUnexpectedEOF
	}
	data = data[k:]
	block, parts, total := head[0], head[1], head[2]
	if total > 1<<31 || block > 1<<16 || parts == 0 || parts > block || block/parts%32 > 0 {
		return 0, nil, errors.New("a list of differences of an impossible size")
	}
	if n = int64(total); each == nil || n > maxValues || n == 0 {
		return n, data, nil
	}
	last := int32(first)
	if err := each(last); err != nil {
		return n, nil, err
	}
	for left := n - 1; left > 0; {
		least, k := binary.Varint(data)
		if k <= 0 || len(data) < k+int(parts) {
			return n, nil, io.ErrUnexpectedEOF
		}
		widths := data[k : k+int(parts)]
		data = data[k+int(parts):]
		for _, width := range widths {
			size := int(block/parts) / 8 * int(width)
			part := data[:min(len(data), size)]
			for i := 0; i < int(block/parts) && left > 0; i, left = i+1, left-1 {
				last += int32(least) + int32(bitsAt(part, i*int(width), int(width)))
				if err := each(last); err != nil {
					return n, nil, err
				}
			}
			if data = data[len(part):]; left == 0 {
				break
			}
		}
	}
	return n, data, nil
}

// bitsAt returns width bits of data from a bit on. The first bit is the lowest. Bits
// after the end are 0.
func bitsAt(data []byte, from, width int) (v uint64) {
	for i := 0; i < width; {
		at := from + i
		if at/8 >= len(data) {
			break
		}
		v |= uint64(data[at/8]>>(at%8)) << i
		i += 8 - at%8
	}
	return v & (1<<width - 1)
}
