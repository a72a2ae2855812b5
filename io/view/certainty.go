package view

import (
	"fmt"

	"github.com/treebeam/treebeam/io/parquet"
	"github.com/treebeam/treebeam/io/pick"
	"github.com/treebeam/treebeam/parser/syntax"
)

// sure is the probability from which on it is not shown.
const sure = 0.9

// arcProbability is the probability that head and label of word i are right, as
// pick.Probabilities has it; ok is false if it has none.
func arcProbability(t *parquet.Tree, i int) (p float32, ok bool) {
	if list, _ := pick.Probabilities(t); i < len(list) {
		return list[i], true
	}
	return 0, false
}

// leastCertain is the first word of those whose arc is least certain;
// punctuation is passed over, unless there is nothing else.
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
		return fmt.Sprintf("%s of %s wrong by %s, which is not calibrated", expected(d), many(int64(d.Words), "word"), d.By)
	}
	say := fmt.Sprintf("%s of %s expected to be wrong", expected(d), many(int64(d.Words), "word"))
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
