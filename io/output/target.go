package output

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Names that belong to us in the folder of an output or a state: readers of the folder
// would take another file next to them for data, and runs would miss what was replaced.
var ourNames = []string{"trees", "failures", "words", "documents", "snapshots", "data", "views",
	OwnDir, ManifestFile, SummaryFile, "CURRENT"}

// CheckTarget refuses to write the file that a flag names among the data of an
// output or a state, or with whole, anywhere in its folder.
func CheckTarget(flag, target string, whole bool) error {
	at := realPath(target)
	for dir := filepath.Dir(at); ; dir = filepath.Dir(dir) {
		if ofOurs(dir) {
			inside, err := filepath.Rel(dir, at)
			first, _, _ := strings.Cut(filepath.ToSlash(inside), "/")
			if err == nil && (whole || slices.Contains(ourNames, first)) {
				return Refuse("%s %s is among the data of %s; name a place elsewhere", flag, target, dir)
			}
		}
		if dir == filepath.Dir(dir) {
			break
		}
	}
	if whole && ofOurs(at) {
		return Refuse("%s %s is an output of treebeam's; name another folder", flag, target)
	}
	return nil
}

// ofOurs says whether dir is the folder of an output or of a state.
func ofOurs(dir string) bool {
	has := func(name string) bool {
		_, err := os.Stat(filepath.Join(dir, name))
		return err == nil
	}
	return has(OwnDir) || has(ManifestFile) && has("trees") || has("CURRENT") && has("snapshots")
}

// realPath is an absolute path without links, as far as the path exists.
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

// SameFile says whether both paths lead to one file that is there.
func SameFile(a, b string) bool {
	infoA, errA := os.Stat(a)
	infoB, errB := os.Stat(b)
	return errA == nil && errB == nil && os.SameFile(infoA, infoB)
}

// NotAnInput refuses to write the file that a flag names if the rows come from that
// file.
func (o *Reader) NotAnInput(flag, target string) error {
	info, err := os.Stat(target)
	if err != nil || !info.Mode().IsRegular() {
		return nil
	}
	for d, err := range o.Documents {
		if err != nil {
			return err
		}
		// Only these are looked for: there may be millions.
		likely := d.StoredBytes == info.Size() || filepath.Base(d.SourceURI) == filepath.Base(target)
		if likely && SameFile(target, d.SourceURI) {
			return Refuse("%s %s is a file that was parsed: it would be lost; name another", flag, target)
		}
	}
	return nil
}

// NoInputs refuses to write the files called names in the folder dir that a flag names
// if the rows come from one of these files.
func (o *Reader) NoInputs(flag, dir string, names []string) error {
	replaced := map[string]bool{}
	for _, name := range names {
		replaced[name] = true
	}
	real := realPath(dir)
	for d, err := range o.Documents {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(real, realPath(d.SourceURI))
		if err == nil && replaced[filepath.ToSlash(name)] {
			return Refuse("%s %s: %s in it is a file that was parsed: it would be lost; name another folder", flag, dir, filepath.ToSlash(name))
		}
	}
	return nil
}
