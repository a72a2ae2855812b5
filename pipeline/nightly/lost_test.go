package nightly

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/treebeam/treebeam/io/store"
	"github.com/treebeam/treebeam/pipeline"
)

// A night parses again the documents of the runs that are not as they were
// written, and no others: the rows are those of a full parse.
func TestLostRows(t *testing.T) {
	onPart := func(kind string, do func(path string) error) func(*corpus, string) error {
		return func(c *corpus, run string) error {
			parts, err := filepath.Glob(filepath.Join(run, kind, "*"))
			c.must(err)
			return do(parts[len(parts)/2])
		}
	}
	removed := func(name string) func(*corpus, string) error {
		return func(_ *corpus, run string) error { return os.RemoveAll(filepath.Join(run, name)) }
	}
	truncated := func(n int64) func(string) error { return func(path string) error { return os.Truncate(path, n) } }
	for name, damage := range map[string]struct {
		do func(c *corpus, run string) error
		// all says that all files of the run are parsed again, and not only its
		// missing parts; same, that these are the same; idle, that nothing is parsed;
		// sound, that readers find all rows.
		all, idle, sound, same bool
	}{
		"a run is gone":         {do: removed("."), all: true},
		"its trees are gone":    {do: removed("trees"), all: true, same: true},
		"a part is gone":        {do: onPart("trees", os.Remove)},
		"a part is empty":       {do: onPart("trees", truncated(0))},
		"a part is cut":         {do: onPart("failures", truncated(100))},
		"a part is longer":      {do: onPart("trees", func(path string) error { return grow(path) })},
		"documents are gone":    {sound: true, do: removed("documents")},
		"the summary is gone":   {sound: true, do: removed("summary.json")},
		"the manifest is gone":  {do: removed("manifest.json"), idle: true},
		"the plan is gone":      {do: removed("_treebeam"), idle: true},
		"the manifest is empty": {do: func(_ *corpus, run string) error { return os.Truncate(filepath.Join(run, "manifest.json"), 0) }, all: true},
		"manifest and plan": {sound: true, do: func(_ *corpus, run string) error {
			return errors.Join(os.RemoveAll(filepath.Join(run, "_treebeam")), os.Remove(filepath.Join(run, "manifest.json")))
		}, all: true},
		"the manifest and a part": {do: func(c *corpus, run string) error {
			return errors.Join(os.Remove(filepath.Join(run, "manifest.json")), onPart("trees", os.Remove)(c, run))
		}},
		"a part of a changed file": {do: func(c *corpus, run string) error {
			c.write("f03.txt", "Changed .\n")
			return onPart("trees", truncated(0))(c, run)
		}, all: true},
	} {
		t.Run(name, func(t *testing.T) {
			c := few(t, 30)
			c.write("later.txt", "Another run .\n")
			c.mustNight(c.options())
			base, err := (&State{c.state}).Current(t.Context())
			c.must(err)
			c.must(damage.do(c, filepath.Join(c.state, "data", base.Runs[0])))
			if damage.idle {
				c.idle(name)
				c.check(name)
				return
			}
			changed := 0
			for name := range c.moved {
				if c.seen[name] != c.files[name] {
					changed++
				}
			}
			if !damage.sound {
				if _, err := Compact(t.Context(), c.state); err == nil || !strings.Contains(err.Error(), "treebeam parse --state "+c.state) {
					t.Errorf("compacting: %v", err)
				}
			}
			before := toy.Parsed.Load()
			n, r := c.mustNight(c.options())
			if n.Counts[Lost] != 30-changed || n.Counts[Unchanged] != 1 || len(n.Lost) != 1 || n.Lost[base.Runs[0]] == "" {
				t.Errorf("decided %v; lost %v", n.Counts, n.Lost)
			}
			parsed := toy.Parsed.Load() - before
			if damage.all && parsed != int64(60-changed) || !damage.all && parsed > 30 {
				t.Errorf("%d sentences were parsed again", parsed)
			}
			if again := slices.Equal(r.Snapshot.Runs, base.Runs); again != (damage.same || !damage.all) {
				t.Errorf("runs %v", r.Snapshot.Runs)
			}
			c.check(name)
			c.idle(name)
		})
	}
}

func grow(path string) error {
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteString("more")
	return errors.Join(err, f.Close())
}

// Whoever interrupts the mending night finds what it has done.
func TestLostRowsInterrupted(t *testing.T) {
	c := few(t, 20)
	c.must(os.RemoveAll(filepath.Join(c.state, "data")))
	for _, at := range []string{"run", "snapshot"} {
		if _, err := c.crash(at); err == nil {
			t.Fatalf("no crash at %s", at)
		}
	}
	c.mustNight(c.options())
	c.check("mended")
	c.idle("mended")
}

// In an object store, too: a night without changes lists what is there and opens
// nothing but the manifests; a store that does not answer has lost nothing.
func TestLostObjects(t *testing.T) {
	c, memory := inMemory(t)
	c.state = "mem://bucket/state"
	for i := range 40 {
		memory.Put(fmt.Sprintf("mem://bucket/in/%02d.txt", i), bytes.Repeat([]byte(fmt.Sprintf("File %d . Its end .\n\n", i)), 10))
	}
	_, r := c.mustNight(c.options())
	before := memory.Opened()
	if n, _ := c.mustNight(c.options()); !n.Idle() {
		t.Errorf("without changes: %v", n.Counts)
	}
	if opened := memory.Opened() - before; opened > 12 {
		t.Errorf("%d files were opened in a night without changes", opened)
	}
	run := (&State{c.state}).runDir(r.Snapshot.Runs[0])
	allow := deny(memory, store.Join(run, "manifest.json"), 0)
	var refused *pipeline.Refusal
	if _, err := Plan(t.Context(), c.options()); !errors.As(err, &refused) || !strings.Contains(err.Error(), "permission denied") {
		t.Errorf("a store that refuses: %v", err)
	}
	allow()
	for info, err := range memory.List(t.Context(), store.Join(run, "trees")+"/part-00003") {
		c.must(err)
		memory.Put(info.Name, nil)
	}
	parsed := toy.Parsed.Load()
	if n, _ := c.mustNight(c.options()); n.Counts[Lost] != 40 {
		t.Errorf("decided %v", n.Counts)
	}
	if parsed = toy.Parsed.Load() - parsed; parsed == 0 || parsed > 100 {
		t.Errorf("%d of 800 sentences were parsed again", parsed)
	}
	c.check("mended")
}

// A state whose snapshot cannot be read is mended by --all, as the message says.
func TestLostSnapshot(t *testing.T) {
	for name, damage := range map[string]func(path string) error{
		"gone":           os.Remove,
		"all gone":       func(path string) error { return os.RemoveAll(filepath.Dir(path)) },
		"empty":          func(path string) error { return os.Truncate(path, 0) },
		"cut":            func(path string) error { return os.Truncate(path, 1000) },
		"a flipped byte": func(path string) error { return flip(path, 300) },
	} {
		c := few(t, 10)
		c.write("f03.txt", "Changed .\n")
		_, r := c.mustNight(c.options())
		c.must(damage(filepath.Join(c.state, "snapshots", r.Snapshot.Name)))
		want := "treebeam parse --state " + c.state
		if _, err := Plan(t.Context(), c.options()); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "--all") {
			t.Fatalf("%s: %v", name, err)
		}
		if _, err := Compact(t.Context(), c.state); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: compacting: %v", name, err)
		}
		o := c.options()
		o.All = true
		if _, err := c.crashWith(o, "run"); err == nil {
			t.Fatal("no crash")
		}
		before := toy.Parsed.Load()
		n, r := c.mustNight(o)
		if n.Counts[New] != 10 || r.Snapshot.N != 3 || toy.Parsed.Load() != before {
			t.Errorf("%s: decided %v, snapshot %d, %d sentences parsed", name, n.Counts, r.Snapshot.N, toy.Parsed.Load()-before)
		}
		c.check(name)
		c.idle(name)
	}
}

// Without CURRENT, a night takes over what was parsed, and its snapshot is the newest one.
func TestLostCurrent(t *testing.T) {
	c := few(t, 10)
	for i := range 2 {
		c.write("f03.txt", fmt.Sprintf("Change %d .\n", i))
		c.mustNight(c.options())
	}
	c.must(os.Remove(filepath.Join(c.state, "CURRENT")))
	before := toy.Parsed.Load()
	if _, err := c.crash("snapshot"); err == nil {
		t.Fatal("no crash")
	}
	n, r := c.mustNight(c.options())
	if n.Base() != nil || r.Snapshot.N != 5 || r.Snapshot.Predecessor != "" || toy.Parsed.Load() != before {
		t.Errorf("snapshot %d after %q, %d sentences parsed", r.Snapshot.N, r.Snapshot.Predecessor, toy.Parsed.Load()-before)
	}
	c.check("a new chain")
	c.idle("a new chain")
	c.write("f03.txt", "Another change .\n")
	if _, r := c.mustNight(c.options()); r.Snapshot.N != 6 {
		t.Errorf("then snapshot %d", r.Snapshot.N)
	}
	c.check("the next night")
}

// A first night that is interrupted has the number that it would have had.
func TestFirstNumber(t *testing.T) {
	c := newCorpus(t, 7)
	c.write("f01.txt", "A file .\n")
	if _, err := c.crash("snapshot"); err == nil {
		t.Fatal("no crash")
	}
	if _, r := c.mustNight(c.options()); r.Snapshot.N != 1 {
		t.Errorf("snapshot %d", r.Snapshot.N)
	}
}

// What is said of a snapshot that is asked for is about the one that is lost.
func TestLostBefore(t *testing.T) {
	c := few(t, 3)
	for i := range 3 {
		c.write("f01.txt", fmt.Sprintf("Change %d .\n", i))
		c.mustNight(c.options())
	}
	state := &State{c.state}
	second, err := state.Snapshot(t.Context(), 2)
	c.must(err)
	c.must(os.Remove(filepath.Join(c.state, "snapshots", second.Name)))
	for _, n := range []int{1, 2} {
		if _, err := state.Snapshot(t.Context(), n); err == nil || !strings.HasPrefix(err.Error(), "snapshot 2 of "+c.state+" was removed") {
			t.Errorf("snapshot %d: %v", n, err)
		}
	}
	if s, err := state.Snapshot(t.Context(), 3); err != nil || s.N != 3 {
		t.Errorf("the one after it: %v", err)
	}
}

func flip(path string, at int) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	text[at] ^= 1
	return os.WriteFile(path, text, 0o644)
}
