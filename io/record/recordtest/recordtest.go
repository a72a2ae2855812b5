// Package recordtest makes Parquet files page by page, for tests of pages that no
// writer would write.
package recordtest

import (
	"encoding/binary"
	"strings"

	pq "github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// A Column is a column of strings without nulls, or of another type, that is one
// page of one row group.
type Column struct {
	Name     string
	Type     format.Type // 0 is a boolean
	Encoding format.Encoding
	Values   int    // what the page's header says of them
	Page     []byte // encoded, not compressed
	Size     int    // what the page's header says of len(Page), if not 0
}

// Parquet returns a file of rows rows, compressed with zstd.
func Parquet(rows int, columns ...Column) []byte {
	file := []byte("PAR1")
	footer := format.FileMetaData{Version: 1, NumRows: int64(rows), Schema: []format.SchemaElement{{Name: "table"}}}
	footer.Schema[0].NumChildren.Valid, footer.Schema[0].NumChildren.V = true, int32(len(columns))
	group := format.RowGroup{NumRows: int64(rows)}
	for _, c := range columns {
		element := format.SchemaElement{Name: c.Name}
		element.Type.Valid, element.Type.V = true, c.Type
		element.RepetitionType.Valid, element.RepetitionType.V = true, format.Required
		footer.Schema = append(footer.Schema, element)
		stored := must(pq.Zstd.Encode(nil, c.Page))
		header := format.PageHeader{Type: format.DataPage, UncompressedPageSize: int32(len(c.Page)), CompressedPageSize: int32(len(stored))}
		if c.Size != 0 {
			header.UncompressedPageSize = int32(c.Size)
		}
		header.DataPageHeader.Valid = true
		header.DataPageHeader.V = format.DataPageHeader{NumValues: int32(c.Values), Encoding: c.Encoding, DefinitionLevelEncoding: format.RLE, RepetitionLevelEncoding: format.RLE}
		page := append(must(thrift.Marshal(new(thrift.CompactProtocol), header)), stored...)
		group.Columns = append(group.Columns, format.ColumnChunk{MetaData: format.ColumnMetaData{
			Type: c.Type, Encoding: []format.Encoding{c.Encoding}, PathInSchema: []string{c.Name}, Codec: format.Zstd, NumValues: int64(c.Values),
			TotalUncompressedSize: int64(len(page)), TotalCompressedSize: int64(len(page)), DataPageOffset: int64(len(file)),
		}})
		file = append(file, page...)
	}
	footer.RowGroups = []format.RowGroup{group}
	b := must(thrift.Marshal(new(thrift.CompactProtocol), footer))
	file = append(file, b...)
	return append(binary.LittleEndian.AppendUint32(file, uint32(len(b))), "PAR1"...)
}

// Same is a column of n strings that begin with a prefix of size bytes and go on
// with one byte, in a page that holds the prefix once.
func Same(name string, n, size int) Column {
	prefix, suffix := make([]int32, n), make([]int32, n)
	for i := range n {
		prefix[i], suffix[i] = int32(size), 1
	}
	prefix[0], suffix[0] = 0, int32(size+1)
	page := append(must(pq.DeltaBinaryPacked.EncodeInt32(nil, prefix)), must(pq.DeltaBinaryPacked.EncodeInt32(nil, suffix))...)
	page = append(page, strings.Repeat("k", size+1)...)
	return Column{Name: name, Type: format.ByteArray, Encoding: format.DeltaByteArray, Values: n, Page: append(page, strings.Repeat("l", n-1)...)}
}

// Texts is a column of n texts.
func Texts(name string, n int, text string) Column {
	one := append(binary.LittleEndian.AppendUint32(nil, uint32(len(text))), text...)
	return Column{Name: name, Type: format.ByteArray, Encoding: format.Plain, Values: n, Page: []byte(strings.Repeat(string(one), n))}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
