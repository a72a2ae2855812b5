package model

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/treebeam/treebeam/io/sections"
	"github.com/treebeam/treebeam/parser/pack"
	"github.com/treebeam/treebeam/parser/word"
)

// format is the format of the model file: package sections describes its layout byte
// for byte, Info its provenance.
var format = sections.Format{Magic: "\x89TBM", Noun: "model", Again: "train it again", Command: "treebeam train"}

// Encode returns the bytes of a model file that holds info and sections.
func Encode(info Info, sections []pack.Section) ([]byte, error) {
	parts, err := EncodeParts(info, sections)
	return bytes.Join(parts, nil), err
}

// EncodeParts is Encode without copying. The file is the concatenation of the parts,
// some of which are the data of the sections.
func EncodeParts(info Info, sections []pack.Section) ([][]byte, error) {
	info.Templates = templatesOf(sections)
	text, err := json.Marshal(info)
	if err != nil {
		return nil, fmt.Errorf("model provenance: %w", err)
	}
	return format.Encode(text, sections)
}

// templatesOf returns the version of templates that the sections of a model need.
func templatesOf(sections []pack.Section) int {
	clustered := func(s pack.Section) bool { return strings.HasPrefix(s.Name, WordName+"."+word.ClustersName+".") }
	if slices.ContainsFunc(sections, clustered) {
		return pack.Clustered
	}
	return pack.Templates
}

// A File is a decoded model file. Its sections alias the bytes it was
// decoded from.
type File struct {
	Info     Info
	Sections []pack.Section // without the provenance
}

// Decode checks all of a model file and returns its content (sections.Format.Decode).
func Decode(data []byte) (*File, error) {
	f := new(File)
	text, sections, err := format.Decode(data)
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(text, &f.Info); err != nil {
		return nil, format.Damaged("its provenance is not JSON: %v", err)
	}
	f.Sections = sections
	return f, nil
}
