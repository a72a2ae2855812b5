package parquet_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/treebeam/treebeam/io/parquet"
)

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
	if err := os.WriteFile(p.Path, data, 0o666); err != nil {
		t.Fatal(err)
	}
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

func TestParsePartName(t *testing.T) {
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
