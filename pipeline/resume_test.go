package pipeline

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/treebeam/treebeam/io/output"
	"github.com/treebeam/treebeam/parser/syntax"
)

// An interrupted run leaves finished parts; the same command does the rest
// and ends with the bytes of a run in one go.
func TestInterrupted(t *testing.T) {
	o := options(corpus(t), filepath.Join(t.TempDir(), "out"))
	o.RangeBytes = rangeBytes
	start := toy.Parsed.Load()
	want := run(t, o)
	o.Output = filepath.Join(t.TempDir(), "interrupted")

	ctx, cancel := context.WithCancel(context.Background())
	count := toy.Parsed.Load()
	all := count - start
	toy.SetHook(func(*syntax.Sentence) {
		if toy.Parsed.Load()-count > 500 {
			cancel()
			time.Sleep(time.Millisecond)
		}
	})
	p, err := Prepare(ctx, o)
	if err != nil {
		t.Fatal(err)
	}
	_, err = Run(ctx, p)
	toy.SetHook(nil)
	if err == nil {
		t.Fatal("the run was not interrupted")
	}
	time.Sleep(200 * time.Millisecond) // what was under way in this process ends
	done := p.Finished(context.Background()).Parts
	if done == 0 || done == p.Job.Ranges {
		t.Fatalf("%d of %d ranges were done: the test needs some", done, p.Job.Ranges)
	}
	before := toy.Parsed.Load()
	same(t, "continued", want, run(t, o))
	if again := toy.Parsed.Load() - before; again == 0 || again >= all {
		t.Errorf("continuing parsed %d sentences of %d", again, all)
	}
	before = toy.Parsed.Load()
	same(t, "nothing to do", want, run(t, o))
	if n := toy.Parsed.Load() - before; n != 0 {
		t.Errorf("%d sentences were parsed where nothing was to do", n)
	}
	if left, err := os.ReadDir(filepath.Join(o.Output, output.OwnDir, "tmp")); err != nil || len(left) > 0 {
		t.Errorf("%d temporary files are left, %v", len(left), err)
	}
}

// A part that is damaged, or of another run, is made again.
func TestDamagedPart(t *testing.T) {
	o := options(corpus(t), filepath.Join(t.TempDir(), "out"))
	o.RangeBytes = rangeBytes
	want := run(t, o)
	for _, kind := range []string{"trees", "failures"} {
		parts, err := output.PartPaths(o.Output, kind)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Truncate(parts[1], 100); err != nil {
			t.Fatal(err)
		}
		copied, err := os.ReadFile(parts[2])
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(parts[3], copied, 0o644); err != nil {
			t.Fatal(err)
		}
		same(t, kind+" damaged", want, run(t, o))
	}
}

// Files that a killed run left are removed when they are old.
func TestSweep(t *testing.T) {
	o := options(write(t, map[string]string{"x.txt": prose(3)}), filepath.Join(t.TempDir(), "out"))
	run(t, o)
	tmp := filepath.Join(o.Output, output.OwnDir, "tmp")
	for name, age := range map[string]time.Duration{"old": 25 * time.Hour, "new": time.Hour} {
		path := filepath.Join(tmp, name)
		if err := os.WriteFile(path, nil, 0o644); err != nil {
			t.Fatal(err)
		}
		when := time.Now().Add(-age)
		if err := os.Chtimes(path, when, when); err != nil {
			t.Fatal(err)
		}
	}
	run(t, o)
	if left, err := os.ReadDir(tmp); err != nil || len(left) != 1 || left[0].Name() != "new" {
		t.Errorf("left %v, %v", left, err)
	}
}

// Another run's output is refused with what differs, and --overwrite removes
// that output and nothing else.
func TestOtherOutput(t *testing.T) {
	in := write(t, map[string]string{"x.txt": prose(3), "y.txt": prose(2)})
	o := options(in, filepath.Join(t.TempDir(), "out"))
	first := run(t, o)
	if err := os.WriteFile(filepath.Join(o.Output, "mine.txt"), []byte("mine"), 0o644); err != nil {
		t.Fatal(err)
	}

	changed := o
	changed.Rows.MaxWords = 7
	if err := os.WriteFile(filepath.Join(in, "y.txt"), []byte(prose(4)), 0o644); err != nil {
		t.Fatal(err)
	}
	err := tryRun(changed)
	if !isRefusal(err) {
		t.Fatalf("got %v", err)
	}
	for _, want := range []string{"--max-words: was 1000, is 7", "changed input: ", "y.txt", "--overwrite"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("no %q in %q", want, err)
		}
	}
	after := files(t, o.Output)
	delete(after, "mine.txt")
	same(t, "refused", first, after)

	changed.Overwrite = true
	got := run(t, changed)
	if got["mine.txt"] != "mine" {
		t.Error("--overwrite removed a file that is not treebeam's")
	}
	if countParts(got) != 1 {
		t.Errorf("%d parts in trees/", countParts(got))
	}
}

func TestRefusals(t *testing.T) {
	in := write(t, map[string]string{"x.txt": prose(1)})
	blocked := filepath.Join(in, "x.txt", "out")
	foreign := write(t, map[string]string{"trees/other.parquet": "PAR1"})
	for name, c := range map[string]struct {
		change func(*Options)
		want   string
	}{
		"missing input":  {func(o *Options) { o.Inputs = []string{filepath.Join(in, "none")} }, "none"},
		"empty glob":     {func(o *Options) { o.Inputs = []string{filepath.Join(in, "*.pdf")} }, "*.pdf"},
		"no input":       {func(o *Options) { o.Inputs = nil }, "no input"},
		"no output":      {func(o *Options) { o.Output = "" }, "--output"},
		"output a file":  {func(o *Options) { o.Output = blocked }, "is a file"},
		"foreign output": {func(o *Options) { o.Output = foreign }, "other.parquet"},
		"model":          {func(o *Options) { o.Model = filepath.Join(in, "none.tbm") }, "none.tbm"},
		"format":         {func(o *Options) { o.Rows.From = "pdf" }, "pdf"},
		"lines":          {func(o *Options) { o.Rows.Lines = "odd" }, "odd"},
		"encoding":       {func(o *Options) { o.Rows.Encoding = "klingon" }, "klingon"},
		"words":          {func(o *Options) { o.Rows.MaxWords = 0 }, "--max-words"},
		"runner":         {func(o *Options) { o.Runner = "dataflow" }, "--shared-filesystem"},
	} {
		t.Run(name, func(t *testing.T) {
			out := filepath.Join(t.TempDir(), "out")
			o := options(in, out)
			c.change(&o)
			_, err := Prepare(context.Background(), o)
			if !isRefusal(err) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want a refusal with %q", err, c.want)
			}
			if _, err := os.Stat(out); !os.IsNotExist(err) {
				t.Error("something was written")
			}
		})
	}
	if left := files(t, foreign); len(left) != 1 {
		t.Errorf("the foreign folder holds %d files", len(left))
	}
}
