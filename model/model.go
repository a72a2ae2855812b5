// Package model holds what a trained parser is: the model file, whose layout
// format.go gives byte for byte, the cache that loads each model once per
// process, and Model, whose methods are the stages of the pipeline.
package model

import (
	"github.com/treebeam/treebeam/parser/pack"
)

// Names of the components, which begin the names of their sections.
const (
	SegmentName = "segment"
	TagName     = "tag"
	PruneName   = "prune"
	DecodeName  = "decode"
	LabelName   = "label"
)

// A Model is everything that training made of one treebank. It is read-only
// after Open and safe for concurrent use; its arrays alias the model's bytes.
type Model struct {
	Info   Info
	Digest string // SHA-256 of the file in hexadecimal
	Size   int    // bytes of the file

	Sections []pack.Section // of the file, for model info
}

// New opens the components of a decoded file.
func New(f *File) (*Model, error) {
	return &Model{Info: f.Info, Sections: f.Sections}, nil
}
