package parquet_test

import (
	"bytes"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/treebeam/treebeam/io/parquet"
)

// TestMeta writes columns of kept values and reads them with Arrow and with our
// own reader, over several row groups and pages.
func TestMeta(t *testing.T) {
	keys := []string{"by", "meta.id", `odd "name", so`}
	list := sentences(t, plain)
	var rows []parquet.Tree
	var entries []parquet.Entry
	for i := range 700 {
		s := list[0]
		s.StartByte = int64(i)
		d := doc
		d.Meta = []parquet.KeyValue{{Key: "by", Value: fmt.Sprint("author ", i)}, {Key: "meta.id", Value: strings.Repeat("ü", i%3)}, {Key: keys[2]}}
		if i%100 == 0 {
			d.Meta[2].Value = strings.Repeat("x", parquet.RowGroupBytes/2)
		}
		rows = append(rows, parquet.ToRow(&s, &d))
		entries = append(entries, parquet.Entry{Document: parquet.Document{SourceURI: fmt.Sprint(i), Meta: d.Meta}, Run: "r"})
	}
	rows[1].Meta = nil              // of a file that is no table
	rows[2].Meta = rows[2].Meta[1:] // by other options, which no run has
	data := kept(t, rows, keys)
	table := arrowTable(t, data)
	if got := fmt.Sprint(column(t, table, "meta_meta.id")[:7]); got != "[<nil> <nil> üü <nil> ü üü <nil>]" {
		t.Errorf("meta_meta.id: %s", got)
	}
	if got := fmt.Sprint(column(t, table, "meta_by")[:4]); got != "[author 0 <nil> <nil> author 3]" {
		t.Errorf("meta_by: %s", got)
	}
	if n := rowGroups(t, data); n < 3 {
		t.Errorf("%d row groups", n)
	}
	rows[1].Meta = []parquet.KeyValue{{Key: "by"}, {Key: "meta.id"}, {Key: keys[2]}}
	rows[2].Meta = append([]parquet.KeyValue{{Key: "by"}}, rows[2].Meta...)
	for i, got := range read[parquet.Tree](t, data) {
		if !reflect.DeepEqual(got.Meta, rows[i].Meta) || got.StartByte != rows[i].StartByte || got.Tokens[0] != "Yes" {
			t.Fatalf("row %d: %.100q", i, got.Meta)
		}
	}
	for i, got := range read[parquet.Entry](t, kept(t, entries, keys)) {
		if !reflect.DeepEqual(got.Meta, entries[i].Meta) || got.Run != "r" {
			t.Fatalf("entry %d: %.100q", i, got.Meta)
		}
	}
	if a, b := kept(t, rows[:9], nil), write(t, rows[:9]); !bytes.Equal(a, b) || bytes.Contains(a, []byte("meta_")) {
		t.Error("values leave a trace where no key is kept")
	}
}

// kept returns a file of rows with columns for keys.
func kept[T parquet.Row](t *testing.T, rows []T, keys []string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := parquet.NewWriter[T](&b, nil, keys...)
	if err := w.Write(rows...); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
