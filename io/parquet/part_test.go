package parquet_test

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/treebeam/treebeam/io/parquet"
)

func TestPart(t *testing.T) {
	dir := t.TempDir()
	id := parquet.PartID{Out: filepath.Join(dir, "out"), K: 7, N: 256, FP: "0123456789abcdef"}
	tmp := filepath.Join(id.Out, "_treebeam", "tmp")
	if err := check(id); !errors.Is(err, fs.ErrNotExist) {
		t.Fatal("an empty folder:", err)
	}
	s := parsed(2)
	commit := func() {
		p, err := parquet.Create(id, tmp, []parquet.KeyValue{{Key: "model", Value: "m"}})
		if err != nil {
			t.Fatal(err)
		}
		defer p.Abort()
		if err := p.Trees(parquet.ToRow(&s, &doc)); err != nil {
			t.Fatal(err)
		}
		if err := p.Failures(parquet.Failure{SourceURI: "b", ByteOffset: 1}, parquet.Failure{SourceURI: "a", ByteOffset: 2}, parquet.Failure{SourceURI: "a", ByteOffset: 1}); err != nil {
			t.Fatal(err)
		}
		p.SetFooter("sentences", "1")
		if err := p.Commit(); err != nil {
			t.Fatal(err)
		}
	}
	if err := check(id); !errors.Is(err, fs.ErrNotExist) {
		t.Fatal("before it was committed:", err)
	}
	commit()
	if err := check(id); err != nil {
		t.Fatal(err)
	}
	if left, _ := os.ReadDir(tmp); len(left) > 0 {
		t.Errorf("%d temporary files are left", len(left))
	}
	if want := filepath.Join(id.Out, "trees", "part-00007-of-00256-01234567.parquet"); id.Path("trees") != want {
		t.Errorf("the part is %s", id.Path("trees"))
	}
	r, err := parquet.Open[parquet.Failure](id.Path("failures"))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var order []string
	for row := range r.All() {
		order = append(order, fmt.Sprint(row.SourceURI, row.ByteOffset))
	}
	if got := strings.Join(order, " "); got != "a1 a2 b1" {
		t.Errorf("failures are in the order %s", got)
	}
	if v, ok := r.Footer("sentences"); v != "1" || !ok {
		t.Errorf("footer: %q, %v", v, ok)
	}
	checkRefused(t, id)
	before, _ := os.ReadFile(id.Path("trees"))
	commit() // a range may be redone
	after, _ := os.ReadFile(id.Path("trees"))
	if len(before) == 0 || !bytes.Equal(before, after) {
		t.Error("a range that was redone has other bytes")
	}
}

// check returns what is wrong with the parts of a range.
func check(id parquet.PartID) error {
	var files []*parquet.File
	for _, kind := range parquet.Kinds(id.Words) {
		f, err := parquet.OpenFile(id.Path(kind))
		if err != nil {
			return err
		}
		defer f.Close()
		files = append(files, f)
	}
	return id.Check(files)
}

// checkRefused checks that parts that are not the range's own, or damaged, do
// not count, and restores them.
func checkRefused(t *testing.T, id parquet.PartID) {
	t.Helper()
	for _, kind := range []string{"trees", "failures"} {
		data, err := os.ReadFile(id.Path(kind))
		if err != nil {
			t.Fatal(err)
		}
		for name, bad := range map[string][]byte{"truncated": data[:len(data)-9], "empty": nil, "text": []byte("not Parquet at all, not Parquet")} {
			if err := os.WriteFile(id.Path(kind), bad, 0o666); err != nil {
				t.Fatal(err)
			}
			if err := check(id); !errors.Is(err, parquet.ErrDamaged) {
				t.Errorf("%s %s: %v", name, kind, err)
			}
		}
		if err := os.Remove(id.Path(kind)); err != nil {
			t.Fatal(err)
		}
		if err := check(id); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("without %s: %v", kind, err)
		}
		if err := os.WriteFile(id.Path(kind), data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	other := id
	other.FP = "01234567ffffffff" // the same name
	if err := check(other); err == nil || !strings.Contains(err.Error(), "has the fingerprint") {
		t.Errorf("another run's part: %v", err)
	}
}

func TestPartAbort(t *testing.T) {
	id := parquet.PartID{Out: t.TempDir(), N: 1, FP: "x"}
	tmp := filepath.Join(id.Out, "tmp")
	p, err := parquet.Create(id, tmp, nil)
	if err != nil {
		t.Fatal(err)
	}
	p.Abort()
	p.Abort()
	left, _ := os.ReadDir(tmp)
	if _, err := os.Stat(id.Path("trees")); !errors.Is(err, fs.ErrNotExist) || len(left) > 0 {
		t.Errorf("something is left: %v, %v", err, left)
	}
}

func TestUnwritable(t *testing.T) {
	name := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(name, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	for _, id := range []parquet.PartID{{Out: name}, {Out: filepath.Join(name, "below")}} {
		if _, err := parquet.Create(id, filepath.Join(id.Out, "tmp"), nil); err == nil || !strings.Contains(err.Error(), "folder") {
			t.Errorf("%s: got %v", id.Out, err)
		}
	}
	w := parquet.NewWriter[parquet.Document](full{}, nil)
	if err := errors.Join(w.Write(parquet.Document{}), w.Close()); !errors.Is(err, errFull) {
		t.Errorf("a full disk: got %v", err)
	}
}

var errFull = errors.New("no space left on device")

// full is a full disk.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, errFull }

func TestOutOfOrder(t *testing.T) {
	id := parquet.PartID{Out: t.TempDir(), N: 1, FP: "x"}
	p, err := parquet.Create(id, filepath.Join(id.Out, "tmp"), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Abort()
	if err := p.Trees(parquet.Tree{SourceURI: "b", StartByte: 3}); err != nil {
		t.Fatal(err)
	}
	if err := p.Trees(parquet.Tree{SourceURI: "b", StartByte: 2}); err == nil {
		t.Error("rows out of order were accepted")
	}
}

// Names sort as ranges do, also where there are more than five digits of them.
func TestPartNamesSort(t *testing.T) {
	if got := parquet.PartName(7, 256, "0123456789"); got != "part-00007-of-00256-01234567.parquet" {
		t.Error(got)
	}
	for _, n := range []int{99_999, 100_000, 312_500} {
		before := ""
		for k := 0; k < n; k += 997 {
			name := parquet.PartName(k, n, "0123456789")
			if name <= before {
				t.Fatalf("%s after %s", name, before)
			}
			before = name
		}
	}
}
