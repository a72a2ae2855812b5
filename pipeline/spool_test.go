package pipeline

import (
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/treebeam/treebeam/io/output"
)

// ofStandardInput are the options of a run from standard input.
func ofStandardInput(text, output string) Options {
	o := options("-", output)
	o.Stdin = strings.NewReader(text)
	return o
}

// spooled returns what is left of copies of standard input below dir.
func spooled(t *testing.T, dir string) []string {
	t.Helper()
	list, err := filepath.Glob(filepath.Join(dir, "*stdin-*"))
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// A run that was killed leaves its copy in the output folder and nowhere else.
// The same command goes on, and the copy goes when it is a day old.
func TestSpoolOfKilledRun(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	dir := t.TempDir()
	out, text := filepath.Join(dir, "out"), prose(20)
	killed, err := Prepare(context.Background(), ofStandardInput(text, out))
	if err != nil {
		t.Fatal(err)
	}
	kill(t, killed)
	tmp := filepath.Join(out, output.OwnDir, "tmp")
	left := spooled(t, tmp)
	if len(left) != 1 || len(spooled(t, os.TempDir())) > 0 {
		t.Fatalf("copies are in %v and %v", left, spooled(t, os.TempDir()))
	}
	got := run(t, ofStandardInput(text, out))
	if now := spooled(t, tmp); len(now) != 1 || now[0] != left[0] {
		t.Errorf("after the same command there are %v, not %v", now, left)
	}
	old := time.Now().Add(-25 * time.Hour)
	if err := os.Chtimes(left[0], old, old); err != nil {
		t.Fatal(err)
	}
	again, err := Prepare(context.Background(), ofStandardInput(text, out))
	if err != nil {
		t.Fatal(err)
	}
	if again.Job.FP != killed.Job.FP || again.Standing(context.Background()).Parts != again.Job.Ranges {
		t.Errorf("the same input is another run, or %d of %d ranges are done", again.Standing(context.Background()).Parts, again.Job.Ranges)
	}
	if err := again.Close(); err != nil {
		t.Error(err)
	}
	if now := spooled(t, tmp); len(now) > 0 {
		t.Errorf("left: %v", now)
	}
	for name, want := range run(t, ofStandardInput(text, filepath.Join(dir, "alone"))) {
		if strings.HasSuffix(name, ".parquet") && got[name] != want {
			t.Errorf("%s differs from that of one run", name)
		}
	}
	killed.Close()
}

// What is refused after standard input was read leaves nothing.
func TestSpoolOfRefusedRun(t *testing.T) {
	dir := write(t, map[string]string{"a.txt": "One .\n"})
	t.Setenv("TMPDIR", t.TempDir())
	fresh := filepath.Join(dir, "not", "there")
	o := ofStandardInput("Two .\n", fresh)
	o.Inputs = append(o.Inputs, filepath.Join(dir, "b.txt"))
	canceled, cancel := context.WithCancel(context.Background())
	cancel()
	held := filepath.Join(dir, "held")
	run(t, options(filepath.Join(dir, "a.txt"), held))
	before := files(t, dir)
	for name, c := range map[string]struct {
		ctx context.Context
		o   Options
	}{
		"an input that is not there":         {context.Background(), o},
		"an interrupt":                       {canceled, ofStandardInput("Two .\n", fresh)},
		"an output of another run":           {context.Background(), ofStandardInput("Two .\n", held)},
		"a folder for which there is no way": {context.Background(), ofStandardInput("Two .\n", filepath.Join(dir, "a.txt", "out"))},
	} {
		_, err := Prepare(c.ctx, c.o)
		var refused *Refusal
		if !errors.As(err, &refused) && !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", name, err)
		}
		if after := files(t, dir); !maps.Equal(before, after) {
			t.Errorf("%s: something was changed", name)
		}
		if _, err := os.Stat(filepath.Dir(fresh)); err == nil {
			t.Errorf("%s: a folder is left", name)
		}
		if left := spooled(t, os.TempDir()); len(left) > 0 {
			t.Errorf("%s: left %v", name, left)
		}
	}
}

// A process that ends while it reads removes what it has copied.
func TestRemoveSpools(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out")
	s := newSpool(out)
	if err := os.MkdirAll(s.dir, 0o777); err != nil {
		t.Fatal(err)
	}
	RemoveSpools()
	if _, err := os.Stat(out); err == nil || len(spools.open) > 0 {
		t.Errorf("%d are left: %v", len(spools.open), err)
	}
}
