package prune

import (
	"math"

	"github.com/treebeam/treebeam/parser/graph"
	"github.com/treebeam/treebeam/parser/syntax"
)

// A Report measures what a pruner leaves.
type Report struct {
	Cut         float64 // in nats (Model.Cut)
	Words, Arcs int
	Kept        int // words whose gold head survived
	Trees       int // sentences all of whose gold heads survived
	Sentences   int
}

// HeadsPerWord returns the mean number of candidates.
func (r Report) HeadsPerWord() float64 { return float64(r.Arcs) / float64(max(r.Words, 1)) }

// Recall returns the share of gold heads kept, in [0,1]: the UAS of a parser
// that always picks the right candidate.
func (r Report) Recall() float64 { return float64(r.Kept) / float64(max(r.Words, 1)) }

// Measure prunes copies of the sentences and compares with their heads.
func (m *Model) Measure(list []syntax.Sentence) Report {
	r := Report{Cut: m.Cut()}
	for i := range list {
		s := list[i]
		m.Prune(&s)
		r.add(&s)
	}
	return r
}

func (r *Report) add(s *syntax.Sentence) {
	before := r.Kept
	for w := range s.Words {
		heads := s.Candidates.Of(w + 1)
		r.Arcs += len(heads)
		for _, h := range heads {
			if h == s.Words[w].Head {
				r.Kept++
			}
		}
	}
	r.count(len(s.Words), r.Kept-before)
}

// count adds a sentence of which so many gold heads survived.
func (r *Report) count(words, kept int) {
	r.Words += words
	r.Sentences++
	if kept == words {
		r.Trees++
	}
}

// Curve returns what m would leave under each of the cuts, in nats, and
// what its dense tables leave. Everything is scored once, so a curve costs
// no more than Measure. Sentences that are parsed in windows are left out.
func (m *Model) Curve(list []syntax.Sentence, cuts []float64) (dense Report, curve []Report) {
	curve = make([]Report, len(cuts))
	for i, nats := range cuts {
		curve[i].Cut = nats
	}
	dense.Cut = math.Inf(1)
	x := m.get()
	defer m.pool.Put(x)
	for i := range list {
		n := len(list[i].Words)
		if n == 0 || n > syntax.MaxWholeWords {
			continue
		}
		x.candidates(&list[i])
		kept := 0
		for w := range n {
			lo, hi := x.arcs.Span(w + 1)
			dense.Arcs += hi - lo
			for a := lo; a < hi; a++ {
				if x.arcs.Heads[a] == list[i].Words[w].Head {
					kept++
				}
			}
		}
		dense.Kept += kept
		dense.count(n, kept)
		for j := range curve {
			x.tally(&list[i], &curve[j])
		}
	}
	return dense, curve
}

// tally adds to r what its cut leaves of the candidates in x.
func (x *scratch) tally(s *syntax.Sentence, r *Report) {
	cut, before := inParts(r.Cut), r.Kept
	for w := range s.Words {
		lo, hi := x.arcs.Span(w + 1)
		limit := x.limit(lo, hi, cut)
		for a := lo; a < hi; a++ {
			if h := x.arcs.Heads[a]; x.p[a] >= limit || h == x.head[w+1] {
				r.Arcs++
				if h == s.Words[w].Head {
					r.Kept++
				}
			}
		}
	}
	r.count(len(s.Words), r.Kept-before)
}

// calibrate sets the cut of training to the smallest under which o.Recall of
// dev's gold heads stay, at most o.TrainCut, that of parsing to o.Cut if it is
// smaller, and the temperature to the one under which the marginals give dev's
// gold heads the highest likelihood.
//
// A cut by probability prices heads alike everywhere: one more head costs the
// parser about the same in any word of any treebank, and keeps its gold head
// with the probability at which the cut is made. Hard treebanks get more
// heads. A parser that learns among more heads than it parses with loses less
// by the smaller cut than it learns from the larger one.
func (m *Model) calibrate(dev []syntax.Sentence, o Options) {
	if len(dev) == 0 {
		return
	}
	var cuts []float64
	for nats := 1.0; nats <= max(o.TrainCut, 7); nats += 0.25 {
		cuts = append(cuts, nats)
	}
	dense, curve := m.Curve(dev, cuts)
	o.Log("pruner: dense tables leave %.2f heads a word, recall %.2f %%", dense.HeadsPerWord(), 100*dense.Recall())
	m.cut = inParts(o.TrainCut)
	for _, r := range curve {
		if r.Recall() >= o.Recall && r.Cut < o.TrainCut {
			m.cut = inParts(r.Cut)
			break
		}
	}
	for i, r := range curve {
		if c := inParts(r.Cut); i%4 == 0 || c == m.cut || c == inParts(o.Cut) {
			o.Log("pruner: cut at %.2f nats: %.2f heads a word, recall %.2f %%", r.Cut, r.HeadsPerWord(), 100*r.Recall())
		}
	}
	best, pick := math.Inf(-1), int32(16)
	for _, t := range []int32{12, 14, 16, 18, 20, 24, 28, 32} {
		m.temperature = t
		if l := m.likelihood(dev); l > best {
			best, pick = l, t
		}
	}
	m.temperature = pick
	m.trainCut, m.cut = m.cut, min(m.cut, inParts(o.Cut))
	o.Log("pruner: cut at %.2f nats, %.2f in training, temperature %.2f, mean log-likelihood of gold heads %.4f", m.Cut(), m.TrainCut(), float64(pick)/16, best)
}

// likelihood returns the mean log marginal of the gold heads kept.
func (m *Model) likelihood(dev []syntax.Sentence) float64 {
	var g graph.Marginals
	sum, count := 0.0, 0
	for i := range dev {
		s := dev[i]
		if len(s.Words) > marginalWords {
			continue
		}
		m.Prune(&s)
		arcs := graph.Of(&s.Candidates)
		p := make([]float64, len(arcs.Heads))
		if !g.Compute(&arcs, 16, p) {
			continue
		}
		for w := range s.Words {
			for a := arcs.Start[w]; a < arcs.Start[w+1]; a++ {
				if arcs.Heads[a] == s.Words[w].Head {
					sum += math.Log(math.Max(p[a], 1e-6))
					count++
				}
			}
		}
	}
	return sum / float64(max(count, 1))
}
