// Package sections turns the named arrays of a model into the bytes of a file (Encode) and
// back (Decode), which refuses bytes that are truncated or damaged.
package sections

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"

	"github.com/cespare/xxhash/v2"

	"github.com/treebeam/treebeam/parser/pack"
)

// A file, byte for byte, is a header, a section table, and the data of
// the sections. Numbers are little-endian. The table is an entry for each
// section, then the names without separators in the same order. The data
// follow in the order of the table, each section at the first multiple of 64
// after the end of what precedes it, gaps filled with zeros, and the file ends
// with the last byte of the last section: the layout of a file follows from
// its sections alone, so that equal sections mean equal bytes. Section 0 is
// "info", the provenance as JSON. A section "x" of strings is their
// concatenation and is bounded by "x.off".

// A header is the first 64 bytes.
type header struct {
	Magic    [8]byte  // magic; its line ends show a transfer in text mode
	Version  uint32   // now 1
	Order    uint32   // 0x01020304, shows a file of the wrong byte order
	Length   uint64   // of the whole file
	Sections uint32   // at least 1
	Table    uint32   // bytes of the section table
	Sum      uint64   // xxHash64 (seed 0) of bytes 0..31 and of the section table
	Zero     [24]byte // all zero
}

// An entry of the section table takes 32 bytes.
type entry struct {
	Start uint64  // offset of the section's data, a multiple of 64
	Count uint64  // number of elements
	Sum   uint64  // xxHash64 (seed 0) of the data
	Name  uint16  // length of the name in bytes, at least 1
	Kind  uint8   // element type, a pack.Kind
	_     [5]byte // zero
}

const (
	mark        = "\x89TBM"
	magic       = mark + "\r\n\x1a\n"
	version     = 1
	orderMark   = 0x01020304
	headerSize  = 64
	entrySize   = 32
	alignment   = 64
	infoSection = "info"

	again = "train it again" // the remedy other than another copy

	maxSections = 1 << 16
	maxName     = 1 << 10
)

var le = binary.LittleEndian

// Encode returns the bytes of a file of provenance, as JSON, and sections, as parts to
// be written one after the other. The parts alias the data of the sections.
func Encode(info []byte, sections []pack.Section) ([][]byte, error) {
	sections = append([]pack.Section{{Name: infoSection, Kind: pack.Bytes, Data: info}}, sections...)
	if len(sections) > maxSections {
		return nil, fmt.Errorf("model of %d sections, at most %d fit a file", len(sections), maxSections)
	}
	var names, table []byte
	for _, s := range sections {
		if len(s.Name) == 0 || len(s.Name) > maxName {
			return nil, fmt.Errorf("model section name %.40q has %d bytes, want 1 to %d", s.Name, len(s.Name), maxName)
		}
		names = append(names, s.Name...)
	}
	h := header{Magic: [8]byte([]byte(magic)), Version: version, Order: orderMark,
		Sections: uint32(len(sections)), Table: uint32(entrySize*len(sections) + len(names))}
	end := headerSize + int(h.Table)
	parts := make([][]byte, 1)
	for _, s := range sections {
		start := align(end)
		parts = append(parts, make([]byte, start-end), s.Data)
		end = start + len(s.Data)
		table, _ = binary.Append(table, le, entry{
			Start: uint64(start), Count: uint64(len(s.Data) / s.Kind.Size()), Sum: xxhash.Sum64(s.Data),
			Name: uint16(len(s.Name)), Kind: uint8(s.Kind)})
	}
	h.Length = uint64(end)
	parts[0], _ = binary.Append(nil, le, h)
	parts[0] = append(append(parts[0], table...), names...)
	le.PutUint64(parts[0][32:], tableSum(parts[0], int(h.Table)))
	return parts, nil
}

func align(n int) int { return (n + alignment - 1) &^ (alignment - 1) }

// tableSum is header.Sum.
func tableSum(data []byte, table int) uint64 {
	d := xxhash.New()
	d.Write(data[:32])
	d.Write(data[headerSize : headerSize+table])
	return d.Sum64()
}

// Decode checks a file from end to end and returns its provenance and its
// sections, which alias data: the caller must not change data afterwards, and
// it must start at a multiple of 64 if arrays are to be read from it. Nothing
// is allocated by a length that was not checked against len(data) before.
// Errors say what is wrong and what to do about it.
func Decode(data []byte) (info []byte, sections []pack.Section, err error) {
	info, parts, err := DecodeTable(data)
	for i := range parts {
		if err == nil {
			err = parts[i].Check()
		}
		sections = append(sections, parts[i].Section)
	}
	if err != nil {
		return nil, nil, err
	}
	return info, sections, nil
}

// An Unchecked is a section whose data were not compared with their checksum yet.
type Unchecked struct {
	pack.Section
	sum uint64
}

// Check refuses damaged data. The data must not be used before.
func (s *Unchecked) Check() error {
	if xxhash.Sum64(s.Data) != s.sum {
		return Damaged("the checksum of section %q is wrong", s.Name)
	}
	return nil
}

// DecodeTable is Decode for a file of which few sections will be used: it reads the
// table and the provenance, and leaves the data of the sections unchecked.
func DecodeTable(data []byte) (info []byte, sections []Unchecked, err error) {
	h, err := readHeader(data)
	if err != nil {
		return nil, nil, err
	}
	sections, err = readTable(&h, data)
	if err != nil {
		return nil, nil, err
	}
	if sections[0].Name != infoSection || sections[0].Kind != pack.Bytes {
		return nil, nil, Damaged("its first section is %.40q, want the provenance", sections[0].Name)
	}
	if err := sections[0].Check(); err != nil {
		return nil, nil, err
	}
	return sections[0].Data, sections[1:], nil
}

// readTable reads the section table. The layout is forced, so any offset, length or gap
// that differs from what the table implies is an error.
func readTable(h *header, data []byte) ([]Unchecked, error) {
	end := headerSize + int(h.Table)
	names := data[headerSize+entrySize*int(h.Sections) : end]
	sections := make([]Unchecked, h.Sections)
	seen := make(map[string]bool, len(sections))
	for i := range sections {
		var e entry
		binary.Decode(data[headerSize+entrySize*i:], le, &e)
		if e.Name == 0 || e.Name > maxName || int(e.Name) > len(names) {
			return nil, Damaged("the name of section %d does not fit its table", i)
		}
		name, kind := string(names[:e.Name]), pack.Kind(e.Kind)
		names = names[e.Name:]
		if kind > pack.Float64 {
			return nil, Damaged("section %q has the unknown type %d", name, kind)
		}
		if seen[name] {
			return nil, Damaged("section %q is there twice", name)
		}
		seen[name] = true
		start := align(end)
		if e.Start != uint64(start) || start > len(data) || e.Count > uint64(len(data)-start)/uint64(kind.Size()) {
			return nil, Damaged("section %q does not fit the file", name)
		}
		if len(bytes.Trim(data[end:start], "\x00")) > 0 {
			return nil, Damaged("there are bytes before section %q that belong to none", name)
		}
		end = start + int(e.Count)*kind.Size()
		sections[i] = Unchecked{pack.Section{Name: name, Kind: kind, Data: data[start:end:end]}, e.Sum}
	}
	if len(names) != 0 || end != len(data) {
		return nil, Damaged("there are bytes after its last section")
	}
	return sections, nil
}

// Table returns the header and the section table of a file that DecodeTable accepts.
func Table(data []byte) []byte {
	h, err := readHeader(data)
	if err != nil {
		return nil
	}
	return data[:headerSize+int(h.Table)]
}

// Check refuses anything but a whole file that this program reads. It looks at the
// header and the names of sections only.
func Check(data []byte) error {
	_, err := readHeader(data)
	return err
}

// readHeader refuses anything but a whole file that this program reads.
func readHeader(data []byte) (h header, err error) {
	if len(data) < headerSize || string(data[:len(magic)]) != magic {
		return h, foreign(data)
	}
	binary.Decode(data, le, &h)
	switch {
	case h.Version < version:
		err = fmt.Errorf("model format %d is older than this program reads (%d): "+again+" with this program", h.Version, version)
	case h.Version > version:
		err = fmt.Errorf("model format %d is newer than this program reads (%d): update treebeam, or "+again, h.Version, version)
	case h.Order != orderMark:
		err = Damaged("its byte order mark is wrong")
	case h.Length > uint64(len(data)):
		err = fmt.Errorf("model file is truncated: %d of %d bytes: copy it again", len(data), h.Length)
	case h.Length < uint64(len(data)):
		err = fmt.Errorf("model file has %d bytes, its header says %d: it was changed after it was written; copy it again", len(data), h.Length)
	case h.Sections == 0 || h.Sections > maxSections || uint64(h.Table) > uint64(len(data)-headerSize) || uint64(h.Table) < entrySize*uint64(h.Sections):
		err = Damaged("its section table does not fit the file")
	case h.Zero != [24]byte{}:
		err = Damaged("its header has bytes that must be zero")
	case h.Sum != tableSum(data, int(h.Table)):
		err = Damaged("the checksum of its section table is wrong")
	}
	return h, err
}

// Damaged returns the error of a damaged file.
func Damaged(format string, a ...any) error {
	return fmt.Errorf("model file is damaged: "+format+": copy it again, or "+again, a...)
}

// foreign says what a file without our magic probably is.
func foreign(data []byte) error {
	data = data[:min(len(data), headerSize)]
	is := func(prefix string) bool { return bytes.HasPrefix(data, []byte(prefix)) }
	switch {
	case len(data) == 0:
		return errors.New("model file is empty: copy it again, or make it with treebeam train")
	case is(magic), strings.HasPrefix(magic, string(data)):
		return fmt.Errorf("model file is truncated: %d bytes, not even a header: copy it again", len(data))
	case is(mark):
		return errors.New("model file was changed by a transfer in text mode: copy it again in binary mode")
	case is("version https://git-lfs"):
		return errors.New("this is a Git LFS pointer, not the model: run git lfs pull first")
	case is("\x1f\x8b"), is("\x28\xb5\x2f\xfd"), is("BZh"):
		return errors.New("this file is compressed: decompress it first, it is used in place")
	case is("# "), is("1\t"):
		return errors.New("this looks like CoNLL-U, not a treebeam model: make one with treebeam train")
	}
	return errors.New("this is not a treebeam model: make one with treebeam train")
}
