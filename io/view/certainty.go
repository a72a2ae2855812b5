package view

import (
	"fmt"

	"github.com/treebeam/treebeam/io/parquet"
	"github.com/treebeam/treebeam/io/pick"
	"github.com/treebeam/treebeam/parser/syntax"
)

// sure is the probability from which on probabilities are not shown.
const sure = 0.9

// arcProbability is the probability that head and label of word i are right, as
// pick.Probabilities has it; ok is false if it has none.
func arcProbability(t *parquet.Tree, i int) (p float32, ok bool) {
	if list, _ := pick.Probabilities(t); i < len(list) {
		return list[i], true
	}
	return 0, false
}

// leastCertain is the first word with the least certain arc; punctuation counts only if
// there is nothing else.
func leastCertain(t *parquet.Tree) (word int) {
	lowest := float32(2)
	punct := true // all so far are
	for i := range t.Tokens {
		p, ok := arcProbability(t, i)
		if is := pick.IsPunctuation(t, i); ok && (is == punct && p < lowest || punct && !is) {
			word, lowest, punct = i, p, is
		}
	}
	return word
}

// certainty says in words how sure a tree is, "" if nothing is known of it.
func certainty(t *parquet.Tree) string {
	d := pick.Of(t)
	switch {
	case d.Words == 0:
		return ""
	case d.By == pick.Raw:
		return fmt.Sprintf("%s of %s wrong by %s, which is not calibrated", expected(d), Many(d.Words, "word"), d.By)
	}
	say := fmt.Sprintf("%s of %s expected to be wrong", expected(d), Many(d.Words, "word"))
	if t.TreeConf != nil {
		say += fmt.Sprintf("; the whole tree is right with probability %.2f", *t.TreeConf)
	}
	switch t.Certificate {
	case syntax.All.String():
		say += "; no tree scores higher: all were scored"
	case syntax.Bound.String():
		say += "; no tree scores higher: a bound proves it"
	}
	return say
}

func expected(d pick.Doubt) string { return fmt.Sprintf("%.1f", d.Expected()) }

// A Conf says which probabilities a drawing shows.
type Conf uint8

const (
	NoConf  Conf = iota // none
	LowConf             // the ones below 0.9
	AllConf             // all
)

// shows reports whether a probability is shown.
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
