package parquet_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/treebeam/treebeam/io/parquet"
)

// Rows have what all rows have, in the columns that were asked for, and nothing
// in the others: of lists with nulls, empty ones, ones longer than a page, and in
// several row groups.
func TestTreesWith(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	part := &parquet.PartFile{Path: filepath.Join(t.TempDir(), "part-00000-of-00001-00000000.parquet"), FP: "00000000", Rows: -1}
	rows := make([]parquet.Tree, 600)
	texts := func(n int) (list []string) {
		for range n {
			list = append(list, []string{"", "a", "Case=Nom", fmt.Sprint(r.IntN(1 << 20)), strings.Repeat("long", 50)}[r.IntN(5)])
		}
		return list
	}
	for i := range rows {
		n := r.IntN(30)
		if i%100 == 7 {
			n = 6000
		}
		row := &rows[i]
		*row = parquet.Tree{SentID: fmt.Sprint("s", i), Text: texts(1)[0], DocID: "d", SourceURI: fmt.Sprint("in/", i/50), StartByte: int64(i), Status: "ok",
			Tokens: texts(n), Lemmas: texts(n), UPOS: texts(n), XPOS: texts(n), Feats: texts(n), Deprel: texts(n), Deps: texts(n), Misc: texts(n),
			Comments: texts(i % 4), ModelID: "m", Restarts: 3, TreeScore: 0.5}
		for j := range i % 3 {
			row.MWT = append(row.MWT, parquet.MWT{ID: fmt.Sprint(j), Rest: texts(1)[0]})
			row.EmptyNodes = append(row.EmptyNodes, parquet.EmptyNode{ID: fmt.Sprint(j), Head: texts(1)[0]})
			row.TreeConf = &row.TreeScore
		}
		for j := range n {
			row.Head = append(row.Head, int32(j))
			if i%3 > 0 {
				row.StartChar, row.EndChar = append(row.StartChar, int32(j)), append(row.EndChar, int32(j+1))
				row.HeadConf, row.DeprelConf, row.UPOSConf = append(row.HeadConf, r.Float32()), append(row.DeprelConf, 1), append(row.UPOSConf, 0)
			}
		}
	}
	store(t, part, write(t, rows, parquet.KeyValue{Key: parquet.KeyFingerprint, Value: "00000000"}))
	all, err, _ := rowsOf(part)
	must(t, err)
	for trial := range 6 {
		var columns []string
		for c := range parquet.Columns(&parquet.Tree{}) {
			if trial == 0 || r.IntN(3) == 0 {
				columns = append(columns, c)
			}
		}
		i := 0
		for row, err := range parquet.TreesWith([]parquet.PartFile{*part}, columns...) {
			must(t, err)
			if want := only(&all[i], append(columns, "source_uri")); !reflect.DeepEqual(noEmptyLists(row), noEmptyLists(want)) {
				t.Fatalf("%v: row %d is %+v, want %+v", columns, i, row, want)
			}
			i++
		}
		if i != len(rows) {
			t.Fatalf("%v: %d rows", columns, i)
		}
	}
	for _, err := range parquet.TreesWith([]parquet.PartFile{*part}, "dep") {
		if err == nil {
			t.Error("a column that is not known is read")
		}
	}
}

// only returns the row with some of its columns.
func only(t *parquet.Tree, columns []string) *parquet.Tree {
	kept := new(parquet.Tree)
	from, to := reflect.ValueOf(t).Elem(), reflect.ValueOf(kept).Elem()
	for i := range from.NumField() {
		name, _, _ := strings.Cut(from.Type().Field(i).Tag.Get("parquet"), ",")
		for _, c := range columns {
			if c == name {
				to.Field(i).Set(from.Field(i))
			}
		}
	}
	return kept
}

// noEmptyLists makes lists without elements nil.
func noEmptyLists(t *parquet.Tree) parquet.Tree {
	n := *t
	v := reflect.ValueOf(&n).Elem()
	for i := range v.NumField() {
		if f := v.Field(i); f.Kind() == reflect.Slice && f.Len() == 0 {
			f.SetZero()
		}
	}
	return n
}

// Kept values are read by their columns; of a key that the file lacks there is
// none.
func TestTreesWithOfMeta(t *testing.T) {
	rows := make([]parquet.Tree, 300)
	for i := range rows {
		rows[i] = parquet.Tree{SourceURI: "in/d", StartByte: int64(i), Status: "ok", Tokens: []string{"a"}, Meta: []parquet.KeyValue{{Key: "by", Value: fmt.Sprint("x", i%7)}, {Key: "a.b"}}}
	}
	part := &parquet.PartFile{Path: filepath.Join(t.TempDir(), "part.parquet"), FP: runFP, Rows: int64(len(rows))}
	store(t, part, kept(t, rows, []string{"a.b", "by"}, parquet.KeyValue{Key: parquet.KeyFingerprint, Value: runFP}))
	i := 0
	for row, err := range parquet.TreesWith([]parquet.PartFile{*part}, "meta_by", "meta_none") {
		must(t, err)
		if want := []parquet.KeyValue{{Key: "by", Value: fmt.Sprint("x", i%7)}}; !reflect.DeepEqual(row.Meta, want) || row.Tokens != nil {
			t.Fatalf("row %d: %+v", i, row)
		}
		i++
	}
	if i != len(rows) {
		t.Errorf("%d rows", i)
	}
}

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
