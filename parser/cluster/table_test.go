package cluster

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestReadReadsWhatWriteWrote(t *testing.T) {
	table, err := Brown(CountSentences(toy(5, 60, 500), 1, 1000), 9, nil)
	if err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	if err := table.Write(&file); err != nil {
		t.Fatal(err)
	}
	again, err := Read(bytes.NewReader(file.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(again.Rows, table.Rows) || again.Classes() != 9 || len(again.Map()) != len(table.Rows) {
		t.Fatalf("read %v, wrote %v", again.Rows, table.Rows)
	}
	lines := strings.SplitAfter(strings.TrimSuffix(file.String(), "\n"), "\n")
	slices.Reverse(lines)
	again, err = Read(strings.NewReader(strings.Join(lines, "\r\n")))
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(again.Rows, table.Rows) {
		t.Fatal("the order of the lines matters")
	}
}

func TestReadNamesTheLine(t *testing.T) {
	for file, want := range map[string]string{
		"01\ta\t1\n01\tb\n":                          "line 2: 2 fields",
		"01\ta\t1\n\n02\tb\t3\n":                     "line 3: bits",
		"01\ta\t1\n01\t\t3\n":                        "line 2: word",
		"01\ta\t1\n01\t\xff\t3\n":                    "line 2: word",
		"01\ta\t1\n01\tb\t-3\n":                      "line 2: count",
		"01\ta\t1\n01\tb\tx\n":                       "line 2: count",
		"01\ta\t1\n11\ta\t3\n":                       "line 2: \"a\" has a class already, in line 1",
		"01\ta\t1\n01\tb\t1\tx\n":                    "line 2: 4 fields",
		"01\n":                                       "line 1: 1 field, must be 3 with tabs between them",
		"\ta\t1\n":                                   "line 1: no bits before \"a\": a single class says nothing",
		strings.Repeat("0", MaxBits+1) + "\ta\t1":    "line 1: bits of length 4097: at most 4096 are supported",
		"1\ta\t1\n" + strings.Repeat("0", maxLine+1): "line 2: longer than 65536 bytes: must be bits",
		"1\ta\t1\n" + strings.Repeat("\x00", 1<<20):  "line 2: not text, it has a zero byte: name a file",
		strings.Repeat("é", maxLine):                 "line 1: longer than",
		"é" + strings.Repeat("\xe9", maxLine):        "line 1: not text in UTF-8",
		"\xff\xfe1\x00\t\x00a\x00":                   "line 1: this is UTF-16: convert it",
		"1\t" + strings.Repeat("a", 60000) + "\t1\n1\t" + strings.Repeat("a", 60000) + "\t1": "line 2: \"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\" has a class already",
	} {
		_, err := Read(strings.NewReader(file))
		if err == nil || !strings.HasPrefix(err.Error(), want) || len(err.Error()) > 200 {
			t.Errorf("%.40q: %v, want %s", file, err, want)
		}
	}
	if _, err := ReadAtMost(strings.NewReader("0\ta\t1\n1\tb\t1\n1\tc\t1\n"), 2); err == nil || !strings.HasPrefix(err.Error(), "line 3: at most 2 words") {
		t.Error(err)
	}
	full := &tableReader{first: map[string]int{}, shared: map[string]string{}, most: 10, bytes: maxKept - 3}
	if err := full.add(1, []byte("01\ta\t1")); err != nil {
		t.Error(err)
	}
	if err := full.add(2, []byte("0\tb\t1")); err == nil || !strings.Contains(err.Error(), "256 MB of words and bits") {
		t.Error(err)
	}
	if table, err := Read(strings.NewReader("\ufeff0\ta\t1\r\n1\t\ufeffb\t1")); err != nil || table.Map()["a"] != "0" || table.Map()["\ufeffb"] != "1" {
		t.Error(table, err) // a byte order mark is no part of the first line
	}
	if table, err := Read(strings.NewReader("")); err != nil || table.Classes() != 0 {
		t.Error(table, err)
	}
}

func FuzzRead(f *testing.F) {
	f.Add("01\ta\t1\n0\tb\t22\n")
	f.Add("\ufeff0\ta\t0\r\n\r\n1\tb c\t1")
	f.Add("\ta\t1\n")
	f.Add("\xff\xfe0\x00\n")
	f.Add("\x1f\x8b\x00\n")
	f.Add(strings.Repeat("1", 10_000) + "\ta\t1\n0\ta\t1\n0\ta\t1")
	f.Fuzz(func(t *testing.T, file string) {
		table, err := Read(strings.NewReader(file))
		if err != nil {
			if text := err.Error(); !strings.HasPrefix(text, "line ") || strings.Contains(text, "\n") || len(text) > 300 {
				t.Fatalf("%v: want the number of the line and one short line", err)
			}
			return
		}
		var out bytes.Buffer
		if err := table.Write(&out); err != nil {
			t.Fatal(err)
		}
		again, err := Read(&out)
		if err != nil || !slices.Equal(again.Rows, table.Rows) {
			t.Fatal(fmt.Sprint(again), err)
		}
	})
}
