package prune

import (
	"math"
	"slices"

	"github.com/treebeam/treebeam/parser/graph"
	"github.com/treebeam/treebeam/parser/syntax"
)

// A Report measures the candidates that a pruner leaves.
type Report struct {
	Cut         float64 // in nats (Model.Cut)
	Words, Arcs int
	Open        int // words without a known gold head
	Kept        int // words whose gold head survived
	Trees       int // sentences all of whose gold heads survived
	Sentences   int
}

// HeadsPerWord returns the mean number of candidate heads of a word.
func (r Report) HeadsPerWord() float64 { return float64(r.Arcs) / float64(max(r.Words, 1)) }

// Recall returns the share of known gold heads that survived, in [0,1]. It bounds the
// UAS of a parser over the candidates.
func (r Report) Recall() float64 { return float64(r.Kept) / float64(max(r.Words-r.Open, 1)) }

// add counts the candidates of s.
func (r *Report) add(s *syntax.Sentence) {
	kept := 0
	open, _ := s.Open()
	for w := range s.Words {
		heads := s.Candidates.Of(w + 1)
		r.Arcs += len(heads)
		if slices.Contains(heads, s.Words[w].Head) {
			kept++
		}
	}
	r.Words += len(s.Words)
	r.Open += open
	r.Kept += kept
	r.Sentences++
	if kept == len(s.Words)-open {
		r.Trees++
	}
}

// Curve returns the Report of m for each of the cuts, in nats, and the Report of its
// dense tables. It scores the sentences once. Sentences that are parsed in windows are
// left out.
func (m *Model) Curve(list []syntax.Sentence, cuts []float64) (dense Report, curve []Report) {
	dense.Cut = math.Inf(1)
	for _, nats := range cuts {
		curve = append(curve, Report{Cut: nats})
	}
	x := m.get()
	defer m.pool.Put(x)
	for i := range list {
		if n := len(list[i].Words); n == 0 || n > syntax.MaxWholeWords {
			continue
		}
		x.candidates(&list[i])
		s := list[i]
		s.Candidates = syntax.Candidates{Start: x.arcs.Start, Heads: x.arcs.Heads}
		dense.add(&s)
		for j, nats := range cuts {
			s.Candidates = noCandidates(len(s.Words))
			x.keep(inParts(nats), syntax.Window{To: len(s.Words)}, &s.Candidates)
			curve[j].add(&s)
		}
	}
	return dense, curve
}

// calibrate sets the cuts and the temperature. The cut of training is the smallest under
// which the recall of dev's gold heads is leastRecall, but at most maxTrainCut. The cut of
// parsing is o.Cut, if that is smaller, or the cut of training. The temperature is the one
// under which the marginals give dev's gold heads the highest likelihood.
//
// A cut by probability treats all words of all treebanks alike: hard words get more heads. A
// parser that learns among more heads than it parses with loses less from the smaller cut
// than it gains from the larger one.
func (m *Model) calibrate(dev []syntax.Sentence, o Options) {
	if len(dev) == 0 {
		return
	}
	var cuts []float64
	for nats := 1.0; nats <= 7; nats += 0.25 {
		cuts = append(cuts, nats)
	}
	dense, curve := m.Curve(dev, cuts)
	o.Log("pruner: dense tables leave %.2f heads a word, recall %.2f %%", dense.HeadsPerWord(), 100*dense.Recall())
	train := maxTrainCut
	if i := slices.IndexFunc(curve, func(r Report) bool { return r.Recall() >= leastRecall }); i >= 0 {
		train = min(train, cuts[i])
	}
	for i, r := range curve {
		if i%4 == 0 || r.Cut == train || r.Cut == o.Cut {
			o.Log("pruner: cut at %.2f nats: %.2f heads a word, recall %.2f %%", r.Cut, r.HeadsPerWord(), 100*r.Recall())
		}
	}
	m.trainCut, m.cut = inParts(train), inParts(train)
	best, pick := math.Inf(-1), m.temperature
	for _, t := range []int32{12, 14, 16, 18, 20, 24, 28, 32} {
		m.temperature = t
		if l := m.likelihood(dev); l > best {
			best, pick = l, t
		}
	}
	m.cut, m.temperature = min(m.trainCut, inParts(o.Cut)), pick
	o.Log("pruner: cut at %.2f nats, %.2f in training, temperature %.2f, mean log-likelihood of gold heads %.4f",
		m.Cut(), m.TrainCut(), float64(pick)/16, best)
}

// likelihood returns the mean log marginal of the gold heads kept.
func (m *Model) likelihood(dev []syntax.Sentence) float64 {
	var g graph.Marginals
	var p []float64
	sum, count := 0.0, 0
	for i := range dev {
		s := dev[i]
		m.Prune(&s)
		arcs := graph.Of(&s.Candidates)
		p = resize(p, len(arcs.Heads))
		if len(s.Words) > marginalWords || !g.Compute(&arcs, p) {
			continue
		}
		for w := range s.Words {
			if k := slices.Index(s.Candidates.Of(w+1), s.Words[w].Head); k >= 0 {
				sum += graph.Log(max(p[int(arcs.Start[w])+k], 1e-6))
				count++
			}
		}
	}
	return sum / float64(max(count, 1))
}
