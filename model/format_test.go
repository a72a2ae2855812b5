package model

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unsafe"

	"github.com/treebeam/treebeam/parser/pack"
)

// toySections returns sections of every length class: none, one element,
// off the alignment.
func toySections() []pack.Section {
	var b pack.Builder
	s := b.Sub("toy")
	pack.Put(s, "int8", []int8{-1, 2, 3})
	pack.Put(s, "none", []int32(nil))
	pack.Put(s, "uint64", []uint64{1, 1 << 63})
	pack.Write(s, func(l *pack.Layout) { l.Strings("words", &[]string{"a", "", "naïve"}) })
	pack.Put(s, "float64", []float64{0.5})
	return b.Sections
}

func toyFile(t testing.TB, sections []pack.Section) []byte {
	t.Helper()
	data := must(Encode(Info{Language: "xx", Scores: []Score{{Setting: "raw", LAS: 81.25}}}, sections))
	return data
}

func TestRoundTrip(t *testing.T) {
	data := toyFile(t, toySections())
	f := must(Decode(data))
	if f.Info.Language != "xx" || f.Info.Scores[0].LAS != 81.25 {
		t.Errorf("info = %+v", f.Info)
	}
	v := pack.NewView(f.Sections)
	var small []int8
	var large []uint64
	var words []string
	err := pack.Read(v, "toy", func(l *pack.Layout) {
		pack.Array(l, "int8", &small)
		pack.Array(l, "uint64", &large)
		l.Strings("words", &words)
	})
	if err != nil || len(small) != 3 || small[0] != -1 || len(large) != 2 || large[1] != 1<<63 || strings.Join(words, "|") != "a||naïve" {
		t.Errorf("int8 = %v, uint64 = %v, words = %q, %v", small, large, words, err)
	}
	again, err := Encode(f.Info, f.Sections)
	if err != nil || !bytes.Equal(again, data) {
		t.Errorf("encoding what was decoded gives other bytes (%v)", err)
	}
	for _, s := range f.Sections {
		if len(s.Data) > 0 {
			off := uintptr(unsafe.Pointer(&s.Data[0])) - uintptr(unsafe.Pointer(&data[0]))
			if off%64 != 0 {
				t.Errorf("section %s starts at %d", s.Name, off)
			}
		}
	}
}

func TestErrorsNameCauseAndRemedy(t *testing.T) {
	data := toyFile(t, toySections())
	newer := bytes.Clone(data)
	newer[8] = 99
	cases := []struct{ name, data, cause, remedy string }{
		{"empty", "", "empty", "treebeam train"},
		{"stub", "\x89TBM\r", "truncated", "copy it again"},
		{"half", string(data[:len(data)/2]), "truncated", "copy it again"},
		{"newer", string(newer), "newer", "update treebeam"},
		{"text mode", "\x89TBM\n\x1a\n" + string(data[8:]), "text mode", "binary mode"},
		{"gzip", "\x1f\x8b" + strings.Repeat("x", 99), "compressed", "decompress"},
		{"lfs", "version https://git-lfs.github.com/spec/v1", "LFS", "git lfs pull"},
		{"treebank", "# sent_id = 1\n1\ta\n", "CoNLL-U", "treebeam train"},
		{"other", strings.Repeat("x", 1000), "not a treebeam model", "treebeam train"},
		{"flipped", string(flip(data, len(data)-1)), "checksum of section \"toy.float64\"", "copy it again"},
	}
	for _, c := range cases {
		path := filepath.Join(t.TempDir(), "bad.tbm")
		if err := os.WriteFile(path, []byte(c.data), 0o644); err != nil {
			t.Fatal(err)
		}
		_, err := Open(path)
		if err == nil || !strings.Contains(err.Error(), c.cause) || !strings.Contains(err.Error(), c.remedy) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: error %q lacks the cause %q, the remedy %q or the path", c.name, err, c.cause, c.remedy)
		}
	}
}

func flip(data []byte, i int) []byte {
	bad := bytes.Clone(data)
	bad[i] ^= 1
	return bad
}

// What is too large to be opened is not written.
func TestTooLargeForAWorld(t *testing.T) {
	large := pack.Section{Name: "x", Kind: pack.Bytes, Data: make([]byte, maxInflated)}
	if _, err := deflated(Info{}, []pack.Section{large}); err == nil {
		t.Error("a part that cannot be opened was written")
	}
}
