package label

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/treebeam/treebeam/parser/pack"
	"github.com/treebeam/treebeam/parser/syntax"
)

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

// next makes choice the next labelling, and reports whether there is one.
func next(choice []uint8, l *layout) bool {
	for m := 1; m <= l.n; m++ {
		choice[m]++
		if int32(choice[m]) < l.off[m+1]-l.off[m] {
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
