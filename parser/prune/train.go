package prune

import (
	"fmt"
	"math"
	"strings"
	"sync"

	"github.com/treebeam/treebeam/parser/feature"
	"github.com/treebeam/treebeam/parser/graph"
	"github.com/treebeam/treebeam/parser/score"
	"github.com/treebeam/treebeam/parser/syntax"
)

// Options of training. The zero value has the defaults.
type Options struct {
	Seed    uint64
	Workers int     // of Jackknife; results do not depend on it
	Epochs  int     // of the fine model; 2 if 0
	Recall  float64 // share of dev's gold heads to keep; 0.993 if 0
	Limit   int     // weights kept in the model; 600,000 if 0
	Log     func(format string, a ...any)
}

func (o *Options) setDefaults() {
	if o.Epochs == 0 {
		o.Epochs = 2
	}
	if o.Recall == 0 {
		o.Recall = 0.993
	}
	if o.Limit == 0 {
		o.Limit = 600_000
	}
	if o.Log == nil {
		o.Log = func(string, ...any) {}
	}
}

// Train learns a pruner from sentences with gold heads, tagged as they will
// be at run time, and sets its cut and temperature on dev.
func Train(train, dev []syntax.Sentence, o Options) (*Model, error) {
	o.setDefaults()
	if len(train) == 0 {
		return nil, fmt.Errorf("no sentences to train the pruner on")
	}
	m := learn(feature.Learn(train), train, o)
	m.calibrate(dev, o)
	return m, nil
}

// learn trains both stages, one sentence after another in a seeded order.
func learn(v *feature.Vocabulary, train []syntax.Sentence, o Options) *Model {
	m := &Model{vocabulary: v, margin: 6 * score.Unit, temperature: 16}
	x := m.get()
	var p []float64
	coarse := newCoarseTrainer()
	for epoch := 0; epoch < 3; epoch++ {
		for _, i := range Shuffled(len(train), o.Seed+uint64(epoch)) {
			s := &train[i]
			if len(s.Words) > syntax.MaxWholeWords {
				continue
			}
			v.Encode(s, &x.codes)
			x.context.fill(&x.codes)
			coarse.learn(&x.codes, &x.context, goldHeads(s), &p)
		}
	}
	m.coarse = coarse.quantised()
	table := score.NewTable(18)
	m.fine = table
	for epoch := 0; epoch < o.Epochs; epoch++ {
		for _, i := range Shuffled(len(train), o.Seed+100+uint64(epoch)) {
			if len(train[i].Words) <= syntax.MaxWholeWords {
				m.learnFine(table, &train[i], x)
			}
		}
	}
	m.weights = table.Compact(o.Limit)
	m.fine = m.weights
	m.pool.Put(x)
	return m
}

// goldHeads returns the heads of s by word, entry 0 unused.
func goldHeads(s *syntax.Sentence) []int32 {
	h := make([]int32, len(s.Words)+1)
	for i := range s.Words {
		h[i+1] = s.Words[i].Head
	}
	return h
}

// learnFine takes one AdaGrad step per word on the log-probability of its
// gold head among the shortlist and the gold head itself.
func (m *Model) learnFine(table *score.Table, s *syntax.Sentence, x *scratch) {
	const eta = 0.05
	n := len(s.Words)
	m.vocabulary.Encode(s, &x.codes)
	x.context.fill(&x.codes)
	m.shortlist(n, x)
	var keys [coarseHeads + 1][]feature.Key
	var p [coarseHeads + 1]float64
	for mod := 1; mod <= n; mod++ {
		lo, hi := x.arcs.Span(mod)
		heads := x.arcs.Heads[lo:hi:hi]
		gold := s.Words[mod-1].Head
		at := -1
		for i, h := range heads {
			if h == gold {
				at = i
			}
		}
		if at < 0 {
			at = len(heads)
			heads = append(heads, gold)
		}
		best := math.Inf(-1)
		for i, h := range heads {
			keys[i] = x.codes.PruneArc(int(h), mod, keys[i][:0])
			p[i] = table.SumFloat(keys[i])
			best = max(best, p[i])
		}
		sum := 0.0
		for i := range heads {
			p[i] = math.Exp(p[i] - best)
			sum += p[i]
		}
		for i := range heads {
			g := -p[i] / sum
			if i == at {
				g++
			}
			if math.Abs(g) < 2e-3 {
				continue
			}
			for _, k := range keys[i] {
				table.AddSquared(k, g, eta)
			}
		}
	}
}

// calibrate sets the margin to the smallest that keeps o.Recall of dev's
// gold heads, and the temperature to the one under which the marginals give
// dev's gold heads the highest likelihood.
func (m *Model) calibrate(dev []syntax.Sentence, o Options) {
	if len(dev) == 0 {
		return
	}
	for _, half := range []int32{5, 6, 7, 8, 9, 10} {
		m.margin = half * score.Unit / 2
		r := m.Measure(dev)
		o.Log("pruner: margin %.1f nats: %.2f heads a word, recall %.2f %%", float64(half)/2, r.HeadsPerWord(), 100*r.Recall())
		if r.Recall() >= o.Recall {
			break
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
	o.Log("pruner: temperature %.2f, mean log-likelihood of gold heads %.4f", float64(pick)/16, best)
}

// likelihood returns the mean log marginal of the gold heads kept.
func (m *Model) likelihood(dev []syntax.Sentence) float64 {
	var g graph.Marginals
	sum, count := 0.0, 0
	for i := range dev {
		s := dev[i]
		if len(s.Words) > 200 {
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

// A Report measures what a pruner leaves.
type Report struct {
	Words, Arcs, Kept int // Kept counts words whose gold head survived
}

// HeadsPerWord returns the mean number of candidates.
func (r Report) HeadsPerWord() float64 { return float64(r.Arcs) / float64(max(r.Words, 1)) }

// Recall returns the share of gold heads kept, in [0,1].
func (r Report) Recall() float64 { return float64(r.Kept) / float64(max(r.Words, 1)) }

// Measure prunes copies of the sentences and compares with their heads.
func (m *Model) Measure(list []syntax.Sentence) Report {
	var r Report
	for i := range list {
		s := list[i]
		m.Prune(&s)
		r.add(&s)
	}
	return r
}

func (r *Report) add(s *syntax.Sentence) {
	for w := range s.Words {
		r.Words++
		heads := s.Candidates.Of(w + 1)
		r.Arcs += len(heads)
		for _, h := range heads {
			if h == s.Words[w].Head {
				r.Kept++
			}
		}
	}
}

// Jackknife sets the Candidates of every sentence by a pruner that has not
// seen its fold, and adds gold heads that were cut (AddGold). Folds are
// contiguous and end where a document does. It returns what the pruners
// left before gold heads were added; recall on training and on dev should
// agree, or the parser would learn from candidates sharper than it will see.
func Jackknife(train []syntax.Sentence, folds int, margin *Model, o Options) (Report, error) {
	o.setDefaults()
	bounds := Folds(train, folds)
	reports := make([]Report, len(bounds)-1)
	v := feature.Learn(train)
	limit := make(chan struct{}, max(o.Workers, 1))
	var wg sync.WaitGroup
	for f := 0; f+1 < len(bounds); f++ {
		wg.Add(1)
		go func() {
			defer wg.Done()
			limit <- struct{}{}
			defer func() { <-limit }()
			lo, hi := bounds[f], bounds[f+1]
			rest := append(append([]syntax.Sentence(nil), train[:lo]...), train[hi:]...)
			if len(rest) == 0 {
				rest = train
			}
			m := learn(v, rest, o)
			m.margin, m.temperature = margin.margin, margin.temperature
			for i := lo; i < hi; i++ {
				m.Prune(&train[i])
				reports[f].add(&train[i])
				AddGold(&train[i])
			}
		}()
	}
	wg.Wait()
	var sum Report
	for _, r := range reports {
		sum.Words += r.Words
		sum.Arcs += r.Arcs
		sum.Kept += r.Kept
	}
	o.Log("pruner: jackknifed training candidates: %.2f heads a word, recall %.2f %%", sum.HeadsPerWord(), 100*sum.Recall())
	return sum, nil
}

// AddGold adds the gold heads that are not among the candidates, with the
// log-probability of the word's worst candidate, and returns how many.
func AddGold(s *syntax.Sentence) int {
	old := s.Candidates
	c := syntax.Candidates{Start: []int32{0}}
	added := 0
	for w := range s.Words {
		gold, worst, placed := s.Words[w].Head, int32(0), false
		lo, hi := old.Start[w], old.Start[w+1]
		for a := lo; a < hi; a++ {
			worst = min(worst, old.LogProb[a])
		}
		for a := lo; a < hi; a++ {
			if !placed && old.Heads[a] >= gold {
				if old.Heads[a] > gold {
					c.Heads, c.LogProb = append(c.Heads, gold), append(c.LogProb, worst)
					added++
				}
				placed = true
			}
			c.Heads, c.LogProb = append(c.Heads, old.Heads[a]), append(c.LogProb, old.LogProb[a])
		}
		if !placed {
			c.Heads, c.LogProb = append(c.Heads, gold), append(c.LogProb, worst)
			added++
		}
		c.Start = append(c.Start, int32(len(c.Heads)))
	}
	s.Candidates = c
	return added
}

// Folds returns the bounds of contiguous folds of about equal numbers of
// sentences, moved to the next start of a document where there is one near.
func Folds(list []syntax.Sentence, folds int) []int {
	b := []int{0}
	for f := 1; f < folds; f++ {
		at := len(list) * f / folds
		for near := at; near < min(at+len(list)/(2*folds), len(list)); near++ {
			if startsDocument(&list[near]) {
				at = near
				break
			}
		}
		if at > b[len(b)-1] && at < len(list) {
			b = append(b, at)
		}
	}
	return append(b, len(list))
}

func startsDocument(s *syntax.Sentence) bool {
	for _, c := range s.Comments {
		if strings.HasPrefix(strings.TrimLeft(c, "# "), "newdoc") {
			return true
		}
	}
	return false
}

// Shuffled returns 0..n-1 in an order that depends on n and seed only.
func Shuffled(n int, seed uint64) []int {
	r := graph.Rand(seed*0x9E3779B97F4A7C15 + 1)
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	for i := n - 1; i > 0; i-- {
		j := int(r.Below(uint32(i + 1)))
		list[i], list[j] = list[j], list[i]
	}
	return list
}
