package pipeline

import (
	"context"
	"math"

	"github.com/treebeam/treebeam/io/output"
	"github.com/treebeam/treebeam/io/source"
	"github.com/treebeam/treebeam/transforms"
)

// Languages reads the inputs and calls do with each file and the languages of its
// documents. If a file is one document, its LanguageConf is the probability of its
// Language.
func Languages(ctx context.Context, o Options, do func(*output.File) error) error {
	if err := validateRows(&o.Rows); err != nil {
		return err
	}
	m, _, err := o.open(ctx)
	if err != nil {
		return err
	}
	inputs, err := source.List(ctx, o.Inputs, source.ListOptions{Live: true})
	if err != nil {
		return &Refusal{Err: err}
	}
	o.RangeBytes = math.MaxInt64 // whole files
	return o.read(ctx, inputs, m, nil, func(read reader) error {
		return read(ctx, func(c transforms.Chunk) error {
			for i := range c.Ends {
				if err := do(&c.Ends[i]); err != nil {
					return err
				}
			}
			return nil
		})
	})
}
