package pipeline

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/treebeam/treebeam/io/output"
	"github.com/treebeam/treebeam/io/source"
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

// Provenance is that of a run with these options. It opens the model, and reads what
// Custom names: a run that is prepared with these options later does not read it
// again. Its errors are refusals.
func (o *Options) Provenance(ctx context.Context) (output.Provenance, error) {
	if err := ValidateRows(&o.Rows); err != nil {
		return output.Provenance{}, err
	}
	_, digest, err := o.open(ctx)
	if err != nil {
		return output.Provenance{}, err
	}
	return output.Provenance{FormatVersion: output.FormatVersion, ModelDigest: digest, Options: o.Rows}, nil
}
