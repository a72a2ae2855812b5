package search

import (
	"bytes"
	"math"
	"slices"
	"testing"

	"github.com/treebeam/treebeam/parser/hash"
	"github.com/treebeam/treebeam/parser/score"
	"github.com/treebeam/treebeam/parser/syntax"
	"github.com/treebeam/treebeam/parser/word"
)

// holed returns copies of the sentences in which about a share of the heads, in
// eighths, is open.
func holed(list []syntax.Sentence, eighths, seed uint64) []syntax.Sentence {
	r := hash.Rand(seed)
	out := syntax.Clone(list)
	for i := range out {
		for j := range out[i].Words {
			if uint64(r.Below(8)) < eighths {
				out[i].Words[j].Head = syntax.NoHead
			}
		}
	}
	return out
}

func hasHeads(s *syntax.Sentence, head []int32) bool {
	for i, w := range s.Words {
		if w.Head != syntax.NoHead && w.Head != head[i+1] {
			return false
		}
	}
	return true
}

// The forced tree has all known heads and is nearly always the best of those
// that enumeration finds; there is a step if and only if the tree that is left
// lacks a known head and beats it with its cost.
func TestForcedDecodingIsThatOfEnumeration(t *testing.T) {
	r := hash.Rand(11)
	found, steps, cases := 0, 0, 0
	for range 300 {
		s := randomSentence(2+int(r.Below(5)), 7, &r)
		var trees [][]int32
		allTrees(s, func(head []int32) { trees = append(trees, slices.Clone(head)) })
		gold := trees[r.Below(uint32(len(trees)))]
		for i := range s.Words {
			if r.Below(2) == 0 {
				s.Words[i].Head = gold[i+1]
			}
		}
		o := TrainOptions{}
		o.setDefaults()
		tr := newTrainer(word.Learn(nil), []syntax.Sentence{*s}, o)
		tr.model.source.Parts = noise(900)
		x, u := tr.scratch[0], update{}
		tr.learn(tr.scratch[0], s, 1, &u)
		forced := slices.Clone(x.gold)
		if !hasHeads(s, forced) {
			t.Fatalf("forced tree %v lacks a known head of %v", forced, s.Heads())
		}
		var plain Search
		plain.prepare(tr.model, s)
		best := int64(math.MinInt64)
		for _, head := range trees {
			if hasHeads(s, head) {
				best = max(best, scratchScore(&plain, head))
			}
		}
		at := scratchScore(&plain, forced)
		if at > best {
			t.Fatalf("forced tree scores %d, the best of all %d", at, best)
		}
		if cases++; at == best {
			found++
		}
		wrong := 0
		for i, w := range s.Words {
			if w.Head != syntax.NoHead && w.Head != x.best[i+1] {
				wrong++
			}
		}
		other := scratchScore(&plain, x.best) + int64(wrong)*score.Unit
		if other != x.bestAt || other < at {
			t.Fatalf("the other tree scores %d with its cost, recorded %d, the forced one %d", other, x.bestAt, at)
		}
		if step := u.alpha > 0; step != (wrong > 0 && other > at) || u.outcomes.wrong != wrong {
			t.Fatalf("step %v with %d wrong known heads, %d against %d", step, wrong, other, at)
		} else if step {
			steps++
		}
	}
	if found < cases*95/100 || steps < cases/4 {
		t.Errorf("of %d forced trees %d are the best; %d steps", cases, found, steps)
	}
}

// After an uncapped step, the gold tree, which is the forced one of a partial tree,
// beats the other by the known heads that this one lacks.
func TestStepMeetsTheMargin(t *testing.T) {
	for seed := range uint64(40) {
		train := holed(grammar(1, 5+seed), seed%2*4, seed)
		o := TrainOptions{C: 1e9}
		o.setDefaults()
		tr := newTrainer(word.Learn(train), train, o)
		s, u := &train[0], update{}
		tr.learn(tr.scratch[0], s, 1, &u)
		x := tr.scratch[0]
		if u.outcomes.wrong == 0 {
			continue
		}
		gold, other := slices.Clone(x.gold), slices.Clone(x.best)
		tr.apply(&u, 1)
		x.prepare(tr.model, s)
		margin := float64(scratchScore(x, gold)-scratchScore(x, other)) / score.Unit
		if math.Abs(margin-float64(u.outcomes.wrong)) > 0.05 {
			t.Errorf("seed %d: margin %.3f after the step, want %d", seed, margin, u.outcomes.wrong)
		}
	}
}

// A grammar is learned from half of its heads, the same on any number of workers.
func TestTrainingFromPartialTrees(t *testing.T) {
	train, dev := holed(grammar(120, 1), 4, 7), grammar(30, 2)
	var first []byte
	for _, workers := range []int{1, 4} {
		m, err := Train(word.Learn(train), train, dev, TrainOptions{Epochs: 4, Workers: workers})
		if err != nil {
			t.Fatal(err)
		}
		if uas := m.uas(dev, 2); uas < 0.96 {
			t.Errorf("dev UAS %.3f", uas)
		}
		if got := packed(m); first == nil {
			first = got
		} else if !bytes.Equal(got, first) {
			t.Error("1 and 4 workers give different models")
		}
	}
}
