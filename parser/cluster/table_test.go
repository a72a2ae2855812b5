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
		"01\ta\t1\n01\tb\n":                        "line 2: 2 fields",
		"01\ta\t1\n\n02\tb\t3\n":                   "line 3: bits",
		"01\ta\t1\n01\t\t3\n":                      "line 2: word",
		"01\ta\t1\n01\t\xff\t3\n":                  "line 2: word",
		"01\ta\t1\n01\tb\t-3\n":                    "line 2: count",
		"01\ta\t1\n01\tb\tx\n":                     "line 2: count",
		"01\ta\t1\n11\ta\t3\n":                     "line 2: \"a\" has a class already, in line 1",
		"01\ta\t1\n01\tb\t1\tx\n":                  "line 2: 4 fields",
		strings.Repeat("0", MaxBits+1) + "\ta\t1":  "line 1: bits",
		"1\ta\t1\n" + strings.Repeat("0", maxLine): "line 2: bufio.Scanner: token too long",
	} {
		_, err := Read(strings.NewReader(file))
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%.40q: %v, want %s", file, err, want)
		}
	}
	if table, err := Read(strings.NewReader("")); err != nil || table.Classes() != 0 {
		t.Error(table, err)
	}
}

func FuzzRead(f *testing.F) {
	f.Add("01\ta\t1\n0\tb\t22\n")
	f.Add("\ta\t0\r\n\r\n1\tb c\t1")
	f.Fuzz(func(t *testing.T, file string) {
		table, err := Read(strings.NewReader(file))
		if err != nil {
			if !strings.HasPrefix(err.Error(), "line ") {
				t.Fatalf("%v names no line", err)
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
