package nightly

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/treebeam/treebeam/io/output"
	"github.com/treebeam/treebeam/io/source"
)

// generation parses the named files, which may be gone when it ends.
func (c *corpus) generation(g Generation, names ...string) (*Night, error) {
	c.t.Helper()
	o := c.options()
	all, err := source.List(context.Background(), o.Inputs, source.ListOptions{AllowEmpty: true})
	c.must(err)
	o.Generation, o.Files = g, []source.Input{}
	for i := range all {
		if slices.Contains(names, all[i].DocID) {
			o.Files = append(o.Files, all[i])
		}
	}
	n, r, err := c.nightOver(o)
	if err == nil && r.Snapshot.Documents != int64(len(c.seen)) {
		c.t.Errorf("%d documents are current, want %d", r.Snapshot.Documents, len(c.seen))
	}
	return n, err
}

func (c *corpus) nightOver(o Options) (*Night, *Result, error) {
	n, err := Plan(context.Background(), o)
	if err != nil {
		return nil, nil, err
	}
	r, err := n.Run(context.Background(), nil)
	if err != nil {
		return n, nil, err
	}
	for i := range o.Files {
		c.seen[o.Files[i].DocID] = c.files[o.Files[i].DocID]
	}
	return n, r, nil
}

// A generation parses what it was given and leaves the rest alone, also files that are
// gone, unless it is told to forget them. What has not changed is not parsed again.
func TestGenerations(t *testing.T) {
	c := newCorpus(t, 1)
	c.write("a.txt", "One . Two .\n")
	c.write("b.txt", "Three .\n")
	_, err := c.generation(Generation{Window: "w1", Look: true})
	c.must(err)
	for _, name := range []string{"a.txt", "b.txt"} {
		n, err := c.generation(Generation{Window: "w1"}, name)
		if c.must(err); n.Counts[New] != 1 || len(n.Decisions) != 1 {
			t.Errorf("%s: %v", name, n.Decisions)
		}
	}
	n, err := c.generation(Generation{Window: "w1"}, "a.txt", "b.txt")
	if c.must(err); !n.Idle() {
		t.Errorf("nothing has changed: %v", n.Decisions)
	}
	whole := c.rows()
	c.touch("a.txt")
	n, err = c.generation(Generation{Window: "w1"}, "a.txt")
	if c.must(err); n.Touched != 1 || len(n.Runs) > 0 || c.rows() != whole {
		t.Errorf("the same bytes: %v", n.Decisions)
	}
	c.remove("b.txt")
	c.write("a.txt", "One . Two and more .\n")
	c.write("c.txt", "Five .\n")
	n, err = c.generation(Generation{Window: "w2"}, "a.txt", "c.txt")
	if c.must(err); n.Counts[Changed] != 1 || n.Counts[New] != 1 || !strings.Contains(c.rows(), "Three") || strings.Contains(c.rows(), `"One . Two ."`) {
		t.Errorf("%v\n%s", n.Decisions, c.rows())
	}
	delete(c.seen, "b.txt")
	present := []string{c.dir + "/a.txt", c.dir + "/c.txt"}
	n, err = c.generation(Generation{Window: "w2", Forget: true, Present: present})
	if c.must(err); n.Counts[Deleted] != 1 || strings.Contains(c.rows(), "Three") {
		t.Errorf("%v\n%s", n.Decisions, c.rows())
	}
	clear(c.seen)
	_, err = c.generation(Generation{Window: "w2", Forget: true})
	c.must(err)
}

// runsIn are the folders in data/ by window.
func (c *corpus) runsIn() map[string]int {
	c.t.Helper()
	runs, err := (&State{c.state}).runs(context.Background())
	c.must(err)
	in := map[string]int{}
	for _, run := range runs {
		in[windowOf(run)]++
	}
	return in
}

// The runs of a window become one when it is closed, with a manifest and all documents,
// however often that is interrupted. What it replaces stays until readers are done.
func TestWindows(t *testing.T) {
	c := newCorpus(t, 1)
	keptSnapshots = 4
	defer func() { keptSnapshots = 30 }()
	add := func(window string, files int) {
		for range files {
			name := fmt.Sprintf("%03d.txt", len(c.files))
			c.write(name, fmt.Sprintf("File %s . Its end .\n", name))
			_, err := c.generation(Generation{Window: window}, name)
			c.must(err)
		}
	}
	closing := func(open string) []*Compacted {
		t.Helper()
		want := c.rows()
		closed, err := CloseWindows(context.Background(), c.state, open)
		if c.must(err); c.rows() != want {
			t.Fatal("closing a window changed rows")
		}
		return closed
	}
	add("w1", 3)
	if closed := closing("w1"); len(closed) > 0 {
		t.Fatal("the open window was closed")
	}
	c.write("000.txt", "It was replaced .\n")
	_, err := c.generation(Generation{Window: "w2"}, "000.txt")
	c.must(err)
	for _, at := range []string{"run", "snapshot"} {
		between = func(step string) error {
			if step == at {
				between = nil
				return errors.New("killed")
			}
			return nil
		}
		if _, err := CloseWindows(context.Background(), c.state, "w2"); err == nil {
			t.Fatalf("not interrupted at %s", at)
		}
		add("w2", 1) // the watch goes on meanwhile
	}
	closed := closing("w2")
	if len(closed) != 1 || closed[0].Merged != 2 || windowOf(closed[0].Run) != "w1" || c.runsIn()["w1"] != 4 {
		t.Fatalf("%+v, runs: %v", closed, c.runsIn())
	}
	m, err := output.Check(context.Background(), (&State{c.state}).runDir(closed[0].Run))
	if c.must(err); len(m.Parts(closed[0].Run, "documents")) != 1 {
		t.Errorf("%+v", m)
	}
	add("w2", 2*keptSnapshots)
	add("w3", 1)
	if closed = closing("w3"); len(closed) != 1 || c.runsIn()["w1"] != 1 || c.runsIn()["w2"] != 2*keptSnapshots+3+1 {
		t.Fatalf("%+v, runs: %v", closed, c.runsIn())
	}
	if left, err := os.ReadDir(filepath.Join(c.state, snapshotsDir)); err != nil || len(left) > 2*keptSnapshots {
		t.Errorf("%d snapshots are left, %v", len(left), err)
	}
	closing("w3")
	add("w3", keptSnapshots)
	if closing("w4"); c.runsIn()["w2"] != 1 {
		t.Errorf("runs: %v", c.runsIn())
	}
}

// An interrupted generation goes on, whatever the next one is given in addition.
func TestInterruptedGeneration(t *testing.T) {
	c := newCorpus(t, 1)
	c.write("a.txt", "One .\n")
	c.write("b.txt", "Two .\n")
	between = func(string) error { between = nil; return errors.New("killed") }
	if _, err := c.generation(Generation{Window: "w1"}, "b.txt"); err == nil {
		t.Fatal("not interrupted")
	}
	n, err := c.generation(Generation{Window: "w2", Look: true}, "a.txt", "b.txt")
	if c.must(err); len(n.TakenOver) != 1 || len(n.Runs) != 1 || n.Runs[0].Files != 1 {
		t.Errorf("%+v, %+v", n.TakenOver, n.Runs)
	}
}

func TestHold(t *testing.T) {
	c := newCorpus(t, 1)
	release, err := Hold(context.Background(), c.state, Watching, time.Second)
	c.must(err)
	if _, err := Hold(context.Background(), c.state, Watching, lockInterval); err == nil || !strings.Contains(err.Error(), "stop it first") {
		t.Errorf("two watches: %v", err)
	}
	release2, err := Hold(context.Background(), c.state, Generating, time.Second)
	c.must(errors.Join(err, release2(), release()))
	release, err = Hold(context.Background(), c.state, Watching, time.Second)
	c.must(errors.Join(err, release()))
}
