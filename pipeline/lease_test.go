package pipeline

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gofrs/flock"

	"github.com/treebeam/treebeam/io/output"
	"github.com/treebeam/treebeam/io/store"
	"github.com/treebeam/treebeam/io/store/storetest"
)

// A second start of a command while the first runs is refused, and goes on
// when that has ended, or was killed.
func TestSecondStart(t *testing.T) {
	o := options(write(t, map[string]string{"x.txt": prose(3)}), filepath.Join(t.TempDir(), "out"))
	first, err := Prepare(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	before := files(t, o.Output)
	overwriting := o
	overwriting.Overwrite, overwriting.Rows.MaxWords = true, 7
	for name, o := range map[string]Options{"the same": o, "another": overwriting} {
		if _, err := Prepare(t.Context(), o); !isRefusal(err) || !strings.Contains(err.Error(), "another run of treebeam is writing to") || !strings.Contains(err.Error(), "process ") {
			t.Errorf("%s: got %v", name, err)
		}
	}
	same(t, "refused", before, files(t, o.Output))
	if _, err := Run(t.Context(), first); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(o.Output, leaseFile)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("after the run: %v", err)
	}
	killed, err := Prepare(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	kill(t, killed)
	again, err := Prepare(t.Context(), o)
	if err != nil || again.Note() != "" {
		t.Fatalf("after a kill: %v, %q", err, again.Note())
	}
	again.Close()
}

// kill leaves the folder as a killed process does.
func kill(t *testing.T, p *Prepared) {
	t.Helper()
	p.lease.stop()
	p.lease.beats.Wait()
	if err := p.lease.lock.Close(); err != nil {
		t.Fatal(err)
	}
}

// A process that a signal ends gives the folder back, but for a job that goes on
// elsewhere: the next start is told of that, however the process has ended.
func TestEndLeases(t *testing.T) {
	for _, elsewhere := range []bool{false, true} {
		o := options(write(t, map[string]string{"x.txt": prose(3)}), filepath.Join(t.TempDir(), "out"))
		p, err := Prepare(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		if elsewhere {
			p.lease.submitted("job 1")
		}
		EndLeases()
		kill(t, p)
		if left, _ := store.Exists(t.Context(), filepath.Join(o.Output, leaseFile)); left != elsewhere {
			t.Errorf("job elsewhere %v: is the file left? %v", elsewhere, left)
		}
		again, err := Prepare(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		if told := again.Note() != ""; told != elsewhere {
			t.Errorf("job elsewhere %v: the note is %q", elsewhere, again.Note())
		}
		again.Close()
		p.Close()
	}
}

// Where no lock tells, the file does.
func TestLeaseOfBucket(t *testing.T) {
	memory := new(storetest.Memory)
	store.Register("mem", func(context.Context) (store.Store, error) { return memory, nil })
	o := options(write(t, map[string]string{"x.txt": prose(3)}), "mem://b/out")
	host, _ := os.Hostname()
	now := time.Now()
	for name, c := range map[string]struct {
		holder leaseHolder
		told   bool
	}{
		"under way":          {leaseHolder{Host: "elsewhere", Process: 1, Since: now.Add(-time.Hour), Seen: now}, true},
		"killed":             {leaseHolder{Host: "elsewhere", Process: 1, Since: now.Add(-time.Hour), Seen: now.Add(-time.Hour)}, false},
		"killed here":        {leaseHolder{Host: host, Process: 1 << 30, Since: now, Seen: now}, false},
		"this very process":  {leaseHolder{Host: host, Process: os.Getpid(), Since: now, Seen: now}, false},
		"another one here":   {leaseHolder{Host: host, Process: os.Getppid(), Since: now, Seen: now}, true},
		"submitted long ago": {leaseHolder{Host: "elsewhere", Process: 1, Since: now.Add(-time.Hour), Seen: now.Add(-time.Hour), Job: "job 1 (treebeam-1) on flink"}, true},
	} {
		text, err := json.Marshal(&c.holder)
		if err != nil {
			t.Fatal(err)
		}
		memory.Put("mem://b/out/"+leaseFile, text)
		p, err := Prepare(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		if told := strings.Contains(p.Note(), c.holder.String()); told != c.told {
			t.Errorf("%s: the note is %q", name, p.Note())
		}
		p.Close()
		if left, _ := store.Exists(t.Context(), "mem://b/out/"+leaseFile); left {
			t.Errorf("%s: the file is left", name)
		}
	}
}

// A run says that it lives as long as it does, and that of its copy of standard
// input.
func TestLeaseBeats(t *testing.T) {
	defer func(before time.Duration) { leaseBeat = before }(leaseBeat)
	leaseBeat = time.Millisecond
	p, err := Prepare(t.Context(), ofStandardInput(prose(3), filepath.Join(t.TempDir(), "out")))
	if err != nil {
		t.Fatal(err)
	}
	first := p.lease.other(t.Context())
	old := time.Now().Add(-48 * time.Hour)
	if err := os.Chtimes(p.spool.dir, old, old); err != nil {
		t.Fatal(err)
	}
	for {
		now := p.lease.other(t.Context())
		info, err := os.Stat(p.spool.dir)
		if err != nil {
			t.Fatal(err)
		}
		if now != nil && now.Seen.After(first.Seen) && time.Since(info.ModTime()) < time.Hour {
			break
		}
		time.Sleep(time.Millisecond)
	}
	p.Close()
}

// Two runs at once end with the bytes of one, where no lock keeps them apart.
func TestTwoWithoutLocks(t *testing.T) {
	defer func(before func(*flock.Flock) (bool, error)) { tryLock = before }(tryLock)
	o := options(corpus(t), filepath.Join(t.TempDir(), "one"))
	o.RangeBytes = rangeBytes
	want := run(t, o)
	tryLock = func(*flock.Flock) (bool, error) { return false, errors.ErrUnsupported }
	o.Output = filepath.Join(t.TempDir(), "two")
	var both sync.WaitGroup
	for range 2 {
		both.Go(func() {
			if err := tryRun(o); err != nil {
				t.Error(err)
			}
		})
	}
	both.Wait()
	got := files(t, o.Output)
	delete(want, filepath.Join(output.OwnDir, "lock"))
	delete(got, filepath.Join(output.OwnDir, "lock"))
	same(t, "two at once", want, got)
}
