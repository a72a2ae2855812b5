package model

import (
	"bytes"
	"encoding/binary"
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
	data, err := Encode(Info{Language: "xx", Scores: []Score{{Setting: "raw", LAS: 81.25}}}, sections)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestRoundTrip(t *testing.T) {
	data := toyFile(t, toySections())
	f, err := Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	if f.Info.Language != "xx" || f.Info.Scores[0].LAS != 81.25 {
		t.Errorf("info = %+v", f.Info)
	}
	v := pack.NewView(f.Sections)
	var small []int8
	var large []uint64
	var words []string
	err = pack.Read(v, "toy", func(l *pack.Layout) {
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
			if off%alignment != 0 {
				t.Errorf("section %s starts at %d", s.Name, off)
			}
		}
	}
}

// TestLayout pins the documented offsets: a change here is a new version.
func TestLayout(t *testing.T) {
	data := toyFile(t, toySections())
	le := binary.LittleEndian
	if got := data[:16]; string(got) != "\x89TBM\r\n\x1a\n\x01\x00\x00\x00\x04\x03\x02\x01" {
		t.Errorf("header starts with % x", got)
	}
	if le.Uint64(data[16:]) != uint64(len(data)) || le.Uint32(data[24:]) != 7 {
		t.Errorf("length %d, sections %d", le.Uint64(data[16:]), le.Uint32(data[24:]))
	}
	second := data[64+32:]
	if off := le.Uint64(second); data[off] != 0xff || le.Uint64(second[8:]) != 3 || second[26] != byte(pack.Int8) {
		t.Errorf("entry 1 is % x", second[:32])
	}
	if le.Uint64(data[64+32*3+8:]) != 2 {
		t.Error("the count of toy.uint64 is not in elements")
	}
}

func TestEveryTruncationAndFlipIsRefused(t *testing.T) {
	data := toyFile(t, toySections())
	for n := range data {
		if _, err := Decode(data[:n]); err == nil {
			t.Fatalf("the first %d of %d bytes were accepted", n, len(data))
		}
	}
	for i := range data {
		bad := bytes.Clone(data)
		bad[i] ^= 0x10
		if _, err := Decode(bad); err == nil {
			t.Fatalf("a flipped bit in byte %d was accepted", i)
		}
	}
	if _, err := Decode(append(bytes.Clone(data), 0)); err == nil {
		t.Error("a byte after the end was accepted")
	}
}

func TestErrorsNameCauseAndRemedy(t *testing.T) {
	data := toyFile(t, toySections())
	newer := bytes.Clone(data)
	newer[8] = 99
	cases := []struct{ name, data, cause, remedy string }{
		{"empty", "", "empty", "treebeam train"},
		{"stub", magic[:5], "truncated", "copy it again"},
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

func TestEncodeRefusesNames(t *testing.T) {
	for _, name := range []string{"", strings.Repeat("x", maxName+1)} {
		if _, err := Encode(Info{}, []pack.Section{{Name: name}}); err == nil {
			t.Errorf("a name of %d bytes was accepted", len(name))
		}
	}
	twice := []pack.Section{{Name: "a"}, {Name: "a"}}
	data, err := Encode(Info{}, twice)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Decode(data); err == nil {
		t.Error("two sections of one name were accepted")
	}
}

// FuzzDecode feeds files whose header checks out (the fuzzer cannot guess
// checksums) with any table and body; nothing may panic, and what is
// accepted must encode to the same bytes.
func FuzzDecode(f *testing.F) {
	good := toyFile(f, toySections())
	f.Add(good, false)
	f.Add(good[:70], true)
	f.Add([]byte(magic), true)
	f.Add([]byte{}, false)
	f.Fuzz(func(t *testing.T, data []byte, seal bool) {
		data = bytes.Clone(data)
		if seal && len(data) >= headerSize {
			le := binary.LittleEndian
			copy(data, magic)
			le.PutUint32(data[8:], version)
			le.PutUint32(data[12:], orderMark)
			le.PutUint64(data[16:], uint64(len(data)))
			if table := le.Uint32(data[28:]); uint64(table) <= uint64(len(data)-headerSize) {
				le.PutUint64(data[32:], tableSum(data, int(table)))
			}
		}
		file, err := Decode(data)
		if err != nil {
			return
		}
		if _, err := Encode(file.Info, file.Sections); err != nil {
			t.Errorf("decoded, but does not encode: %v", err)
		}
	})
}
