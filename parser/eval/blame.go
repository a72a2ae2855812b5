package eval

import (
	"fmt"
	"slices"

	"github.com/treebeam/treebeam/parser/syntax"
)

// A Cause says why the tree found is not the gold tree. Its text is its name
// in tables and JSON.
type Cause string

const (
	NoError Cause = "none" // it is, in all heads
	// PruningError: the search could not find the gold tree, because a gold
	// head is not among the candidates or gold has not exactly one root,
	// because the sentence is parsed in windows, or because gold has crossing
	// arcs and none were allowed.
	PruningError Cause = "pruning"
	SearchError  Cause = "search" // gold could be found and scores higher than what was found
	ModelError   Cause = "model"  // gold could be found and scores no higher
)

var causes = []Cause{NoError, PruningError, SearchError, ModelError}

// TreeErrors divides the sentences of a parse by what their errors come from.
type TreeErrors struct {
	Causes map[Cause]CauseCount `json:"causes_of_errors"`  // of every cause
	Pruned int                  `json:"pruned_gold_heads"` // words whose gold head was no candidate
}

// A CauseCount counts the sentences of one cause.
type CauseCount struct {
	Sentences  int `json:"sentences"`
	Words      int `json:"words"`
	WrongHeads int `json:"wrong_heads"`
}

// Blame finds the causes. found must be parses of gold's own words in the
// same order, with the Candidates that were searched; score returns the
// score of a tree of one of them, heads by word minus 1, and whether the
// search can reach it (search.Model.Score).
func Blame(gold, found []syntax.Sentence, score func(s *syntax.Sentence, heads []int32) (int64, bool)) (*TreeErrors, error) {
	if len(gold) != len(found) {
		return nil, fmt.Errorf("%d gold sentences, %d parsed", len(gold), len(found))
	}
	t := &TreeErrors{Causes: map[Cause]CauseCount{}}
	for _, c := range causes {
		t.Causes[c] = CauseCount{}
	}
	for i := range gold {
		g, f := &gold[i], &found[i]
		n := len(g.Words)
		if len(f.Words) != n || len(f.Candidates.Start) != n+1 {
			return nil, fmt.Errorf("sentence %d: %d gold words, %d parsed with candidates for %d", i+1, n, len(f.Words), len(f.Candidates.Start)-1)
		}
		want, got := make([]int32, n), make([]int32, n)
		wrong := 0
		for k := range g.Words {
			want[k], got[k] = g.Words[k].Head, f.Words[k].Head
			if want[k] != got[k] {
				wrong++
			}
			if !slices.Contains(f.Candidates.Of(k+1), want[k]) {
				t.Pruned++
			}
		}
		cause := NoError
		if wrong > 0 {
			best, reachable := score(f, want)
			reached, _ := score(f, got)
			switch {
			case !reachable:
				cause = PruningError
			case best > reached:
				cause = SearchError
			default:
				cause = ModelError
			}
		}
		c := t.Causes[cause]
		t.Causes[cause] = CauseCount{c.Sentences + 1, c.Words + n, c.WrongHeads + wrong}
	}
	return t, nil
}

// Crosses reports whether two arcs of a tree cross, heads by word minus 1;
// that of the root runs from 0, left of the first word.
func Crosses(heads []int32) bool { return slices.Contains(crossing(heads), true) }
