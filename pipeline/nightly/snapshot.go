package nightly

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"maps"
	"path"
	"path/filepath"
	"slices"

	"github.com/treebeam/treebeam/io/output"
	"github.com/treebeam/treebeam/io/parquet"
	"github.com/treebeam/treebeam/io/store"
)

// Keys of a snapshot's footer, in addition to the key of package parquet.
const (
	keySnapshot    = "treebeam.snapshot"    // its number
	keyPredecessor = "treebeam.predecessor" // name of the snapshot before it, "" for the first
	keyRuns        = "treebeam.runs"        // JSON: the runs that it names
	keyProvenance  = "treebeam.provenance"  // JSON: output.Provenance of all its rows
)

// A Snapshot lists the documents that are current.
type Snapshot struct {
	Name        string // of its file
	N           int    // 1, 2, ...
	Predecessor string // "" for the first
	Made        output.Provenance
	Runs        []string // that hold its rows, sorted
	Documents   int64

	state *State
	gone  bool // it cannot be read: only its name and its number are known
}

// Current returns the current snapshot, nil if there is none yet.
func (s *State) Current(ctx context.Context) (*Snapshot, error) {
	name, _, err := s.current(ctx)
	if err != nil || name == "" {
		return nil, err
	}
	snapshot, err := s.snapshot(name)
	if err != nil {
		return nil, fmt.Errorf("%w; treebeam parse --state %s --all parses everything anew", err, s.dir)
	}
	return snapshot, nil
}

// base is the snapshot that a night starts from. If every file is parsed again
// anyhow, that may be one that cannot be read: it then has no entries.
func (s *State) base(ctx context.Context, all bool) (*Snapshot, error) {
	base, err := s.Current(ctx)
	if !all {
		return base, err
	}
	if err == nil {
		for _, err = range base.entries() { // whether all of it can be read
			if err != nil {
				break
			}
		}
	}
	if err == nil || ctx.Err() != nil {
		return base, err
	}
	name, _, err := s.current(ctx)
	if err != nil {
		return nil, err
	}
	n, err := number(name)
	return &Snapshot{Name: name, N: n, state: s, gone: true}, err
}

// MustCurrent is Current for callers that need a snapshot. If there is none, the error
// is a refusal.
func (s *State) MustCurrent(ctx context.Context) (*Snapshot, error) {
	snapshot, err := s.Current(ctx)
	if err == nil && snapshot == nil {
		err = refuse("%s does not hold a state, or its first night has not finished: it has no file %s; treebeam parse --state makes one", s.dir, output.CurrentFile)
	}
	return snapshot, err
}

// Snapshot returns snapshot n, which must be the current one or come before
// it.
func (s *State) Snapshot(ctx context.Context, n int) (*Snapshot, error) {
	snapshot, err := s.MustCurrent(ctx)
	if err != nil {
		return nil, err
	}
	newest := snapshot.N
	for snapshot.N > n && snapshot.Predecessor != "" {
		lost, _ := number(snapshot.Predecessor)
		if snapshot, err = s.snapshot(snapshot.Predecessor); err != nil {
			return nil, refuse("snapshot %d of %s was removed or is damaged, and only it names those before it: %w", lost, s.dir, err)
		}
	}
	if snapshot.N != n {
		return nil, refuse("%s has no snapshot %d: the current one is %d", s.dir, n, newest)
	}
	return snapshot, nil
}

func (s *State) snapshot(name string) (*Snapshot, error) {
	r, err := parquet.Open[parquet.Entry](s.snapshotPath(name))
	if err != nil {
		return nil, fmt.Errorf("the snapshot cannot be read: %w", err)
	}
	defer r.Close()
	snapshot := &Snapshot{Name: name, state: s, Documents: r.Len()}
	footer := func(key string, value any) {
		text, _ := r.Footer(key)
		if e := json.Unmarshal([]byte(text), value); e != nil && err == nil {
			err = fmt.Errorf("%s is %w: %s in its footer: %w", s.snapshotPath(name), parquet.ErrDamaged, key, e)
		}
	}
	footer(keySnapshot, &snapshot.N)
	footer(keyRuns, &snapshot.Runs)
	footer(keyProvenance, &snapshot.Made)
	snapshot.Predecessor, _ = r.Footer(keyPredecessor)
	if n, e := number(name); err == nil && (e != nil || n != snapshot.N) {
		err = fmt.Errorf("%s is %w: its footer has the number %d", s.snapshotPath(name), parquet.ErrDamaged, snapshot.N)
	}
	return snapshot, err
}

// entries yields the documents of the snapshot, sorted by source_uri. The pair
// with an error is the last.
func (s *Snapshot) entries() iter.Seq2[*parquet.Entry, error] {
	return func(yield func(*parquet.Entry, error) bool) {
		if s == nil || s.gone {
			return
		}
		r, err := parquet.Open[parquet.Entry](s.state.snapshotPath(s.Name))
		if err == nil {
			defer r.Close()
			err = r.Verify()
		}
		if err != nil {
			yield(nil, err)
			return
		}
		for e, err := range r.All() {
			if !yield(e, err) || err != nil {
				return
			}
		}
	}
}

// next says what comes after the snapshot, which may be nil: its number and
// name.
func (s *Snapshot) next() (n int, predecessor string) {
	if s == nil {
		return 1, ""
	}
	return s.N + 1, s.Name
}

// newest is the largest number of a snapshot that is there, current or not; 0 is none.
func (s *State) newest(ctx context.Context) (newest int, err error) {
	for info, err := range store.List(ctx, store.Join(s.dir, snapshotsDir)) {
		if err != nil {
			return 0, err
		}
		if n, err := number(path.Base(filepath.ToSlash(info.Name))); err == nil {
			newest = max(newest, n)
		}
	}
	return newest, nil
}

// publish writes the snapshot that comes after base and holds the entries,
// without making it current. Its name is of its content, so that two nights
// that found the same write the same, unless CURRENT was lost.
func (s *State) publish(ctx context.Context, base *Snapshot, made output.Provenance, entries iter.Seq2[*parquet.Entry, error]) (*Snapshot, error) {
	n, predecessor := base.next()
	if base == nil { // CURRENT may be lost; but a first night that was interrupted has left number 1
		newest, err := s.newest(ctx)
		if err != nil {
			return nil, err
		}
		if newest > 1 {
			n += newest
		}
	}
	next := &Snapshot{N: n, Predecessor: predecessor, Made: made, state: s}
	f, err := store.NewTemporary() // its name follows from its content
	if err != nil {
		return nil, err
	}
	defer f.Close()
	sum := sha256.New()
	w := parquet.NewWriter[parquet.Entry](io.MultiWriter(f, sum), nil, made.Options.KeepColumns()...)
	runs := map[string]bool{}
	for e, err := range entries {
		if err != nil {
			return nil, err
		}
		runs[e.Run] = true
		if err := w.Write(*e); err != nil {
			return nil, err
		}
	}
	next.Runs = slices.Sorted(maps.Keys(runs))
	w.SetFooter(keyPredecessor, predecessor)
	for key, value := range map[string]any{keySnapshot: next.N, keyRuns: next.Runs, keyProvenance: made} {
		text, err := json.Marshal(value)
		if err != nil {
			return nil, err
		}
		w.SetFooter(key, string(text)) // Close writes them by key
	}
	next.Documents = w.Len()
	if err := w.Close(); err != nil {
		return nil, err
	}
	next.Name = fmt.Sprintf("%06d-%.8s.parquet", n, hex.EncodeToString(sum.Sum(nil)))
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	return next, store.Write(ctx, s.snapshotPath(next.Name), store.Options{Expect: store.Anything, Temp: s.tmp()}, func(w io.Writer) error {
		_, err := io.Copy(w, f)
		return err
	})
}
