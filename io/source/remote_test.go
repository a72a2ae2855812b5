package source

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/treebeam/treebeam/io/store"
	"github.com/treebeam/treebeam/io/store/storetest"
)

// memory makes mem:// a new store with files, whose names begin with mem://.
func memory(t *testing.T, files map[string]string) *storetest.Memory {
	t.Helper()
	m := new(storetest.Memory)
	for name, data := range files {
		m.Put("mem://"+name, []byte(data))
	}
	store.Register("mem", func(context.Context) (store.Store, error) { return m, nil })
	return m
}

// sleepless makes retries wait for nothing; it returns how often they did.
func sleepless(t *testing.T) *int {
	before, n := store.DefaultRetry, 0
	store.DefaultRetry.Notify = nil
	store.DefaultRetry.Sleep = func(ctx context.Context, _ time.Duration) error { n++; return ctx.Err() }
	t.Cleanup(func() { store.DefaultRetry = before })
	return &n
}

// A bucket is listed as a folder with the same files is.
func TestListRemote(t *testing.T) {
	files := map[string]string{
		"c/b.txt": "b", "c/a.txt": "a", "c/B.txt": "B", "c/s/d.txt": "d", "c/s/t/e.txt.gz": "e", "c/s/t/f.md": "f",
		"c/.hidden": "", "c/_skip/x.txt": "x", "c/s/.git/x.txt": "x", "c/out/trees/p": "p", "c/s[1].txt": "odd", "cc/x.txt": "no",
		"c/.h/.i/x.txt": "x", "c/s/ t/g é.txt": "g", "c/out2/x.txt": "y",
	}
	dir := tree(t, files)
	inBucket := map[string]string{}
	for name, data := range files {
		inBucket["bucket/"+name] = data
	}
	m := memory(t, inBucket)
	m.Put("mem://bucket/c/folder/", nil) // what consoles make for an empty folder
	for _, p := range []string{
		"c", "c/", "c/**/*.txt", "c/s/**", "c/*/*.txt", "**/t/*", "c/**/**/f.*", "c/_*/*.txt", "c/.hidden", "c/s[1].txt",
		"c/s/d.txt", "c/t*/x", "c/*", "c*/*.txt", "c/s*", "c/**/s/**/*.txt", "*", "**", "c/.*/x.txt", "c/.*/.*/*", "c/[", "c/s/?t/g*", "c/[ab].txt", "c/s\\[*",
	} {
		local, localErr := List(t.Context(), []string{p}, ListOptions{Dir: dir, Skip: []string{filepath.Join(dir, "c", "out")}})
		remote, err := List(t.Context(), []string{"mem://bucket/" + p}, ListOptions{Skip: []string{"mem://bucket/c/out"}})
		if (err == nil) != (localErr == nil) {
			t.Errorf("%s: %v, on a disk %v", p, err, localErr)
			continue
		}
		if got, want := strings.ReplaceAll(names(remote), "mem://bucket/", ""), names(local); got != want {
			t.Errorf("%s:\n got %s\nwant %s", p, got, want)
		}
	}
	for _, exclude := range []string{"*.txt", "s", "s/t", "**/t/**", "[ab].txt", "{s,B.txt}", "out2/"} {
		o := ListOptions{Dir: dir, Skip: []string{filepath.Join(dir, "c", "out")}, Exclude: []string{exclude}}
		local, localErr := List(t.Context(), []string{"c"}, o)
		o.Skip = []string{"mem://bucket/c/out"}
		remote, err := List(t.Context(), []string{"mem://bucket/c"}, o)
		if got, want := strings.ReplaceAll(names(remote), "mem://bucket/", ""), names(local); got != want || err != nil || localErr != nil {
			t.Errorf("without %s: %v, %v\n got %s\nwant %s", exclude, err, localErr, got, want)
		}
	}
	listed, err := List(t.Context(), nil, ListOptions{Exclude: []string{"mem://bucket/c/s/**"},
		Paths: []string{"mem://bucket/c/b.txt", "mem://bucket/c/s/d.txt", "mem://bucket/none.txt"}})
	if want := "mem://bucket/c/b.txt=c/b.txt mem://bucket/none.txt=none.txt"; err != nil || names(listed) != want {
		t.Errorf("%v, %s, want %s", err, names(listed), want)
	}
	for _, at := range []string{"", "mem://bucket/"} { // a list may have been made of all files that there are
		listed, err := List(t.Context(), nil, ListOptions{Dir: dir, Skip: []string{cmp.Or(at, dir+"/") + "c/out"}, Paths: []string{at + "c/b.txt", at + "c/out/trees/p"}})
		if err != nil || names(listed) != at+"c/b.txt=c/b.txt" {
			t.Errorf("%v, %s", err, names(listed))
		}
		for _, pattern := range []string{"c/out", "c/out/**"} {
			if _, err := List(t.Context(), []string{at + pattern}, ListOptions{Dir: dir, Skip: []string{cmp.Or(at, dir+"/") + "c/out"}, AllowEmpty: true}); err == nil || !strings.Contains(err.Error(), "is the output folder too") {
				t.Errorf("%s%s: %v", at, pattern, err)
			}
		}
	}
	if _, err := List(t.Context(), []string{"mem://bucket/c/out/trees/p"}, ListOptions{Skip: []string{"mem://bucket/c/out"}, AllowEmpty: true}); err == nil || !strings.Contains(err.Error(), "is in the output folder") {
		t.Error(err)
	}
	for p, want := range map[string]string{"mem://bucket/none.txt": "does not exist", "mem://": "names no bucket", "ftp://b/x": "not supported"} {
		if _, err := List(t.Context(), nil, ListOptions{Paths: []string{p}}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", p, err, want)
		}
	}
	for p, want := range map[string]string{
		"mem://bucket/none": "matches no file", "mem://": "names no bucket", "mem://b*/x": "names no bucket",
		"ftp://u:secret@b/x?token=secret": "ftp:// is not supported",
	} {
		_, err := List(t.Context(), []string{p}, ListOptions{})
		var ie *InputError
		if !errors.As(err, &ie) || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: got %v", p, err)
		}
	}
	for _, p := range []string{"mem://bucket/c", "mem://bucket/c/", "mem://bucket/c/a.txt", "mem://bucket/c/*.txt"} {
		if _, err := List(t.Context(), []string{p}, ListOptions{Skip: []string{"mem://bucket/c"}}); err == nil || !strings.Contains(err.Error(), "the output folder") {
			t.Errorf("%s, the output: %v", p, err)
		}
	}
	// An object that is named like a folder and holds text is text.
	m.Put("mem://bucket/d/odd/", []byte("text"))
	m.Put("mem://bucket/d/empty/", nil)
	if odd, err := List(t.Context(), []string{"mem://bucket/d"}, ListOptions{}); err != nil || names(odd) != "mem://bucket/d/odd/=odd/" {
		t.Errorf("got %s, %v", names(odd), err)
	}
	both, err := List(t.Context(), []string{"mem://bucket/c/s", "mem://bucket/c", filepath.Join(dir, "cc")}, ListOptions{})
	if err != nil || len(both) != 11 || both[len(both)-1].DocID != "s[1].txt" {
		t.Errorf("got %s, %v", names(both), err)
	}
}

// remotePlan plans the only file of a bucket.
func remotePlan(t *testing.T, o PlanOptions) *Plan {
	t.Helper()
	plan := planOf(t, "", o.RangeBytes, "mem://b")
	name := filepath.Join(t.TempDir(), "plan")
	must(t, plan.Write(t.Context(), name, ""))
	plan, err := ReadPlan(t.Context(), name)
	must(t, err)
	return plan
}

func TestRemoteFaults(t *testing.T) {
	reset := errors.New("connection reset by peer")
	text := strings.Repeat("all the text that there is ", 9000)
	for name, data := range map[string]string{"b/x.txt": text, "b/x.gz": compress(t, ".gz", text)} {
		for _, broken := range []error{reset, io.ErrUnexpectedEOF, io.EOF, nil} {
			pauses := sleepless(t)
			m := memory(t, map[string]string{name: data})
			opens := 0
			m.Break(func(_ string, _, n int64) (int64, error) {
				opens++
				switch opens % 3 {
				case 1:
					return n / 3, broken
				case 2:
					return 0, broken
				}
				return -1, nil
			})
			plan := remotePlan(t, PlanOptions{})
			if got := readAll(t, &rangesOf(plan)[0], &rangesOf(plan)[0].Pieces[0]); got != text {
				t.Fatalf("%s, %v: got %d bytes of %d", name, broken, len(got), len(text))
			}
			if *pauses < 3 {
				t.Errorf("%s, %v: %d pauses", name, broken, *pauses)
			}
			// It does not get better: the bundle fails, and there is no row.
			m.Break(func(_ string, _, n int64) (int64, error) { return 0, broken })
			f, err := openFirst(t, plan)
			if err == nil {
				_, err = drain(f)
			}
			if !isFault(err, Transient) || !strings.Contains(err.Error(), "tried ") {
				t.Errorf("%s, %v: got %v", name, broken, err)
			}
		}
	}
}

func TestRemoteChanged(t *testing.T) {
	for name, c := range map[string]struct {
		change func(m *storetest.Memory)
		kind   Kind
	}{
		"changed": {func(m *storetest.Memory) { m.Put("mem://b/x.txt", []byte("9876543210")) }, Changed},
		"gone":    {func(m *storetest.Memory) { m.Delete(context.Background(), "mem://b/x.txt") }, Permanent},
	} {
		m := memory(t, map[string]string{"b/x.txt": "0123456789"})
		plan := remotePlan(t, PlanOptions{})
		c.change(m)
		f, err := openFirst(t, plan)
		if err == nil {
			_, err = drain(f)
		}
		if !isFault(err, c.kind) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

// An object that is declared to be gzip is one whatever its name is, and is
// not cut into pieces.
func TestRemoteGzip(t *testing.T) {
	text := strings.Repeat("all the text that there is ", 9000)
	m := memory(t, map[string]string{"b/x.txt": compress(t, ".gz", text)})
	before := remotePlan(t, PlanOptions{RangeBytes: 50})
	m.Gzip = map[string]bool{"mem://b/x.txt": true}
	plan := remotePlan(t, PlanOptions{RangeBytes: 50})
	if len(rangesOf(before)) < 2 || len(rangesOf(plan)) != 1 || before.Fingerprint() == plan.Fingerprint() {
		t.Fatalf("%d and %d ranges", len(rangesOf(before)), len(rangesOf(plan)))
	}
	p := &rangesOf(plan)[0].Pieces[0]
	if got := readAll(t, &rangesOf(plan)[0], p); got != text {
		t.Errorf("got %d bytes", len(got))
	}
	if format, err := Detect(p.URI, []byte(text), Auto, ""); err != nil || format != Text {
		t.Error(format, err)
	}
}

// A local disk, or a mounted one, has its moments too.
func TestLocalFaults(t *testing.T) {
	text := strings.Repeat("all the text that there is ", 9000)
	dir := tree(t, map[string]string{"x.txt": text})
	plan := planOf(t, dir, 0, ".")
	pauses := sleepless(t)
	for _, lasting := range []bool{false, true} {
		f, err := openFirst(t, plan)
		must(t, err)
		defer f.Close()
		f.store = &flakyDisk{Store: f.store, lasting: lasting}
		*pauses = 0
		got, err := drain(f)
		var e *Error
		switch {
		case !lasting && (err != nil || got != text || *pauses != 1):
			t.Errorf("got %d bytes, %d pauses, %v", len(got), *pauses, err)
		case lasting && (!errors.As(err, &e) || e.Kind != Transient || e.Offset != 1000 || *pauses < 5):
			t.Errorf("a broken disk: %d pauses, %v", *pauses, err)
		}
	}
	// A file that shrinks has changed: no patience helps.
	f, err := openFirst(t, plan)
	must(t, err)
	defer f.Close()
	must(t, os.Truncate(filepath.Join(dir, "x.txt"), 1000))
	*pauses = 0
	if _, err := drain(f); !isFault(err, Changed) || *pauses > 1 {
		t.Errorf("%d pauses, %v", *pauses, err)
	}
}

// A flakyDisk fails at byte 1000, once or always.
type flakyDisk struct {
	store.Store
	lasting bool
	failed  bool
}

func (d *flakyDisk) Open(ctx context.Context, name, version string, off, n int64) (io.ReadCloser, error) {
	r, err := d.Store.Open(ctx, name, version, off, n)
	if err != nil || off > 1000 || d.failed && !d.lasting {
		return r, err
	}
	d.failed = true
	return io.NopCloser(io.MultiReader(io.LimitReader(r, 1000-off), failingReader{})), nil
}

type failingReader struct{}

func (failingReader) Read([]byte) (int, error) { return 0, errors.New("input/output error") }

// A gate is a store that counts the requests under way and lets them through
// when the test says so.
type gate struct {
	*storetest.Memory
	mu          sync.Mutex
	flying, top int
	pass        chan struct{}
}

func (g *gate) Open(ctx context.Context, name, version string, off, n int64) (io.ReadCloser, error) {
	g.mu.Lock()
	g.flying++
	g.top = max(g.top, g.flying)
	g.mu.Unlock()
	<-g.pass
	g.mu.Lock()
	g.flying--
	g.mu.Unlock()
	return g.Memory.Open(ctx, name, version, off, n)
}

// budgetIsFree checks that nothing holds a part of the budget.
func budgetIsFree(t *testing.T) {
	t.Helper()
	if !aheadBudget.TryAcquire(maxAheadBytes) {
		t.Fatal("a part of the budget was not given back")
	}
	aheadBudget.Release(maxAheadBytes)
}

func TestAhead(t *testing.T) {
	files := map[string]string{}
	for i := range 100 {
		files[fmt.Sprintf("b/%03d.txt", i)] = fmt.Sprint("text ", i)
	}
	files["b/050.txt"] = "" // nothing to fetch
	files["b/051.txt"] = string(make([]byte, maxAheadFile+1))
	g := &gate{Memory: memory(t, files), pass: make(chan struct{})}
	store.Register("mem", func(context.Context) (store.Store, error) { return g, nil })
	plan := remotePlan(t, PlanOptions{RangeBytes: 100 << 20})
	r := &rangesOf(plan)[0]
	if len(rangesOf(plan)) != 1 || len(r.Pieces) != 100 {
		t.Fatal("the test needs one range")
	}
	go func() {
		for { // when as many requests wait as may, let them through
			g.mu.Lock()
			full := g.flying >= maxAheadFiles
			g.mu.Unlock()
			if full {
				close(g.pass)
				return
			}
			runtime.Gosched()
		}
	}()
	all := NewFiles(t.Context(), r)
	defer all.Close()
	for i := range r.Pieces {
		f, err := all.Open(i)
		must(t, err)
		if got, err := drain(f); err != nil || got != files[r.Pieces[i].URI[6:]] {
			t.Fatalf("%s: got %d bytes, %v", r.Pieces[i].URI, len(got), err)
		}
		if sum, err := f.Sum(t.Context()); err != nil || sum.To != r.Pieces[i].Size {
			t.Fatal(sum, err)
		}
		f.Close()
		f.Close()
	}
	all.Close()
	budgetIsFree(t)
	if g.top != maxAheadFiles {
		t.Errorf("%d requests at once, want %d", g.top, maxAheadFiles)
	}
	if n := g.Opened(); n != 98+1 {
		t.Errorf("%d requests for 98 small files and a large one", n)
	}
}

// When the budget is used up by other ranges, files are read as they come.
func TestAheadNoBudget(t *testing.T) {
	memory(t, map[string]string{"b/1.txt": "one", "b/2.txt": "two"})
	plan := remotePlan(t, PlanOptions{})
	if !aheadBudget.TryAcquire(maxAheadBytes) {
		t.Fatal("the budget is in use")
	}
	defer budgetIsFree(t)
	defer aheadBudget.Release(maxAheadBytes)
	all := NewFiles(t.Context(), &rangesOf(plan)[0])
	defer all.Close()
	for i, want := range []string{"one", "two"} {
		f, err := all.Open(i)
		must(t, err)
		if got, err := drain(f); err != nil || got != want {
			t.Fatal(got, err)
		}
		f.Close()
	}
}

// A fault of a file that was fetched ahead comes when it is its turn.
func TestAheadFaults(t *testing.T) {
	sleepless(t)
	m := memory(t, map[string]string{"b/1.txt": "one", "b/2.txt": "two", "b/3.txt": "three", "b/4.txt": "four"})
	plan := remotePlan(t, PlanOptions{})
	m.Delete(t.Context(), "mem://b/2.txt")
	m.Put("mem://b/3.txt", []byte("other"))
	m.Break(func(name string, _, n int64) (int64, error) {
		if name == "mem://b/4.txt" {
			return 0, nil
		}
		return -1, nil
	})
	all := NewFiles(t.Context(), &rangesOf(plan)[0])
	for i, kind := range []Kind{0, Permanent, Changed, Transient} {
		f, err := all.Open(i)
		if i == 0 && err != nil || i > 0 && (!isFault(err, kind)) {
			t.Errorf("file %d: got %v", i, err)
		}
		if f != nil {
			f.Close()
		}
	}
	all.Close()
	budgetIsFree(t)

	ctx, cancel := context.WithCancel(t.Context())
	all = NewFiles(ctx, &rangesOf(plan)[0])
	f, err := all.Open(0)
	must(t, err)
	cancel()
	all.Close()
	f.Close()
	budgetIsFree(t)
}

// The output of a run and a state are no input, in a bucket as on a disk.
func TestRemoteOutput(t *testing.T) {
	memory(t, map[string]string{
		"b/c/CURRENT": "of the user's\n", "b/c/state/CURRENT": "000012-1a2b3c4d.parquet\n", "b/c/state/data/000012-5e6f7a8b/_treebeam/run-1.json": "{}",
		"b/c/state/snapshots/000012-1a2b3c4d.parquet": "PAR1", "b/c/state/views/spark.sql": "",
		"b/c/A.txt": "", "b/c/a.txt": "", "b/c/out/_treebeam/run-1.json": "{}",
		"b/c/out/manifest.json": "{}", "b/c/out/trees/p.parquet": "PAR1",
		"b/c/out2/x.txt": "", "b/c/trees/q.parquet": "PAR1", "b/c/z.txt": "",
	})
	want := "mem://b/c/A.txt=A.txt mem://b/c/CURRENT=CURRENT mem://b/c/a.txt=a.txt mem://b/c/out2/x.txt=out2/x.txt mem://b/c/trees/q.parquet=trees/q.parquet mem://b/c/z.txt=z.txt"
	for _, p := range []string{"mem://b/c", "mem://b/c/**"} {
		if list, err := List(t.Context(), []string{p}, ListOptions{}); err != nil || names(list) != want {
			t.Errorf("%s: %s, %v", p, names(list), err)
		}
	}
	for p, want := range map[string]string{
		"mem://b/c/out": "is an output of treebeam's", "mem://b/c/state": "is an output of treebeam's", "mem://b/c/out/trees/p.parquet": "is a part of an output",
	} {
		if _, err := List(t.Context(), []string{p}, ListOptions{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", p, err)
		}
	}
	if list, err := List(t.Context(), []string{"mem://b/c/trees/q.parquet"}, ListOptions{}); err != nil || len(list) != 1 {
		t.Errorf("in a folder of the user's own: %s, %v", names(list), err)
	}
}
