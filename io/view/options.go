package view

import (
	"fmt"

	"github.com/treebeam/treebeam/io/parquet"
	"github.com/treebeam/treebeam/parser/syntax"
)

// A Conf says which probabilities a drawing shows.
type Conf uint8

const (
	NoConf  Conf = iota // none
	LowConf             // those below 0.9
	AllConf             // all
)

// shows says whether a probability is shown.
func (c Conf) shows(p float32) bool { return c == AllConf || c == LowConf && p < sure }

// arc is the probability of head and label of word i as it is shown, "" if it is not.
func (c Conf) arc(t *parquet.Tree, i int) string {
	if p, ok := arcProbability(t, i); ok && c.shows(p) {
		return fmt.Sprintf("%.2f", p)
	}
	return ""
}

// tag is the probability of the tag of word i as it is shown, "" if it is not.
func (c Conf) tag(t *parquet.Tree, i int) string {
	if i < len(t.UPOSConf) && c.shows(t.UPOSConf[i]) {
		return fmt.Sprintf("%.2f", t.UPOSConf[i])
	}
	return ""
}

// rowOf is a sentence as the row that all drawings are made from. Its id is ""
// if the sentence has none.
func rowOf(s *syntax.Sentence) *parquet.Tree {
	t := parquet.ToRow(s, &parquet.Doc{})
	t.SentID = s.ID
	return &t
}

// marks is a set of words, numbered from 1.
func marks(words []int) map[int]bool {
	set := make(map[int]bool, len(words))
	for _, w := range words {
		set[w] = true
	}
	return set
}
