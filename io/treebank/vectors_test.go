package treebank

import (
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	scores "github.com/treebeam/treebeam/parser/score"
	"github.com/treebeam/treebeam/parser/syntax"
	"github.com/treebeam/treebeam/parser/train"
)

func TestReadVectors(t *testing.T) {
	text := "4 2\nthe 1 2\nof\t-0.5  1e-3\n\ncat 3 4\ndog 5 6\r\nthe 7 8\n*UNKNOWN* 0 1\n"
	v, err := readVectors(strings.NewReader(text), func(w string) bool { return w == "dog" }, 1)
	if err != nil {
		t.Fatal(err)
	}
	want := &wordVectors{[]string{"the", "dog", ""}, []float32{1, 2, 5, 6, 0, 1}, 2}
	if !reflect.DeepEqual(v, want) {
		t.Errorf("read %+v, want %+v", v, want)
	}
	for text, says := range map[string]string{
		"":               "no vectors",
		"a\n":            "line 1",
		"a 1 2\nb 1\n":   "line 2",
		"a 1 2\nb 1 x\n": "line 2",
		"a 1 NaN\n":      "line 1",
	} {
		if _, err := readVectors(strings.NewReader(text), func(string) bool { return true }, 0); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: error %v, want %q", text, err, says)
		}
	}
}

// Words of the treebank are found in the file however each was typed.
func TestReadVectorsOfTypographicWords(t *testing.T) {
	path := filepath.Join(t.TempDir(), "vectors")
	if err := os.WriteFile(path, []byte("don't 1 2\n— 3 4\ncat 5 6\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	bank := train.Treebank{Sentences: []syntax.Sentence{{Words: []syntax.Word{{Form: "Don’t"}, {Form: "--"}}}}}
	v, _, err := ReadVectors(path, bank, 0)
	if err != nil || v.Len() != 2 {
		t.Errorf("%+v, %v: want two vectors", v, err)
	}
}

func FuzzReadVectors(f *testing.F) {
	for _, s := range []string{"2 3\nthe 1 2 3\nof 4 5 6\n", "a 1\nb 2\n*UNKNOWN* 3", "a\t1e30 -2\r\n", "\xff 1 2\n\x00 1 2\n", "a inf\n"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		v, err := readVectors(strings.NewReader(text), func(w string) bool { return len(w)%2 == 0 }, 2)
		if err != nil {
			return
		}
		if len(v.words) == 0 || v.size < 1 || len(v.values) != len(v.words)*v.size {
			t.Fatalf("%d words of %d dimensions, %d numbers", len(v.words), v.size, len(v.values))
		}
		for _, x := range v.values {
			if math.IsNaN(float64(x)) || math.IsInf(float64(x), 0) {
				t.Fatalf("%g among the vectors", x)
			}
		}
		seen := make(map[string]bool)
		for _, w := range v.words {
			if seen[w] {
				t.Fatalf("%q twice", w)
			}
			seen[w] = true
		}
		if list, err := scores.NewVectors(v.words, v.values, v.size); (list == nil) == (err == nil) {
			t.Fatal("vectors and an error, or neither")
		}
	})
}
