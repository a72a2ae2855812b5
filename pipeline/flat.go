package pipeline

import (
	"strconv"
	"strings"

	"github.com/treebeam/treebeam/io/output"
	"github.com/treebeam/treebeam/io/parquet"
)

// flat is the formats tsv and csv: a row for each word, with the columns of words/, and
// a header line.
type flat struct {
	separator byte
	kept      []string // columns of values, for a header without a row
	begun     bool     // the header was written
	words     []parquet.Word
}

// append appends the words of a row, after the header if it is the first row with
// words. A sentence that failed has none.
func (f *flat) append(dst []byte, r *output.Row) ([]byte, error) {
	if r.Tree == nil {
		return dst, nil
	}
	dst = f.header(dst, r.Tree.Meta)
	f.words = parquet.AppendWords(f.words[:0], r.Tree)
	for i := range f.words {
		dst = f.word(dst, &f.words[i])
	}
	clear(f.words)
	return dst, nil
}

// end appends the header if there was no row.
func (f *flat) end(dst []byte) ([]byte, error) {
	kept := make([]parquet.KeyValue, len(f.kept))
	for i := range kept {
		kept[i].Key = f.kept[i]
	}
	return f.header(dst, kept), nil
}

// header appends the names of the columns, once.
func (f *flat) header(dst []byte, kept []parquet.KeyValue) []byte {
	if f.begun {
		return dst
	}
	f.begun = true
	for name := range parquet.Columns(new(parquet.Word)) {
		dst = f.cell(dst, name)
	}
	for _, kv := range kept {
		dst = f.cell(dst, parquet.MetaColumn(kv.Key))
	}
	return f.endRow(dst)
}

// word appends the row of a word: what is null is empty.
func (f *flat) word(dst []byte, w *parquet.Word) []byte {
	for name, v := range parquet.Columns(w) {
		switch v := v.(type) {
		case *string:
			dst = f.cell(dst, *v)
			continue
		case *int32:
			dst = strconv.AppendInt(dst, int64(*v), 10)
		case **int32:
			if *v != nil {
				dst = strconv.AppendInt(dst, int64(**v), 10)
			}
		case **float32:
			if *v != nil {
				dst = strconv.AppendFloat(dst, float64(**v), 'g', -1, 32)
			}
		default:
			panic("how is " + name + " written?")
		}
		dst = append(dst, f.separator)
	}
	for _, kv := range w.Meta {
		dst = f.cell(dst, kv.Value)
	}
	return f.endRow(dst)
}

// cell appends a cell and a separator, with quotes where readers need them. All readers
// of tables understand quotes by default.
func (f *flat) cell(dst []byte, s string) []byte {
	if !strings.ContainsAny(s, "\"\r\n"+string(rune(f.separator))) {
		return append(append(dst, s...), f.separator)
	}
	return append(append(append(append(dst, '"'), strings.ReplaceAll(s, `"`, `""`)...), '"'), f.separator)
}

// endRow puts the end of the line in the place of the last separator.
func (f *flat) endRow(dst []byte) []byte {
	dst[len(dst)-1] = '\n'
	return dst
}
