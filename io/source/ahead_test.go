package source

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"sync"
	"testing"

	"github.com/treebeam/treebeam/io/store"
	"github.com/treebeam/treebeam/io/store/storetest"
)

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
	r := &plan.Ranges[0]
	if len(plan.Ranges) != 1 || len(r.Pieces) != 100 {
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
		if err != nil {
			t.Fatal(err)
		}
		sum, err := f.Digest(t.Context())
		if err != nil || len(sum) != 64 {
			t.Fatal(sum, err)
		}
		if got, err := drain(f); err != nil || got != files[r.Pieces[i].URI[6:]] {
			t.Fatalf("%s: got %d bytes, %v", r.Pieces[i].URI, len(got), err)
		}
		f.Close()
		f.Close()
	}
	all.Close()
	budgetIsFree(t)
	if g.top != maxAheadFiles {
		t.Errorf("%d requests at once, want %d", g.top, maxAheadFiles)
	}
	if n := g.Opened(); n != 98+2 { // the large one is read for its digest and for its text
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
	all := NewFiles(t.Context(), &plan.Ranges[0])
	defer all.Close()
	for i, want := range []string{"one", "two"} {
		f, err := all.Open(i)
		if err != nil {
			t.Fatal(err)
		}
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
	all := NewFiles(t.Context(), &plan.Ranges[0])
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
	all = NewFiles(ctx, &plan.Ranges[0])
	f, err := all.Open(0)
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	all.Close()
	f.Close()
	budgetIsFree(t)
}
