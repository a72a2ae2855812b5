package pipeline

import (
	"context"
	"math"

	"github.com/treebeam/treebeam/io/output"
	"github.com/treebeam/treebeam/io/source"
	"github.com/treebeam/treebeam/parser/syntax"
	"github.com/treebeam/treebeam/transforms"
)

// Languages reads the inputs and calls do with each file and the languages of its
// documents. If a file is one document, its LanguageConf is the probability of its
// Language. Of a file in which something could not be read, why is the first reason.
func Languages(ctx context.Context, o Options, do func(file *output.File, why string) error) error {
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
	why := map[string]string{}   // by URI
	return o.read(ctx, inputs, m, nil, func(read reader) error {
		return read(ctx, func(c transforms.Chunk) error {
			for i := range c.Failures {
				f := &c.Failures[i]
				if uri := c.Files[f.File].URI; why[uri] == "" && f.Severity == syntax.SeverityError {
					why[uri] = f.Reason
				}
			}
			for i := range c.Ends {
				if err := do(&c.Ends[i], why[c.Ends[i].URI]); err != nil {
					return err
				}
			}
			return nil
		})
	})
}
