package pipeline

import (
	"context"
	"errors"
	"io/fs"

	"github.com/treebeam/treebeam/io/parquet"
	"github.com/treebeam/treebeam/io/source"
	"github.com/treebeam/treebeam/io/store"
	"github.com/treebeam/treebeam/transforms"
)

// A Provenance is what changes rows beside the input: two runs with the same
// one give the same rows for the same file.
type Provenance struct {
	FormatVersion string                `json:"format_version"`
	ModelDigest   string                `json:"model_digest"`
	Options       transforms.RowOptions `json:"options"`
}

// Provenance is that of a run with these options. It opens the model, and reads what
// Custom names: a run that is prepared with these options later does not read it
// again. Its errors are refusals.
func (o *Options) Provenance(ctx context.Context) (Provenance, error) {
	if err := ValidateRows(&o.Rows); err != nil {
		return Provenance{}, err
	}
	_, digest, err := o.open(ctx)
	if err != nil {
		return Provenance{}, err
	}
	return Provenance{transforms.FormatVersion, digest, o.Rows}, nil
}

// ModelID is the column model_id.
func (p *Provenance) ModelID() string { return modelID(p.ModelDigest) }

// Footer is what footers of parts say of it.
func (p *Provenance) Footer() map[string]string {
	r := record{FormatVersion: p.FormatVersion, ModelDigest: p.ModelDigest, Options: p.Options}
	return r.footer(nil)
}

// An Earlier run is what an output folder holds, complete or not.
type Earlier struct {
	Provenance
	Plan     *source.Plan
	Complete bool // it has its manifest

	job transforms.Job
}

// ReadEarlier reads the record and the plan of the run in output. A folder
// without them, or with those of several runs, is an error.
func ReadEarlier(ctx context.Context, output string) (*Earlier, error) {
	records, err := recordsIn(ctx, output)
	if err != nil {
		return nil, err
	}
	if len(records) != 1 {
		return nil, errors.New("it holds no run of treebeam parse")
	}
	r := &records[0]
	e := &Earlier{Provenance: r.provenance()}
	if e.Plan, err = source.ReadPlan(ctx, store.Join(output, transforms.OwnDir, source.PlanName(r.FP))); err != nil {
		return nil, err
	}
	e.job = transforms.Job{FP: r.FP, Output: output, Ranges: len(e.Plan.Ranges)}
	m, err := ReadManifest(output)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	e.Complete = err == nil && m.FP == r.FP
	return e, nil
}

// Documents returns the rows of documents/ of the files that are done.
func (e *Earlier) Documents(ctx context.Context) ([]parquet.Document, error) {
	return e.job.DoneDocuments(ctx, e.Plan)
}

// Files returns the input files of the run's plan, in its order.
func (e *Earlier) Files() []source.Input {
	var list []source.Input
	for _, r := range e.Plan.Ranges {
		for i := range r.Pieces {
			if p := &r.Pieces[i]; p.Start == 0 {
				list = append(list, source.Input{URI: p.URI, DocID: p.DocID, Size: p.Size, Version: p.Version, Path: p.Path})
			}
		}
	}
	return list
}
