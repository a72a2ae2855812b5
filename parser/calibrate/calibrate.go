// Package calibrate turns the raw signals of a parse into probabilities:
// that a head is right, that head and deprel are, and that a whole tree is.
// Its three models are logistic regressions (Platt 2000) with a handful of
// coefficients, fitted to sentences with gold trees that the parser has not
// learned from. They read nothing but what the columns of an output hold.
package calibrate

import (
	"errors"
	"fmt"
	"slices"

	"github.com/treebeam/treebeam/parser/pack"
	"github.com/treebeam/treebeam/parser/syntax"
)

// MinSentences is the number of sentences that a fit needs.
const MinSentences = 50

// ErrTooFew is what Fit fails with when there are fewer.
var ErrTooFew = errors.New("too few sentences")

// A Model is a calibrator. It is read-only and safe for concurrent use.
type Model struct {
	head   [headFeatures]float64
	deprel [deprelFeatures]float64
	tree   [treeFeatures]float64
}

// Features. The first of each list is 1.
const (
	headFeatures   = 9
	deprelFeatures = 2
	treeFeatures   = 3
)

// alone is the margin of a word without another head to choose.
const alone = 64

// headCase returns the features of word i: whether its head is right.
func headCase(s *syntax.Sentence, i int) (x [headFeatures]float64) {
	c := &s.Confidence
	x[0] = 1
	x[1] = odds(c.HeadMarginal[i])
	x[2] = float64(c.HeadAgreement[i])
	x[3] = odds(labelProb(c, i))
	if m := float64(c.HeadMargin[i]); m >= alone {
		x[4] = 1
	} else if m > 0 {
		x[5] = m / (1 + m)
		x[6] = log(1 + m)
	}
	if c.Restarts == 0 {
		x[7] = 1
	}
	if s.Words[i].Head == syntax.Root {
		x[8] = 1
	}
	return x
}

// deprelCase returns the features of word i: whether its deprel is right if
// its head is.
func deprelCase(s *syntax.Sentence, i int) [deprelFeatures]float64 {
	return [deprelFeatures]float64{1, odds(labelProb(&s.Confidence, i))}
}

// treeCase returns the features of a sentence whose words are calibrated:
// whether all heads and deprels are right. The log-odds are those of the
// product of all deprels' probabilities.
func treeCase(s *syntax.Sentence) [treeFeatures]float64 {
	sum := 0.0
	for _, p := range s.Confidence.DeprelConf {
		sum += logOf[steps(float64(p))]
	}
	wrong := max(1-exp(sum), 0.5/grain)
	return [treeFeatures]float64{1, sum - log(wrong), log(float64(len(s.Words)))}
}

func labelProb(c *syntax.Confidence, i int) float32 {
	if i < len(c.LabelProb) {
		return c.LabelProb[i]
	}
	return 0
}

// Apply sets HeadConf, DeprelConf and TreeConf of a parsed sentence to
// probabilities: multiples of 1/4096 in [0,1], no DeprelConf above its
// HeadConf. A sentence without marginals gets none. It reads the heads and the
// raw signals only.
func (m *Model) Apply(s *syntax.Sentence) { m.ApplyGiven(s, nil, nil) }

// ApplyGiven is Apply for a sentence some of whose words had their heads, or
// heads and deprels, from the caller: these are right by definition, and so
// is a tree that has nothing else. Both lists are by word minus 1, or nil.
func (m *Model) ApplyGiven(s *syntax.Sentence, heads, deprels []bool) {
	c, n := &s.Confidence, len(s.Words)
	c.HeadConf, c.DeprelConf, c.TreeConf, c.HasTreeConf = nil, nil, 0, false
	if n == 0 || len(c.HeadMarginal) != n || len(c.HeadMargin) != n || len(c.HeadAgreement) != n {
		return
	}
	both := make([]float32, 2*n)
	c.HeadConf, c.DeprelConf = both[:n:n], both[n:]
	given := 0
	for i := range n {
		p, known := 1.0, heads != nil && heads[i]
		if !known {
			x := headCase(s, i)
			p = sigmoid(dot(m.head[:], x[:]))
		}
		c.HeadConf[i] = rounded(p)
		if known && deprels != nil && deprels[i] {
			given++
		} else {
			x := deprelCase(s, i)
			p *= sigmoid(dot(m.deprel[:], x[:]))
		}
		c.DeprelConf[i] = rounded(p)
	}
	c.HasTreeConf, c.TreeConf = true, 1
	if given < n {
		x := treeCase(s)
		c.TreeConf = rounded(sigmoid(dot(m.tree[:], x[:])))
	}
}

// Fit returns the calibrator under which gold is likeliest. parsed are parses
// of gold's own words by a model that has not learned from gold, in the same
// order; those without marginals are passed over. A deprel is right with its
// subtype only. It fails with ErrTooFew if fewer than MinSentences are left.
// The same input gives the same bits on every machine.
func Fit(gold, parsed []syntax.Sentence) (*Model, error) {
	if len(gold) != len(parsed) {
		return nil, fmt.Errorf("%d gold sentences, %d parsed", len(gold), len(parsed))
	}
	var heads, deprels, trees []sample
	var used []int
	for k := range gold {
		g, s := gold[k].Words, &parsed[k]
		if len(g) != len(s.Words) {
			return nil, fmt.Errorf("sentence %d: %d gold words, %d parsed", k+1, len(g), len(s.Words))
		}
		if len(g) == 0 || len(s.Confidence.HeadMarginal) != len(g) {
			continue
		}
		used = append(used, k)
		for i := range g {
			x := headCase(s, i)
			right := g[i].Head == s.Words[i].Head
			heads = append(heads, sample{x[:], right})
			if right {
				y := deprelCase(s, i)
				deprels = append(deprels, sample{y[:], g[i].Deprel == s.Words[i].Deprel})
			}
		}
	}
	if len(used) < MinSentences {
		return nil, fmt.Errorf("%w to fit a calibrator to: %d, want at least %d", ErrTooFew, len(used), MinSentences)
	}
	m := &Model{}
	regress(m.head[:], heads)
	regress(m.deprel[:], deprels)
	for _, k := range used {
		s := syntax.Sentence{Words: parsed[k].Words, Confidence: parsed[k].Confidence}
		m.Apply(&s)
		x := treeCase(&s)
		trees = append(trees, sample{x[:], sameTree(gold[k].Words, s.Words)})
	}
	regress(m.tree[:], trees)
	return m, nil
}

func sameTree(a, b []syntax.Word) bool {
	same := func(a, b syntax.Word) bool { return a.Head == b.Head && a.Deprel == b.Deprel }
	return slices.EqualFunc(a, b, same)
}

// Coefficients are stored in units of 1/scale.
const (
	scale = 1 << 16
	most  = 1 << 10 // the largest size of one
)

// regress fits w, which is zero, to samples and rounds it to what Pack keeps.
func regress(w []float64, samples []sample) {
	fit(w, samples)
	for i, v := range w {
		w[i] = float64(nearest(min(max(v, -most), most)*scale)) / scale
	}
}

// layout names the coefficients, in units of 1/scale.
func (m *Model) layout(l *pack.Layout) {
	for _, part := range []struct {
		name string
		w    []float64
	}{{"head", m.head[:]}, {"deprel", m.deprel[:]}, {"tree", m.tree[:]}} {
		list := make([]int32, len(part.w))
		for i, v := range part.w {
			list[i] = int32(v * scale)
		}
		pack.Array(l, part.name, &list)
		l.Check(part.name, len(list) == len(part.w), "has another number of coefficients")
		for i, k := range list {
			l.Check(part.name, k >= -most*scale && k <= most*scale, "holds a coefficient out of range")
			if l.Reading() {
				part.w[i] = float64(k) / scale
			}
		}
	}
}

// Pack stores the calibrator.
func (m *Model) Pack(s *pack.Sub) { pack.Write(s, m.layout) }

// Has reports whether a component of the name holds a calibrator.
func Has(v *pack.View, component string) bool { return v.Has(component, "head") }

// Open is the inverse of Pack. Nothing of the result aliases the bytes.
func Open(v *pack.View, component string) (*Model, error) {
	m := &Model{}
	return m, pack.Read(v, component, m.layout)
}
