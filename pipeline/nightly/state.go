// Package nightly keeps the trees of a corpus that changes. Plan compares the input
// with the state of the night before, and Night.Run parses only the files that are new
// or have changed. The unit of change is the source file.
//
// A state is a folder. Only Compact and Prune remove anything from it:
//
//	CURRENT                           the name of the current snapshot
//	snapshots/000012-1a2b3c4d.parquet its documents, and the run that holds the rows of each
//	data/000012-5e6f7a8b/             a run: an output folder of pipeline.Run with its plan
//	views/                            SQL that joins them
//
// A row of a run is current if the current snapshot lists its file under that run. A
// night writes its run, then a snapshot. It replaces CURRENT last, and only if CURRENT
// still names the snapshot with which the night began. So a reader sees one whole night
// or the next. The work of a night that was interrupted, or came second, is there for
// the next night.
package nightly

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"github.com/treebeam/treebeam/io/output"
	"github.com/treebeam/treebeam/io/store"
	"github.com/treebeam/treebeam/pipeline"
)

// Names in a state.
const (
	snapshotsDir = "snapshots"
	dataDir      = "data"
	viewsDir     = "views"
)

// lockInterval is how often a lock that is held is tried again.
const lockInterval = 20 * time.Millisecond

func refuse(format string, a ...any) error {
	return &pipeline.Refusal{Err: fmt.Errorf(format, a...)}
}

// A State is the folder of a state, on a local disk or in an object store. It
// need not exist.
type State struct{ dir string } // absolute, or a URI

// At returns the state in the folder dir.
func At(dir string) (*State, error) {
	if store.IsRemote(dir) {
		if err := store.Unsupported(dir); err != nil {
			return nil, refuse("--state %s: %w", store.Redact(dir), err)
		}
		return &State{strings.TrimRight(dir, "/")}, nil
	}
	abs, err := filepath.Abs(strings.TrimPrefix(dir, "file://"))
	if err != nil {
		return nil, &pipeline.Refusal{Err: err}
	}
	if info, err := os.Stat(abs); err == nil && !info.IsDir() {
		return nil, refuse("--state %s: %s is a file, not a folder; name another", dir, abs)
	}
	return &State{abs}, nil
}

// IsState reports whether the folder dir holds a state.
func IsState(ctx context.Context, dir string) bool {
	ok, err := store.Exists(ctx, store.Join(dir, output.CurrentFile))
	return ok && err == nil
}

// runDir is the folder of a run.
func (s *State) runDir(run string) string { return store.Join(s.dir, dataDir, run) }

func (s *State) snapshotPath(name string) string { return store.Join(s.dir, snapshotsDir, name) }

// tmp is where local files are until they are renamed.
func (s *State) tmp() string {
	if store.IsRemote(s.dir) {
		return ""
	}
	return filepath.Join(s.dir, output.OwnDir, "tmp")
}

// write writes a whole file; expect is as in store.Options.
func (s *State) write(ctx context.Context, data []byte, expect string, elements ...string) error {
	return store.WriteFile(ctx, store.Join(s.dir, elements...), data, store.Options{Expect: expect, Temp: s.tmp()})
}

// current is the name in CURRENT, "" if there is none, and the version of that
// file.
func (s *State) current(ctx context.Context) (name, version string, err error) {
	uri := store.Join(s.dir, output.CurrentFile)
	info, err := store.Stat(ctx, uri)
	if errors.Is(err, fs.ErrNotExist) {
		return "", store.Absent, nil
	}
	if err != nil {
		return "", "", err
	}
	data, err := store.ReadFile(ctx, uri)
	if err != nil {
		return "", "", err
	}
	name = strings.TrimSpace(string(data))
	if _, err := number(name); err != nil || !strings.HasSuffix(name, ".parquet") || strings.ContainsAny(name, `/\`) {
		return "", "", fmt.Errorf("%s does not name a snapshot; write the name of the newest file in %s into it, or if that holds none, remove it: the next night takes over what was parsed", uri, store.Join(s.dir, snapshotsDir))
	}
	return name, info.Version, nil
}

// runName is the name of a run: its number, the window that it belongs to, if any, and
// the beginning of a digest of what is in it.
func runName(number int, window, digest string) string {
	if window != "" {
		window = "-" + window
	}
	return fmt.Sprintf("%06d%s-%.8s", number, window, digest)
}

// windowOf is the window in the name of a run, "" if it has none.
func windowOf(run string) string {
	if parts := strings.Split(run, "-"); len(parts) == 3 {
		return parts[1]
	}
	return ""
}

// number is the number that the name of a snapshot or a run begins with.
func number(name string) (int, error) {
	digits, _, _ := strings.Cut(name, "-")
	return strconv.Atoi(digits)
}

// runs are the sorted names of the folders in data/.
func (s *State) runs(ctx context.Context) ([]string, error) {
	var list []string
	folder := store.Join(s.dir, dataDir)
	for info, err := range store.List(ctx, folder) {
		if err != nil {
			return nil, err
		}
		run, _, _ := strings.Cut(filepath.ToSlash(store.Within(folder, info.Name)), "/")
		if _, err := number(run); err == nil && (len(list) == 0 || list[len(list)-1] != run) {
			list = append(list, run)
		}
	}
	return list, nil
}

// sweep removes the temporary files that killed nights left more than a day ago in a local
// state and in its runs.
func (s *State) sweep(now time.Time) {
	if store.IsRemote(s.dir) {
		return
	}
	output.Sweep(s.dir, now)
	runs, _ := os.ReadDir(filepath.Join(s.dir, dataDir))
	for _, run := range runs {
		output.Sweep(s.runDir(run.Name()), now)
	}
}

// A Conflict is the error of a night or compaction during which another one replaced
// CURRENT.
type Conflict struct{ was, is string }

func (c *Conflict) Error() string {
	return fmt.Sprintf("another night or compaction replaced the snapshot %s by %s while this one ran, so this one is not current; "+
		"nothing is lost: the same command again takes over what this one has parsed", cmp.Or(c.was, "(none)"), cmp.Or(c.is, "(none)"))
}

// swap makes the snapshot next current if was is still current, and writes the views;
// otherwise it returns a *Conflict. It is the commit of a night. In an object store it
// depends on the generation of CURRENT, on a local disk on a lock.
func (s *State) swap(ctx context.Context, was string, next *Snapshot) error {
	unlock, err := s.lock(ctx, "lock")
	if err != nil {
		return fmt.Errorf("locking the state: %w", err)
	}
	defer unlock()
	is, version, err := s.current(ctx)
	if err != nil {
		return err
	}
	if is != was {
		return &Conflict{was, is}
	}
	err = s.write(ctx, []byte(next.Name+"\n"), version, output.CurrentFile)
	if errors.Is(err, store.ErrCondition) {
		if is, _, err = s.current(ctx); err == nil && is != next.Name {
			err = &Conflict{was, is}
		}
	}
	if err != nil {
		return err
	}
	return s.writeViews(ctx, next)
}

// lock takes a lock of a state on a local disk, which is free when unlock was called or
// the process has ended, and waits for it while ctx lasts.
func (s *State) lock(ctx context.Context, name string) (unlock func() error, err error) {
	if store.IsRemote(s.dir) {
		return func() error { return nil }, nil
	}
	lock := flock.New(filepath.Join(s.dir, output.OwnDir, name)) // the file stays: removing it would let two hold it
	_, err = lock.TryLockContext(ctx, lockInterval)
	return lock.Close, err
}

// make makes the folders of a state on a local disk.
func (s *State) make() error {
	if store.IsRemote(s.dir) {
		return nil
	}
	for _, dir := range []string{s.tmp(), filepath.Join(s.dir, snapshotsDir), filepath.Join(s.dir, viewsDir)} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return refuse("the folder of the state cannot be made: %w", err)
		}
	}
	return nil
}
