package word

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/treebeam/treebeam/parser/hash"
	"github.com/treebeam/treebeam/parser/syntax"
)

func read(s string, c Casing) *Form {
	f := new(Form)
	f.Read(s, c)
	return f
}

func TestNumbersAndSigns(t *testing.T) {
	for s, want := range map[string]bool{"3": true, "3.14": true, "1,000": true, "": false, "3rd": false, ",3": false, "-3": false} {
		if read(s, false).Number != want {
			t.Errorf("Number of %q is %v", s, !want)
		}
	}
	for s, want := range map[string]uint8{"": 0, "abc": Letter, "Abc": Letter | Capital, "A": Letter | Capital,
		"ABC": Letter | Capital | AllUpper,
		"a-b": Letter | Hyphen, "B2": Letter | Capital | Digit, "x.y": Letter | Sign, "Ärger": Letter | Capital,
		"日": Letter, "-": Hyphen} {
		if got := read(s, false).Signs; got != want {
			t.Errorf("signs of %q are %b, want %b", s, got, want)
		}
	}
	for _, same := range [][2]string{{"abc", "q"}, {"Abc", "Zürich"}, {"B2", "X333"}} {
		if read(same[0], false).Shape != read(same[1], false).Shape {
			t.Errorf("%q has other shapes", same)
		}
	}
	if read("Ab", false).Long == read("Abc", false).Long || read("Abcd", false).Long != read("Abcde", false).Long ||
		read("a.b", false).Shape == read("a-b", false).Shape {
		t.Error("shapes are wrong")
	}
}

// Every hash equals hash.String of the string that it represents.
func TestAffixes(t *testing.T) {
	for _, s := range []string{"", "a", "Ev", "Kitaplarımızdan", "ΜΕΓΑΛΟΣ", "A300", "日本語"} {
		for _, c := range []Casing{false, true} {
			f := read(s, c)
			lower := string(f.Runes)
			if f.Hash != hash.String(s) || f.Lower != hash.String(lower) || f.Differ != (s != lower) {
				t.Errorf("%q: hashes are wrong", s)
			}
			if f.Folded != hash.String(strings.ReplaceAll(lower, "3", "0")) {
				t.Errorf("%q: Folded is wrong", s)
			}
			for k, h := range f.Prefix {
				want := uint64(0)
				if k < len(f.Runes) {
					want = hash.Runes(f.Runes[:k+1])
				}
				if h != want {
					t.Errorf("%q: prefix %d", s, k+1)
				}
			}
			backwards := slices.Clone(f.Runes)
			slices.Reverse(backwards)
			for k, h := range f.Suffix {
				want, wide := uint64(0), uint64(0)
				if k < len(backwards) {
					want = hash.Runes(backwards[:k+1])
					var b []rune
					for _, r := range backwards[:k+1] {
						b = append(b, broad(r))
					}
					wide = hash.Runes(b)
				}
				if h != want || f.Broad[k] != wide {
					t.Errorf("%q: suffix %d", s, k+1)
				}
			}
		}
	}
	if a, b := read("evden", false), read("kitaptan", false); a.Suffix[2] == b.Suffix[2] || a.Broad[2] != b.Broad[2] {
		t.Error("-den and -tan are not alike in broad letters alone")
	}
	for s, want := range map[string]uint8{"running": 4, "hissi": 2, "aab": 0, "abcc": 1, "ab": 0, "attributes": 8,
		"committeeses": 4} {
		if got := read(s, false).Twin; got != want {
			t.Errorf("%q has a twin %d from its end, want %d", s, got, want)
		}
	}
}

func TestCasing(t *testing.T) {
	for _, c := range []struct {
		s, plain, turkish string
	}{{"ISPARTA", "isparta", "ısparta"}, {"İZMİR", "izmir", "izmir"}, {"ΟΔΟΣ", "οδος", "οδος"},
		{"Σ", "σ", "σ"}, {"ŞEN", "şen", "şen"}} {
		if got := string(read(c.s, false).Runes); got != c.plain {
			t.Errorf("%q is %q in lower case, want %q", c.s, got, c.plain)
		}
		if got := string(read(c.s, true).Runes); got != c.turkish {
			t.Errorf("%q is %q in Turkish lower case, want %q", c.s, got, c.turkish)
		}
	}
	turkish := []syntax.Sentence{{Words: []syntax.Word{{Form: "ışık"}, {Form: "IŞIK"}}}}
	if !LearnCasing(turkish) || LearnCasing(bank()) || LearnCasing(nil) {
		t.Error("LearnCasing is wrong")
	}
}

// A memo returns what was put in, before and after it was full, and what it
// has returned stays.
func TestMemo(t *testing.T) {
	var m Memo[string]
	var kept []*string
	for round := range 2 {
		for i := range memoEntries * 3 / 2 {
			s := fmt.Sprint("w", i)
			v, fresh := m.Find(s)
			if fresh {
				*v = s
			}
			if *v != s || fresh && round == 0 && i < memoEntries && len(m.values) != i+1 {
				t.Fatalf("%q for %q", *v, s)
			}
			if again, fresh := m.Find(s); fresh || again != v {
				t.Fatalf("%q is not kept", s)
			}
			kept = append(kept, v)
		}
	}
	for i, v := range kept {
		if *v != fmt.Sprint("w", i%(memoEntries*3/2)) {
			t.Fatalf("value %d became %q", i, *v)
		}
	}
	long := strings.Repeat("x", memoString+1)
	if _, fresh := m.Find(long); !fresh {
		t.Error("fresh")
	}
	if _, fresh := m.Find(long); !fresh {
		t.Error("a long string is kept")
	}
}

// Any form can be read.
func FuzzForm(f *testing.F) {
	for _, s := range []string{"", "İ", "\xff", "ΑΣ", "1.000", "a\u0301"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		x, y := read(s, false), read(s, true)
		if x.Hash != hash.String(Plain(s)) || x.Hash != y.Hash || x.Lower != hash.Runes(x.Runes) {
			t.Errorf("%q: hashes", s)
		}
	})
}
