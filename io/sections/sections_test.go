package sections

import (
	"bytes"
	"strings"
	"testing"

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

func toyFile(t testing.TB) []byte {
	t.Helper()
	data, err := join(toySections())
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func join(list []pack.Section) ([]byte, error) {
	parts, err := Encode([]byte("{}"), list)
	return bytes.Join(parts, nil), err
}

func read(data []byte) ([]pack.Section, error) {
	_, list, err := Decode(data)
	return list, err
}

// TestLayout pins the documented offsets: a change here is a new version.
func TestLayout(t *testing.T) {
	data := toyFile(t)
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
	data := toyFile(t)
	for n := range data {
		if _, err := read(data[:n]); err == nil {
			t.Fatalf("the first %d of %d bytes were accepted", n, len(data))
		}
	}
	for i := range data {
		bad := bytes.Clone(data)
		bad[i] ^= 0x10
		if _, err := read(bad); err == nil {
			t.Fatalf("a flipped bit in byte %d was accepted", i)
		}
	}
	if _, err := read(append(bytes.Clone(data), 0)); err == nil {
		t.Error("a byte after the end was accepted")
	}
}

func TestEncodeRefusesNames(t *testing.T) {
	for _, name := range []string{"", strings.Repeat("x", maxName+1)} {
		if _, err := join([]pack.Section{{Name: name}}); err == nil {
			t.Errorf("a name of %d bytes was accepted", len(name))
		}
	}
	twice := []pack.Section{{Name: "a"}, {Name: "a"}}
	data, err := join(twice)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := read(data); err == nil {
		t.Error("two sections of one name were accepted")
	}
}

// FuzzDecode feeds files whose header checks out (the fuzzer cannot guess
// checksums) with any table and body; nothing may panic, and what is
// accepted must encode to the same bytes.
func FuzzDecode(f *testing.F) {
	good := toyFile(f)
	f.Add(good, false)
	f.Add(good[:70], true)
	f.Add([]byte(magic), true)
	f.Add([]byte{}, false)
	f.Fuzz(func(t *testing.T, data []byte, seal bool) {
		data = bytes.Clone(data)
		if seal && len(data) >= headerSize {
			copy(data, magic)
			le.PutUint32(data[8:], version)
			le.PutUint32(data[12:], orderMark)
			le.PutUint64(data[16:], uint64(len(data)))
			if table := le.Uint32(data[28:]); uint64(table) <= uint64(len(data)-headerSize) {
				le.PutUint64(data[32:], tableSum(data, int(table)))
			}
		}
		info, list, err := Decode(data)
		if err != nil {
			return
		}
		if _, err := Encode(info, list); err != nil {
			t.Errorf("decoded, but does not encode: %v", err)
		}
	})
}

// A table is read without the data, whose damage is found when it is asked for.
func TestDecodeTable(t *testing.T) {
	parts, err := Encode([]byte("{}"), toySections())
	if err != nil {
		t.Fatal(err)
	}
	data := bytes.Join(parts, nil)
	last := len(toySections()) - 1
	for len(toySections()[last].Data) == 0 {
		last--
	}
	data[len(data)-1] ^= 1
	if _, _, err := Decode(data); err == nil {
		t.Fatal("damaged data were read")
	}
	info, list, err := DecodeTable(data)
	if err != nil || string(info) != "{}" || len(list) != len(toySections()) {
		t.Fatalf("info %q, %d sections, %v", info, len(list), err)
	}
	for i := range list {
		if err := list[i].Check(); (err == nil) != (i != last) {
			t.Errorf("section %d: %v", i, err)
		}
	}
}
