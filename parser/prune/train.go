package prune

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/treebeam/treebeam/parser/feature"
	"github.com/treebeam/treebeam/parser/graph"
	"github.com/treebeam/treebeam/parser/syntax"
)

// Options of training. The zero value has the defaults.
type Options struct {
	Seed    uint64
	Workers int     // of Jackknife; results do not depend on it
	Epochs  int     // of the fine stage; 3 if 0
	Recall  float64 // share of dev's gold heads to keep if Cut allows; 0.993 if 0
	Cut     float64 // largest cut in nats (Model.Cut); 4.25, a probability of 1.4 %, if 0
	Limit   int     // weights of the fine stage kept; 300,000 if 0
	Log     func(format string, a ...any)
}

func (o *Options) setDefaults() {
	if o.Epochs == 0 {
		o.Epochs = 3
	}
	if o.Recall == 0 {
		o.Recall = 0.993
	}
	if o.Cut == 0 {
		o.Cut = 4.25
	}
	if o.Limit == 0 {
		o.Limit = 300_000
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

// coarseFolds is how many coarse tables are learned beside the final ones,
// each without a part of the sentences.
const coarseFolds = 4

// learn trains both stages, one sentence after another in a seeded order. The
// fine stage adds to coarse scores and sees the coarse stage's guesses, so it
// is trained on those of tables that have not seen the sentence.
func learn(v *feature.Vocabulary, train []syntax.Sentence, o Options) *Model {
	m := &Model{vocabulary: v, cut: 6 * 1024, temperature: 16, pool: new(sync.Pool)}
	x := m.get()
	m.words = learnLexicon(v, train, &x.codes)
	each := func(seed uint64, f func(i int, s *syntax.Sentence)) {
		for _, i := range Shuffled(len(train), o.Seed+seed) {
			if n := len(train[i].Words); n > 0 && n <= syntax.MaxWholeWords {
				f(i, &train[i])
			}
		}
	}
	var tables [coarseFolds + 1][]int8 // without each fold; with all
	bounds := Folds(train, coarseFolds)
	for fold := range tables {
		coarse := newCoarseTrainer()
		for epoch := range 2 {
			each(uint64(epoch), func(i int, s *syntax.Sentence) {
				if foldOf(bounds, i) != fold {
					v.Encode(s, &x.codes)
					x.context.fill(&x.codes, m.words)
					coarse.learn(&x.codes, &x.context, goldHeads(s))
				}
			})
		}
		tables[fold] = coarse.quantised()
	}
	fine := newFineTrainer()
	for epoch := range o.Epochs {
		each(100+uint64(epoch), func(i int, s *syntax.Sentence) {
			m.coarse = tables[foldOf(bounds, i)]
			x.encode(s)
			x.shortlist(len(s.Words))
			fine.learn(x, s)
		})
	}
	m.coarse = tables[coarseFolds]
	m.weights = fine.averaged().Compact(o.Limit)
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

// Jackknife sets the Candidates of every sentence by a pruner that has not
// seen its fold, and adds gold heads that were cut (AddGold). Folds are
// contiguous and end where a document does. It returns what the pruners
// left before gold heads were added; recall on training and on dev should
// agree, or the parser would learn from candidates sharper than it will see.
func Jackknife(train []syntax.Sentence, folds int, like *Model, o Options) (Report, error) {
	o.setDefaults()
	v := feature.Learn(train)
	reports := foldByFold(train, Folds(train, folds), o.Workers, func(rest []syntax.Sentence) *Model {
		m := learn(v, rest, o)
		m.cut, m.temperature = like.cut, like.temperature
		return m
	})
	var sum Report
	for _, r := range reports {
		sum.Words += r.Words
		sum.Arcs += r.Arcs
		sum.Kept += r.Kept
		sum.Trees += r.Trees
		sum.Sentences += r.Sentences
	}
	o.Log("pruner: jackknifed training candidates: %.2f heads a word, recall %.2f %%", sum.HeadsPerWord(), 100*sum.Recall())
	return sum, nil
}

// foldByFold sets the candidates of every fold by the model of the others, so
// many at a time.
func foldByFold(train []syntax.Sentence, bounds []int, workers int, model func(rest []syntax.Sentence) *Model) []Report {
	whole := slices.Clone(train) // folds copy from it while others set Candidates
	reports := make([]Report, len(bounds)-1)
	limit := make(chan struct{}, max(workers, 1))
	var wg sync.WaitGroup
	for f := range reports {
		wg.Go(func() {
			limit <- struct{}{}
			defer func() { <-limit }()
			lo, hi := bounds[f], bounds[f+1]
			rest := slices.Concat(whole[:lo], whole[hi:])
			if len(rest) == 0 {
				rest = whole
			}
			m := model(rest)
			for i := lo; i < hi; i++ {
				m.Prune(&train[i])
				reports[f].add(&train[i])
				AddGold(&train[i])
			}
		})
	}
	wg.Wait()
	return reports
}

// AddGold adds the gold heads that are not among the candidates, with the
// log-odds of the word's worst candidate, and returns how many.
func AddGold(s *syntax.Sentence) int {
	old := s.Candidates
	c := syntax.Candidates{Start: []int32{0}}
	added := 0
	for w := range s.Words {
		gold, worst, placed := s.Words[w].Head, int32(0), false
		lo, hi := old.Start[w], old.Start[w+1]
		for a := lo; a < hi; a++ {
			worst = min(worst, old.LogOdds[a])
		}
		for a := lo; a < hi; a++ {
			if !placed && old.Heads[a] >= gold {
				if old.Heads[a] > gold {
					c.Heads, c.LogOdds = append(c.Heads, gold), append(c.LogOdds, worst)
					added++
				}
				placed = true
			}
			c.Heads, c.LogOdds = append(c.Heads, old.Heads[a]), append(c.LogOdds, old.LogOdds[a])
		}
		if !placed {
			c.Heads, c.LogOdds = append(c.Heads, gold), append(c.LogOdds, worst)
			added++
		}
		c.Start = append(c.Start, int32(len(c.Heads)))
	}
	s.Candidates = c
	return added
}

// Folds returns the bounds of contiguous folds of about equal numbers of
// sentences, moved to the next start of a document where there is one near.
// Neighbours with the same forms, as a sentence with its own and with predicted
// tags, stay together. There are fewer folds where sentences are few.
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
		for at > 0 && at < len(list) && sameForms(&list[at-1], &list[at]) {
			at++
		}
		if at > b[len(b)-1] && at < len(list) {
			b = append(b, at)
		}
	}
	return append(b, len(list))
}

// foldOf returns the fold of sentence i, given the bounds of all.
func foldOf(bounds []int, i int) int {
	f, _ := slices.BinarySearch(bounds, i+1)
	return f - 1
}

func sameForms(a, b *syntax.Sentence) bool {
	return slices.EqualFunc(a.Words, b.Words, func(x, y syntax.Word) bool { return x.Form == y.Form })
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
