package parquet_test

import (
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/treebeam/treebeam/io/parquet"
)

var update = flag.Bool("update", false, "write the tables of docs/parquet.md anew from the comments of the columns")

// The tables of docs/parquet.md are the columns: their names, their types as Arrow
// reads them from a file, and their comments. `go test ./io/parquet -run Docs
// -update` writes them.
func TestDocsAreTheColumns(t *testing.T) {
	page := filepath.Join("..", "..", "docs", "parquet.md")
	data, err := os.ReadFile(page)
	must(t, err)
	text := string(data)
	for kind, rows := range map[string]string{
		"trees": documented(t, "tree.go", "Tree", write(t, []parquet.Tree{{}})), "failures": documented(t, "rows.go", "Failure", write(t, []parquet.Failure{{}})),
		"documents": documented(t, "rows.go", "Document", write(t, []parquet.Document{{}})), "words": documented(t, "rows.go", "Word", write(t, []parquet.Word{{}})),
	} {
		const head = "| column | type | null | what it holds |\n|---|---|---|---|\n"
		before, section, _ := strings.Cut(text, "\n## "+kind+"/\n")
		intro, table, ok := strings.Cut(section, head)
		end := strings.Index(table, "\n\n") + 1
		if !ok || end < 1 {
			t.Fatalf("%s: no table of the columns of %s", page, kind)
		}
		if table[:end] != rows {
			t.Errorf("%s: the table of %s is not that of the columns, which is\n%s", page, kind, rows)
		}
		text = before + "\n## " + kind + "/\n" + intro + head + rows + table[end:]
	}
	if *update {
		must(t, os.WriteFile(page, []byte(text), 0o666))
	}
}

// documented returns the rows of the table of a row type, declared in a file, from
// a file of such rows.
func documented(t *testing.T, file, name string, data []byte) string {
	t.Helper()
	source, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments)
	must(t, err)
	comments := map[string]string{}
	ast.Inspect(source, func(n ast.Node) bool {
		if spec, ok := n.(*ast.TypeSpec); ok && spec.Name.Name == name {
			for _, f := range spec.Type.(*ast.StructType).Fields.List {
				column, _, _ := strings.Cut(reflect.StructTag(strings.Trim(f.Tag.Value, "`")).Get("parquet"), ",")
				comments[column] = strings.ReplaceAll(f.Doc.Text(), "|", `\|`)
			}
		}
		return true
	})
	var b strings.Builder
	for _, f := range arrowTable(t, data).Schema().Fields() {
		holds, null, _ := strings.Cut("\n"+comments[f.Name], "\nNull: ")
		fmt.Fprintf(&b, "| `%s` | `%s` | %s | %s |\n", f.Name, notation(f), strings.Join(strings.Fields(null), " "), strings.Join(strings.Fields(holds), " "))
	}
	return strings.ReplaceAll(b.String(), "|  |", "| |")
}

// notation writes a type of Arrow as the page does, with "?" behind it if it may
// be null.
func notation(f arrow.Field) string {
	s := map[string]string{"utf8": "string", "float32": "float", "float64": "double"}[f.Type.String()]
	switch typ := f.Type.(type) {
	case *arrow.ListType:
		s = "list<" + notation(typ.ElemField()) + ">"
	case *arrow.StructType:
		var fields []string
		for _, f := range typ.Fields() {
			fields = append(fields, f.Name+": "+notation(f))
		}
		s = "struct<" + strings.Join(fields, ", ") + ">"
	}
	if s == "" {
		s = f.Type.String()
	}
	if f.Nullable {
		s += "?"
	}
	return s
}

// The Arrow tables of the Python package have the columns of trees, but for those
// of the source file, and places in characters.
func TestPythonHasTheColumns(t *testing.T) {
	source, err := os.ReadFile(filepath.Join("..", "..", "python", "treebeam", "_arrow.py"))
	must(t, err)
	var python, want []string
	for _, m := range regexp.MustCompile(`(?m)^        \("(\w+)", `).FindAllStringSubmatch(string(source), -1) {
		python = append(python, m[1])
	}
	for name := range parquet.Columns(&parquet.Tree{}) {
		if name != "source_uri" {
			want = append(want, strings.TrimSuffix(name, "_byte"))
		}
	}
	slices.Sort(python)
	slices.Sort(want)
	if !slices.Equal(python, want) {
		t.Errorf("_arrow.py has\n%q, trees\n%q", python, want)
	}
}
