package model

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/treebeam/treebeam/io/sections"
	"github.com/treebeam/treebeam/parser/pack"
)

// Encode returns the bytes of a model file that holds info and the sections of list.
// Package sections describes the layout of the file byte for byte.
func Encode(info Info, list []pack.Section) ([]byte, error) {
	parts, err := EncodeParts(info, list)
	return bytes.Join(parts, nil), err
}

// EncodeParts is Encode without copying. The file is the concatenation of the parts,
// some of which are the data of the sections.
func EncodeParts(info Info, list []pack.Section) ([][]byte, error) {
	info.Templates = pack.Templates
	text, err := json.Marshal(info)
	if err != nil {
		return nil, fmt.Errorf("model provenance: %w", err)
	}
	return sections.Encode(text, list)
}

// A File is a decoded model file. Its sections alias the bytes it was
// decoded from.
type File struct {
	Info     Info
	Sections []pack.Section // without the provenance
}

// Decode checks all of a model file and returns its content (sections.Decode).
func Decode(data []byte) (*File, error) {
	f := new(File)
	text, list, err := sections.Decode(data)
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(text, &f.Info); err != nil {
		return nil, sections.Damaged("its provenance is not JSON: %v", err)
	}
	f.Sections = list
	return f, nil
}
