package nightly

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"
)

// A Generation makes a night one step of a watch. It works on the files that have
// arrived, Options.Files, and keeps the trees of all other files.
type Generation struct {
	// Window is a part of the name of the run: CloseWindows merges the runs of a window.
	// It has neither a "-" nor a slash. If it is "", the night is not part of a watch.
	Window string `json:"window"`
	// Look makes the night look for interrupted runs and lost parts. That takes a request
	// or more for each run of the state.
	Look bool `json:"look,omitempty"`
	// Forget removes the trees of files that are gone: those that Present, a sorted list,
	// does not name.
	Forget  bool     `json:"forget,omitempty"`
	Present []string `json:"present,omitempty"`
}

// keeps reports whether the trees of a file stay that the night was not given.
func (g *Generation) keeps(uri string) bool {
	if g.Window == "" {
		return false
	}
	_, present := slices.BinarySearch(g.Present, uri)
	return present || !g.Forget
}

// looks reports whether the night looks for interrupted and damaged runs.
func (g *Generation) looks() bool { return g.Window == "" || g.Look }

// keptSnapshots is how many snapshots a watch keeps at least. The views of a state read
// all that there are. Tests keep fewer.
var keptSnapshots = 30

// maxMerged is how many runs are merged at once. Of each, some files are open meanwhile.
const maxMerged = 400

// CloseWindows merges the runs of every window except open into one run per window, and
// returns what it has merged. The merged runs stay until the next window is closed, for
// readers that have begun to read them. Old snapshots are removed more often.
func CloseWindows(ctx context.Context, dir, open string) (closed []*Compacted, err error) {
	state, err := At(dir)
	if err != nil {
		return nil, err
	}
	for {
		base, err := state.MustCurrent(ctx)
		if err != nil {
			return closed, err
		}
		window, runs := base.unmerged(open)
		if len(runs) == 0 {
			return closed, base.tidy(ctx, open, closed)
		}
		newest, _ := number(runs[len(runs)-1])
		merged, err := state.mergeRuns(ctx, base, runs, newest, window)
		if err != nil {
			return closed, err
		}
		closed = append(closed, merged)
	}
}

// unmerged returns the first window other than the open one that has several runs, and
// these, sorted.
func (s *Snapshot) unmerged(open string) (window string, runs []string) {
	of := map[string][]string{}
	for _, run := range s.Runs {
		of[windowOf(run)] = append(of[windowOf(run)], run)
	}
	for _, window := range slices.Sorted(maps.Keys(of)) {
		if window != "" && window != open && len(of[window]) > 1 {
			return window, of[window][:min(len(of[window]), maxMerged)]
		}
	}
	return "", nil
}

// tidy removes what is left of the windows before those that were just closed, and every
// keptSnapshots snapshots those that came before.
func (s *Snapshot) tidy(ctx context.Context, open string, closed []*Compacted) error {
	if len(closed) == 0 && s.N%keptSnapshots != 0 {
		return nil
	}
	newest := 0
	for _, run := range s.Runs {
		isOpen := windowOf(run) == open || slices.ContainsFunc(closed, func(c *Compacted) bool { return c.Run == run })
		if n, err := number(run); err == nil && !isOpen && len(closed) > 0 {
			newest = max(newest, n)
		}
	}
	_, err := s.prune(ctx, keptSnapshots, newest)
	return err
}

// Names of the locks of a watch.
const (
	Watching   = "watching"
	Generating = "generating" // by a generation, which may outlive its watch for a moment
)

// Hold takes a lock of the state in dir, and makes the folder if necessary. If the lock
// is not free within patience, it refuses. On file systems without locks and in object
// stores it always succeeds; two watches then do the same work twice.
func Hold(ctx context.Context, dir, lock string, patience time.Duration) (release func() error, err error) {
	state, err := At(dir)
	if err != nil {
		return nil, err
	}
	if err := state.make(); err != nil {
		return nil, err
	}
	waiting, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	release, err = state.lock(waiting, lock)
	if errors.Is(err, context.DeadlineExceeded) {
		return nil, refuse("another watch is writing to %s: stop it first, or name another --output", dir)
	}
	return release, ctx.Err()
}
