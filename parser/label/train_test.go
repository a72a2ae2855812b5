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
	rel, examples, keys, err := makeExamples(sample(rng, 40, 4), 2)
	if err != nil {
		t.Fatal(err)
	}
	tr := &trainer{rel: rel, keys: keys, stride: len(rel.names)}
	tr.weight = make([]float32, (len(keys)+tr.pairRows())*tr.stride)
	for i := range tr.weight {
		tr.weight[i] = float32(rng.NormFloat64()) * 0.3
	}
	var g gradient
	for _, e := range examples {
		g.compute(tr, e)
		want := make([]float64, len(g.word))
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
				if math.Abs(x-float64(g.word[j])) > 1e-4 {
					t.Fatalf("gradient %g, by enumeration %g", g.word[j], x)
				}
			}
		}
	}
}

func (t *trainer) logScore(e *example, choice []uint8) float64 {
	sum := 0.0
	for m := 1; m <= e.n; m++ {
		l := int(t.rel.set(e.sets[m])[choice[m]])
		for _, r := range e.rows[e.from[m]:e.from[m+1]] {
			sum += float64(t.weight[int(r)*t.stride+l])
		}
		if h := e.head[m]; h > 0 {
			lh := t.rel.set(e.sets[h])[choice[h]]
			sum += float64(t.weight[t.commonRow(lh)*t.stride+l]) + float64(t.weight[t.ownRow(e.ctx[m], lh)*t.stride+l])
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
		m, err := Train(train, dev, Options{Seed: 9, Workers: workers, Epochs: 4, Rows: 400})
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
		{[]syntax.Word{word(0, "root"), word(1, "")}, "no DEPREL"},
	} {
		_, err := Train([]syntax.Sentence{{ID: "bad", Words: c.words}}, nil, Options{})
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "bad") {
			t.Errorf("error %v, want one with %q", err, c.want)
		}
	}
	if _, err := Train(nil, nil, Options{}); err == nil {
		t.Error("no error without training trees")
	}
}

func TestRowTable(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	keys := make([]uint64, 5000)
	for i := range keys {
		keys[i] = rng.Uint64()
	}
	table, kept := newRowTable(keys, 3)
	if err := table.validate(); err != nil {
		t.Fatal(err)
	}
	for row, i := range kept {
		if table.find(keys[i]) != int32(row) {
			t.Fatalf("key %d is not in row %d", i, row)
		}
	}
	wrong := 0
	for range 100_000 {
		if table.find(rng.Uint64()) >= 0 {
			wrong++
		}
	}
	if wrong > 30 || len(kept) < len(keys)-10 {
		t.Errorf("%d of 100,000 unknown keys found, %d of 5,000 keys kept", wrong, len(kept))
	}
}
