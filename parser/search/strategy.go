package search

import (
	"fmt"

	"github.com/treebeam/treebeam/parser/score"
)

// DefaultDelta is the local loss below which moves are scored in full, in
// units of 1/score.Unit: one wrong head.
const DefaultDelta = score.Unit

// A Strategy says which tree a training step moves away from.
type Strategy string

const (
	// Skip takes the end of the search. Where the gold tree scores higher,
	// which is an error of the search, there is no step.
	Skip Strategy = "skip"

	// MaxViolation also climbs from the gold tree and takes the tree that
	// beats it by most, so that there is a step unless the gold tree is the
	// best of all that were seen. (Along one climb the margin over gold only
	// grows, so the largest violation is at an end.)
	MaxViolation Strategy = "max-violation"

	DefaultStrategy = Skip
)

// Valid returns an error that names the strategies if s is none.
func (s Strategy) Valid() error {
	if s != "" && s != Skip && s != MaxViolation {
		return fmt.Errorf("strategy %q: want %s or %s", string(s), Skip, MaxViolation)
	}
	return nil
}
