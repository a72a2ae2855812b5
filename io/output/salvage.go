package output

import (
	"context"
	"fmt"

	"github.com/treebeam/treebeam/io/parquet"
	"github.com/treebeam/treebeam/io/source"
)

// DoneDocuments returns the rows of documents/ for those files of the run's
// plan all of whose ranges are done, in the order of the plan. Of a complete
// run these are all files; of an interrupted one, what it has to show. Only
// Output, FP and Ranges of the job are used. Parts that are damaged count as
// missing.
func (r *Run) DoneDocuments(ctx context.Context, plan *source.Plan) ([]parquet.Document, error) {
	if r.Ranges != len(plan.Ranges) {
		return nil, fmt.Errorf("the plan has %d ranges, not %d", len(plan.Ranges), r.Ranges)
	}
	missing := map[string]bool{}
	var pieces []File
	k := 0
	for part, err := range r.doneSums(ctx) {
		if err != nil {
			return nil, err
		}
		if part != nil {
			pieces = append(pieces, part.files...)
		} else {
			for i := range plan.Ranges[k].Pieces {
				missing[plan.Ranges[k].Pieces[i].URI] = true
			}
		}
		k++
	}
	var docs []parquet.Document
	for from := 0; from < len(pieces); {
		to := from + 1
		for to < len(pieces) && pieces[to].URI == pieces[from].URI {
			to++
		}
		if !missing[pieces[from].URI] {
			// A file that changed between two of its ranges is left out.
			if merged, err := mergeFiles(pieces[from:to]); err == nil {
				docs = append(docs, merged[0].document())
			}
		}
		from = to
	}
	return docs, nil
}
