package eval

import (
	"cmp"
	"math"
	"slices"

	"github.com/treebeam/treebeam/parser/calibrate"
	"github.com/treebeam/treebeam/parser/syntax"
)

// Judge says what is right in every sentence of system. It aligns as Evaluate does, so
// system may have other words and sentences than gold. The result is in the order of
// system. Judge fails where Evaluate fails.
func Judge(gold, system []syntax.Sentence) ([]calibrate.Judgement, error) {
	g, s, err := align(gold, system)
	if err != nil {
		return nil, err
	}
	n := len(s.words)
	flags := make([]bool, 4*n) // of all sentences
	out := make([]calibrate.Judgement, len(system))
	at := 0
	for k := range system {
		to := at + len(system[k].Words)
		words, j := s.words[at:to], &out[k]
		for q, list := range []*[]bool{&j.UPOS, &j.Head, &j.LAS, &j.Deprel} {
			*list = flags[q*n+at : q*n+to : q*n+to]
		}
		j.Tree = len(words) > 0
		if j.Tree {
			j.Sentence = words[0].sentence
		}
		for i := range words {
			w := &words[i]
			if w.gold != nil {
				j.UPOS[i] = w.gold.UPOS == w.UPOS
				j.Head[i], j.LAS[i], j.Deprel[i] = sameHead(w.gold, w), sameArc(w.gold, w), sameFull(w.gold, w)
			}
			j.Tree = j.Tree && j.Deprel[i] && g.sentences[w.sentence] == s.sentences[k] &&
				len(gold[w.sentence].Words) == len(words)
		}
		at = to
	}
	return out, nil
}

// A Reliability measures how well a confidence column tells right from wrong.
type Reliability struct {
	Column string  `json:"column"` // as in an output; "a*b" is the product of two
	Of     string  `json:"of"`     // the object that is right or wrong: "head", "head+deprel", "UPOS", "tree"
	Cases  int     `json:"cases"`  // words or trees that have a value
	Right  int     `json:"right"`  // of these
	Mean   float64 `json:"mean"`   // of the values
	// ECE is the expected calibration error with 15 bins of equal width (Guo
	// et al. 2017): the mean distance, over cases, of the mean value of a bin
	// from the share of right cases in it.
	ECE float64 `json:"ece"`
	// AURC is the area under the curve of risk and coverage (Geifman and
	// El-Yaniv 2017): the mean share of wrong cases among the k most certain
	// ones, over all k. Here and below, the order of cases with equal values does not
	// matter.
	AURC float64 `json:"aurc"`
	// AUC is the area under the receiver operating characteristic. It is the probability that
	// a right case has a higher value than a wrong one, where a tie counts half (Hanley and
	// McNeil 1982). Nil if all are right, or all wrong.
	AUC *float64 `json:"auc"`
	// Surest80 and Surest50 are the shares of right cases among the most certain
	// 80 % and 50 %, rounded to whole cases and at least one.
	Surest80 float64 `json:"surest_80"`
	Surest50 float64 `json:"surest_50"`
}

// reliabilityBins is the number of bins of ECE.
const reliabilityBins = 15

// A judged is one value of a column, and whether its object is right.
type judged struct {
	value float64
	right bool
}

// Reliabilities measures the confidence columns that system has, by the result of
// Judge. It fails where Evaluate fails.
func Reliabilities(gold, system []syntax.Sentence) (out []Reliability, err error) {
	judgements, err := Judge(gold, system)
	if err != nil {
		return nil, err
	}
	head := func(j *calibrate.Judgement) []bool { return j.Head }
	arc := func(j *calibrate.Judgement) []bool { return j.Deprel }
	upos := func(j *calibrate.Judgement) []bool { return j.UPOS }
	every := func(*syntax.Word) bool { return true }
	noPunctuation := func(w *syntax.Word) bool { return !isPunctuation(w.Form) }
	type confidence = syntax.Confidence
	type lists = [][]float32
	for _, column := range []wordColumn{
		{"head_marginal", "head", every, head, func(c *confidence) lists { return lists{c.HeadMarginal} }},
		{"head_conf", "head", every, head, func(c *confidence) lists { return lists{c.HeadConf} }},
		{"head_conf", "head, no punct.", noPunctuation, head, func(c *confidence) lists { return lists{c.HeadConf} }},
		{"head_marginal*label_marginal", "head+deprel", every, arc,
			func(c *confidence) lists { return lists{c.HeadMarginal, c.LabelProb} }},
		{"deprel_conf", "head+deprel", every, arc, func(c *confidence) lists { return lists{c.DeprelConf} }},
		{"upos_conf", "UPOS", every, upos, func(c *confidence) lists { return lists{c.UPOSConf} }},
	} {
		out = appendReliability(out, column.name, column.of, column.judged(system, judgements))
	}
	var conf []judged
	for k := range system {
		c, right := &system[k].Confidence, judgements[k].Tree
		if c.HasTreeConf {
			conf = append(conf, judged{float64(c.TreeConf), right})
		}
	}
	return appendReliability(out, "tree_conf", "tree", conf), nil
}

// A wordColumn is a confidence column of words.
type wordColumn struct {
	name, of string
	over     func(*syntax.Word) bool // words that count
	right    func(*calibrate.Judgement) []bool
	values   func(*syntax.Confidence) [][]float32 // by word minus 1, to be multiplied
}

// judged returns the values of the words that have all of the column's.
func (c *wordColumn) judged(system []syntax.Sentence, judgements []calibrate.Judgement) (list []judged) {
	for k := range system {
		values, right := c.values(&system[k].Confidence), c.right(&judgements[k])
		for i := range system[k].Words {
			value, has := 1.0, c.over(&system[k].Words[i])
			for _, v := range values {
				if has = has && i < len(v); has {
					value *= float64(v[i])
				}
			}
			if has {
				list = append(list, judged{value, right[i]})
			}
		}
	}
	return list
}

// appendReliability appends the figures of a column that has values between 0 and 1.
func appendReliability(to []Reliability, column, of string, list []judged) []Reliability {
	list = slices.DeleteFunc(list, func(j judged) bool { return !(j.value >= 0 && j.value <= 1) })
	if len(list) == 0 {
		return to
	}
	r := Reliability{Column: column, Of: of, Cases: len(list)}
	var distance [reliabilityBins]float64 // sum of values minus right cases
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

	r.rank(list)
	return append(to, r)
}

// rank computes the figures that depend only on the order of the cases. It sorts list.
func (r *Reliability) rank(list []judged) {
	slices.SortFunc(list, func(a, b judged) int { return cmp.Compare(b.value, a.value) })
	n := len(list)
	surest := func(share float64) int { return max(int(math.Round(share*float64(n))), 1) }
	at80, at50 := surest(0.8), surest(0.5)
	wrong := 0.0            // among the first i, on average over all orders
	before, ordered := 0, 0 // right ones before i; twice the pairs in the right order
	for i := 0; i < n; {
		end, errors := i, 0
		for ; end < n && list[end].value == list[i].value; end++ {
			if !list[end].right {
				errors++
			}
		}
		right := end - i - errors
		ordered += errors * (2*before + right)
		before += right
		share := float64(errors) / float64(end-i)
		for ; i < end; i++ {
			wrong += share
			risk := wrong / float64(i+1)
			r.AURC += risk
			if i+1 == at80 {
				r.Surest80 = 1 - risk
			}
			if i+1 == at50 {
				r.Surest50 = 1 - risk
			}
		}
	}
	r.AURC /= float64(n)
	if pairs := before * (n - before); pairs > 0 {
		auc := float64(ordered) / float64(2*pairs)
		r.AUC = &auc
	}
}

// A Forecast compares the expected value of a metric, without gold trees, with
// its true value. Figures are shares; all but Difference are in [0,1].
type Forecast struct {
	Metric   Metric  `json:"metric"`
	Expected float64 `json:"expected"` // share of the words that have probabilities
	// Stderr is the standard error of Expected, if the probabilities are right.
	Stderr     float64 `json:"stderr"`
	F1         float64 `json:"f1"`
	Difference float64 `json:"difference"` // F1 - Expected
}

// Forecasts compares the expected scores of the system's trees, summed over all trees, with
// the true UPOS, UAS and LAS. It returns nil if no word has probabilities.
func (r *Result) Forecasts(e *syntax.Expected) (list []Forecast) {
	if e.Words == 0 {
		return nil
	}
	for k, of := range e.Estimates() {
		metric := expected[k]
		share, stderr := of.Share(e.Words)
		f1 := r.Scores[metric].F1()
		list = append(list, Forecast{metric, share, stderr, f1, f1 - share})
	}
	return list
}

// expected are the metrics of syntax.Expected.Estimates.
var expected = [...]Metric{UPOS, UAS, LAS}
