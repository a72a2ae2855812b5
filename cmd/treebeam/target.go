package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/treebeam/treebeam/pipeline"
	"github.com/treebeam/treebeam/transforms"
)

// What is ours in the folder of an output or a state: readers of the folder
// would take a file beside it for data, and runs would miss what was replaced.
var ourNames = []string{"trees", "failures", "documents", "snapshots", "data", "views",
	transforms.OwnDir, transforms.ManifestFile, transforms.SummaryFile, "CURRENT"}

// checkTarget refuses to write the file that a flag names among the data of an
// output or a state, or with whole, anywhere in its folder.
func checkTarget(flag, target string, whole bool) error {
	at := realPath(target)
	for dir := filepath.Dir(at); ; dir = filepath.Dir(dir) {
		if ofOurs(dir) {
			inside, err := filepath.Rel(dir, at)
			first, _, _ := strings.Cut(filepath.ToSlash(inside), "/")
			if err == nil && (whole || slices.Contains(ourNames, first)) {
				return refuse("%s %s is among the data of %s; name a place elsewhere", flag, target, dir)
			}
		}
		if dir == filepath.Dir(dir) {
			break
		}
	}
	if whole && ofOurs(at) {
		return refuse("%s %s is an output of treebeam's; name another folder", flag, target)
	}
	return nil
}

// ofOurs says whether dir is the folder of an output or of a state.
func ofOurs(dir string) bool {
	has := func(name string) bool {
		_, err := os.Stat(filepath.Join(dir, name))
		return err == nil
	}
	return has(transforms.OwnDir) || has(transforms.ManifestFile) && has("trees") || has("CURRENT") && has("snapshots")
}

// realPath is an absolute path without links, as far as it leads.
func realPath(path string) string {
	path, err := filepath.Abs(path)
	if err != nil {
		return path
	}
	rest := ""
	for dir := path; ; dir = filepath.Dir(dir) {
		if real, err := filepath.EvalSymlinks(dir); err == nil {
			return filepath.Join(real, rest)
		}
		if dir == filepath.Dir(dir) {
			return path
		}
		rest = filepath.Join(filepath.Base(dir), rest)
	}
}

// sameFile says whether both paths lead to one file that is there.
func sameFile(a, b string) bool {
	infoA, errA := os.Stat(a)
	infoB, errB := os.Stat(b)
	return errA == nil && errB == nil && os.SameFile(infoA, infoB)
}

// notAnInput refuses a file that is an input of the output that is read.
func notAnInput(flag, target string, from *pipeline.Output) error {
	info, err := os.Stat(target)
	if err != nil || !info.Mode().IsRegular() {
		return nil
	}
	for d, err := range from.Documents {
		if err != nil {
			return err
		}
		// Only these are looked for: there may be millions.
		likely := d.StoredBytes == info.Size() || filepath.Base(d.SourceURI) == filepath.Base(target)
		if likely && sameFile(target, d.SourceURI) {
			return refuse("%s %s is a file that was parsed: it would be lost; name another", flag, target)
		}
	}
	return nil
}

// noInputs refuses a mirror in dir that would replace files that were parsed.
func noInputs(dir string, names []string, from *pipeline.Output) error {
	replaced := map[string]bool{}
	for _, name := range names {
		replaced[name] = true
	}
	real := realPath(dir)
	for d, err := range from.Documents {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(real, realPath(d.SourceURI))
		if err == nil && replaced[filepath.ToSlash(name)] {
			return refuse("--per-file %s: %s in it is a file that was parsed: it would be lost; name another folder", dir, filepath.ToSlash(name))
		}
	}
	return nil
}
