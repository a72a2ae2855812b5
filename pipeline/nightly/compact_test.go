package nightly

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/treebeam/treebeam/io/output"
	"github.com/treebeam/treebeam/pipeline"
)

// A compaction leaves everything in its place until Prune removes what the
// kept snapshots do not need, and nothing else.
func TestPrune(t *testing.T) {
	c := few(t, 12)
	for range 3 {
		c.change(3)
		c.write("always.txt", c.text())
		c.mustNight(c.options())
	}
	want := c.rows()
	done, err := Compact(context.Background(), c.state)
	c.must(err)
	if done.Merged < 2 || c.rows() != want {
		t.Fatalf("%d runs were merged; the rows are the same: %v", done.Merged, c.rows() == want)
	}
	base, err := (&State{c.state}).Snapshot(context.Background(), done.Snapshot.N-1)
	c.must(err)
	if removed, err := Prune(context.Background(), c.state, 2); err != nil || slices.ContainsFunc(removed, func(name string) bool {
		return slices.Contains(base.Runs, filepath.Base(name)) || filepath.Base(name) == base.Name
	}) {
		t.Fatalf("removed %v, %v", removed, err)
	}
	removed, err := Prune(context.Background(), c.state, 1)
	if err != nil || len(removed) != 1+len(base.Runs) || c.rows() != want {
		t.Fatalf("removed %v of %v, %v", removed, base.Runs, err)
	}
	if runs, err := os.ReadDir(filepath.Join(c.state, "data")); err != nil || len(runs) != 1 {
		t.Errorf("%d runs are left", len(runs))
	}
	if _, err := Prune(context.Background(), c.state, 0); err == nil {
		t.Error("nothing was to be kept")
	}
	if done, err := Compact(context.Background(), c.state); err != nil || done.Run != "" {
		t.Errorf("what was compact was merged again: %+v, %v", done, err)
	}
	c.check("pruned")
}

// What an earlier version has made is no output of this one under other names:
// a compaction leaves it alone, and a night wants --all.
func TestEarlierState(t *testing.T) {
	c := few(t, 3)
	c.write("a.txt", "Another .\n")
	c.mustNight(c.options())
	state := &State{c.state}
	base, err := state.MustCurrent(context.Background())
	c.must(err)
	made := base.Made
	made.FormatVersion = "1.3"
	earlier, err := state.publish(context.Background(), base, made, base.entries())
	c.must(err)
	c.must(state.swap(context.Background(), base.Name, earlier))
	var refusal *pipeline.Refusal
	if _, err := Compact(context.Background(), c.state); !errors.As(err, &refusal) || !strings.Contains(err.Error(), "1.3") {
		t.Errorf("compaction: %v", err)
	}
	if _, _, err := c.night(c.options()); !errors.As(err, &refusal) || !strings.Contains(err.Error(), "the version of the format: was 1.3") {
		t.Errorf("night: %v", err)
	}
	o := c.options()
	o.All = true
	c.mustNight(o)
	c.check("made anew")
}

// A night that comes while a compaction is under way wins; the rows stay
// right, and the compaction can be done again.
func TestCompactWhileNight(t *testing.T) {
	c := few(t, 6)
	c.write("a.txt", "Another .\n")
	c.mustNight(c.options())
	c.write("b.txt", "And another .\n")
	between = func(step string) error {
		if step != "snapshot" {
			return nil
		}
		between = nil
		_, _, err := c.night(c.options())
		return err
	}
	var conflict *Conflict
	if _, err := Compact(context.Background(), c.state); !errors.As(err, &conflict) {
		t.Fatalf("got %v", err)
	}
	c.check("the night won")
	done, err := Compact(context.Background(), c.state)
	c.must(err)
	if done.Merged != 3 {
		t.Errorf("%d runs were merged", done.Merged)
	}
	c.check("compacted")
}

// compact compacts the state, after a crash perhaps, and prunes it.
func (c *corpus) compact() {
	c.t.Helper()
	defer func(before int64) { partWords = before }(partWords)
	partWords = 300
	at := []string{"", "run", "snapshot"}[c.rng.IntN(3)]
	between = func(step string) error {
		if step == at {
			return errCrash
		}
		return nil
	}
	done, err := Compact(context.Background(), c.state)
	between = nil
	if err == nil && done.Run == "" {
		return // one run, all of it current
	}
	if (err == errCrash) != (at != "") {
		c.t.Fatalf("crash at %q: %v", at, err)
	}
	done, err = Compact(context.Background(), c.state)
	c.must(err)
	if len(done.Snapshot.Runs) != 1 || (done.Run == "") != (at == "") {
		c.t.Fatalf("crash at %q: %+v", at, done)
	}
	m, err := output.ReadManifest((&State{c.state}).runDir(done.Snapshot.Runs[0]))
	c.must(err)
	sum, err := output.ReadSummary((&State{c.state}).runDir(done.Snapshot.Runs[0]))
	c.must(err)
	if sum.Files != done.Snapshot.Documents || m.Ranges < 5 {
		c.t.Fatalf("%d files in %d parts, %d documents", sum.Files, m.Ranges, done.Snapshot.Documents)
	}
	_, err = Prune(context.Background(), c.state, 1+c.rng.IntN(2))
	c.must(err)
}
