package output

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/treebeam/treebeam/io/source"
	"github.com/treebeam/treebeam/io/store"
)

// A Record is _treebeam/run-<fp>.json: everything except the input that changes rows.
// With the plan, it tells how an output was made and how another run differs.
type Record struct {
	FP string `json:"fp"` // fingerprint of the run, hex
	Provenance
}

// Canonical returns the record without its fingerprint, in the form that is
// fingerprinted.
func (r Record) Canonical() string {
	r.FP = ""
	text, err := json.Marshal(r)
	if err != nil {
		panic(err) // plain data
	}
	return string(text)
}

// Write writes the record into an output folder.
func (r *Record) Write(ctx context.Context, folder string) error {
	text, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	return WriteFile(ctx, folder, r.name(), append(text, '\n'))
}

// name is the record's in the output folder.
func (r *Record) name() string {
	return OwnDir + fmt.Sprintf("/run-%.16s.json", r.FP)
}

// isFingerprint reports whether s can be the fingerprint of a run, which is part of
// file names.
func isFingerprint(s string) bool {
	_, err := hex.DecodeString(s)
	return err == nil && len(s) == 2*sha256.Size
}

// Records returns the records of all runs that have written to the folder.
func Records(ctx context.Context, folder string) ([]Record, error) {
	own := store.Join(folder, OwnDir)
	var list []Record
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
		var r Record
		if err := json.Unmarshal(data, &r); err != nil || !isFingerprint(r.FP) {
			return nil, fmt.Errorf("%s is damaged: remove the folder %s and start again", info.Name, folder)
		}
		list = append(list, r)
	}
	return list, nil
}

// CheckForeign refuses the folder of a state, and one whose trees/, failures/ or documents/
// has files of other programs or runs: readers would read them as part of this run, unless
// their names begin with a period or _.
func CheckForeign(ctx context.Context, folder, fp string) error {
	if state, err := store.Exists(ctx, store.Join(folder, CurrentFile)); err != nil {
		return &Refusal{err}
	} else if state {
		return Refuse("%s is a state: continue it with --state, or name another --output", folder)
	}
	for _, kind := range kinds {
		dir := store.Join(folder, kind)
		for info, err := range store.List(ctx, dir) {
			if err != nil {
				return &Refusal{err}
			}
			if name := store.Within(dir, info.Name); strings.IndexAny(name, "._") != 0 && !IsPart(name, fp) {
				return Refuse("%s holds %s/%s, which is not of this run: move that away, or name another --output", folder, kind, name)
			}
		}
	}
	return nil
}

// IsPart reports whether a file name belongs to a part of the run fp.
func IsPart(name, fp string) bool {
	return strings.HasPrefix(name, "part-") && strings.HasSuffix(name, fmt.Sprintf("-%.8s.parquet", fp))
}

// Remove removes the files of a run from the folder: the parts with its fingerprint,
// the files that its manifest names, its plan, its record, and its copies of the user's
// lists.
func Remove(ctx context.Context, folder string, run *Record) error {
	fp := run.FP
	names := []string{store.Join(OwnDir, source.PlanName(fp)), run.name()}
	text, err := store.ReadFile(ctx, store.Join(folder, ManifestFile))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if m, _ := parseManifest(text); m.FP == fp {
		names = append([]string{ManifestFile, SummaryFile}, names...)
	}
	for _, kind := range kinds {
		dir := store.Join(folder, kind)
		for info, err := range store.List(ctx, dir) {
			if err == nil && IsPart(store.Within(dir, info.Name), fp) {
				err = store.Delete(ctx, info.Name)
			}
			if err != nil {
				return err
			}
		}
	}
	for _, name := range append(names, CustomNames(&run.Options)...) {
		if err := store.Delete(ctx, store.Join(folder, name)); err != nil {
			return err
		}
	}
	return nil
}
