package calibrate

import "github.com/treebeam/treebeam/parser/graph"

// Features of a whole tree. The features that all words share keep their
// numbers.
const (
	product    = iota // log-odds of the product of all words' chances
	tagging           // the same for the chances of their UPOS
	weakest           // log-odds of the least chance
	second            // the same for the second least
	doubtful          // words with less than an even chance
	unsure            // with less than 9 in 10
	productCut        // product, in a sentence that the segmenter found, which may be wrong, too; else 0
	lengthCut         // length, under the same condition
)

// A summary combines the chances of the words of a tree.
type summary struct {
	words            int
	right, tags      float64 // products
	least, next      int32   // in units of 1/fine
	doubtful, unsure int32
}

func (s *summary) add(p chances) {
	if s.words == 0 {
		*s = summary{right: 1, tags: 1, least: fine, next: fine}
	}
	s.words++
	x := p.both()
	s.right *= max(float64(x), 0.5) / fine
	s.tags *= max(float64(p.upos), 0.5) / fine
	if x < s.least {
		s.least, s.next = x, s.least
	} else {
		s.next = min(s.next, x)
	}
	if x < fine/2 {
		s.doubtful++
	}
	if x < fine/10*9 {
		s.unsure++
	}
}

// row sets x to the case of the tree whose sentence was read.
func (s *summary) row(x *row, r *reader) {
	*x = r.whole
	x[product], x[tagging] = productOdds(s.right), productOdds(s.tags)
	x[weakest], x[second] = oddsOf[toGrain(s.least)], oddsOf[toGrain(s.next)]
	x[doubtful], x[unsure] = min(s.doubtful, 64), min(s.unsure, 64)
	x[productCut], x[lengthCut] = 0, 0
	if x[segmented] != 0 {
		x[productCut], x[lengthCut] = x[product], x[length]
	}
}

// productOdds returns the log-odds of a probability in units of 1/nat, within
// 16 nats.
func productOdds(p float64) int32 {
	const least = 1e-7
	p = min(max(p, least), 1-least)
	return int32(nearest(graph.Log(p/(1-p)) * nat))
}

// The features in the straight lines of the functions, in addition to the
// constant 1.
var (
	headLinear = []uint8{marginal, first, margin, labelled, tagged, gap, alone, isRoot, ofHead + marginal,
		ofHead + margin, ofHead + tagged,
		leastBelow + margin, segmented, given, noUpper, noLower, unknown, length}
	labelLinear = []uint8{labelled, marginal, tagged, gap, ofHead + labelled, ofHead + tagged, segmented, given,
		noUpper, noLower, unknown}
	uposLinear = []uint8{tagged, labelled, marginal, ofPrevious + tagged, ofNext + tagged, ofHead + tagged, segmented,
		noUpper, noLower, unknown}
	wholeLinear = []uint8{product, productCut, tagging, weakest, length, lengthCut, segmented, given, noUpper, noLower, unknown}
)
