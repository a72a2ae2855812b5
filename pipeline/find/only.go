package find

import (
	"iter"
	"slices"

	"github.com/treebeam/treebeam/io/parquet"
)

// Only returns a source of the rows of one document, of one language, or both; "" is any.
func (from Source) Only(doc, language string) Source {
	if doc == "" && language == "" {
		return from
	}
	only := func(rows iter.Seq2[*parquet.Tree, error]) iter.Seq2[*parquet.Tree, error] {
		return func(yield func(*parquet.Tree, error) bool) {
			for t, err := range rows {
				if err == nil && (doc != "" && t.DocID != doc || language != "" && t.Language != language) {
					continue
				}
				if !yield(t, err) {
					return
				}
			}
		}
	}
	list := Source{Name: from.Name, Trees: only(from.Trees)}
	if with := from.TreesWith; with != nil {
		list.TreesWith = func(columns ...string) iter.Seq2[*parquet.Tree, error] {
			columns = append(slices.Clone(columns), "doc_id", "language")
			slices.Sort(columns)
			return only(with(slices.Compact(columns)...))
		}
	}
	return list
}
