package nightly

import (
	"context"
	"fmt"
	"path/filepath"
	"reflect"
	"strings"

	"github.com/treebeam/treebeam/io/parquet"
	"github.com/treebeam/treebeam/io/store"
)

// writeViews writes the views of a snapshot that is current.
func (s *State) writeViews(ctx context.Context, current *Snapshot) error {
	for name, text := range s.views(current) {
		if err := s.write(ctx, []byte(text), store.Anything, viewsDir, name); err != nil {
			return fmt.Errorf("writing the views: %w", err)
		}
	}
	return nil
}

// views are the SQL files of a state by name: the views documents, trees and
// failures, of what is current; the last two with a column run more. Those for DuckDB and Spark read CURRENT when
// they are used, and so follow it; Trino cannot, so its file is of one
// snapshot.
func (s *State) views(current *Snapshot) map[string]string {
	dir := filepath.ToSlash(s.dir)
	fill := func(text string) string {
		return strings.ReplaceAll(strings.TrimLeft(text, "\n"), "DIR", strings.ReplaceAll(dir, "'", "''"))
	}
	duckDB, spark := duckDB, spark
	if current.Made.Options.Words {
		duckDB += strings.NewReplacer("VIEW failures", "VIEW words", "/failures/", "/words/").Replace(duckDB[strings.LastIndex(duckDB, "\nCREATE"):])
		spark += strings.NewReplacer("VIEW failures", "VIEW words", "/failures`", "/words`").Replace(spark[strings.LastIndex(spark, "\nCREATE"):])
	}
	return map[string]string{
		"duckdb.sql": fill(duckDB),
		"spark.sql":  strings.ReplaceAll(strings.TrimLeft(spark, "\n"), "DIR", strings.ReplaceAll(dir, "`", "``")),
		"trino.sql":  fill(trino(current)),
	}
}

const duckDB = `
-- The current documents, trees and failures of a treebeam state, for DuckDB.
-- The views read CURRENT when they are queried: they need not be made again.
CREATE OR REPLACE VIEW documents AS
SELECT * EXCLUDE (filename)
FROM read_parquet('DIR/snapshots/*.parquet', filename = true, union_by_name = true)
WHERE parse_filename(filename) = (SELECT trim(content, chr(10)) FROM read_text('DIR/CURRENT'));

CREATE OR REPLACE VIEW trees AS
SELECT * EXCLUDE (filename)
FROM (SELECT *, split_part(replace(filename, '\', '/'), '/', -3) AS run
      FROM read_parquet('DIR/data/*/trees/*.parquet', filename = true, union_by_name = true)) AS rows
SEMI JOIN documents USING (run, source_uri);

CREATE OR REPLACE VIEW failures AS
SELECT * EXCLUDE (filename)
FROM (SELECT *, split_part(replace(filename, '\', '/'), '/', -3) AS run
      FROM read_parquet('DIR/data/*/failures/*.parquet', filename = true, union_by_name = true)) AS rows
SEMI JOIN documents USING (run, source_uri);
`

const spark = "" + `
-- The current documents, trees and failures of a treebeam state, for Spark SQL.
-- The views read CURRENT when they are queried; a session that has read the
-- folder before sees new files after REFRESH TABLE trees, documents, failures.
CREATE OR REPLACE TEMPORARY VIEW documents AS
SELECT rows.* FROM (SELECT *, _metadata.file_name AS snapshot FROM parquet.` + "`DIR/snapshots`" + `) AS rows
LEFT SEMI JOIN text.` + "`DIR/CURRENT`" + ` AS current ON rows.snapshot = trim(current.value);

CREATE OR REPLACE TEMPORARY VIEW trees AS
SELECT rows.*
FROM (SELECT *, element_at(split(_metadata.file_path, '/'), -3) AS run FROM parquet.` + "`DIR/data/*/trees`" + `) AS rows
LEFT SEMI JOIN documents ON rows.run = documents.run AND rows.source_uri = documents.source_uri;

CREATE OR REPLACE TEMPORARY VIEW failures AS
SELECT rows.*
FROM (SELECT *, element_at(split(_metadata.file_path, '/'), -3) AS run FROM parquet.` + "`DIR/data/*/failures`" + `) AS rows
LEFT SEMI JOIN documents ON rows.run = documents.run AND rows.source_uri = documents.source_uri;
`

// trino makes a table of each run's folder, once, and views of all of them for
// one snapshot.
func trino(current *Snapshot) string {
	var b strings.Builder
	kept := current.Made.Options.KeepKeys()
	fmt.Fprintf(&b, `
-- The current documents, trees and failures of snapshot %d of a treebeam state,
-- for Trino with the Hive connector. Run it after every night, in a schema of
-- its own; the folders must be locations that Trino reads.
CREATE TABLE IF NOT EXISTS snapshots (
%s
) WITH (format = 'PARQUET', external_location = 'DIR/snapshots');

CREATE OR REPLACE VIEW documents AS
SELECT * FROM snapshots WHERE "$path" LIKE '%%/snapshots/%s';
`, current.N, trinoColumns[parquet.Entry](kept), current.Name)
	type table struct{ name, columns string }
	kinds := []table{{"trees", trinoColumns[parquet.Tree](kept)}, {"failures", trinoColumns[parquet.Failure](nil)}}
	if current.Made.Options.Words {
		kinds = append(kinds, table{"words", trinoColumns[parquet.Word](kept)})
	}
	for _, kind := range kinds {
		var view []string
		for _, run := range current.Runs {
			table := kind.name + "_" + strings.ReplaceAll(run, "-", "_")
			fmt.Fprintf(&b, "\nCREATE TABLE IF NOT EXISTS %s (\n%s\n) WITH (format = 'PARQUET', external_location = 'DIR/data/%s/%s');\n",
				table, kind.columns, run, kind.name)
			view = append(view, fmt.Sprintf("SELECT *, '%[2]s' AS run FROM %[1]s WHERE source_uri IN (SELECT source_uri FROM documents WHERE run = '%[2]s')", table, run))
		}
		if len(view) > 0 {
			fmt.Fprintf(&b, "\nCREATE OR REPLACE VIEW %s AS\n%s;\n", kind.name, strings.Join(view, "\nUNION ALL\n"))
		}
	}
	return b.String()
}

// trinoColumns are the columns of a row of package parquet in Trino's types,
// with those for values kept under keys of the input.
func trinoColumns[T parquet.Row](kept []string) string {
	var list []string
	for name, field := range parquet.Columns(new(T)) {
		list = append(list, "  "+name+" "+trinoType(reflect.TypeOf(field).Elem()))
	}
	for _, key := range kept {
		list = append(list, `  "`+strings.ReplaceAll(parquet.MetaColumn(key), `"`, `""`)+`" varchar`)
	}
	return strings.Join(list, ",\n")
}

func trinoType(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Pointer:
		return trinoType(t.Elem())
	case reflect.Slice:
		return "array(" + trinoType(t.Elem()) + ")"
	case reflect.Struct:
		var fields []string
		for i := range t.NumField() {
			name, _, _ := strings.Cut(t.Field(i).Tag.Get("parquet"), ",")
			fields = append(fields, name+" "+trinoType(t.Field(i).Type))
		}
		return "row(" + strings.Join(fields, ", ") + ")"
	case reflect.Int64:
		return "bigint"
	case reflect.Int32:
		return "integer"
	case reflect.Float32:
		return "real"
	case reflect.Float64:
		return "double"
	}
	return "varchar"
}
