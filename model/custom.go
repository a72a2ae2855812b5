package model

import (
	"github.com/treebeam/treebeam/parser/segment"
	"github.com/treebeam/treebeam/parser/tag"
)

// A Custom is what a caller knows of a text beside the model. The zero Custom is
// what every model has when it is opened.
type Custom struct {
	Rules      *segment.Rules  // abbreviations, and strings that are one token
	Exceptions *tag.Exceptions // tags and lemmas of forms
	// Unconstrained leaves trees as they score best, though the guidelines of
	// Universal Dependencies forbid them.
	Unconstrained bool
}

// With returns a model that does what m does, with a Custom instead of its own. It
// shares all memory with m.
func (m *Model) With(c Custom) *Model {
	made := *m
	made.custom = c
	return &made
}
