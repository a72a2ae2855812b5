package parquet_test

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"

	"github.com/treebeam/treebeam/io/parquet"
)

// arrowTable reads a file with a library that did not write it.
func arrowTable(t *testing.T, data []byte) arrow.Table {
	t.Helper()
	r, err := file.NewParquetReader(bytes.NewReader(data))
	must(t, err)
	in, err := pqarrow.NewFileReader(r, pqarrow.ArrowReadProperties{}, memory.DefaultAllocator)
	must(t, err)
	table, err := in.ReadTable(t.Context())
	must(t, err)
	t.Cleanup(table.Release)
	return table
}

// rowGroups counts row groups with a library that did not write them.
func rowGroups(t *testing.T, data []byte) int {
	t.Helper()
	r, err := file.NewParquetReader(bytes.NewReader(data))
	must(t, err)
	return r.NumRowGroups()
}

// column returns all values of a column as JSON has them.
func column(t *testing.T, table arrow.Table, name string) []any {
	t.Helper()
	i := table.Schema().FieldIndices(name)
	if len(i) != 1 {
		t.Fatalf("%d columns are called %s", len(i), name)
	}
	var values []any
	for _, chunk := range table.Column(i[0]).Data().Chunks() {
		b, err := chunk.MarshalJSON()
		must(t, err)
		var v []any
		must(t, json.Unmarshal(b, &v))
		values = append(values, v...)
	}
	return values
}

func TestArrowReadsTheSameValues(t *testing.T) {
	list := sentences(t, odd+plain)
	long := parsed(3)
	long.StartByte = 2000
	list = append(list, long)
	var rows []parquet.Tree
	for i := range list {
		rows = append(rows, parquet.ToRow(&list[i], &doc))
	}
	rows[1].TreeConf, rows[1].HeadConf, rows[1].UPOSConf = new(float32), []float32{0.5}, []float32{0.25}
	table := arrowTable(t, write(t, rows))
	if table.NumRows() != int64(len(rows)) {
		t.Fatalf("%d rows", table.NumRows())
	}
	for name, want := range map[string]string{
		"sent_id":     `["a-1","d.conllu@` + number(list[1].StartByte) + `","d.conllu@2000"]`,
		"tokens":      `[["Do","n't","go","_"],["Yes"],["w","w","w"]]`,
		"lemmas":      `[["do","not","go","_"],["yes"],[null,null,null]]`,
		"xpos":        `[["VBP",null,"VB",null],["UH"],[null,null,null]]`,
		"feats":       `[["Mood=Imp",null,null,null],[null],[null,null,null]]`,
		"head":        `[[3,3,0,3],[0],[0,1,2]]`,
		"deps":        `[[null,null,"0:root|0.1:x",null],[null],[null,null,null]]`,
		"misc":        `[["Gloss==DO",null,"SpaceAfter=No",null],[null],[null,null,null]]`,
		"mwt":         `[[{"id":"1-2","form":"Don't","feats":"Typo=Yes","misc":"SpaceAfter=Yes","rest":null}],[],[]]`,
		"head_margin": `[null,null,[0,1,2]]`,
		"head_conf":   `[null,[0.5],null]`,
		"tree_conf":   `[null,0,null]`,
		"deprel_conf": `[null,null,null]`,
		"tree_margin": `[0,0,1.5]`,
		"upos_conf":   `[null,[0.25],null]`,
		"certificate": `[null,null,"bound"]`,
		"status":      `["ok","ok","long"]`,
	} {
		var values []any
		must(t, json.Unmarshal([]byte(want), &values))
		if got := column(t, table, name); !reflect.DeepEqual(got, values) {
			t.Errorf("%s:\n got %v\nwant %v", name, got, values)
		}
	}
	if got := column(t, table, "comments")[0].([]any); len(got) != 7 || got[5] != "# text_en =" {
		t.Errorf("comments: %q", got)
	}
	if got := column(t, table, "empty_nodes")[0].([]any); len(got) != 2 || got[0].(map[string]any)["id"] != "0.1" || got[1].(map[string]any)["feats"] != "A=b" {
		t.Errorf("empty nodes: %v", got)
	}
}

// TestNulls tries lists with nulls in all places: the library's own writer
// loses some of them.
func TestNulls(t *testing.T) {
	const n = 9
	var rows []parquet.Tree
	for mask := range 1 << n {
		s := parsed(n)
		s.StartByte = int64(mask)
		for i := range n {
			if mask>>i&1 == 1 {
				s.Words[i].Feats = "A=b"
			}
		}
		rows = append(rows, parquet.ToRow(&s, &doc))
		rows[mask].Text = rows[mask].Feats[0]
	}
	data := write(t, rows)
	table := arrowTable(t, data)
	feats, text := column(t, table, "feats"), column(t, table, "text")
	for mask, row := range read[parquet.Tree](t, data) {
		for i, v := range feats[mask].([]any) {
			if (v != nil) != (mask>>i&1 == 1) || (row.Feats[i] != "") != (v != nil) {
				t.Fatalf("row %b: %v, read back as %q", mask, feats[mask], row.Feats)
			}
		}
		if (text[mask] != nil) != (mask&1 == 1) {
			t.Fatalf("row %b: text is %v", mask, text[mask])
		}
	}
}

func number(v int64) string {
	b, _ := json.Marshal(v)
	return string(b)
}

// TestTypes checks what other engines rely on: lists of the standard shape and
// signed integers.
func TestTypes(t *testing.T) {
	schema := arrowTable(t, write(t, []parquet.Tree{{}})).Schema()
	for _, f := range schema.Fields() {
		s := f.Type.String()
		if strings.Contains(s, "uint") || strings.Contains(s, "binary") {
			t.Errorf("%s is %s", f.Name, s)
		}
		if list, ok := f.Type.(*arrow.ListType); ok && list.ElemField().Name != "element" {
			t.Errorf("%s is a list of %q", f.Name, list.ElemField().Name)
		}
	}
	var names []string
	for _, f := range schema.Fields() {
		names = append(names, f.Name)
	}
	const want = "sent_id text comments tokens lemmas upos xpos feats head deprel deps misc mwt empty_nodes " +
		"doc_id source_uri start_byte end_byte start_char end_char head_marginal head_margin " +
		"label_marginal head_conf deprel_conf upos_conf tree_margin tree_score tree_conf certificate restarts n_candidates status model_id language language_conf"
	if got := strings.Join(names, " "); got != want {
		t.Errorf("columns:\n got %s\nwant %s", got, want)
	}
}
