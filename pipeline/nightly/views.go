package nightly

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/treebeam/treebeam/io/store"
)

// writeViews writes the views of a snapshot that are missing or wrong: a night may have
// ended between replacing CURRENT and writing them.
func (s *State) writeViews(ctx context.Context, current *Snapshot) error {
	for name, text := range s.views(current) {
		have, err := store.ReadFile(ctx, store.Join(s.dir, viewsDir, name))
		if err == nil && string(have) == text {
			continue
		}
		if err := s.write(ctx, []byte(text), store.Anything, viewsDir, name); err != nil {
			return fmt.Errorf("writing the views: %w", err)
		}
	}
	return nil
}

// views are the SQL files of a state by name. They define the views documents, trees,
// failures and, if there are any, words over the current rows, with a column run. The
// views read CURRENT when they are used, and so follow it.
func (s *State) views(current *Snapshot) map[string]string {
	kinds := []string{"trees", "failures"}
	if current.Made.Options.Words {
		kinds = append(kinds, "words")
	}
	duckDB, spark := duckDBDocuments, sparkDocuments
	for _, kind := range kinds {
		duckDB += strings.ReplaceAll(duckDBRows, "KIND", kind)
		spark += strings.ReplaceAll(sparkRows, "KIND", kind)
	}
	dir := filepath.ToSlash(s.dir)
	fill := func(text, quote string) string {
		return strings.ReplaceAll(text, "DIR", strings.ReplaceAll(dir, quote, quote+quote))
	}
	return map[string]string{"duckdb.sql": fill(duckDB, "'"), "spark.sql": fill(strings.ReplaceAll(spark, "´", "`"), "`")}
}

const duckDBDocuments = `-- The current documents, trees and failures of a treebeam state, for DuckDB.
-- The views read CURRENT when they are queried: they need not be made again.
CREATE OR REPLACE VIEW documents AS
SELECT * EXCLUDE (filename)
FROM read_parquet('DIR/snapshots/*.parquet', filename = true, union_by_name = true)
WHERE parse_filename(filename) = (SELECT trim(content, chr(10)) FROM read_text('DIR/CURRENT'));
`

const duckDBRows = `
CREATE OR REPLACE VIEW KIND AS
SELECT * EXCLUDE (filename)
FROM (SELECT *, split_part(replace(filename, '\', '/'), '/', -3) AS run
      FROM read_parquet('DIR/data/*/KIND/*.parquet', filename = true, union_by_name = true)) AS rows
SEMI JOIN documents USING (run, source_uri);
`

// In the texts for Spark, ´ stands for the backquote, which a raw string cannot hold.
const sparkDocuments = `-- The current documents, trees and failures of a treebeam state, for Spark SQL.
-- The views read CURRENT when they are queried; a session that has read the
-- folder before sees new files after REFRESH TABLE trees, documents, failures.
CREATE OR REPLACE TEMPORARY VIEW documents AS
SELECT rows.* FROM (SELECT *, _metadata.file_name AS snapshot FROM parquet.´DIR/snapshots´) AS rows
LEFT SEMI JOIN text.´DIR/CURRENT´ AS current ON rows.snapshot = trim(current.value);
`

const sparkRows = `
CREATE OR REPLACE TEMPORARY VIEW KIND AS
SELECT rows.*
FROM (SELECT *, element_at(split(_metadata.file_path, '/'), -3) AS run FROM parquet.´DIR/data/*/KIND´) AS rows
LEFT SEMI JOIN documents ON rows.run = documents.run AND rows.source_uri = documents.source_uri;
`
