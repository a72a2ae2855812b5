package pipeline

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/treebeam/treebeam/io/output"
	"github.com/treebeam/treebeam/io/source"
	"github.com/treebeam/treebeam/io/store"
)

// checkOutput refuses a folder that holds another run's output, unless it is
// to be overwritten: then it returns the records of that output.
func (o *Options) checkOutput(ctx context.Context, folder string, run *output.Record, plan *source.Plan) ([]output.Record, error) {
	others, err := output.Records(ctx, folder)
	if err != nil {
		return nil, &Refusal{Err: err}
	}
	others = slices.DeleteFunc(others, func(r output.Record) bool { return r.FP == run.FP })
	if len(others) == 0 {
		return nil, output.CheckForeign(ctx, folder, run.FP)
	}
	if !o.Overwrite {
		return nil, refuse("%s holds the output of another run:\n  %s\nname another --output, or remove that output with --overwrite",
			folder, strings.Join(differences(ctx, folder, run, plan, &others[0]), "\n  "))
	}
	return others, nil
}

// removeOthers removes the output of the other runs and nothing else.
func removeOthers(ctx context.Context, folder string, others []output.Record, fp string) error {
	if len(others) == 0 {
		return nil
	}
	for _, other := range others {
		if err := output.Remove(ctx, folder, &other); err != nil {
			return fmt.Errorf("--overwrite: %w", err)
		}
	}
	return output.CheckForeign(ctx, folder, fp)
}

// differencesShown is how many differences a refusal lists.
const differencesShown = 8

// differences says in lines what sets the run apart from the one before it.
func differences(ctx context.Context, folder string, run *output.Record, plan *source.Plan, old *output.Record) []string {
	list := old.Differences(run.Provenance)
	before, err := source.ReadPlan(ctx, store.Join(folder, output.OwnDir, source.PlanName(old.FP)))
	if err != nil {
		list = append(list, "its plan cannot be read")
	} else {
		list = append(list, fileDifferences(before, plan)...)
		if len(list) == 0 {
			list = append(list, fmt.Sprintf("--range-bytes: was %d, is %d: the input is split differently", before.RangeBytes, plan.RangeBytes))
		}
	}
	if more := len(list) - differencesShown; more > 0 {
		list = append(list[:differencesShown], fmt.Sprintf("and %d more", more))
	}
	return list
}

func fileDifferences(before, now *source.Plan) (list []string) {
	old := map[string]*source.Piece{}
	for _, r := range before.Ranges {
		for i := range r.Pieces {
			old[r.Pieces[i].URI] = &r.Pieces[i]
		}
	}
	total := len(old)
	for _, r := range now.Ranges {
		for i := range r.Pieces {
			p := &r.Pieces[i]
			if p.Start != 0 {
				continue
			}
			was := old[p.URI]
			switch {
			case was == nil:
				list = append(list, "new input: "+p.URI)
			case was.Version != p.Version || was.Size != p.Size:
				list = append(list, "changed input: "+p.URI)
			case was.DocID != p.DocID:
				list = append(list, fmt.Sprintf("another document id: that of %s was %s, is %s", p.URI, was.DocID, p.DocID))
			}
			delete(old, p.URI)
		}
	}
	if len(old) > 0 {
		list = append(list, fmt.Sprintf("%d of its %d input files are not among the input now", len(old), total))
	}
	return list
}
