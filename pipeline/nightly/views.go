package nightly

import (
	"context"
	_ "embed"
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

// The views of the current documents, and after a blank line those of rows of one KIND.
var (
	//go:embed duckdb.sql
	duckDB string
	//go:embed spark.sql
	spark string
)

// literal makes a pattern of DuckDB of a path, and hadoop one of Spark.
var (
	literal = strings.NewReplacer("*", "[*]", "?", "[?]", "[", "[[]")
	hadoop  = strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`, "]", `\]`, "{", `\{`, "}", `\}`)
)

// views are the SQL files of a state by name. They define the views documents, trees,
// failures and, if there are any, words over the current rows, with a column run. The
// views read CURRENT when they are used, and so follow it.
func (s *State) views(current *Snapshot) map[string]string {
	kinds := []string{"trees", "failures"}
	if current.Made.Options.Words {
		kinds = append(kinds, "words")
	}
	fill := func(views, dir, quote string) string {
		text, rows, _ := strings.Cut(views, "\n\n")
		for _, kind := range kinds {
			text += "\n\n" + strings.TrimSuffix(strings.ReplaceAll(rows, "KIND", kind), "\n")
		}
		return strings.ReplaceAll(text, "DIR", strings.ReplaceAll(dir, quote, quote+quote)) + "\n"
	}
	dir := filepath.ToSlash(s.dir)
	return map[string]string{"duckdb.sql": fill(duckDB, literal.Replace(dir), "'"), "spark.sql": fill(spark, hadoop.Replace(dir), "`")}
}
