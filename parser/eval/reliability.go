package eval

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"

	"github.com/treebeam/treebeam/parser/syntax"
)

// A Reliability says how well a column of confidence tells right from wrong.
type Reliability struct {
	Column string  `json:"column"` // as in an output; "a*b" is the product of two
	Of     string  `json:"of"`     // what is right or wrong: "head", "head+deprel", "tree"
	Cases  int     `json:"cases"`  // words or trees that have a value
	Right  int     `json:"right"`  // of these
	Mean   float64 `json:"mean"`   // of the values
	// ECE is the expected calibration error with 15 bins of equal width (Guo
	// et al. 2017): the mean distance, over cases, of the mean value of a bin
	// from the share of right cases in it.
	ECE float64 `json:"ece"`
	// AURC is the area under the curve of risk and coverage (Geifman and
	// El-Yaniv 2017): the mean share of wrong cases among the k most certain
	// ones, over all k. Cases of equal value count in any order alike.
	AURC float64 `json:"aurc"`
}

// reliabilityBins is the number of bins of ECE.
const reliabilityBins = 15

// A judged is one value of a column, and whether it was said of something
// right.
type judged struct {
	value float64
	right bool
}

// Reliabilities measures the columns of confidence that system has. A head is
// right if it is that of the aligned gold word, as in UAS, a deprel if it is
// equal with its subtype; words that are not aligned are wrong, and trees
// whose sentence is none of gold's. An error is that of Evaluate.
func Reliabilities(gold, system []syntax.Sentence) (out []Reliability, err error) {
	e, err := aligned(gold, system)
	if err != nil {
		return nil, err
	}
	s := e.system
	heads, arcs := e.rightWords()
	trees := e.rightTrees(arcs)

	// words adds the product of the columns of the words that have them all.
	words := func(name, of string, right []bool, punct bool, columns func(c *syntax.Confidence) [][]float32) {
		var list []judged
		for k := range system {
			for i := range system[k].Words {
				at, value, ok := s.firstWord[k]+i, 1.0, true
				for _, c := range columns(&system[k].Confidence) {
					if ok = ok && i < len(c); ok {
						value *= float64(c[i])
					}
				}
				if ok && (punct || !s.words[at].punct) {
					list = append(list, judged{value, right[at]})
				}
			}
		}
		out = appendReliability(out, name, of, list)
	}
	type lists = [][]float32
	headConf := func(c *syntax.Confidence) lists { return lists{c.HeadConf} }
	words("head_marginal", "head", heads, true, func(c *syntax.Confidence) lists { return lists{c.HeadMarginal} })
	words("head_agreement", "head", heads, true, func(c *syntax.Confidence) lists { return lists{c.HeadAgreement} })
	words("head_conf", "head", heads, true, headConf)
	words("head_conf", "head, no punct.", heads, false, headConf)
	words("head_marginal*label_marginal", "head+deprel", arcs, true, func(c *syntax.Confidence) lists { return lists{c.HeadMarginal, c.LabelProb} })
	words("deprel_conf", "head+deprel", arcs, true, func(c *syntax.Confidence) lists { return lists{c.DeprelConf} })

	var agreement, conf []judged
	for k := range system {
		c := &system[k].Confidence
		if len(c.HeadAgreement) > 0 {
			agreement = append(agreement, judged{float64(c.TreeAgreement), trees[k]})
		}
		if c.HasTreeConf {
			conf = append(conf, judged{float64(c.TreeConf), trees[k]})
		}
	}
	out = appendReliability(out, "tree_agreement", "tree", agreement)
	return appendReliability(out, "tree_conf", "tree", conf), nil
}

// rightWords says of each system word whether its head is right, and whether
// head and deprel are.
func (e *evaluator) rightWords() (heads, arcs []bool) {
	heads, arcs = make([]bool, len(e.system.words)), make([]bool, len(e.system.words))
	for _, p := range e.pairs {
		g, s := &e.gold.words[p.gold], &e.system.words[p.system]
		gp, sp := e.parents(g, s)
		heads[p.system] = gp == sp
		arcs[p.system] = gp == sp && g.full == s.full
	}
	return heads, arcs
}

// rightTrees says of each system sentence whether it is a gold sentence with
// all its words, heads and deprels.
func (e *evaluator) rightTrees(arcs []bool) []bool {
	trees := make([]bool, len(e.system.sentences))
	for k, s := range e.system.sentences {
		g, found := slices.BinarySearchFunc(e.gold.sentences, s, func(a, b span) int { return cmp.Compare(a.start, b.start) })
		if !found || e.gold.sentences[g].end != s.end {
			continue
		}
		lo, hi := e.system.firstWord[k], e.system.firstWord[k+1]
		trees[k] = hi-lo == e.gold.firstWord[g+1]-e.gold.firstWord[g] && !slices.Contains(arcs[lo:hi], false)
	}
	return trees
}

// appendReliability appends the figures of a column that has values.
func appendReliability(to []Reliability, column, of string, list []judged) []Reliability {
	if len(list) == 0 {
		return to
	}
	r := Reliability{Column: column, Of: of, Cases: len(list)}
	var distance [reliabilityBins]float64 // sum of values less right cases
	for _, j := range list {
		b := min(int(float64(j.value*reliabilityBins)), reliabilityBins-1)
		distance[b] += j.value
		r.Mean += j.value
		if j.right {
			distance[b]--
			r.Right++
		}
	}
	n := float64(len(list))
	for _, d := range distance {
		r.ECE += max(d, -d) / n
	}
	r.Mean /= n

	slices.SortFunc(list, func(a, b judged) int { return cmp.Compare(b.value, a.value) })
	wrong := 0.0
	for i := 0; i < len(list); {
		end, errors := i, 0
		for ; end < len(list) && list[end].value == list[i].value; end++ {
			if !list[end].right {
				errors++
			}
		}
		share := float64(errors) / float64(end-i)
		for ; i < end; i++ {
			wrong += share
			r.AURC += wrong / float64(i+1)
		}
	}
	r.AURC /= n
	return append(to, r)
}

// writeReliabilities writes them as a table, in percent.
func writeReliabilities(b *bytes.Buffer, list []Reliability) {
	fmt.Fprintf(b, "\n%-28s | %-15s |    Cases |   Right |    Mean |     ECE |    AURC\n", "Confidence", "of")
	fmt.Fprintf(b, "-----------------------------+-----------------+----------+---------+---------+---------+--------\n")
	for _, r := range list {
		fmt.Fprintf(b, "%-28s | %-15s |%9d |%8.2f |%8.2f |%8.2f |%8.2f\n", r.Column, r.Of, r.Cases,
			100*ratio(r.Right, r.Cases), 100*r.Mean, 100*r.ECE, 100*r.AURC)
	}
}
