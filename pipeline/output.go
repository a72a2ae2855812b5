package pipeline

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/treebeam/treebeam/io/source"
	"github.com/treebeam/treebeam/io/store"
	"github.com/treebeam/treebeam/transforms"
)

// outputDirs hold the parts of an output.
var outputDirs = []string{"trees", "failures", "documents"}

// checkOutput refuses a folder that holds another run's output, unless it is
// to be overwritten: then it returns the records of that output.
func (o *Options) checkOutput(ctx context.Context, output string, run *record, plan *source.Plan) ([]record, error) {
	others, err := recordsIn(ctx, output)
	if err != nil {
		return nil, &Refusal{err}
	}
	others = slices.DeleteFunc(others, func(r record) bool { return r.FP == run.FP })
	if len(others) == 0 {
		return nil, checkForeign(ctx, output, run.FP)
	}
	if !o.Overwrite {
		return nil, refuse("%s holds the output of another run:\n  %s\nname another --output, or remove that output with --overwrite",
			output, strings.Join(differences(ctx, output, run, plan, &others[0]), "\n  "))
	}
	return others, nil
}

// removeOthers removes the output of the other runs and nothing else.
func removeOthers(ctx context.Context, output string, others []record, fp string) error {
	if len(others) == 0 {
		return nil
	}
	for _, other := range others {
		if err := removeOutput(ctx, output, &other); err != nil {
			return fmt.Errorf("--overwrite: %w", err)
		}
	}
	return checkForeign(ctx, output, fp)
}

// isFingerprint reports whether s can be the fingerprint of a run: names of
// files are made of it.
func isFingerprint(s string) bool {
	_, err := hex.DecodeString(s)
	return err == nil && len(s) == 2*sha256.Size
}

// recordsIn returns the records of all runs that have written to output.
func recordsIn(ctx context.Context, output string) ([]record, error) {
	own := store.Join(output, transforms.OwnDir)
	var list []record
	for info, err := range store.List(ctx, own) {
		if err != nil {
			return nil, err
		}
		name := store.Within(own, info.Name)
		if ok, _ := path.Match("run-*.json", name); !ok {
			continue
		}
		data, err := store.ReadFile(ctx, info.Name)
		if err != nil {
			return nil, err
		}
		var r record
		if err := json.Unmarshal(data, &r); err != nil || !isFingerprint(r.FP) {
			return nil, fmt.Errorf("%s is damaged: remove the folder %s and start again", info.Name, output)
		}
		list = append(list, r)
	}
	return list, nil
}

// checkForeign refuses a folder whose trees/, failures/ or documents/ holds
// files that this run would not write: readers would take them for its own.
func checkForeign(ctx context.Context, output, fp string) error {
	for _, kind := range outputDirs {
		folder := store.Join(output, kind)
		for info, err := range store.List(ctx, folder) {
			if err != nil {
				return &Refusal{err}
			}
			if name := store.Within(folder, info.Name); !isPart(name, fp) {
				return refuse("%s is no output of treebeam's: it holds %s/%s; name another --output", output, kind, name)
			}
		}
	}
	return nil
}

// isPart says whether a file name is that of a part of the run fp.
func isPart(name, fp string) bool {
	return strings.HasPrefix(name, "part-") && strings.HasSuffix(name, fmt.Sprintf("-%.8s.parquet", fp))
}

// removeOutput removes what a run has written to output: the parts that carry its
// fingerprint, what its manifest names, its plan, its record, and its copies of
// what was known of the text.
func removeOutput(ctx context.Context, output string, run *record) error {
	fp := run.FP
	for _, kind := range outputDirs {
		folder := store.Join(output, kind)
		for info, err := range store.List(ctx, folder) {
			if err == nil && isPart(store.Within(folder, info.Name), fp) {
				err = store.Delete(ctx, info.Name)
			}
			if err != nil {
				return err
			}
		}
	}
	names := []string{store.Join(transforms.OwnDir, source.PlanName(fp)), recordName(fp)}
	if m, _ := ReadManifest(output); m.FP == fp {
		names = append([]string{transforms.ManifestFile, transforms.SummaryFile}, names...)
	}
	for _, name := range append(names, transforms.CustomNames(&run.Options)...) {
		if err := store.Delete(ctx, store.Join(output, name)); err != nil {
			return err
		}
	}
	return nil
}

// ReadManifest reads the manifest of a complete output. If it is damaged, it is
// returned with the error, as far as it could be read.
func ReadManifest(output string) (*transforms.Manifest, error) {
	text, err := store.ReadFile(context.Background(), store.Join(output, transforms.ManifestFile))
	if err != nil {
		return new(transforms.Manifest), err
	}
	return transforms.ReadManifest(text)
}
