package record

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/bits"
	"slices"

	pq "github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"github.com/treebeam/treebeam/io/parquet"
	"github.com/treebeam/treebeam/io/text"
	"github.com/treebeam/treebeam/parser/syntax"
)

// cellBits is the number of low bits of a place in a Parquet file that give the
// position in a cell; the other bits are the number of the row, from 0. Such places
// cannot count bytes of the file.
const cellBits = 24

// Bounds of a Parquet file: what its writer chooses and memory must hold.
const (
	maxFooter = 64 << 20
	maxPage   = 32 << 20
	maxHeader = 64 << 20 // bytes of a page header; some programs write a value four times in it
)

// A Parquet is an open Parquet file. It is not safe for concurrent use.
type Parquet struct {
	in     *watched
	file   *pq.File
	opt    Options
	values *text.Values
	text   pq.LeafColumn
	id     *pq.LeafColumn
	keep   []*pq.LeafColumn
	lacks  []syntax.Fault // why values of Options.Keep, or that of Options.ID, are not there

	unpacked []byte // room for a page without compression
}

// watched remembers a fault of a file, so that the library's error about it is not
// taken for damage.
type watched struct {
	io.ReaderAt
	size int64
	err  error
}

func (w *watched) ReadAt(b []byte, off int64) (int, error) {
	if off < 0 || off > w.size {
		return 0, io.ErrUnexpectedEOF // as a damaged footer has it
	}
	n, err := w.ReaderAt.ReadAt(b, off)
	if err != nil && err != io.EOF && w.err == nil {
		w.err = err
	}
	return n, err
}

// fault is the error to return for err of the library.
func (w *watched) fault(err error) error {
	var ours syntax.Fault
	switch {
	case w.err != nil:
		return w.err
	case errors.As(err, &ours):
		return ours
	}
	return syntax.Because(syntax.KindDamaged, "not a Parquet file that can be read, or damaged: %v; write it again", err)
}

// recoverDamage makes an error of a panic: the library trusts files.
func (w *watched) recoverDamage(err *error) {
	if p := recover(); p != nil {
		*err = w.fault(fmt.Errorf("%v", p))
	}
}

var errEncrypted = syntax.Because(syntax.KindNotText, "not text: an encrypted Parquet file; decrypt it first")

// encrypted reports whether a footer of n bytes, which the library refuses because it
// is signed, belongs to a file with encrypted columns.
func (w *watched) encrypted(n uint32) bool {
	footer := make([]byte, min(int64(n), max(0, w.size-8)))
	if m, _ := w.ReadAt(footer, w.size-8-int64(len(footer))); m < len(footer) {
		return false
	}
	var meta format.FileMetaData
	err := thrift.NewDecoder(new(thrift.CompactProtocol).NewReaderFromBytes(footer)).Decode(&meta)
	return err == nil && meta.EncryptionAlgorithm.Value != nil
}

// OpenParquet opens a file of size bytes and finds the columns. An error is a
// syntax.Fault, after which nothing in the file can be read, or r's.
func OpenParquet(r io.ReaderAt, size int64, o Options) (p *Parquet, err error) {
	in := &watched{ReaderAt: r, size: size}
	defer in.recoverDamage(&err)
	var tail [8]byte
	if size < 12 {
		return nil, in.fault(errors.New("it is too short"))
	}
	if _, err := in.ReadAt(tail[:], size-8); err != nil && err != io.EOF {
		return nil, in.fault(err)
	}
	switch string(tail[4:]) {
	case "PAR1":
	case "PARE":
		return nil, errEncrypted
	default:
		return nil, in.fault(errors.New("it does not end like one, as if it were cut off"))
	}
	if n := binary.LittleEndian.Uint32(tail[:4]); n > maxFooter {
		return nil, in.fault(syntax.Because(syntax.KindNotText, "a Parquet file with a footer of %d bytes, the limit is %d; write it with fewer columns", n, maxFooter))
	}
	file, err := pq.OpenFile(in, size, pq.SkipPageIndex(true), pq.SkipBloomFilters(true))
	if err != nil {
		if in.encrypted(binary.LittleEndian.Uint32(tail[:4])) {
			return nil, errEncrypted
		}
		return nil, in.fault(err)
	}
	if file.Metadata().EncryptionAlgorithm.Value != nil {
		return nil, errEncrypted
	}
	if _, ours := file.Lookup(parquet.KeyFormat); ours {
		return nil, syntax.Because(syntax.KindNotText, "not text: a part of an output of treebeam's; treebeam convert reads the folder that it came from, treebeam parse the texts that were parsed")
	}
	o = o.withDefaults()
	values, err := text.NewValues(text.Options{Lines: o.Lines, StripHTML: o.StripHTML}, false) // in UTF-8
	if err != nil {
		return nil, err
	}
	p = &Parquet{in: in, file: file, opt: o, values: values}
	if err := p.findColumns(); err != nil {
		return nil, err
	}
	return p, nil
}

// NumRows returns the number of rows of the file.
func (p *Parquet) NumRows() int64 { return p.file.NumRows() }

// maxGroup is the size of a row group from which on several ranges share it. Each passes
// over the pages before its own. Tests make it smaller.
var maxGroup int64 = 64 << 20

// A cutting says where the bytes and rows of a file may be cut: at row groups.
type cutting struct{ byte, row []int64 }

// cutting returns where the file, of size bytes, may be cut. If its row groups do not
// follow each other, it is as one that has one group.
func (p *Parquet) cutting(size int64) cutting {
	c := cutting{[]int64{0}, []int64{0}}
	for i, g := range p.file.Metadata().RowGroups {
		begin := size
		for j := range g.Columns {
			at := &g.Columns[j].MetaData
			begin = min(begin, at.DataPageOffset)
			if d := at.DictionaryPageOffset; d > 0 {
				begin = min(begin, d)
			}
		}
		rows := c.row[i] + g.NumRows
		if i > 0 && begin <= c.byte[i-1] || begin >= size || g.NumRows < 0 {
			return cutting{[]int64{0, size}, []int64{0, p.NumRows()}}
		}
		if i > 0 {
			c.byte = append(c.byte, begin)
		}
		c.row = append(c.row, rows)
	}
	c.byte, c.row = append(c.byte, size), append(c.row, p.NumRows())
	c.row = c.row[:len(c.byte)]
	return c
}

// at returns the place of the first cut at or after a byte of the file, and its row. A
// large row group is cut anywhere: each byte stands for the same share of its rows.
func (c *cutting) at(b int64) (place, row int64) {
	i, is := slices.BinarySearch(c.byte, b)
	if is || i == 0 || i == len(c.byte) || c.byte[i]-c.byte[i-1] <= maxGroup {
		i = min(i, len(c.byte)-1)
		return c.byte[i], c.row[i]
	}
	hi, lo := bits.Mul64(uint64(c.row[i]-c.row[i-1]), uint64(b-c.byte[i-1]))
	share, _ := bits.Div64(hi, lo, uint64(c.byte[i]-c.byte[i-1]))
	return b, c.row[i-1] + int64(share)
}

// Rows returns a reader of the rows of the row groups that begin in the bytes [start,
// end) of the file, of size bytes. end may be beyond the end of the file, and is ignored
// if negative.
func (p *Parquet) Rows(start, end, size int64) *ParquetReader {
	if end < 0 || end > size {
		end = size
	}
	c := p.cutting(size)
	r := &ParquetReader{p: p}
	r.begin, r.next = c.at(start)
	r.behind, r.end = c.at(end)
	r.from, r.to = r.next, r.next
	return r
}

// A ParquetReader yields rows of a Parquet file, in order. It is not safe for
// concurrent use.
type ParquetReader struct {
	p         *Parquet
	next, end int64 // rows
	from, to  int64
	done      error

	begin, behind int64 // of the bytes of the row groups

	open        bool  // a row group
	first, last int64 // its rows, half open
	columns     []*values
	buf         []byte
}

// Bytes returns the interval of the file that no reader of other rows needs. These
// intervals follow each other as those of Covered do.
func (r *ParquetReader) Bytes() (from, to int64) { return r.begin, r.behind }

// Covered implements Reader: it returns places.
func (r *ParquetReader) Covered() (from, to int64) { return r.from << cellBits, r.to << cellBits }

// Next implements Reader.
func (r *ParquetReader) Next() (rec Record, err error) {
	if r.done != nil {
		return Record{}, r.done
	}
	defer func() { r.done = err }()
	defer r.p.in.recoverDamage(&err)
	if r.next >= r.end {
		r.close()
		return Record{}, io.EOF
	}
	if !r.open || r.next >= r.last {
		err = r.openGroup()
	}
	if err == nil {
		rec, err = r.record()
	}
	if page, ok := errors.AsType[*tooLarge](err); ok {
		return r.large(page), nil
	}
	if err != nil {
		return Record{}, r.p.in.fault(err)
	}
	r.next++
	r.to = r.next
	return rec, nil
}

// openGroup opens the row group of the next row.
func (r *ParquetReader) openGroup() error {
	r.close()
	first := int64(0)
	for i, g := range r.p.file.RowGroups() {
		n := g.NumRows()
		if r.next >= first+n {
			first += n
			continue
		}
		r.open, r.first, r.last = true, first, first+n
		for _, leaf := range append([]*pq.LeafColumn{&r.p.text, r.p.id}, r.p.keep...) {
			if leaf == nil {
				r.columns = append(r.columns, nil)
				continue
			}
			v, err := r.p.view(i, leaf, n, r.next-first)
			if err != nil {
				return err
			}
			c, err := v.values(g, r.next-first)
			if err != nil {
				return err
			}
			r.columns = append(r.columns, c)
		}
		return nil
	}
	return errors.New("it has fewer rows than its footer says")
}

// close releases what is open of a row group.
func (r *ParquetReader) close() {
	for _, c := range r.columns {
		if c != nil {
			c.close()
		}
	}
	r.columns, r.open = r.columns[:0], false
}

// newRecord is the record of the next row, which begins at a place.
func (r *ParquetReader) newRecord(at int64) Record {
	rec := Record{Start: at, End: at, Line: r.next + 1, Number: r.next + 1, row: true, numbered: true, values: r.p.values}
	if r.next == 0 {
		rec.lacking(r.p.lacks)
	}
	return rec
}

// record reads the next row.
func (r *ParquetReader) record() (Record, error) {
	at := r.next << cellBits
	rec := r.newRecord(at)
	for i, c := range r.columns {
		if c == nil {
			if i >= 2 {
				rec.Kept = append(rec.Kept, "")
			}
			continue
		}
		row, err := c.next()
		if err != nil {
			return rec, err
		}
		size := c.long(row)
		switch {
		case i == 0:
			r.text(&rec, row[0])
		case i == 1 && size > 0:
			rec.longID(at, size, r.p.opt.ID)
		case i == 1:
			rec.setID(at, string(appendValue(nil, row[0], c.leaf.Node.Type())), r.p.opt.ID)
		case size > 0:
			rec.longValue(at, size, r.p.opt.Keep[i-2])
		default:
			rec.keep(at, c.text(row), r.p.opt.Keep[i-2])
		}
	}
	return rec, nil
}

// text sets the text of a row.
func (r *ParquetReader) text(rec *Record, v pq.Value) {
	var b []byte
	if !v.IsNull() {
		b = v.ByteArray()
	}
	rec.Raw = b[:min(len(b), shown)]
	limit := min(r.p.opt.MaxRecord, 1<<cellBits)
	if len(b) > limit {
		rec.Raw = append([]byte(nil), rec.Raw...)
		rec.fail(rec.Start, syntax.KindLongRecord, "record too long: its text has %d bytes, the limit is %d", len(b), limit)
		return
	}
	r.buf = append(r.buf[:0], b...)
	rec.Raw, rec.End = r.buf[:min(len(b), shown)], rec.Start+int64(len(b))
	rec.value = text.Value{Bytes: r.buf, Offset: rec.Start, Line: rec.Line, OneLine: true}
}

// values reads one column of a row group.
type values struct {
	leaf  *pq.LeafColumn
	view  *view
	pages pq.Pages
	page  pq.Page
	in    pq.ValueReader
	buf   [64]pq.Value
	have  []pq.Value // of buf, unread
	row   []pq.Value
}

// values opens the column in a row group, from the row on for which v was made.
func (v *view) values(g pq.RowGroup, row int64) (*values, error) {
	column, ok := g.ColumnChunks()[v.leaf.ColumnIndex].(*pq.FileColumnChunk)
	if !ok {
		return nil, errors.New("a column that is not of a file")
	}
	c := &values{leaf: v.leaf, view: v, pages: column.PagesFrom(v)}
	if row -= v.first; row > 0 {
		if err := c.pages.SeekToRow(row); err != nil {
			c.close()
			return nil, err
		}
	}
	return c, nil
}

// value returns the next value of the column without consuming it; io.EOF is
// after the last.
func (v *values) value() (pq.Value, error) {
	for len(v.have) == 0 {
		if v.in == nil {
			page, err := v.pages.ReadPage()
			if err != nil && v.view.err != nil {
				err = v.view.err // which the library does not hand on as it is
			}
			if err != nil {
				return pq.Value{}, err
			}
			v.release()
			v.page, v.in = page, page.Values()
		}
		n, err := v.in.ReadValues(v.buf[:])
		if v.have = v.buf[:n]; err != nil {
			if err != io.EOF {
				return pq.Value{}, err
			}
			v.in = nil
		}
	}
	return v.have[0], nil
}

// next returns the values of the next row, valid until the next call.
func (v *values) next() ([]pq.Value, error) {
	first, err := v.value()
	if err == io.EOF {
		err = errors.New("a column has fewer values than the file has rows")
	}
	if err != nil {
		return nil, err
	}
	v.have = v.have[1:]
	if v.leaf.MaxRepetitionLevel == 0 {
		v.row = append(v.row[:0], first)
		return v.row, nil
	}
	if isLong(first) {
		first = pq.ByteArrayValue(first.ByteArray()[:2*maxValue]).Level(first.RepetitionLevel(), first.DefinitionLevel(), first.Column())
	}
	v.row = append(v.row[:0], first.Clone())
	for size := 0; ; {
		more, err := v.value()
		if err == io.EOF || err == nil && more.RepetitionLevel() == 0 {
			return v.row, nil
		}
		if err != nil {
			return nil, err
		}
		v.have = v.have[1:]
		if size += 8; more.Kind() == pq.ByteArray {
			size += len(more.ByteArray())
		}
		if size <= 2*maxValue { // more is not kept
			v.row = append(v.row, more.Clone())
		}
	}
}

// isLong reports whether a value is over the limit, however it is written.
func isLong(v pq.Value) bool {
	return !v.IsNull() && (v.Kind() == pq.ByteArray || v.Kind() == pq.FixedLenByteArray) && len(v.ByteArray()) > 2*maxValue
}

// long is the bytes of the value of a row that is over the limit, else 0. It
// copies nothing: a dictionary can give a large value to a million rows.
func (v *values) long(row []pq.Value) int {
	if v.leaf.MaxRepetitionLevel > 0 || !isLong(row[0]) {
		return 0
	}
	return len(row[0].ByteArray())
}

// text is what is kept of a row.
func (v *values) text(row []pq.Value) string {
	t := v.leaf.Node.Type()
	if v.leaf.MaxRepetitionLevel == 0 {
		return string(appendValue(nil, row[0], t))
	}
	there := v.leaf.MaxDefinitionLevel // of an element
	if v.leaf.Node.Optional() {
		there--
	}
	switch level := row[0].DefinitionLevel(); {
	case level < there-1:
		return "" // no list
	case level < there:
		return "[]"
	}
	return string(appendList(nil, row, t))
}

func (v *values) release() {
	if v.page != nil {
		pq.Release(v.page)
		v.page = nil
	}
}

func (v *values) close() {
	v.release()
	v.pages.Close()
}
