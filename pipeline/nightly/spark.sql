-- The current documents, trees and failures of a treebeam state, for Spark SQL.
-- The views read CURRENT when they are queried; a session that has read the
-- folder before sees new files after REFRESH TABLE trees, documents, failures.
CREATE OR REPLACE TEMPORARY VIEW documents AS
SELECT rows.* FROM (SELECT *, _metadata.file_name AS snapshot FROM parquet.`DIR/snapshots`) AS rows
LEFT SEMI JOIN text.`DIR/CURRENT` AS current ON rows.snapshot = trim(current.value);

CREATE OR REPLACE TEMPORARY VIEW KIND AS
SELECT rows.*
FROM (SELECT *, element_at(split(_metadata.file_path, '/'), -3) AS run FROM parquet.`DIR/data/*/KIND`) AS rows
LEFT SEMI JOIN documents ON rows.run = documents.run AND rows.source_uri = documents.source_uri;
