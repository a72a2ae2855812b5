package pipeline

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/treebeam/treebeam/io/output"
	"github.com/treebeam/treebeam/io/source"
	"github.com/treebeam/treebeam/io/store"
	"github.com/treebeam/treebeam/model"
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

// Differences is was.Differences(now). If was is of the fast English model in the program
// and now of the accurate one, a line says how the fast one is chosen.
func Differences(was, now *output.Provenance) []string {
	list := was.Differences(*now)
	if was.ModelDigest == now.ModelDigest {
		return list
	}
	before, _ := model.BuiltIn(was.ModelDigest)
	if after, _ := model.BuiltIn(now.ModelDigest); before == model.Embedded && after == model.EmbeddedAccurate {
		list = append(list, "the first is the fast English model, which --fast chooses; the second is the accurate one, the default")
	}
	return list
}

// differencesShown is how many differences a refusal lists.
const differencesShown = 8

// differences says in lines what sets the run apart from the one before it.
func differences(ctx context.Context, folder string, run *output.Record, plan *source.Plan, old *output.Record) []string {
	list, more := Differences(&old.Provenance, &run.Provenance), 0
	note := func(format string, a ...any) {
		if len(list) < differencesShown {
			list = append(list, fmt.Sprintf(format, a...))
		} else {
			more++
		}
	}
	before, err := source.ReadPlan(ctx, store.Join(folder, output.OwnDir, source.PlanName(old.FP)))
	if err == nil {
		err = fileDifferences(before, plan, note)
	}
	switch {
	case err != nil:
		note("its plan cannot be read")
	case len(list) == 0:
		note("--range-bytes: was %d, is %d: the input is split differently", before.RangeBytes, plan.RangeBytes)
	}
	if more > 0 {
		list = append(list, fmt.Sprintf("and %d more", more))
	}
	return list
}

// fileDifferences notes what sets the files of two plans apart, which both are sorted.
func fileDifferences(before, now *source.Plan, note func(format string, a ...any)) error {
	next, stop := iter.Pull2(before.Inputs())
	defer stop()
	was, err, more := next()
	gone := 0
	for in, wrong := range now.Inputs() {
		for wrong == nil && err == nil && more && was.URI < in.URI {
			gone++
			was, err, more = next()
		}
		if err := cmp.Or(wrong, err); err != nil {
			return err
		}
		if !more || was.URI != in.URI {
			note("new input: %s", in.URI)
			continue
		}
		switch {
		case was.Version != in.Version || was.Size != in.Size:
			note("changed input: %s", in.URI)
		case was.DocID != in.DocID:
			note("another document id: that of %s was %s, is %s", in.URI, was.DocID, in.DocID)
		}
		was, err, more = next()
	}
	for ; more && err == nil; was, err, more = next() {
		gone++
	}
	if gone > 0 {
		note("its files that are not among the input now: %d of %d", gone, before.Files)
	}
	return err
}
