package search

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/treebeam/treebeam/parser/hash"
	"github.com/treebeam/treebeam/parser/linear"
	"github.com/treebeam/treebeam/parser/pack"
	"github.com/treebeam/treebeam/parser/part"
	"github.com/treebeam/treebeam/parser/score"
	"github.com/treebeam/treebeam/parser/syntax"
)

// A sampleRank learns from samples instead of best trees (SampleRank: Wick et al.
// 2011; Zhang, Lei, Barzilay, Jaakkola and Globerson 2014, "Steps to Excellence").
// Every sentence keeps one tree, from epoch to epoch. In a step, the sampler moves each of its words
// (sampler.sweep). Of the trees before and after a move, that with fewer wrong heads must
// score higher, by as much as it has fewer; and the gold tree must score higher than the
// last one, by its wrong heads. What violates that makes a passive-aggressive
// step each, all of a sentence with the same weights.
type sampleRank struct {
	start []int32 // of sentence i: its heads are heads[start[i]:start[i+1]]
	heads []int32 // of no meaning while it is fresh
	fresh []uint8 // 1: no tree yet
}

func newSampleRank(train []syntax.Sentence) *sampleRank {
	r := &sampleRank{start: []int32{0}, fresh: make([]uint8, len(train))}
	for i := range train {
		r.fresh[i] = 1
		r.start = append(r.start, r.start[i]+int32(len(train[i].Words)))
	}
	r.heads = make([]int32, r.start[len(train)])
	return r
}

// layout names what a checkpoint holds.
func (r *sampleRank) layout(l *pack.Layout) {
	words, sentences := len(r.heads), len(r.fresh)
	pack.Array(l, "heads", &r.heads)
	pack.Array(l, "fresh", &r.fresh)
	l.Check("heads", len(r.heads) == words && len(r.fresh) == sentences, "is of other sentences")
	if l.Reading() { // learning writes into them
		r.heads, r.fresh = slices.Clone(r.heads), slices.Clone(r.fresh)
	}
}

// learnSamples is learn by SampleRank, of sentence i.
func (t *trainer) learnSamples(x *Search, s *syntax.Sentence, i int, seed uint64, u *update) {
	r, n := t.samples, len(s.Words)
	x.Scores.Count = Counters{}
	x.prepare(t.model, s)
	x.setGold(s)
	kept := r.heads[r.start[i]:r.start[i+1]]
	if r.fresh[i] == 1 {
		if !x.First() {
			return
		}
		r.fresh[i] = 0
	} else {
		copy(x.start[1:], kept)
		x.Tree.Set(&x.Scores.Arcs, x.start)
	}
	x.linear, x.posterior = resize(x.linear, len(x.Pruned.Heads)), resize(x.posterior, len(x.Pruned.Heads))
	z, y := &x.chain, &x.Tree
	z.estimate, z.keep = Mixed, false
	x.heat(unitNats, 0)
	random := hash.Rand(seed)
	before := make([]int32, n+1)
	p := ranker{t: t, x: x, u: u, weight: float64(s.Step())}
	for k := range z.free {
		copy(before, y.Head[:n+1])
		if k%blockSize == 0 {
			x.moveBlock(&random)
			p.rank(before)
			copy(before, y.Head[:n+1])
		}
		x.moveHead(z.free[k], &random)
		p.rank(before)
	}
	copy(before, x.gold)
	u.tally.wrong = p.errors(y.Head)
	copy(kept, y.Head[1:n+1])
	p.rank(before)
	if len(u.features) > 0 {
		u.alpha, u.tally.violated = 1, 1
		u.merge()
	}
	u.tally.counters = x.Scores.Count
}

// A ranker makes steps of pairs of trees.
type ranker struct {
	t      *trainer
	x      *Search
	u      *update
	weight float64
}

func (p *ranker) errors(head []int32) int {
	wrong := 0
	for m := 1; m <= p.x.Scores.N; m++ {
		if head[m] != p.x.gold[m] {
			wrong++
		}
	}
	return wrong
}

// rank adds to the update what makes the better one of the tree with these heads and
// the present one score higher by the difference of their errors. The present
// tree stays.
func (p *ranker) rank(heads []int32) {
	x, y := p.x, &p.x.Tree
	now, then := p.errors(y.Head), p.errors(heads)
	if now == then {
		return
	}
	present := append([]int32(nil), y.Head[:x.Scores.N+1]...)
	at := x.total()
	x.parts[0] = x.Scores.Parts(y, x.parts[0][:0])
	y.Set(&x.Scores.Arcs, heads)
	gain := x.total() - at
	x.parts[1] = x.Scores.Parts(y, x.parts[1][:0])
	y.Set(&x.Scores.Arcs, present)
	loss := float64(now-then) - float64(gain)/score.Unit // with heads the better tree
	better, worse := x.parts[1], x.parts[0]
	if then > now {
		loss, better, worse = -loss, worse, better
	}
	if loss <= 0 {
		return
	}
	plus, minus := part.Difference(better, worse)
	var step update
	step.add(x, plus, 1)
	step.add(x, minus, -1)
	step.merge()
	step.take(loss, p.t.o.C)
	for _, f := range step.features {
		p.u.features = append(p.u.features, feature{f.key, float32(float64(f.count) * step.alpha * p.weight)})
	}
}

// A Learner says what a step of training learns from.
type Learner string

const (
	PA         Learner = "pa"         // the best tree that the search finds under cost
	SampleRank Learner = "samplerank" // pairs of sampled trees
)

// Valid returns an error that names the learners if l is none.
func (l Learner) Valid() error {
	if cmp.Or(l, PA) != PA && l != SampleRank {
		return fmt.Errorf("learner %q: want %s or %s", string(l), PA, SampleRank)
	}
	return nil
}

// take sets the size of a step of features alone, with this loss and cap.
func (u *update) take(loss, c float64) {
	norm := 0.0
	for _, f := range u.features {
		norm += float64(f.count * f.count)
	}
	if u.alpha = linear.PassiveAggressive(loss, norm, c); u.alpha > 0 {
		u.tally.violated = 1
	}
}
