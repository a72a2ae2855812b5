package output

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/treebeam/treebeam/io/source"
	"github.com/treebeam/treebeam/io/store"
)

// Names that belong to us in the folder of an output or a state: readers of the folder
// would take another file next to them for data, and runs would miss what was replaced.
var ourNames = []string{"trees", "failures", "words", "documents", "snapshots", "data", "views",
	OwnDir, ManifestFile, SummaryFile, CurrentFile}

// CheckTarget refuses to write the file that a flag names among the data of an output
// or a state or, with whole, anywhere in its folder.
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

// ofOurs reports whether dir is the folder of an output or of a state.
func ofOurs(dir string) bool {
	has := func(name string) bool {
		_, err := os.Stat(filepath.Join(dir, name))
		return err == nil
	}
	return has(OwnDir) || has(ManifestFile) && has("trees") || has(CurrentFile) && has("snapshots")
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

// SameFile reports whether both paths lead to one existing file.
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
	last := "" // name up to the last !/
	for d, err := range o.Documents {
		if err != nil {
			return err
		}
		// Only these are looked for: there may be millions.
		likely := d.StoredBytes == info.Size() || filepath.Base(d.SourceURI) == filepath.Base(target)
		is := likely && SameFile(target, d.SourceURI)
		archive := archiveOf(d.SourceURI)
		for a := archive; a != "" && archive != last && !is; a = archiveOf(a) { // a member's name, too, may have !/
			is = SameFile(target, a)
		}
		if last = archive; is {
			return Refuse("%s %s is a file that was parsed: it would be lost; name another", flag, target)
		}
	}
	return nil
}

// archiveOf is a name up to its last !/, which may be the archive of a document, or "".
func archiveOf(uri string) string { return uri[:max(strings.LastIndex(uri, source.InArchive), 0)] }

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

// staleAfter is the age at which temporary files of runs that were killed
// are removed.
const staleAfter = 24 * time.Hour

// Sweep removes temporary files that a killed run left in output more than a day ago.
// The files of live runs, on any machine, are younger.
func Sweep(output string, now time.Time) {
	dir := tmpDir(output)
	if dir == "" {
		return
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		if info, err := e.Info(); err == nil && now.Sub(info.ModTime()) > staleAfter {
			os.RemoveAll(filepath.Join(dir, e.Name()))
		}
	}
}

// drop removes a folder of files that a complete output no longer needs: which of them
// exist is a matter of luck. It is not an error if it cannot remove them.
func drop(ctx context.Context, folder string) {
	for range inOrder(ctx, store.List(ctx, folder), func(info store.Info) (bool, error) {
		return true, store.Delete(ctx, info.Name)
	}) {
	}
	if !store.IsRemote(folder) {
		os.Remove(folder)
	}
}

// tmpDir holds files that are being written: it is on the output's file
// system, so that a rename publishes them. Object stores have none, "".
func tmpDir(output string) string {
	if store.IsRemote(output) {
		return ""
	}
	return filepath.Join(output, OwnDir, "tmp")
}

// tokenFile is in OwnDir of an output folder that is shared with workers on other
// machines. If a worker does not find the launcher's token there, it sees another
// folder under the same path, and its output would be lost.
const tokenFile = "token"

// PlaceToken returns the token of the output folder. It is drawn once and kept, so that
// simultaneous runs agree on it.
func PlaceToken(output string) (string, error) {
	name := filepath.Join(output, OwnDir, tokenFile)
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err == nil {
		_, err = f.WriteString(rand.Text() + "\n")
		err = errors.Join(err, f.Close())
	}
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return "", err
	}
	token, err := readToken(output)
	for wait := tokenWait; err == nil && len(token) < minToken && wait > 0; wait -= tokenWait / 10 {
		time.Sleep(tokenWait / 10) // another run may have made the file and not written it yet
		token, err = readToken(output)
	}
	if err == nil && len(token) < minToken {
		err = fmt.Errorf("%s is damaged: remove it and run the same command again", name)
	}
	return token, err
}

const (
	minToken  = 20          // how long a whole token is at least
	tokenWait = time.Second // how long it may take to write one
)

func readToken(output string) (string, error) {
	data, err := os.ReadFile(filepath.Join(output, OwnDir, tokenFile))
	return strings.TrimSpace(string(data)), err
}

// CheckToken fails on a machine that does not see the launcher's output
// folder.
func (r *Run) CheckToken() error {
	if r.Token == "" {
		return nil
	}
	token, err := readToken(r.Output)
	if err == nil && token == r.Token {
		return nil
	}
	host, _ := os.Hostname()
	if err == nil {
		err = errors.New("it is another folder under the same path")
	}
	return fmt.Errorf("the worker on %s does not see the output folder %s of the machine that started the run: %w; "+
		"mount the same folder there, or use an output in an object store", host, r.Output, err)
}
