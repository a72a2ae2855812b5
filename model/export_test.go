package model

import "github.com/treebeam/treebeam/parser/syntax"

// Retag is retag, for tests of package model_test.
func (m *Model) Retag(s *syntax.Sentence) bool {
	_, mix := m.ready(s)
	return m.retag(s, mix)
}

// OpenWorldWith opens a world with the separate file of a calibrator.
func OpenWorldWith(data, calibrator []byte) (*World, error) { return newWorld(data, calibrator) }
