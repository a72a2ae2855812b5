package model

import "github.com/treebeam/treebeam/parser/syntax"

// Retag is retag, for tests of package model_test.
func (m *Model) Retag(s *syntax.Sentence) bool { return m.retag(s) }
