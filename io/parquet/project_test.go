package parquet_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
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
	if err := os.WriteFile(part.Path, write(t, rows, parquet.KeyValue{Key: parquet.KeyFingerprint, Value: "00000000"}), 0o666); err != nil {
		t.Fatal(err)
	}
	var all []*parquet.Tree
	for row, err := range parquet.Parts[parquet.Tree]([]parquet.PartFile{*part}) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, row)
	}
	for trial := range 6 {
		var columns []string
		for c := range parquet.Columns(&parquet.Tree{}) {
			if trial == 0 || r.IntN(3) == 0 {
				columns = append(columns, c)
			}
		}
		i := 0
		for row, err := range parquet.TreesWith([]parquet.PartFile{*part}, columns...) {
			if err != nil {
				t.Fatal(err)
			}
			if want := only(all[i], append(columns, "source_uri")); !reflect.DeepEqual(noEmptyLists(row), noEmptyLists(want)) {
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
	var data bytes.Buffer
	w := parquet.NewWriter[parquet.Tree](&data, []parquet.KeyValue{{Key: parquet.KeyFingerprint, Value: runFP}}, "a.b", "by")
	if err := errors.Join(w.Write(rows...), w.Close()); err != nil {
		t.Fatal(err)
	}
	part := &parquet.PartFile{Path: filepath.Join(t.TempDir(), "part.parquet"), FP: runFP, Rows: int64(len(rows))}
	store(t, part, data.Bytes())
	i := 0
	for row, err := range parquet.TreesWith([]parquet.PartFile{*part}, "meta_by", "meta_none") {
		if err != nil {
			t.Fatal(err)
		}
		if want := []parquet.KeyValue{{Key: "by", Value: fmt.Sprint("x", i%7)}}; !reflect.DeepEqual(row.Meta, want) || row.Tokens != nil {
			t.Fatalf("row %d: %+v", i, row)
		}
		i++
	}
	if i != len(rows) {
		t.Errorf("%d rows", i)
	}
}
