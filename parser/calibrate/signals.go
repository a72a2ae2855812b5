package calibrate

import (
	"math"
	"math/bits"
	"slices"
	"unicode"
	"unicode/utf8"

	"github.com/treebeam/treebeam/parser/graph"
	"github.com/treebeam/treebeam/parser/syntax"
)

// The own signals of a word. All of them grow with certainty. The largest value
// stands for certain words, for the root, and for what is missing.
const (
	marginal = iota // log-odds of HeadMarginal, by HeadDoubt if it is set
	first           // of FirstOrder, by FirstDoubt
	margin          // of HeadMargin, in steps of its logarithm
	labelled        // of LabelProb
	tagged          // of TagProb
	gap             // log-odds of the head less those of the pruner's best other one
	signals
)

// most is the largest value of every signal.
var most = [signals]int32{marginal: 16 * nat, first: 16 * nat, margin: marginSteps(math.MaxFloat32),
	labelled: farthest, tagged: farthest, gap: 16 * nat}

// farthest are the log-odds of 1.
var farthest = oddsSteps(1)

// Features of a word. Each signal of a neighbour is one.
const (
	own        = 0 // from here on, each block has one feature for every signal
	ofHead     = own + signals
	ofPrevious = ofHead + signals
	ofNext     = ofPrevious + signals
	meanOfAll  = ofNext + signals
	leastOfAll = meanOfAll + signals

	// The signals of the weakest modifier, and of the head's weakest modifier,
	// without gap.
	leastBelow  = leastOfAll + signals
	leastBeside = leastBelow + signals - 1
)

// The course of the search is not among the features: how many climbs it took,
// or whether its tree was proved to be the best one, depends on the options as
// much as on the sentence, and would mislead with other options than in the
// fit.
const (
	candidates = leastBeside + signals - 1 + iota // heads to choose among
	rank                                          // how many of them the pruner prefers to the head
	distance                                      // to the head, signed, within 20; 0 for the root
	span                                          // its size
	modifiers
	besides  // modifiers of the head
	pathLow  // least margin on the way to the root
	position // in the sentence, 0 to 1024
	length   // of the sentence, in steps of its logarithm
	unknown  // share of words that are unknown, 0 to 256
	treeMargin
	segmented // this and the next three are truths
	given     // tags are
	noUpper   // no letter of the sentence is upper-case
	noLower
	letter      // class of the first character
	size        // bytes of the form
	tagTarget   // target encoding: of its UPOS,
	labelTarget // its deprel,
	headTarget  // and the UPOS of its head
	alone       // no other head may be chosen
	isRoot
	cut        // WordOdds: of the word,
	cutOfHead  // of its head,
	cutOfLeast // and the least of all words
	ends       // EndOdds
	numFeatures
)

// width is the length of a case. It is a power of two, and numbers of features
// are taken modulo width.
const width = 128

// A row holds the features of a case.
type row [width]int32

// A reader turns sentences into cases. It is for one goroutine.
type reader struct {
	own         [][signals]int32 // by word; 0 is the root
	below       [][signals - 1]int32
	tags, names []int16 // by word: number of its UPOS and deprel in the model, 0 unknown
	heads, kids []int32
	whole       row // features that all words of the sentence share
}

// read prepares the sentence, which must have a word or more.
func (r *reader) read(m *Model, s *syntax.Sentence) {
	n := len(s.Words)
	r.own, r.below = grown(r.own, n+1), grown(r.below, n+1)
	r.tags, r.names = grown(r.tags, n+1), grown(r.names, n+1)
	r.heads, r.kids = grown(r.heads, n+1), grown(r.kids, n+1)
	clear(r.kids)
	r.own[0], r.tags[0], r.names[0] = most, 0, 0
	for i := range r.below {
		r.below[i] = [signals - 1]int32(most[:signals-1])
	}
	var sum [signals]int64
	least := most
	upper, lower := false, false
	for i := range s.Words {
		w, x := &s.Words[i], &r.own[i+1]
		*x = signalsOf(s, i)
		for k, v := range x {
			sum[k] += int64(v)
			least[k] = min(least[k], v)
		}
		h := w.Head
		if h < 0 || int(h) > n || int(h) == i+1 {
			h = 0
		}
		r.heads[i+1] = h
		r.kids[h]++
		for k := range r.below[h] {
			r.below[h][k] = min(r.below[h][k], x[k])
		}
		r.tags[i+1], r.names[i+1] = m.tags.of(w.UPOS), m.relations.of(w.Deprel)
		u, l := letters(w.Form)
		upper, lower = upper || u, lower || l
	}
	c, x := &s.Confidence, &r.whole
	for k := range signals {
		x[meanOfAll+k] = int32(sum[k] / int64(n))
		x[leastOfAll+k] = least[k]
	}
	x[length] = logSteps(uint32(min(n, 1<<16)))
	x[unknown] = int32(int64(min(max(s.Unknown, 0), max(s.Lexical, 0))) * nat / int64(max(s.Lexical, 1)))
	x[treeMargin] = marginSteps(c.TreeMargin)
	x[segmented], x[given] = truth(s.Segmented), truth(s.TagsGiven)
	x[noUpper], x[noLower] = truth(!upper), truth(!lower)
	x[cutOfLeast], x[ends] = mostCut, mostCut
	if s.Segmented {
		for i := range s.WordOdds {
			x[cutOfLeast] = min(x[cutOfLeast], cutAt(s, i))
		}
		x[ends] = min(s.EndOdds, mostCut)
	}
}

// signalsOf returns the own signals of word i.
func signalsOf(s *syntax.Sentence, i int) (x [signals]int32) {
	c := &s.Confidence
	x[marginal] = doubtAt(c.HeadDoubt, i, oddsSteps(c.HeadMarginal[i]))
	x[first] = doubtAt(c.FirstDoubt, i, oddsAt(c.FirstOrder, i, x[marginal]))
	x[margin] = marginSteps(c.HeadMargin[i])
	x[labelled] = oddsAt(c.LabelProb, i, 0)
	x[tagged] = farthest
	if !s.TagsGiven {
		x[tagged] = oddsAt(s.TagProb, i, 0)
	}
	x[gap], _, _ = candidatesOf(s, i)
	return x
}

// candidatesOf returns the lead of the head of word i over the best other
// candidate by the pruner's log-odds, how many it has, and how many lead.
func candidatesOf(s *syntax.Sentence, i int) (lead, count, better int32) {
	c := &s.Candidates
	if len(c.Start) != len(s.Words)+1 || len(c.Heads) != len(c.LogOdds) {
		return most[gap], 1, 0
	}
	from, to := int(c.Start[i]), int(c.Start[i+1])
	if from < 0 || from > to || to > len(c.Heads) {
		return most[gap], 1, 0
	}
	const least = math.MinInt32 / 2
	mine, other := int32(least), int32(least)
	for k, h := range c.Heads[from:to] {
		if odds := c.LogOdds[from+k]; h == s.Words[i].Head {
			mine = odds
		} else {
			other = max(other, odds)
		}
	}
	if mine == least || other == least {
		return most[gap], int32(to - from), 0
	}
	for k, h := range c.Heads[from:to] {
		if c.LogOdds[from+k] > mine && h != s.Words[i].Head {
			better++
		}
	}
	return min(max((mine-other)/(1024/nat), -most[gap]), most[gap]), int32(to - from), better
}

// word sets x to the case of word i, from 0, of the sentence that was read.
func (r *reader) word(x *row, s *syntax.Sentence, i int) {
	*x = r.whole
	h := r.heads[i+1]
	copy(x[own:], r.own[i+1][:])
	copy(x[ofHead:], r.own[h][:])
	copy(x[ofPrevious:], r.own[i][:])
	following := &most
	if i+2 < len(r.own) {
		following = &r.own[i+2]
	}
	copy(x[ofNext:], following[:])
	copy(x[leastBelow:], r.below[i+1][:])
	copy(x[leastBeside:], r.below[h][:])
	_, count, better := candidatesOf(s, i)
	x[candidates], x[rank] = min(count, 64), min(better, 64)
	if h != 0 {
		x[distance] = min(max(h-int32(i+1), -20), 20)
	}
	x[span] = max(x[distance], -x[distance])
	x[modifiers], x[besides] = min(r.kids[i+1], 64), min(r.kids[h], 64)
	low := x[margin]
	for at, k := h, 0; at != 0 && k < 8; at, k = r.heads[at], k+1 {
		low = min(low, r.own[at][margin])
	}
	x[pathLow] = low
	x[position] = int32(int64(i+1) * 1024 / int64(len(s.Words)))
	x[letter], x[size] = class(s.Words[i].Form), int32(min(len(s.Words[i].Form), 64))
	x[alone] = truth(x[margin] >= most[margin])
	x[isRoot] = truth(h == 0)
	x[cut], x[cutOfHead] = cutAt(s, i), cutAt(s, int(h)-1)
}

// mostCut is the largest value of WordOdds and EndOdds. It stands for words that were given,
// and for the root.
const mostCut = 16 * nat

// cutAt returns WordOdds of word i, or mostCut.
func cutAt(s *syntax.Sentence, i int) int32 {
	if i < 0 || i >= len(s.WordOdds) {
		return mostCut
	}
	return min(s.WordOdds[i], mostCut)
}

// grown returns a slice of n elements of any content, with the room of a if that is enough.
func grown[T any](a []T, n int) []T { return slices.Grow(a[:0], n)[:n] }

// truth returns a boolean as a feature of the size of others for a straight
// line: a nat if true.
func truth(x bool) int32 {
	if x {
		return nat
	}
	return 0
}

// oddsAt returns the log-odds of element i of a list, or other if there is
// none.
func oddsAt(list []float32, i int, other int32) int32 {
	if i >= len(list) {
		return other
	}
	return oddsSteps(list[i])
}

// doubtAt returns the log-odds of 1 minus element i of a list of doubts, or other
// if there is none. Small doubts are more exact than rounded probabilities.
func doubtAt(list []float32, i int, other int32) int32 {
	if i >= len(list) || !(list[i] < 1.0/64) {
		return other
	}
	d := max(list[i], 1e-7)
	bits := math.Float32bits(d) // positive, and no subnormal number
	exponent, mantissa := int32(bits>>23)-127, bits>>(23-8)&0xff
	return min(int32(nearest(float64(-exponent)*(ln2*nat)))-mantissas[mantissa]-int32(d*nat), 16*nat)
}

// mantissas are the logarithms of 1 to 2 in units of 1/nat.
var mantissas = func() (list [256]int32) {
	for i := range list {
		list[i] = int32(nearest(graph.Log(1+(float64(i)+0.5)/256) * nat))
	}
	return list
}()

// oddsSteps returns the log-odds of a probability in units of 1/nat.
func oddsSteps(p float32) int32 { return oddsOf[steps(float64(p))] }

// marginSteps returns the logarithm of 1 plus a margin, in steps. Margins above
// 64 count as 64, and NaN as 0.
func marginSteps(x float32) int32 {
	if !(x > 0) {
		return 0
	}
	return logSteps(nat+uint32(min(x, 64)*nat)) - logSteps(nat)
}

// logSteps returns about the binary logarithm of x > 0 in units of 1/nat: exact
// at powers of 2, linear between them.
func logSteps(x uint32) int32 {
	k := bits.Len32(x) - 1
	return int32(k*nat) + int32(uint64(x)*nat>>k) - nat
}

// letters reports whether a form has an upper-case and a lower-case letter.
func letters(form string) (upper, lower bool) {
	for _, c := range form {
		if c < utf8.RuneSelf {
			upper = upper || c >= 'A' && c <= 'Z'
			lower = lower || c >= 'a' && c <= 'z'
		} else {
			upper, lower = upper || unicode.IsUpper(c), lower || unicode.IsLower(c)
		}
		if lower && upper {
			break
		}
	}
	return upper, lower
}

// class returns what kind of character begins a form.
func class(form string) int32 {
	c, _ := utf8.DecodeRuneInString(form)
	switch {
	case c >= 'a' && c <= 'z' || c >= utf8.RuneSelf && unicode.IsLower(c):
		return 0
	case c >= 'A' && c <= 'Z' || c >= utf8.RuneSelf && unicode.IsUpper(c):
		return 1
	case c >= utf8.RuneSelf && unicode.IsLetter(c):
		return 2
	case c >= '0' && c <= '9':
		return 3
	}
	return 4
}
