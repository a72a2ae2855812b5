package nightly

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/treebeam/treebeam/io/output"
	"github.com/treebeam/treebeam/io/parquet"
	"github.com/treebeam/treebeam/io/store"
)

// lost looks for the runs of the snapshot, which may be nil, and says by run what is
// wrong with runs that are not as they were written. It compares the names and the
// sizes of their parts with their manifests, as all readers do, and opens no part. A
// run that it cannot examine is an error.
func (s *Snapshot) lost(ctx context.Context) (map[string]string, error) {
	lost := map[string]string{}
	if s == nil {
		return lost, nil
	}
	partial := map[string]map[string]bool{} // runs without a manifest: the files that they do not have whole
	for _, run := range s.Runs {
		dir := s.state.runDir(run)
		whole, err := store.Exists(ctx, store.Join(dir, output.ManifestFile))
		if err != nil {
			return nil, err
		}
		if whole {
			if _, err := output.Check(ctx, dir); errors.Is(err, parquet.ErrDamaged) {
				lost[run] = err.Error()
			} else if err != nil {
				return nil, err
			}
			continue
		}
		existing, err := output.ReadExisting(ctx, dir)
		if err == nil {
			partial[run], err = existing.Missing(ctx)
		}
		if errors.Is(err, output.ErrNoRun) || errors.Is(err, fs.ErrNotExist) {
			lost[run] = fmt.Sprintf("%s has neither a manifest nor a plan", dir)
		} else if err != nil {
			return nil, err
		}
	}
	if len(partial) == 0 {
		return lost, nil
	}
	for e, err := range s.entries() {
		if err != nil {
			return nil, err
		}
		if partial[e.Run][e.SourceURI] {
			lost[e.Run] = fmt.Sprintf("%s lacks a part with rows of %s", s.state.runDir(e.Run), e.SourceURI)
		}
	}
	return lost, nil
}

// remedy says how to repair a state.
func (s *State) remedy() string {
	return "treebeam parse --state " + s.dir + " --all parses everything anew; without --all it makes missing and shortened parts again"
}

// remedied adds the remedy to an error about damage.
func (s *State) remedied(err error) error {
	if errors.Is(err, parquet.ErrDamaged) {
		return fmt.Errorf("%w; %s", err, s.remedy())
	}
	return err
}
