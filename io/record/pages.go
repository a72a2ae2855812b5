package record

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	pq "github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"github.com/treebeam/treebeam/parser/syntax"
)

// A tooLarge is the error of a page that memory should not hold.
type tooLarge struct {
	what string // the bytes or values of a page, and the limit
	to   int64  // the row of its row group behind the rows that need it
}

func (e *tooLarge) Error() string { return e.what }

// A view is the part of a column of a row group that the library may see. It begins at
// the page with the first row to read, because the library would decompress all pages
// before it, and ends before the first page that is damaged or too large for memory,
// because the library would decode that too.
type view struct {
	in    *watched
	file  *Parquet
	leaf  *pq.LeafColumn
	codec format.CompressionCodec
	rows  int64 // of the row group

	data  int64 // where the first page of data is
	at    int64 // where the page is that has the row to begin with
	first int64 // the first row of that, 0 if the column is not flat
	end   int64 // of the column

	to     int64 // what the library may read ends here
	row    int64 // the first of the page there, if the column is flat
	err    error // why it is not to read on
	buf    *bufio.Reader
	stored []byte     // the page before to as it is in the file
	hidden [][2]int64 // places of sizes that the library is to take for 0
}

// view opens a column of a row group of rows rows to read the rows from row on. Files
// need no index for that. Only the pages of a flat column tell their rows: any other
// column is read from its first page.
func (p *Parquet) view(group int, leaf *pq.LeafColumn, rows, row int64) (*view, error) {
	meta := p.file.Metadata().RowGroups[group].Columns[leaf.ColumnIndex].MetaData
	begin := meta.DataPageOffset
	if d := meta.DictionaryPageOffset; d > 0 {
		begin = d
	}
	v := &view{in: p.in, file: p, leaf: leaf, codec: meta.Codec, rows: rows, end: begin + meta.TotalCompressedSize, to: begin, buf: bufio.NewReaderSize(nil, 1<<10)}
	for v.to < v.end {
		h, body, err := v.header()
		n := valuesOf(&h)
		if err != nil || n > 0 && (!v.flat() || v.row+n > row) {
			break // allow will say why
		}
		if n == 0 {
			if err := v.check(&h, body); err != nil {
				return nil, err
			}
		} else if v.data == 0 {
			v.data = v.to
		}
		if n == 0 {
			v.hide()
		}
		v.to, v.row = body+int64(h.CompressedPageSize), v.row+n
	}
	if v.data == 0 {
		v.data = v.to
	}
	v.at, v.first = v.to, v.row
	return v, nil
}

// flat reports whether each value is a row.
func (v *view) flat() bool { return v.leaf.MaxRepetitionLevel == 0 }

// valuesOf is how many values a page has, nulls included; 0 if it is none of data.
func valuesOf(h *format.PageHeader) int64 {
	return int64(h.DataPageHeader.V.NumValues) + int64(h.DataPageHeaderV2.V.NumValues)
}

// header reads the page header at v.to and says where the page begins.
func (v *view) header() (h format.PageHeader, body int64, err error) {
	limited := &io.LimitedReader{R: io.NewSectionReader(v.in, v.to, v.end-v.to), N: maxHeader}
	v.buf.Reset(limited)
	var protocol thrift.CompactProtocol
	if err := thrift.NewDecoder(protocol.NewReader(v.buf)).Decode(&h); err != nil {
		if limited.N == 0 { // its statistics may hold the largest values whole
			err = &tooLarge{storedAs(maxPage), v.rows} // or more rows
		}
		return h, 0, err
	}
	if h.CompressedPageSize < 0 || h.UncompressedPageSize < 0 || h.DataPageHeader.V.NumValues < 0 || h.DataPageHeaderV2.V.NumValues < 0 || h.DictionaryPageHeader.V.NumValues < 0 {
		return h, 0, errors.New("a page of negative size")
	}
	return h, v.to + maxHeader - limited.N - int64(v.buf.Buffered()), nil
}

// check finds out whether memory can hold the page at v.to, once the library has
// decompressed and decoded it. The error is a *tooLarge if it cannot.
func (v *view) check(h *format.PageHeader, body int64) error {
	what := ""
	if size := max(h.CompressedPageSize, h.UncompressedPageSize); size > maxPage {
		what = storedAs(size)
	} else if what = (load{values: max(valuesOf(h), int64(h.DictionaryPageHeader.V.NumValues))}).large(); what == "" {
		if int64(h.CompressedPageSize) > v.in.size-body {
			return io.ErrUnexpectedEOF
		}
		v.stored = append(v.stored[:0], make([]byte, h.CompressedPageSize)...)
		if n, err := v.in.ReadAt(v.stored, body); n < len(v.stored) {
			return noMore(err)
		}
		l, err := v.load(h)
		if err != nil {
			return err
		}
		what = l.large()
	}
	if what == "" {
		return nil
	}
	large := &tooLarge{what, v.rows}
	if n := valuesOf(h); v.flat() && n > 0 { // else all pages may need it
		large.to = min(v.rows, v.row+n)
	}
	return large
}

func storedAs(size int32) string {
	return fmt.Sprintf("a page of %d bytes or more, the limit is %d", size, maxPage)
}

// noMore is err of a read that should have read more.
func noMore(err error) error {
	if err == nil || err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return err
}

// load returns what the stored page takes once it is decoded.
func (v *view) load(h *format.PageHeader) (l load, err error) {
	levels, data, codec := []byte(nil), v.stored, v.codec
	if h := &h.DataPageHeaderV2; h.Valid {
		n := int64(max(0, h.V.RepetitionLevelsByteLength)) + int64(max(0, h.V.DefinitionLevelsByteLength))
		if n > int64(len(data)) {
			return l, io.ErrUnexpectedEOF
		}
		levels, data = data[:n], data[n:]
		if c := h.V.IsCompressed; c.Valid && !c.V {
			codec = format.Uncompressed
		}
	}
	if size := int(h.UncompressedPageSize); codec != format.Uncompressed {
		if len(v.file.unpacked) < size {
			v.file.unpacked = make([]byte, size)
		}
		if data, err = decompress(codec, v.file.unpacked[:size], data); err != nil {
			return l, err
		}
	}
	if h.DictionaryPageHeader.Valid {
		if e := h.DictionaryPageHeader.V.Encoding; e != format.Plain && e != plainDictionary {
			err = fmt.Errorf("a dictionary written as %s", e)
		}
		return l, err
	}
	return loadOf(h, v.leaf, levels, data)
}

// allow lets the library read the next page, or says why not.
func (v *view) allow() error {
	if v.err != nil {
		return v.err
	}
	h, body, err := v.header()
	if err == nil {
		err = v.check(&h, body)
	}
	if v.err = err; err == nil {
		v.hide()
		v.to, v.row = body+int64(h.CompressedPageSize), v.row+valuesOf(&h)
	}
	return err
}

// hide notes where the header at v.to has the size without compression, if the page is
// compressed with LZ4. The library decompresses such a page into a buffer of its own
// and then, if that size is right, returns the buffer that it had reserved for the
// page, with its old contents. A size of 0 is never right.
func (v *view) hide() {
	var b [13]byte
	n, _ := v.in.ReadAt(b[:], v.to)
	if v.codec != format.Lz4Raw || n < 4 || b[0] != 0x15 || b[1] > 0x7f || b[2] != 0x15 { // fields 1 and 2
		return
	}
	if _, k := binary.Uvarint(b[3:n]); k > 0 {
		v.hidden = append(v.hidden, [2]int64{v.to + 3, v.to + 3 + int64(k)})
	}
}

// conceal overwrites the hidden sizes in b, which begins at off in the file, with zeros
// of the same length.
func (v *view) conceal(b []byte, off int64) {
	for _, h := range v.hidden {
		for at := max(h[0], off); at < min(h[1], off+int64(len(b))); at++ {
			if b[at-off] = 0x80; at == h[1]-1 {
				b[at-off] = 0
			}
		}
	}
}

// ReadAt implements io.ReaderAt.
func (v *view) ReadAt(b []byte, off int64) (n int, err error) {
	if off < v.data {
		head := b[:min(int64(len(b)), v.data-off)]
		n, err = v.in.ReadAt(head, off)
		v.conceal(head[:n], off)
		if n < len(head) || n == len(b) {
			return n, err
		}
	}
	off += int64(n) + v.at - v.data
	for err = nil; v.to < v.end && v.to < off+int64(len(b)-n) && err == nil; {
		err = v.allow()
	}
	rest := b[n:]
	if most := v.to - off; int64(len(rest)) > most {
		rest = rest[:max(0, most)]
	}
	stored := v.to - int64(len(v.stored))
	m := 0
	if v.err == nil && off >= stored && off < v.to {
		m = copy(rest, v.stored[off-stored:])
		if off+int64(m) == v.to && m > 1<<20 { // nobody will ask for it again
			v.stored = nil
		}
	} else if m, err = v.in.ReadAt(rest, off); m == len(rest) {
		err = nil
	}
	v.conceal(rest[:m], off)
	if n += m; n < len(b) && err == nil {
		if err = v.err; err == nil {
			err = io.EOF
		}
	}
	return n, err
}

// large returns one record for the rows, from the next one on, that need a page too
// large for memory. It skips these rows.
func (r *ParquetReader) large(page *tooLarge) Record {
	row := r.next + 1
	last := max(row, min(r.end, r.first+page.to))
	rec := r.newRecord(r.next << cellBits)
	for range r.p.keep {
		rec.Kept = append(rec.Kept, "")
	}
	rec.fail(rec.Start, syntax.KindLongRecord, "%s in %s; write the file with smaller pages", rowsTo(row, last), page.what)
	r.next, r.to = last, last
	r.close()
	return rec
}

func rowsTo(first, last int64) string {
	if first == last {
		return "it is"
	}
	return fmt.Sprintf("it and the rows up to %d are", last)
}
