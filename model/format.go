package model

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/cespare/xxhash/v2"

	"github.com/treebeam/treebeam/parser/pack"
)

// The model file, byte for byte. All integers are little-endian.
//
//	offset size
//	     0    8  magic: 89 54 42 4D 0D 0A 1A 0A ("\x89TBM\r\n\x1a\n"; the line ends
//	             show a transfer in text mode)
//	     8    4  format version, now 1
//	    12    4  04 03 02 01: 0x01020304, shows a file of the wrong byte order
//	    16    8  L, the length of the whole file
//	    24    4  S, the number of sections, at least 1
//	    28    4  T, the bytes of the section table: 32*S plus the names
//	    32    8  xxHash64 (seed 0) of bytes 0..31 and of the section table
//	    40   24  zero
//	    64    T  section table
//
// The section table is S entries of 32 bytes, then the S names without
// separators in the same order:
//
//	 0    8  offset of the section's data, a multiple of 64
//	 8    8  number of elements
//	16    8  xxHash64 (seed 0) of the data
//	24    2  length of the name in bytes, at least 1
//	26    1  element type, a pack.Kind: 0 bytes, 1 int8, 2 uint8, 3 int16,
//	         4 uint16, 5 int32, 6 uint32, 7 uint64, 8 float32, 9 strings, 10 float64
//	27    5  zero
//
// The data follow in the order of the table, each section at the first
// multiple of 64 after the end of what precedes it, gaps filled with zeros,
// and the file ends with the last byte of the last section: the layout of a
// file follows from its sections alone, so that equal sections mean equal
// bytes. Section 0 is "info", the provenance as JSON (see Info). A section
// "x" of strings is their concatenation and is bounded by "x.off".
const (
	magic       = "\x89TBM\r\n\x1a\n"
	version     = 1
	orderMark   = 0x01020304
	headerSize  = 64
	entrySize   = 32
	alignment   = 64
	infoSection = "info"

	maxSections = 1 << 16
	maxName     = 1 << 10
)

// Encode returns the bytes of a model file that holds info and sections.
func Encode(info Info, sections []pack.Section) ([]byte, error) {
	parts, err := EncodeParts(info, sections)
	return bytes.Join(parts, nil), err
}

// EncodeParts is Encode without copying: the file is the parts one after the
// other, and the data of the sections are among them.
func EncodeParts(info Info, sections []pack.Section) ([][]byte, error) {
	info.Templates = pack.Templates
	text, err := json.Marshal(info)
	if err != nil {
		return nil, fmt.Errorf("model provenance: %w", err)
	}
	all := make([]pack.Section, 0, len(sections)+1)
	all = append(all, pack.Section{Name: infoSection, Kind: pack.Bytes, Data: text})
	all = append(all, sections...)
	return encodeSections(all)
}

func encodeSections(all []pack.Section) ([][]byte, error) {
	if len(all) > maxSections {
		return nil, fmt.Errorf("model of %d sections, at most %d fit a file", len(all), maxSections)
	}
	table := entrySize * len(all)
	for _, s := range all {
		if len(s.Name) == 0 || len(s.Name) > maxName {
			return nil, fmt.Errorf("model section name %.40q has %d bytes, want 1 to %d", s.Name, len(s.Name), maxName)
		}
		table += len(s.Name)
	}
	out := make([]byte, headerSize+table)
	le := binary.LittleEndian
	copy(out, magic)
	le.PutUint32(out[8:], version)
	le.PutUint32(out[12:], orderMark)
	le.PutUint32(out[24:], uint32(len(all)))
	le.PutUint32(out[28:], uint32(table))
	names := out[headerSize+entrySize*len(all):]
	end := len(out)
	parts := [][]byte{out}
	for i, s := range all {
		start := align(end)
		parts = append(parts, make([]byte, start-end), s.Data)
		end = start + len(s.Data)
		e := out[headerSize+entrySize*i:]
		le.PutUint64(e, uint64(start))
		le.PutUint64(e[8:], uint64(len(s.Data)/s.Kind.Size()))
		le.PutUint64(e[16:], xxhash.Sum64(s.Data))
		le.PutUint16(e[24:], uint16(len(s.Name)))
		e[26] = byte(s.Kind)
		names = names[copy(names, s.Name):]
	}
	le.PutUint64(out[16:], uint64(end))
	le.PutUint64(out[32:], tableSum(out, table))
	return parts, nil
}

func align(n int) int { return (n + alignment - 1) &^ (alignment - 1) }

// tableSum is the checksum at offset 32.
func tableSum(data []byte, table int) uint64 {
	d := xxhash.New()
	d.Write(data[:32])
	d.Write(data[headerSize : headerSize+table])
	return d.Sum64()
}

// A File is a decoded model file. Its sections alias the bytes it was
// decoded from.
type File struct {
	Info     Info
	Sections []pack.Section // without the provenance
}

// Decode checks a model file from end to end and returns its sections, which
// alias data: the caller must not change data afterwards, and it must start
// at a multiple of 64 if arrays are to be read from it. Nothing is allocated
// by a length that was not checked against len(data) before. Errors say what
// is wrong and what to do about it.
func Decode(data []byte) (*File, error) {
	if err := checkHeader(data); err != nil {
		return nil, err
	}
	sections, err := decodeTable(data)
	if err != nil {
		return nil, err
	}
	f := &File{Sections: sections[1:]}
	if sections[0].Name != infoSection || sections[0].Kind != pack.Bytes {
		return nil, damaged("its first section is %.40q, want the provenance", sections[0].Name)
	}
	if err := json.Unmarshal(sections[0].Data, &f.Info); err != nil {
		return nil, damaged("its provenance is not JSON: %v", err)
	}
	return f, nil
}

// decodeTable reads the section table of a file whose header was checked.
// The layout is forced, so any offset, length or gap that differs from what
// the table implies is an error.
func decodeTable(data []byte) ([]pack.Section, error) {
	le := binary.LittleEndian
	n := int(le.Uint32(data[24:]))
	names := data[headerSize+entrySize*n : headerSize+int(le.Uint32(data[28:]))]
	end := headerSize + int(le.Uint32(data[28:]))
	sections := make([]pack.Section, n)
	seen := make(map[string]bool, n)
	for i := range sections {
		e := data[headerSize+entrySize*i:][:entrySize]
		length, kind := int(le.Uint16(e[24:])), pack.Kind(e[26])
		if length == 0 || length > maxName || length > len(names) {
			return nil, damaged("the name of section %d does not fit its table", i)
		}
		name := string(names[:length])
		names = names[length:]
		if kind > pack.Float64 {
			return nil, damaged("section %q has the unknown type %d", name, kind)
		}
		if seen[name] {
			return nil, damaged("section %q is there twice", name)
		}
		seen[name] = true
		start, count := align(end), le.Uint64(e[8:])
		if le.Uint64(e) != uint64(start) || start > len(data) ||
			count > uint64(len(data)-start)/uint64(kind.Size()) {
			return nil, damaged("section %q does not fit the file", name)
		}
		for _, b := range data[end:start] {
			if b != 0 {
				return nil, damaged("there are bytes before section %q that belong to none", name)
			}
		}
		end = start + int(count)*kind.Size()
		body := data[start:end:end]
		if xxhash.Sum64(body) != le.Uint64(e[16:]) {
			return nil, damaged("the checksum of section %q is wrong", name)
		}
		sections[i] = pack.Section{Name: name, Kind: kind, Data: body}
	}
	if len(names) != 0 || end != len(data) {
		return nil, damaged("there are bytes after its last section")
	}
	return sections, nil
}

// checkHeader refuses what is no whole model file that this program reads.
func checkHeader(data []byte) error {
	if len(data) < headerSize || string(data[:len(magic)]) != magic {
		return foreign(data)
	}
	le := binary.LittleEndian
	if v := le.Uint32(data[8:]); v != version {
		if v < version {
			return fmt.Errorf("model format %d is older than this program reads (%d): train it again with this program", v, version)
		}
		return fmt.Errorf("model format %d is newer than this program reads (%d): update treebeam, or train the model again", v, version)
	}
	if le.Uint32(data[12:]) != orderMark {
		return damaged("its byte order mark is wrong")
	}
	total, n, table := le.Uint64(data[16:]), le.Uint32(data[24:]), le.Uint32(data[28:])
	switch {
	case total > uint64(len(data)):
		return fmt.Errorf("model file is truncated: %d of %d bytes: copy it again", len(data), total)
	case total < uint64(len(data)):
		return fmt.Errorf("model file has %d bytes, its header says %d: it was changed after it was written; copy it again", len(data), total)
	case n == 0 || n > maxSections || uint64(table) > uint64(len(data)-headerSize) || uint64(table) < entrySize*uint64(n):
		return damaged("its section table does not fit the file")
	case string(data[40:headerSize]) != string(make([]byte, headerSize-40)):
		return damaged("its header has bytes that must be zero")
	case le.Uint64(data[32:]) != tableSum(data, int(table)):
		return damaged("the checksum of its section table is wrong")
	}
	return nil
}

func damaged(format string, a ...any) error {
	return fmt.Errorf("model file is damaged: "+format+": copy it again, or train it again", a...)
}

// foreign says what a file without our magic probably is.
func foreign(data []byte) error {
	data = data[:min(len(data), headerSize)]
	is := func(prefix string) bool { return bytes.HasPrefix(data, []byte(prefix)) }
	switch {
	case len(data) == 0:
		return fmt.Errorf("model file is empty: copy it again, or make it with treebeam train")
	case is(magic), strings.HasPrefix(magic, string(data)):
		return fmt.Errorf("model file is truncated: %d bytes, not even a header: copy it again", len(data))
	case is("\x89TBM"):
		return fmt.Errorf("model file was changed by a transfer in text mode: copy it again in binary mode")
	case is("version https://git-lfs"):
		return fmt.Errorf("this is a Git LFS pointer, not a model: run git lfs pull first")
	case is("\x1f\x8b"), is("\x28\xb5\x2f\xfd"), is("BZh"):
		return fmt.Errorf("this file is compressed: decompress it first, a model is used in place")
	case is("# "), is("1\t"):
		return fmt.Errorf("this looks like CoNLL-U, not a model: make a model of it with treebeam train")
	}
	return fmt.Errorf("this is not a treebeam model: make one with treebeam train")
}
