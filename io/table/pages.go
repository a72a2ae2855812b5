package table

import (
	"bufio"
	"errors"
	"fmt"
	"io"

	pq "github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"github.com/treebeam/treebeam/parser/syntax"
)

// A stretch is the rows [from, to) of a row group, which a page holds that is
// too large for memory: of bytes bytes or more.
type stretch struct {
	from, to int64
	bytes    int32
}

// A chunk is what the page headers of a column of a row group say.
type chunk struct {
	data  int64   // where the first page of data is
	at    int64   // where the page is that has the row to begin with
	first int64   // the first row of that
	end   int64   // of the chunk
	large stretch // the first that ends behind that row and begins before the last; to is 0 if there is none
}

// walk reads the page headers of a column of a row group of rows rows, of which
// those in [row, last) will be read. Files need no index for that. Only pages of
// a flat column tell their rows: any other column is read from its first page.
func (p *Parquet) walk(group int, leaf *pq.LeafColumn, rows, row, last int64) (chunk, error) {
	meta := p.file.Metadata().RowGroups[group].Columns[leaf.ColumnIndex].MetaData
	begin := meta.DataPageOffset
	if d := meta.DictionaryPageOffset; d > 0 {
		begin = d
	}
	c := chunk{end: begin + meta.TotalCompressedSize}
	flat := leaf.MaxRepetitionLevel == 0
	section := io.NewSectionReader(p.in, begin, meta.TotalCompressedSize)
	in := bufio.NewReaderSize(section, 1<<10)
	var protocol thrift.CompactProtocol
	n := int64(0) // rows of the pages so far
	for done := int64(0); done < meta.TotalCompressedSize && (!flat || n < last); {
		if _, err := section.Seek(done, io.SeekStart); err != nil {
			return c, err
		}
		limited := &io.LimitedReader{R: section, N: maxHeader}
		in.Reset(limited)
		var h format.PageHeader
		if err := thrift.NewDecoder(protocol.NewReader(in)).Decode(&h); err != nil {
			if limited.N == 0 && flat { // its statistics may hold the largest values whole
				if c.large.to == 0 {
					c.large = stretch{n, rows, maxPage} // and more
				}
				if n <= row {
					c.at, c.first = begin+done, row // nothing of it will be read
				}
				if c.data == 0 {
					c.data = begin + done
				}
				return c, nil
			}
			return c, err
		}
		if h.CompressedPageSize < 0 || h.UncompressedPageSize < 0 || h.DataPageHeader.V.NumValues < 0 || h.DataPageHeaderV2.V.NumValues < 0 {
			return c, errors.New("a page of negative size")
		}
		size := max(h.CompressedPageSize, h.UncompressedPageSize)
		values := int64(h.DataPageHeader.V.NumValues) + int64(h.DataPageHeaderV2.V.NumValues)
		if values > 0 && c.data == 0 {
			c.data, c.at = begin+done, begin+done
		}
		if flat && n <= row && values > 0 {
			c.at, c.first = begin+done, n
		}
		switch {
		case size <= maxPage || c.large.to > 0:
		case !flat || values == 0: // of a dictionary, which all pages may need
			c.large = stretch{0, rows, size}
		case n+values > row:
			c.large = stretch{n, n + values, size}
		}
		n += values
		here, err := section.Seek(0, io.SeekCurrent)
		if err != nil {
			return c, err
		}
		done = here - int64(in.Buffered()) + int64(h.CompressedPageSize)
	}
	return c, nil
}

// A view is a file without the pages of a chunk that are before the one at at:
// the library would decompress them to pass over their rows.
type view struct {
	in *watched
	chunk
}

// ReadAt implements io.ReaderAt.
func (v *view) ReadAt(b []byte, off int64) (n int, err error) {
	if off < v.data {
		head := b[:min(int64(len(b)), v.data-off)]
		if n, err = v.in.ReadAt(head, off); n < len(head) || n == len(b) {
			return n, err
		}
	}
	off += int64(n) + v.at - v.data
	rest := b[n:]
	if most := v.end - off; int64(len(rest)) > most {
		rest = rest[:max(0, most)]
	}
	m, err := v.in.ReadAt(rest, off)
	if n += m; err == nil && n < len(b) {
		err = io.EOF
	}
	return n, err
}

// large is the record that stands for the rows from the next one on that are in
// a page too large for memory. It passes over them.
func (r *ParquetReader) large() Record {
	at, row := r.next<<CellBits, r.next+1
	last := min(r.end, r.tooLarge.to)
	rec := Record{Row: row, Line: row, Start: at, End: at, cells: r.p.cells}
	for range r.p.keep {
		rec.Kept = append(rec.Kept, "")
	}
	rec.fail(at, syntax.KindLongRecord, "%s in a page of %d bytes or more, the limit is %d; write the file with smaller pages", rowsTo(row, last), r.tooLarge.bytes, maxPage)
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
