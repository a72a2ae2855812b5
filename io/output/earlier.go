package output

import (
	"context"
	"errors"
	"io/fs"

	"github.com/treebeam/treebeam/io/parquet"
	"github.com/treebeam/treebeam/io/source"
	"github.com/treebeam/treebeam/io/store"
)

// An Earlier run is what an output folder holds, complete or not.
type Earlier struct {
	Provenance
	Plan     *source.Plan
	Complete bool // it has its manifest

	run Run
}

// ErrNoRun is the error of a folder that does not hold one run.
var ErrNoRun = errors.New("it does not hold a run of treebeam parse")

// ReadEarlier reads the record and the plan of the run in folder. A folder
// without them, or with those of several runs, is an error: ErrNoRun if there are
// no records.
func ReadEarlier(ctx context.Context, folder string) (*Earlier, error) {
	records, err := Records(ctx, folder)
	if err != nil {
		return nil, err
	}
	if len(records) != 1 {
		return nil, ErrNoRun
	}
	r := &records[0]
	e := &Earlier{Provenance: r.Provenance()}
	if e.Plan, err = source.ReadPlan(ctx, store.Join(folder, OwnDir, source.PlanName(r.FP))); err != nil {
		return nil, err
	}
	e.run = Run{FP: r.FP, Output: folder, Ranges: len(e.Plan.Ranges), Options: r.Options}
	m, err := ReadManifest(folder)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	e.Complete = err == nil && m.FP == r.FP
	return e, nil
}

// Documents returns the rows of documents/ of the files that are done.
func (e *Earlier) Documents(ctx context.Context) ([]parquet.Document, error) {
	return e.run.DoneDocuments(ctx, e.Plan)
}

// Missing returns those files of the plan of which a part is not there, or is
// empty, by their URIs. It opens no part.
func (e *Earlier) Missing(ctx context.Context) (map[string]bool, error) {
	missing := map[string]bool{}
	for h, err := range e.run.held(ctx) {
		if err != nil {
			return nil, err
		}
		if h.all(&e.run) && h.trees.Size > 0 && h.failures.Size > 0 && (h.words == nil || h.words.Size > 0) {
			continue
		}
		for i := range e.Plan.Ranges[h.k].Pieces {
			missing[e.Plan.Ranges[h.k].Pieces[i].URI] = true
		}
	}
	return missing, nil
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
