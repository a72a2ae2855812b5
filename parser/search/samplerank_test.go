package search

import (
	"bytes"
	"errors"
	"testing"

	"github.com/treebeam/treebeam/parser/hash"
	"github.com/treebeam/treebeam/parser/pack"
	"github.com/treebeam/treebeam/parser/part"
	"github.com/treebeam/treebeam/parser/score"
	"github.com/treebeam/treebeam/parser/word"
)

func TestSampleRankFitsAGrammar(t *testing.T) {
	train, dev := grammar(60, 1), grammar(30, 2)
	m, err := Train(word.Learn(train), train, dev, TrainOptions{Epochs: 4, Learner: SampleRank})
	if err != nil {
		t.Fatal(err)
	}
	if uas := m.uas(dev, 2); uas < 0.98 {
		t.Errorf("dev UAS %.3f", uas)
	}
}

// A step makes the better of two trees score higher than before, and none is made
// where it is ahead by its margin already.
func TestSampleRankRanksPairsOfTrees(t *testing.T) {
	r := hash.Rand(4)
	steps, none := 0, 0
	for k := range 200 {
		s := randomSentence(3+int(r.Below(3)), 8, &r)
		x := newSearch(s, []int32{100, 1500}[k%2], part.Standard)
		var trees [][]int32
		allTrees(s, func(head []int32) { trees = append(trees, append([]int32(nil), head...)) })
		draw := func() []int32 { return trees[r.Below(uint32(len(trees)))] }
		a, b := draw(), draw()
		for i := range s.Words {
			s.Words[i].Head = a[i+1]
		}
		if k%3 == 0 {
			for i, h := range draw()[1:] {
				s.Words[i].Head = h
			}
		}
		x.setGold(s)
		value := func(head []int32) int64 { x.Tree.Set(&x.Scores.Arcs, head); return x.total() }
		var u update
		p := ranker{t: &trainer{o: TrainOptions{C: 1 << 20}}, x: x, u: &u, weight: 1}
		better, worse := a, b
		if p.errors(a) > p.errors(b) {
			better, worse = b, a
		}
		margin := int64(p.errors(worse)-p.errors(better)) * score.Unit
		lead := value(better) - value(worse)
		x.Tree.Set(&x.Scores.Arcs, a)
		p.rank(b)
		if (len(u.features) > 0) != (margin > 0 && margin > lead) {
			t.Fatalf("margin %d, lead %d, %d features", margin, lead, len(u.features))
		}
		if len(u.features) == 0 {
			none++
			continue
		}
		steps++
		// With no cap, the step closes the gap exactly.
		weights := map[hash.Key]float64{}
		for _, f := range u.features {
			weights[f.key] += float64(f.count)
		}
		rise := 0.0
		for i, sign := range []float64{1, -1} {
			x.Tree.Set(&x.Scores.Arcs, [][]int32{better, worse}[i])
			for _, part := range x.Scores.Parts(&x.Tree, nil) {
				for _, key := range x.Scores.Keys(part, nil) {
					rise += sign * weights[key]
				}
			}
		}
		if want := float64(margin-lead) / score.Unit; rise < want-0.01 || rise > want+0.01 {
			t.Fatalf("the step raises the lead by %.3f, want %.3f", rise, want)
		}
	}
	if steps < 50 || none < 20 {
		t.Errorf("%d steps, %d pairs without one", steps, none)
	}
}

func TestSampleRankDoesNotDependOnWorkersNorInterruption(t *testing.T) {
	train, dev := grammar(20, 3), grammar(5, 4)
	o := TrainOptions{Epochs: 3, Learner: SampleRank, Workers: 1}
	want, err := Train(word.Learn(train), train, dev, o)
	if err != nil {
		t.Fatal(err)
	}
	var state []pack.Section
	stopped := errors.New("stopped")
	o.Workers = 4
	o.Checkpoint = func(epoch int, layout func(*pack.Layout)) error {
		state = written(layout)
		if epoch == 2 {
			return stopped
		}
		return nil
	}
	if _, err := Train(word.Learn(train), train, dev, o); !errors.Is(err, stopped) {
		t.Fatal(err)
	}
	var before [][]byte
	for _, s := range state {
		before = append(before, bytes.Clone(s.Data))
	}
	o.Checkpoint, o.Resume = nil, reader(state)
	got, err := Train(word.Learn(train), train, dev, o)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(packed(got), packed(want)) {
		t.Error("an interrupted training with other workers gives another model")
	}
	for i, s := range state {
		if !bytes.Equal(s.Data, before[i]) {
			t.Errorf("training writes into %s of the checkpoint that it was resumed from", s.Name)
		}
	}
	if _, err := Train(word.Learn(train), train[:19], dev, o); err == nil {
		t.Error("a checkpoint of other sentences is read")
	}
}
