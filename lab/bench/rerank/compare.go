package rerank

import (
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/treebeam/treebeam/lab/family/rerank"
	"github.com/treebeam/treebeam/parser/eval"
	"github.com/treebeam/treebeam/parser/hash"
	"github.com/treebeam/treebeam/parser/syntax"
)

// compare trains the rerankers, and prints what they choose on the second half of dev.
func (b *bench) compare(w io.Writer) error {
	tune, test := b.dev[:len(b.dev)/2], b.dev[len(b.dev)/2:]
	fmt.Fprintf(w, "\n| second half of dev | UAS | LAS | sentences with more right | with fewer | p (sign test) | time of candidates, features and choice, over that of one search |\n|---|---|---|---|---|---|---|\n")
	first := func(*example) int { return 0 }
	base := b.measure(test, first)
	show := func(name string, choose func(x *example) int) {
		begin := time.Now()
		for i := range test { // the features, too: what choosing costs
			x := test[i]
			for k := range x.list {
				rerank.Indicators(&x.Sentence, x.list[k].Heads)
			}
			choose(&test[i])
		}
		took := time.Since(begin)
		var single time.Duration
		for i := range test {
			single += test[i].single
			took += test[i].took
		}
		r := b.measure(test, choose)
		better, worse := 0, 0
		for i := range r.right {
			switch {
			case r.right[i] > base.right[i]:
				better++
			case r.right[i] < base.right[i]:
				worse++
			}
		}
		fmt.Fprintf(w, "| %s | %.2f | %.2f | %d | %d | %.3f | %.1f |\n", name, r.uas, r.las, better, worse, signTest(better, worse), float64(took)/float64(single))
	}
	show("the parser's tree", first)

	lists := make([]rerank.List, 0, len(b.train))
	for i := range b.train {
		if len(b.train[i].flat) > 0 {
			lists = append(lists, b.train[i].flat)
		}
	}
	for _, unweighted := range []bool{false, true} {
		var bestModel *rerank.Linear
		bestUAS, bestAt := math.Inf(-1), ""
		for _, smoothing := range []float64{0.0025, 0.01} {
			now := &rerank.Linear{Weights: map[hash.Key]float64{}}
			var kept []*rerank.Linear
			m, work := rerank.Boost(lists, rerank.BoostOptions{Rounds: b.rounds, Smoothing: smoothing, Unweighted: unweighted, Step: func(round int, k hash.Key, by, _ float64) {
				if now.Weights[k] += by; round%500 == 0 || round <= 250 && round%50 == 0 || round == 10 {
					kept = append(kept, &rerank.Linear{Weights: maps.Clone(now.Weights)})
				}
			}})
			fmt.Fprintf(os.Stderr, "boosting: %d indicators visited in %d rounds, smoothing %g\n", work, b.rounds, smoothing)
			for _, k := range kept {
				k.Factor = m.Factor
				if r := b.measure(tune, func(x *example) int { return k.Choose(x.flat) }); r.uas > bestUAS {
					bestModel, bestUAS, bestAt = k, r.uas, fmt.Sprintf("smoothing %g, %d indicators", smoothing, len(k.Weights))
				}
			}
		}
		name := "boosting"
		if unweighted {
			name += ", all pairs alike"
		}
		show(fmt.Sprintf("%s (%s)", name, bestAt), func(x *example) int { return bestModel.Choose(x.flat) })
	}

	hidden := make([][]rerank.HiddenTree, 0, len(b.train))
	for i := range b.train {
		if len(b.train[i].hidden) > 1 {
			hidden = append(hidden, b.train[i].hidden)
		}
	}
	for _, classes := range []int{1, 3, 5} {
		var bestModel *rerank.Hidden
		bestUAS, bestAt := math.Inf(-1), 0.0
		for _, factor := range []float64{0.5, 1, 2} {
			m, err := rerank.TrainHidden(hidden, b.numbers.Words(), b.numbers.Arcs(), rerank.HiddenOptions{Seed: 1, Classes: classes, Epochs: 3, Factor: factor, Workers: b.workers})
			if err != nil {
				return err
			}
			if r := b.measure(tune, func(x *example) int { return m.Choose(x.hidden) }); r.uas > bestUAS {
				bestModel, bestUAS, bestAt = m, r.uas, factor
			}
		}
		show(fmt.Sprintf("hidden classes, %d a word (base score times %g)", classes, bestAt), func(x *example) int { return bestModel.Choose(x.hidden) })
	}
	oracle := func(x *example) int { return x.flat.Best() }
	show(fmt.Sprintf("best of %d", b.k), oracle)
	return nil
}

// A figure is what a choice scores, in percent.
type figure struct {
	uas, las float64
	right    []int // words with the right head and relation, by sentence
}

// measure labels the chosen trees and scores them.
func (b *bench) measure(list []example, choose func(x *example) int) (f figure) {
	var gold, system []syntax.Sentence
	for i := range list {
		x := &list[i]
		t := &x.list[choose(x)]
		s, g := x.Sentence, x.Sentence
		s.Words, g.Words = slices.Clone(x.Words), x.goldWords
		for k, h := range t.Heads {
			s.Words[k].Head = h
		}
		b.labels.LabelFreely(&s)
		gold, system = append(gold, g), append(system, s)
		right := 0
		for k := range s.Words {
			if s.Words[k].Head == g.Words[k].Head && bare(s.Words[k].Deprel) == bare(g.Words[k].Deprel) {
				right++
			}
		}
		f.right = append(f.right, right)
	}
	r, err := eval.Evaluate(gold, system)
	if err != nil {
		panic(err) // both have the same words
	}
	f.uas, f.las = 100*r.Scores[eval.UAS].F1(), 100*r.Scores[eval.LAS].F1()
	return f
}

func bare(deprel string) string {
	deprel, _, _ = strings.Cut(deprel, ":")
	return deprel
}

// signTest returns the probability of a division as uneven as this one by chance, two-sided.
func signTest(better, worse int) float64 {
	n, k := better+worse, max(better, worse)
	p := 0.0
	for i := k; i <= n; i++ {
		a, _ := math.Lgamma(float64(n + 1))
		c, _ := math.Lgamma(float64(i + 1))
		d, _ := math.Lgamma(float64(n - i + 1))
		p += math.Exp(a - c - d - float64(n)*math.Ln2)
	}
	return min(2*p, 1)
}
