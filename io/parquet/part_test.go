package parquet_test

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
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
		p, err := parquet.Create(id, parquet.PartOptions{Temp: tmp, Replace: true, Meta: []parquet.KeyValue{{Key: "model", Value: "m"}}})
		must(t, err)
		defer p.Abort()
		must(t, p.Trees(parquet.ToRow(&s, &doc)))
		must(t, p.Failures(parquet.Failure{SourceURI: "b", ByteOffset: 1}, parquet.Failure{SourceURI: "a", ByteOffset: 2}, parquet.Failure{SourceURI: "a", ByteOffset: 1}))
		must(t, p.Commit(map[string]string{"sentences": "1"}))
	}
	if err := check(id); !errors.Is(err, fs.ErrNotExist) {
		t.Fatal("before it was committed:", err)
	}
	commit()
	must(t, check(id))
	if left, _ := os.ReadDir(tmp); len(left) > 0 {
		t.Errorf("%d temporary files are left", len(left))
	}
	if want := filepath.Join(id.Out, "trees", "part-00007-of-00256-01234567.parquet"); id.Path("trees") != want {
		t.Errorf("the part is %s", id.Path("trees"))
	}
	r, err := parquet.Open[parquet.Failure](id.Path("failures"))
	must(t, err)
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
	trees, err := parquet.OpenFile(id.Path("trees"))
	if err != nil {
		return err
	}
	defer trees.Close()
	failures, err := parquet.OpenFile(id.Path("failures"))
	if err != nil {
		return err
	}
	defer failures.Close()
	return errors.Join(id.Check("trees", trees, trees), id.Check("failures", failures, trees))
}

// checkRefused checks that parts that are not the range's own, or damaged, do
// not count, and restores them.
func checkRefused(t *testing.T, id parquet.PartID) {
	t.Helper()
	for _, kind := range []string{"trees", "failures"} {
		data, err := os.ReadFile(id.Path(kind))
		must(t, err)
		for name, bad := range map[string][]byte{"truncated": data[:len(data)-9], "empty": nil, "text": []byte("not Parquet at all, not Parquet")} {
			must(t, os.WriteFile(id.Path(kind), bad, 0o666))
			if err := check(id); !errors.Is(err, parquet.ErrDamaged) {
				t.Errorf("%s %s: %v", name, kind, err)
			}
		}
		must(t, os.Remove(id.Path(kind)))
		if err := check(id); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("without %s: %v", kind, err)
		}
		must(t, os.WriteFile(id.Path(kind), data, 0o666))
	}
	other := id
	other.FP = "01234567ffffffff" // the same name
	if err := check(other); err == nil || !strings.Contains(err.Error(), "has the fingerprint") {
		t.Errorf("another run's part: %v", err)
	}
}

// A range without failures has no part of them, unless it is the first. Trees that are
// there already are what another process has made of the range.
func TestPartsOfARange(t *testing.T) {
	for _, c := range []struct {
		k, failures int
		words       bool
		want        string
	}{{0, 0, false, "[failures trees]"}, {1, 0, false, "[trees]"}, {1, 1, false, "[failures trees]"}, {1, 0, true, "[trees words]"}} {
		id := parquet.PartID{Out: t.TempDir(), K: c.k, N: 2, FP: runFP, Words: c.words}
		for range 2 {
			p, err := parquet.Create(id, parquet.PartOptions{})
			must(t, err)
			defer p.Abort()
			must(t, errors.Join(p.Failures(make([]parquet.Failure, c.failures)...), p.Commit(nil)))
		}
		entries, _ := os.ReadDir(id.Out)
		var got []string
		for _, e := range entries {
			got = append(got, e.Name())
		}
		kinds := id.Kinds(int64(c.failures))
		slices.Sort(kinds)
		if fmt.Sprint(got) != c.want || !slices.Equal(got, kinds) {
			t.Errorf("range %d with %d failures: %v, %v", c.k, c.failures, got, kinds)
		}
	}
}

func TestPartAbort(t *testing.T) {
	id := parquet.PartID{Out: t.TempDir(), N: 1, FP: "x"}
	tmp := filepath.Join(id.Out, "tmp")
	p, err := parquet.Create(id, parquet.PartOptions{Temp: tmp})
	must(t, err)
	p.Abort()
	p.Abort()
	left, _ := os.ReadDir(tmp)
	if _, err := os.Stat(id.Path("trees")); !errors.Is(err, fs.ErrNotExist) || len(left) > 0 {
		t.Errorf("something is left: %v, %v", err, left)
	}
}

func TestUnwritable(t *testing.T) {
	name := filepath.Join(t.TempDir(), "file")
	must(t, os.WriteFile(name, nil, 0o666))
	for _, id := range []parquet.PartID{{Out: name}, {Out: filepath.Join(name, "below")}} {
		if _, err := parquet.Create(id, parquet.PartOptions{Temp: filepath.Join(id.Out, "tmp")}); err == nil || !strings.Contains(err.Error(), "folder") {
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
	p, err := parquet.Create(id, parquet.PartOptions{Temp: filepath.Join(id.Out, "tmp")})
	must(t, err)
	defer p.Abort()
	must(t, p.Trees(parquet.Tree{SourceURI: "b", StartByte: 3}))
	if err := p.Trees(parquet.Tree{SourceURI: "b", StartByte: 2}); err == nil {
		t.Error("rows out of order were accepted")
	}
}

const runFP = "0123456789abcdef"

// somePart writes a file of trees with the footer of range 1 of 3 under its
// name.
func somePart(t *testing.T) (*parquet.PartFile, []byte) {
	t.Helper()
	var rows []parquet.Tree
	for i, s := range slices.Concat(sentences(t, odd+plain+odd), sentences(t, strings.Repeat(plain, 30))) {
		row := parquet.ToRow(&s, &doc)
		row.StartByte = int64(i)
		rows = append(rows, row)
	}
	data := write(t, rows, parquet.KeyValue{Key: parquet.KeyFingerprint, Value: runFP},
		parquet.KeyValue{Key: parquet.KeyRange, Value: "1"}, parquet.KeyValue{Key: parquet.KeyRanges, Value: "3"})
	p := &parquet.PartFile{Path: filepath.Join(t.TempDir(), parquet.PartName(1, 3, runFP)), FP: runFP, K: 1, N: 3, Rows: int64(len(rows))}
	store(t, p, data)
	return p, data
}

func store(t *testing.T, p *parquet.PartFile, data []byte) {
	t.Helper()
	must(t, os.WriteFile(p.Path, data, 0o666))
}

// rowsOf reads a part, and verifies it.
func rowsOf(p *parquet.PartFile) (rows []parquet.Tree, read, verified error) {
	for row, err := range parquet.Parts[parquet.Tree]([]parquet.PartFile{*p}) {
		if err != nil {
			read = err
			break
		}
		rows = append(rows, *row)
	}
	r, err := parquet.OpenPart[parquet.Tree](p)
	if err != nil {
		return rows, read, err
	}
	defer r.Close()
	return rows, read, r.Verify()
}

// No byte of a part can change without an error, before any row is given.
func TestFlippedBytes(t *testing.T) {
	p, data := somePart(t)
	want, read, verified := rowsOf(p)
	if read != nil || verified != nil || int64(len(want)) != p.Rows {
		t.Fatal(len(want), read, verified)
	}
	for i := 0; i < len(data); i += 23 {
		for _, mask := range []byte{1, 0x80} {
			data[i] ^= mask
			store(t, p, data)
			rows, read, verified := rowsOf(p)
			if read == nil || verified == nil || len(rows) > 0 {
				t.Errorf("byte %d of %d: %d rows, %v, %v", i, len(data), len(rows), read, verified)
			}
			for _, err := range []error{read, verified} {
				if !errors.Is(err, parquet.ErrDamaged) {
					t.Errorf("byte %d of %d: %v", i, len(data), err)
				}
			}
			data[i] ^= mask
		}
	}
}

// What is cut from a file or put into it is noticed when it is opened, without
// a manifest.
func TestSplicedFile(t *testing.T) {
	p, data := somePart(t)
	for name, bad := range map[string][]byte{
		"cut at the end":      data[:len(data)-1],
		"cut in the middle":   slices.Delete(slices.Clone(data), 100, 101),
		"spliced":             slices.Insert(slices.Clone(data), 100, 0),
		"longer at the end":   append(slices.Clone(data), 0),
		"something before it": append([]byte("PAR1"), data...),
		"empty":               nil,
		"text":                []byte("sent_id\ttext\n"),
	} {
		store(t, p, bad)
		if _, err := parquet.OpenPart[parquet.Tree](p); !errors.Is(err, parquet.ErrDamaged) || !strings.Contains(err.Error(), p.Path) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// The footer of a part must say what its name says.
func TestPartOfAnotherName(t *testing.T) {
	good, _ := somePart(t)
	for name, change := range map[string]func(*parquet.PartFile){
		"":                 func(*parquet.PartFile) {},
		"a beginning":      func(p *parquet.PartFile) { p.FP = p.FP[:8] },
		"rows unknown":     func(p *parquet.PartFile) { p.Rows = -1 },
		"has 33 rows":      func(p *parquet.PartFile) { p.Rows++ },
		"range \"1\"":      func(p *parquet.PartFile) { p.K = 0 },
		"of \"3\"":         func(p *parquet.PartFile) { p.N = 4 },
		"has the finger":   func(p *parquet.PartFile) { p.FP = "fedcba98" },
		"of no range at a": func(p *parquet.PartFile) { p.N = 0 },
	} {
		p := *good
		change(&p)
		r, err := parquet.OpenPart[parquet.Tree](&p)
		if err == nil {
			r.Close()
		}
		if fine := name == "" || p.FP == runFP[:8] || p.Rows == -1 || p.N == 0; fine != (err == nil) ||
			!fine && (!errors.Is(err, parquet.ErrDamaged) || !strings.Contains(err.Error(), name)) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := parquet.Open[parquet.Failure](good.Path); !errors.Is(err, parquet.ErrForeign) {
		t.Errorf("trees as failures: %v", err)
	}
}

// Names say what they are made of, and sort as ranges do, also where there are more
// than five digits of them.
func TestPartNames(t *testing.T) {
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
	for _, c := range []struct {
		k, n int
		fp   string
	}{{0, 1, "01234567"}, {7, 256, "89abcdef"}, {99_999, 100_000, "00000000"}, {5, 312_500, "ffffffff"}} {
		name := parquet.PartName(c.k, c.n, c.fp)
		if k, n, fp, ok := parquet.ParsePartName(name); !ok || k != c.k || n != c.n || fp != c.fp {
			t.Errorf("%s: %d of %d, %s, %v", name, k, n, fp, ok)
		}
	}
	for _, name := range []string{"", "part-.parquet", "part-1-of-2-01234567.parquet", "part-00002-of-00002-01234567.parquet",
		"part-00000-of-00001-0123456.parquet", "part-00000-of-00001-01234567.parquet.crc", "part-00000-of-00001-01234567 (copy).parquet"} {
		if k, n, fp, ok := parquet.ParsePartName(name); ok {
			t.Errorf("%s: %s", name, fmt.Sprint(k, n, fp))
		}
	}
}

// must ends the test at the first error.
func must(tb testing.TB, errs ...error) {
	tb.Helper()
	for _, err := range errs {
		if err != nil {
			tb.Fatal(err)
		}
	}
}
