-- The current documents, trees and failures of a treebeam state, for DuckDB.
-- The views read CURRENT when they are queried: they need not be made again.
CREATE OR REPLACE VIEW documents AS
SELECT * EXCLUDE (filename)
FROM read_parquet('DIR/snapshots/*.parquet', filename = true, union_by_name = true)
WHERE parse_filename(filename) = (SELECT trim(content, chr(10)) FROM read_text('DIR/CURRENT'));

CREATE OR REPLACE VIEW KIND AS
SELECT * EXCLUDE (filename)
FROM (SELECT *, split_part(replace(filename, '\', '/'), '/', -3) AS run
      FROM read_parquet('DIR/data/*/KIND/*.parquet', filename = true, union_by_name = true)) AS rows
SEMI JOIN documents USING (run, source_uri);
