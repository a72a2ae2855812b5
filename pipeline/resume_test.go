package pipeline

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/treebeam/treebeam/io/output"
	"github.com/treebeam/treebeam/io/parquet"
	"github.com/treebeam/treebeam/io/source"
	"github.com/treebeam/treebeam/io/store"
	"github.com/treebeam/treebeam/io/store/storetest"
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

	all := toy.Parsed.Load() - start
	interrupted(t, o, 500)
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
		parts, err := partPaths(o.Output, kind)
		must(t, err)
		must(t, os.Truncate(parts[0], 100))
		copied, err := os.ReadFile(parts[1])
		must(t, err)
		must(t, os.WriteFile(parts[2], copied, 0o644))
		same(t, kind+" damaged", want, run(t, o))
	}
}

// partPaths are the parts of a kind of a complete output, in order.
func partPaths(folder, kind string) (list []string, err error) {
	m, err := output.ReadManifest(folder)
	for _, p := range m.Parts(folder, kind) {
		list = append(list, p.Path)
	}
	return list, err
}

// Files that a killed run left are removed when they are old.
func TestSweep(t *testing.T) {
	o := options(write(t, map[string]string{"x.txt": prose(3)}), filepath.Join(t.TempDir(), "out"))
	run(t, o)
	tmp := filepath.Join(o.Output, output.OwnDir, "tmp")
	for name, age := range map[string]time.Duration{"old": 25 * time.Hour, "new": time.Hour} {
		path := filepath.Join(tmp, name)
		must(t, os.WriteFile(path, nil, 0o644))
		when := time.Now().Add(-age)
		must(t, os.Chtimes(path, when, when))
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
	must(t, os.WriteFile(filepath.Join(o.Output, "mine.txt"), []byte("mine"), 0o644))

	changed := o
	changed.Rows.MaxWords = 7
	must(t, os.WriteFile(filepath.Join(in, "y.txt"), []byte(prose(4)), 0o644))
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
			refused(t, err, c.want)
			if _, err := os.Stat(out); !os.IsNotExist(err) {
				t.Error("something was written")
			}
		})
	}
	if left := files(t, foreign); len(left) != 1 {
		t.Errorf("the foreign folder holds %d files", len(left))
	}
}

// A run that reads files again is not complete until it ends. Killed between
// the two parts of a range it has lost no row: the next run, whatever it was
// asked for, does that range again.
func TestKilledWhileRetrying(t *testing.T) {
	_, denied := lockable(t)
	denied.Store(9000)
	o := options("mem://b/in", filepath.Join(t.TempDir(), "out"))
	o.RangeBytes = 2000
	failed := run(t, o)

	denied.Store(0)
	o.RetryFailures = true
	complete := 0
	toy.SetHook(func(*syntax.Sentence) {
		if _, err := os.Stat(filepath.Join(o.Output, output.ManifestFile)); err == nil {
			complete++
		}
	})
	mended := run(t, o)
	toy.SetHook(nil)
	if complete > 0 {
		t.Errorf("the output had its manifest while parts were replaced")
	}
	o.RetryFailures = false

	// As if the process had been killed after it renamed the failures of the
	// first range that it did again, and nothing of the next one.
	done := false
	var again []string
	for _, name := range slices.Sorted(maps.Keys(mended)) {
		part, isTrees := strings.CutPrefix(name, "trees/")
		if !isTrees || failed[name] == mended[name] {
			continue
		}
		again = append(again, name)
		restore := []string{name, "failures/" + part}
		if !done {
			restore, done = restore[:1], true
		}
		for _, name := range restore {
			must(t, os.WriteFile(filepath.Join(o.Output, name), []byte(failed[name]), 0o644))
		}
	}
	if len(again) < 3 {
		t.Fatalf("only %v were read again", again)
	}
	got := run(t, o)
	if got[again[0]] != mended[again[0]] {
		t.Error("the failure row of the first range is lost")
	}
	for _, name := range again[1:] {
		if got[name] != failed[name] {
			t.Errorf("%s was done again", name)
		}
	}
	if sum := summary(t, o.Output); int(sum.Errors) != len(again)-1 || len(rowsOf[parquet.Failure](t, o.Output, "failures")) != len(again)-1 {
		t.Errorf("%+v", sum)
	}
	o.RetryFailures = true
	same(t, "all of them", mended, run(t, o))
}

// lockable is a store of one long file that cannot be read any more, from some
// byte on, while denied is set.
func lockable(t *testing.T) (m *storetest.Memory, denied *atomic.Int64) {
	m, denied = new(storetest.Memory), new(atomic.Int64)
	m.Break(func(name string, off, _ int64) (int64, error) {
		if from := denied.Load(); from > 0 && off >= from && strings.HasSuffix(name, "long.txt") {
			return 0, &store.Error{Name: name, Kind: fs.ErrPermission, Err: errors.New("403")}
		}
		return -1, nil
	})
	store.Register("mem", func(context.Context) (store.Store, error) { return m, nil })
	m.Put("mem://b/in/long.txt", []byte(prose(200)))
	m.Put("mem://b/in/short.txt", []byte(prose(1)))
	return m, denied
}

// A large file that is no text costs a read of its head for the plan, another for its
// row, whatever its size, and that row. What is text comes out as without it.
func TestNoTextIsNotRead(t *testing.T) {
	m, _ := lockable(t)
	o := options("mem://b/in", filepath.Join(t.TempDir(), "text"))
	o.RangeBytes = 64 << 10
	run(t, o)
	want := converted(t, o.Output)

	const film, size = "mem://b/in/film.mp4", 80 * 64 << 10
	m.Put(film, make([]byte, size))
	o.Output = filepath.Join(t.TempDir(), "out")
	run(t, o)
	if read := m.BytesRead(film); read != 2*source.HeadBytes {
		t.Errorf("%d bytes of %d were read, not %d", read, size, 2*source.HeadBytes)
	}
	rows := rowsOf[parquet.Failure](t, o.Output, "failures")
	if len(rows) != 1 || rows[0].SourceURI != film || rows[0].Kind != syntax.KindNotText.String() {
		t.Errorf("rows %+v", rows)
	}
	if got := converted(t, o.Output); got != want {
		t.Errorf("the text came out as\n%s\nnot as\n%s", got, want)
	}
	if sum := summary(t, o.Output); sum.Files != 3 || sum.FilesFailed != 1 || sum.Errors != 1 {
		t.Errorf("summary %+v", sum)
	}
	made := files(t, o.Output)
	o.RetryFailures = true
	run(t, o) // of all its ranges
	for name, data := range files(t, o.Output) {
		if strings.HasSuffix(name, ".parquet") && made[name] != data {
			t.Errorf("%s has other bytes after another run", name)
		}
	}
}

// A file that cannot be read any more after some of its ranges leaves a row
// for every range that is missing, and --retry-failures mends all of them.
func TestUnreadableInTheMiddle(t *testing.T) {
	_, denied := lockable(t)
	o := options("mem://b/in", filepath.Join(t.TempDir(), "whole"))
	o.RangeBytes = 2000
	want := run(t, o)
	wanted := converted(t, o.Output)

	o.Output = filepath.Join(t.TempDir(), "out")
	denied.Store(9000)
	run(t, o)
	sum := summary(t, o.Output)
	rows := rowsOf[parquet.Failure](t, o.Output, "failures")
	if sum.Errors < 3 || int(sum.Errors) != len(rows) || sum.FilesFailed != 1 {
		t.Fatalf("%d errors, %d rows, %d files failed", sum.Errors, len(rows), sum.FilesFailed)
	}
	at := int64(0)
	for _, r := range rows {
		if r.ByteOffset <= at || !strings.Contains(r.Reason, "permission denied") {
			t.Errorf("row %+v", r)
		}
		at = r.ByteOffset
	}
	for _, d := range rowsOf[parquet.Document](t, o.Output, "documents") {
		if known := d.SourceVersion != ""; known == strings.HasSuffix(d.SourceURI, "long.txt") {
			t.Errorf("%s has version %q", d.SourceURI, d.SourceVersion)
		}
	}
	if got := converted(t, o.Output); !strings.HasPrefix(wanted, got[:len(got)/2]) || len(got) >= len(wanted) {
		t.Errorf("%d bytes of trees, %d of the whole file", len(got), len(wanted))
	}

	denied.Store(0)
	o.RetryFailures = true
	same(t, "retried", want, run(t, o))
}

// A bucket that is gone, and credentials that have expired, are no faults of a
// file: the run fails, and goes on when they are mended.
func TestStoreGone(t *testing.T) {
	for _, kind := range []error{store.ErrNoBucket, store.ErrCredentials} {
		m, _ := lockable(t)
		o := options("mem://b/in", filepath.Join(t.TempDir(), "out"))
		o.RangeBytes = 2000
		want := run(t, o)
		o.Output = filepath.Join(t.TempDir(), "again")
		p := prepared(t, o)
		fault := m.Break(func(name string, off, _ int64) (int64, error) {
			if off < 9000 {
				return -1, nil
			}
			return 0, &store.Error{Name: name, Kind: kind, Err: errors.New("no")}
		})
		if _, err := Run(t.Context(), p); err == nil || !strings.Contains(err.Error(), kind.Error()) {
			t.Errorf("%v: got %v", kind, err)
		}
		p.Close()
		m.Break(fault)
		same(t, kind.Error(), want, run(t, o))
	}
}

// breakDisk makes the local disk fail with err at an operation on files whose
// path contains part.
func breakDisk(t *testing.T, operation, part string, err error) *atomic.Int64 {
	var n atomic.Int64
	store.Register("", func(context.Context) (store.Store, error) {
		return store.Local{Fault: func(op, name string) error {
			if op != operation || !strings.Contains(name, part) {
				return nil
			}
			n.Add(1)
			return err
		}}, nil
	})
	t.Cleanup(mendDisk)
	return &n
}

func mendDisk() {
	store.Register("", func(context.Context) (store.Store, error) { return store.Local{}, nil })
}

// On a full or broken disk the run fails, says where, and leaves nothing under
// a final name that is not whole; the same command then ends with the bytes of
// an undisturbed run.
func TestBrokenDisk(t *testing.T) {
	o := options(corpus(t), filepath.Join(t.TempDir(), "out"))
	o.RangeBytes = rangeBytes
	want := run(t, o)
	for _, c := range []struct {
		operation, part string
		err             error
	}{
		{store.FaultWrite, "trees/part-00003", syscall.ENOSPC},
		{store.FaultWrite, "failures/part-00000", syscall.EIO},
		{store.FaultSync, "trees/part-00001", syscall.EIO},
		{store.FaultRename, "trees/part-00004", syscall.ENOSPC},
		{store.FaultCreate, "trees/part-00000", syscall.ENOSPC},
		{store.FaultSync, "documents/", syscall.ENOSPC},
		{store.FaultWrite, "summary.json", syscall.ENOSPC},
		{store.FaultRename, "manifest.json", syscall.EIO},
		{store.FaultWrite, "plan-", syscall.ENOSPC},
	} {
		o.Output = filepath.Join(t.TempDir(), "out")
		hits := breakDisk(t, c.operation, c.part, c.err)
		err := tryRun(o)
		mendDisk()
		if err == nil || !strings.Contains(err.Error(), c.part) || !strings.Contains(err.Error(), c.err.Error()) || hits.Load() == 0 {
			t.Errorf("%s of %s: got %v", c.operation, c.part, err)
			continue
		}
		if isRefusal(err) {
			t.Errorf("%s of %s: refused: %v", c.operation, c.part, err)
		}
		for name, data := range files(t, o.Output) {
			if _, final := want[name]; final && data != want[name] {
				t.Errorf("%s of %s: %s is there and is not whole", c.operation, c.part, name)
			}
		}
		same(t, c.operation+" of "+c.part, want, run(t, o))
	}
	// Before any work it is a refusal.
	o.Output = filepath.Join(t.TempDir(), "out")
	breakDisk(t, store.FaultWrite, "run-", syscall.ENOSPC)
	if err := tryRun(o); !isRefusal(err) || !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("got %v", err)
	}
}
