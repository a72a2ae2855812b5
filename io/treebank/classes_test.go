package treebank

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/treebeam/treebeam/parser/word"
)

// readSome is readClasses of a small file.
func readSome(r io.Reader) ([]word.ClusterWord, error) { return readClasses(r, 1000, maxClassKept) }

func TestClassesInAnyOrder(t *testing.T) {
	want := []word.ClusterWord{{Bits: "00", Form: "b", Count: 3}, {Bits: "00", Form: "a", Count: 2}, {Bits: "00", Form: "c", Count: 2}, {Bits: "1", Form: "d", Count: 0}}
	lines := []string{"1\td\t0", "00\tc\t2", "00\ta\t2", "00\tb\t3"}
	for range 2 {
		if got, err := readSome(strings.NewReader(strings.Join(lines, "\r\n"))); err != nil || !slices.Equal(got, want) {
			t.Errorf("%v, %v, want %v", got, err, want)
		}
		slices.Reverse(lines)
	}
}

func TestClassesNameTheLine(t *testing.T) {
	for file, want := range map[string]string{
		"01\ta\t1\n01\tb\n":                               "line 2: fields: 2",
		"01\ta\t1\n\n02\tb\t3\n":                          "line 3: bits",
		"01\ta\t1\n01\t\t3\n":                             "line 2: word",
		"01\ta\t1\n01\t\xff\t3\n":                         "line 2: word",
		"01\ta\t1\n01\tb\t-3\n":                           "line 2: count",
		"01\ta\t1\n01\tb\tx\n":                            "line 2: count",
		"01\ta\t1\n11\ta\t3\n":                            "line 2: \"a\" has a class already, in line 1",
		"01\ta\t1\n01\tb\t1\tx\n":                         "line 2: fields: 4",
		"\ta\t1\n":                                        "line 1: no bits before \"a\": a single class says nothing",
		strings.Repeat("0", maxClassBits+1) + "\ta\t1":    "line 1: bits of length 4097: at most 4096 are supported",
		"1\ta\t1\n" + strings.Repeat("0", maxClassLine+1): "line 2: longer than 65536 bytes: must be bits",
		"0\ta\t1\n1\tb\t1\n1\tc\t1\n1\td\t1\n1\te\t1":     "line 5: at most 4 words",
	} {
		if _, err := readClasses(strings.NewReader(file), 4, maxClassKept); err == nil || !strings.HasPrefix(err.Error(), want) || len(err.Error()) > 200 {
			t.Errorf("%.40q: %v, want %s", file, err, want)
		}
	}
	if _, err := readClasses(strings.NewReader("01\ta\t1\n0\tb\t1\n"), 4, 10); err == nil || !strings.Contains(err.Error(), "line 2: at most 4 words are supported, and 10 bytes") {
		t.Error(err)
	}
	// A byte order mark is no part of the first line.
	if table, err := readSome(strings.NewReader("\ufeff0\ta\t1\r\n1\t\ufeffb\t1")); err != nil || len(table) != 2 || table[0].Form != "a" || table[1].Form != "\ufeffb" {
		t.Error(table, err)
	}
}

func FuzzClasses(f *testing.F) {
	f.Add("01\ta\t1\n0\tb\t22\n")
	f.Add("\ufeff0\ta\t0\r\n\r\n1\tb c\t1")
	f.Add("\ta\t1\n")
	f.Add("\xff\xfe0\x00\n")
	f.Add("\x1f\x8b\x00\n")
	f.Add(strings.Repeat("1", 10_000) + "\ta\t1\n0\ta\t1\n0\ta\t1")
	f.Fuzz(func(t *testing.T, file string) {
		table, err := readSome(strings.NewReader(file))
		if err != nil {
			if text := err.Error(); !strings.HasPrefix(text, "line ") || strings.Contains(text, "\n") || len(text) > 300 {
				t.Fatalf("%v: want the number of the line and one short line", err)
			}
			return
		}
		var out bytes.Buffer
		for _, w := range table {
			fmt.Fprintf(&out, "%s\t%s\t%d\n", w.Bits, w.Form, w.Count)
		}
		again, err := readSome(&out)
		if err != nil || !slices.Equal(again, table) {
			t.Fatal(fmt.Sprint(again), err)
		}
	})
}
