package label

import (
	"bytes"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/treebeam/treebeam/parser/pack"
	"github.com/treebeam/treebeam/parser/syntax"
)

// TestGradient compares the loss and the gradient with enumeration.
func TestGradient(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 6))
	tr := &trainer{vocabulary: vocabulary()}
	if err := tr.makeExamples(sample(rng, 40, 4)); err != nil {
		t.Fatal(err)
	}
	for id := range tr.index.Len() {
		for l := range tr.rel.names {
			tr.rows.Add(int32(id), uint16(l), float32(rng.NormFloat64())*0.3, 1)
		}
	}
	for i := range tr.weights.W {
		tr.weights.W[i] = float32(rng.NormFloat64()) * 0.3
	}
	var g gradient
	for i := range tr.examples {
		e := &tr.examples[i]
		g.compute(tr, e)
		want := make([]float64, len(g.asks))
		total, gold := 0.0, 0.0
		choice := make([]uint8, e.n+1)
		for done := false; !done; {
			p := math.Exp(tr.logScore(e, choice))
			total += p
			same := true
			for m := 1; m <= e.n; m++ {
				want[e.off[m]+int32(choice[m])] += p
				same = same && choice[m] == e.gold[m]
			}
			if same {
				gold = p
			}
			done = !next(choice, e)
		}
		if loss := -math.Log(gold / total); math.Abs(loss-g.loss) > 1e-4 {
			t.Fatalf("loss %g, by enumeration %g", g.loss, loss)
		}
		for m := 1; m <= e.n; m++ {
			for j := e.off[m]; j < e.off[m+1]; j++ {
				x := want[j] / total
				if int32(e.gold[m]) == j-e.off[m] {
					x--
				}
				if math.Abs(x+float64(g.asks[j])) > 1e-4 {
					t.Fatalf("gradient %g, by enumeration %g", g.asks[j], -x)
				}
			}
		}
	}
}

func (t *trainer) logScore(e *example, choice []uint8) float64 {
	sum := 0.0
	for m := 1; m <= e.n; m++ {
		l := int(t.rel.set(e.set[m])[choice[m]])
		row := make([]float32, len(t.rel.names))
		for _, id := range e.ids[e.from[m]:e.from[m+1]] {
			t.rows.Sum(id, row)
		}
		sum += float64(row[l])
		if h := e.head[m]; h > 0 {
			alone, inContext := t.pairsOf(t.rel.set(e.set[h])[choice[h]], e.ctx[m])
			sum += float64(t.weights.W[alone+l]) + float64(t.weights.W[inContext+l])
		}
	}
	return sum
}

func next(choice []uint8, e *example) bool {
	for m := 1; m <= e.n; m++ {
		choice[m]++
		if int32(choice[m]) < e.off[m+1]-e.off[m] {
			return true
		}
		choice[m] = 0
	}
	return false
}

// sections packs a model.
func sections(m *Model) []pack.Section {
	var b pack.Builder
	m.Pack(b.Sub("label"))
	return b.Sections
}

// TestWorkers: any number of workers learns the same bytes.
func TestWorkers(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	train, dev := sample(rng, 60, 8), sample(rng, 10, 8)
	var want []pack.Section
	for _, workers := range []int{1, 2, 4} {
		m, err := Train(vocabulary(), train, dev, Options{Seed: 9, Workers: workers, Epochs: 4, Cells: 400})
		if err != nil {
			t.Fatal(err)
		}
		got := sections(m)
		if want == nil {
			want = got
		}
		for i := range got {
			if got[i].Name != want[i].Name || !bytes.Equal(got[i].Data, want[i].Data) {
				t.Fatalf("%d workers: section %s differs", workers, got[i].Name)
			}
		}
	}
}

func TestLearns(t *testing.T) {
	right, full, words := small().Accuracy(sample(rand.New(rand.NewPCG(11, 11)), 100, 9))
	if percent(right, words) < 92 || full > right {
		t.Errorf("%d of %d right, %d with subtypes: want 92 %% of a language with 5 %% noise", right, words, full)
	}
}

func TestTrainErrors(t *testing.T) {
	word := func(head int32, deprel string) syntax.Word {
		return syntax.Word{Form: "a", UPOS: "X", Head: head, Deprel: deprel}
	}
	for _, c := range []struct {
		words []syntax.Word
		want  string
	}{
		{[]syntax.Word{word(syntax.NoHead, "dep")}, "no tree"},
		{[]syntax.Word{word(2, "dep"), word(1, "dep")}, "no tree"},
	} {
		_, err := Train(vocabulary(), []syntax.Sentence{{ID: "bad", Words: c.words}}, nil, Options{})
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "bad") {
			t.Errorf("error %v, want one with %q", err, c.want)
		}
	}
	if _, err := Train(vocabulary(), nil, nil, Options{}); err == nil {
		t.Error("no error without training trees")
	}
}
