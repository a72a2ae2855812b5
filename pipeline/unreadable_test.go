package pipeline

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/treebeam/treebeam/io/output"
	"github.com/treebeam/treebeam/io/source"
	"github.com/treebeam/treebeam/io/store"
	"github.com/treebeam/treebeam/io/store/storetest"
	"github.com/treebeam/treebeam/parser/syntax"
)

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

// A file that is no text costs a read of its head, whatever its size and however
// many ranges have a piece of it, and one row. What is text comes out as without it.
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
	if read := m.BytesRead(film); read != source.HeadBytes {
		t.Errorf("%d bytes of %d were read, not %d", read, size, source.HeadBytes)
	}
	rows := failureRows(t, o.Output)
	if len(rows) != 1 || rows[0].SourceURI != film || rows[0].Kind != syntax.KindNotText.String() {
		t.Errorf("rows %+v", rows)
	}
	if got := converted(t, o.Output); got != want {
		t.Errorf("the text came out as\n%s\nnot as\n%s", got, want)
	}
	sum, err := output.ReadSummary(o.Output)
	if err != nil || sum.Files != 3 || sum.FilesFailed != 1 || sum.Errors != 1 {
		t.Errorf("summary %+v, %v", sum, err)
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
	sum, err := output.ReadSummary(o.Output)
	if err != nil {
		t.Fatal(err)
	}
	rows := failureRows(t, o.Output)
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
	from, err := output.Open(context.Background(), o.Output)
	if err != nil {
		t.Fatal(err)
	}
	for d, err := range from.Documents {
		if err != nil {
			t.Fatal(err)
		}
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
		p, err := Prepare(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
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
