package nightly

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/treebeam/treebeam/io/output"
	"github.com/treebeam/treebeam/io/parquet"
	"github.com/treebeam/treebeam/io/store"
)

// partWords is about how many words a part of a compacted run holds: some hundred
// megabytes of trees. Tests make it smaller.
var partWords int64 = 2 << 20

// A Compacted is the result of Compact.
type Compacted struct {
	Snapshot *Snapshot // current now
	Run      string    // that holds all its rows; "" if there was nothing to do
	Merged   int       // runs that it was made of
}

// Compact writes the current rows of all runs into one run, an output folder like that
// of a parse, and makes a snapshot of it the current one. It keeps the current rows
// unchanged and leaves out all others. An interrupted compaction continues where it
// stopped, unless a night came between. If a night finished first, the error is a
// *Conflict. A state with another format version, whose columns differ, is a
// *pipeline.Refusal.
func Compact(ctx context.Context, dir string) (*Compacted, error) {
	state, err := At(dir)
	if err != nil {
		return nil, err
	}
	base, err := state.MustCurrent(ctx)
	if err != nil {
		return nil, err
	}
	if ok, err := base.compact(); ok || err != nil {
		return &Compacted{Snapshot: base}, err
	}
	number, _ := base.next()
	return state.mergeRuns(ctx, base, base.Runs, number, "")
}

// mergeRuns writes the current rows of some runs of base into one run, and makes a
// snapshot of it the current one. The name of the run follows from its number, its window
// and its rows, so that a merge that was interrupted goes on.
func (s *State) mergeRuns(ctx context.Context, base *Snapshot, runs []string, number int, window string) (*Compacted, error) {
	if was := base.Made.FormatVersion; was != output.FormatVersion {
		return nil, refuse("the rows of %s have the format version %s, and this program writes %s: "+
			"compact with the version that made them, or parse every file again with --all", s.dir, was, output.FormatVersion)
	}
	if err := s.make(); err != nil {
		return nil, err
	}
	sizes, fp, err := cutInto(base.entriesIn(runs))
	if err != nil {
		return nil, s.remedied(err)
	}
	run := runName(number, window, fp)
	job := output.Run{Record: output.Record{FP: fp, Provenance: base.Made}, Ranges: len(sizes), Output: s.runDir(run)}
	if err := base.copyRows(ctx, runs, &job, sizes); err != nil {
		return nil, s.remedied(err)
	}
	if err := step("run"); err != nil {
		return nil, err
	}
	next, err := s.publish(ctx, base, base.Made, base.moved(runs, run))
	if err != nil {
		return nil, err
	}
	if err := step("snapshot"); err != nil {
		return nil, err
	}
	return &Compacted{next, run, len(runs)}, s.swap(ctx, base.Name, next)
}

// compact reports whether all rows of the snapshot are in one run that holds
// nothing else.
func (s *Snapshot) compact() (bool, error) {
	switch len(s.Runs) {
	case 0:
		return true, nil
	case 1:
	default:
		return false, nil
	}
	documents := int64(0)
	m, err := output.ReadManifest(s.state.runDir(s.Runs[0]))
	if err != nil {
		return false, nil // an interrupted run: only a part of it is current
	}
	for _, f := range m.Files {
		if strings.HasPrefix(f.Path, "documents/") {
			documents += f.Rows
		}
	}
	return documents == s.Documents, nil
}

// entriesIn yields the entries of the snapshot whose rows are in some of its runs.
func (s *Snapshot) entriesIn(runs []string) iter.Seq2[*parquet.Entry, error] {
	return func(yield func(*parquet.Entry, error) bool) {
		for e, err := range s.entries() {
			if (err != nil || slices.Contains(runs, e.Run)) && !yield(e, err) {
				return
			}
		}
	}
}

// moved yields all entries, those in some runs as if in the run that these became.
func (s *Snapshot) moved(runs []string, became string) iter.Seq2[*parquet.Entry, error] {
	return func(yield func(*parquet.Entry, error) bool) {
		for e, err := range s.entries() {
			if err == nil && slices.Contains(runs, e.Run) {
				e.Run = became
			}
			if !yield(e, err) {
				return
			}
		}
	}
}

// copyRows writes the output of the job from the current rows of some runs. A part of it
// holds as many documents as sizes says.
func (s *Snapshot) copyRows(ctx context.Context, runs []string, job *output.Run, sizes []int) error {
	r := s.rows()
	defer r.close()
	next, stop := iter.Pull2(s.entriesIn(runs))
	defer stop()
	for k, size := range sizes {
		if err := ctx.Err(); err != nil {
			return err
		}
		docs := make([]*parquet.Entry, 0, size)
		var files []output.File
		for range size {
			e, err, ok := next()
			if !ok {
				err = fmt.Errorf("%s has fewer documents than when it was opened", s.Name)
			}
			if err != nil {
				return err
			}
			docs = append(docs, e)
			f, err := r.fileOf(e)
			if err != nil {
				return err
			}
			files = append(files, f)
		}
		if err := job.Rewrite(k, files, ofAll(docs, r.treesOf), ofAll(docs, r.failuresOf)); err != nil {
			return err
		}
	}
	return job.Complete(ctx)
}

// maxPartFiles bounds the account of its files in a part's footer.
const maxPartFiles = 20000

// cutInto returns how many documents go into each part, and a digest of them.
func cutInto(entries iter.Seq2[*parquet.Entry, error]) (sizes []int, digest string, err error) {
	sum := sha256.New()
	fmt.Fprintf(sum, "treebeam compaction\n%d\n", partWords)
	words, n := int64(0), 0
	for e, err := range entries {
		if err != nil {
			return nil, "", err
		}
		fmt.Fprintf(sum, "%q %s\n", e.SourceURI, e.Run)
		if n > 0 && (words+e.Words > partWords || n == maxPartFiles) {
			sizes = append(sizes, n)
			words, n = 0, 0
		}
		words, n = words+e.Words, n+1
	}
	return append(sizes, n), hex.EncodeToString(sum.Sum(nil)), nil
}

// ofAll yields the rows of documents one after the other.
func ofAll[T any](docs []*parquet.Entry, rowsOf func(*parquet.Entry) iter.Seq2[*T, error]) iter.Seq2[*T, error] {
	return func(yield func(*T, error) bool) {
		for _, e := range docs {
			for row, err := range rowsOf(e) {
				if !yield(row, err) || err != nil {
					return
				}
			}
		}
	}
}

// Prune removes what readers of the newest keep snapshots (at least 1) do not need:
// older snapshots, and runs that no kept snapshot names and that are not newer than the
// kept snapshots, such as runs of interrupted nights. It returns the names of what it
// removed. It does not disturb a running night that began with the current snapshot or
// with any kept snapshot except the oldest.
func Prune(ctx context.Context, dir string, keep int) (removed []string, err error) {
	if keep < 1 {
		return nil, refuse("--keep %d: must be at least 1, the current snapshot", keep)
	}
	state, err := At(dir)
	if err != nil {
		return nil, err
	}
	current, err := state.MustCurrent(ctx)
	if err != nil {
		return nil, err
	}
	return current.prune(ctx, keep, current.N)
}

// prune is Prune for the snapshots up to the current one, s. Runs with a higher number
// than newest stay, too.
func (s *Snapshot) prune(ctx context.Context, keep, newest int) (removed []string, err error) {
	state, oldest := s.state, s
	kept := []string{oldest.Name}
	used := slices.Clone(oldest.Runs)
	for len(kept) < keep && oldest.Predecessor != "" {
		before, err := state.snapshot(oldest.Predecessor)
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, parquet.ErrDamaged) || errors.Is(err, parquet.ErrForeign) {
			break // removed before, or of no use
		}
		if err != nil {
			return nil, err
		}
		oldest = before
		kept, used = append(kept, oldest.Name), append(used, oldest.Runs...)
	}
	old := func(name string, keep []string) bool {
		n, err := number(name)
		return err == nil && n <= oldest.N && !slices.Contains(keep, name)
	}
	folder := store.Join(state.dir, snapshotsDir)
	for info, err := range store.List(ctx, folder) {
		if err != nil {
			return removed, err
		}
		if name := info.Name[strings.LastIndexAny(info.Name, `/\`)+1:]; old(name, kept) {
			if err := store.Delete(ctx, info.Name); err != nil {
				return removed, err
			}
			removed = append(removed, snapshotsDir+"/"+name)
		}
	}
	runs, err := state.runs(ctx)
	if err != nil {
		return removed, err
	}
	for _, run := range runs {
		if n, _ := number(run); n > newest || !old(run, used) {
			continue
		}
		if err := state.removeRun(ctx, run); err != nil {
			return removed, err
		}
		removed = append(removed, dataDir+"/"+run)
	}
	return removed, nil
}

func (s *State) removeRun(ctx context.Context, run string) error {
	if !store.IsRemote(s.dir) {
		return os.RemoveAll(s.runDir(run))
	}
	for info, err := range store.List(ctx, s.runDir(run)) {
		if err != nil {
			return err
		}
		if err := store.Delete(ctx, info.Name); err != nil {
			return err
		}
	}
	return nil
}

// Number returns the number of a snapshot as written on a command line.
func Number(s string) (int, error) {
	n, err := strconv.Atoi(s)
	if err != nil || n < 1 {
		return 0, refuse("%q is not the number of a snapshot; the names of the files in %s/ begin with theirs", s, snapshotsDir)
	}
	return n, nil
}
