package finetune

import (
	"math"
	"slices"
	"testing"

	"github.com/treebeam/treebeam/parser/syntax"
)

// blank returns the sentences of a batch with forms only.
func blank(b *batch) (out []*syntax.Sentence) {
	for _, s := range b.sents {
		c := &syntax.Sentence{}
		for _, w := range s.Words {
			c.Words = append(c.Words, syntax.Word{Form: w.Form})
		}
		out = append(out, c)
	}
	return out
}

// eachTree calls f with the heads of all trees of n words with one root.
func eachTree(n int, f func(head []int32)) {
	head := make([]int32, n+1)
	var fill func(m int)
	fill = func(m int) {
		if m <= n {
			for h := range n + 1 {
				if h != m {
					head[m] = int32(h)
					fill(m + 1)
				}
			}
			return
		}
		roots := 0
		for m := 1; m <= n; m++ {
			if head[m] == 0 {
				roots++
			}
			steps, at := 0, int32(m)
			for ; at != 0 && steps <= n; steps++ {
				at = head[at]
			}
			if at != 0 {
				return
			}
		}
		if roots == 1 {
			f(head)
		}
	}
	fill(1)
}

func TestParseIsTheBestTree(t *testing.T) {
	h, b, levels := tiny(t, 8, 3)
	for round := range 20 {
		for i := range levels[0].data {
			levels[0].data[i] = float32(math.Sin(float64(i*(round+1)))) * 3
		}
		guess := blank(b)
		h.parse(&tape{workers: round % 3}, b, levels, guess)
		x := newNaive(h, b, levels, 0)
		for s, sentence := range guess {
			n := len(sentence.Words)
			arcs := make([][]float64, n+1)
			for m := 1; m <= n; m++ {
				arcs[m] = x.arcs(s, m)
			}
			score := func(head []int32) (sum float64) {
				for m := 1; m <= n; m++ {
					sum += max(arcs[m][head[m]], arcFloor)
				}
				return sum
			}
			top, trees, found := math.Inf(-1), 0, false
			got := []int32{0}
			for _, w := range sentence.Words {
				got = append(got, w.Head)
			}
			eachTree(n, func(head []int32) {
				trees++
				top = max(top, score(head))
				found = found || slices.Equal(head, got)
			})
			if want := []int{1, 2, 9, 64, 625}[n-1]; trees != want {
				t.Fatalf("%d trees of %d words, want %d", trees, n, want)
			}
			if !found || score(got) < top-float64(n+1)/arcUnit {
				t.Errorf("round %d: tree %v has %v, the best %v", round, got, score(got), top)
			}
			for m := 1; m <= n; m++ {
				checkWord(t, h, x, s, m, &sentence.Words[m-1])
			}
		}
	}
}

// checkWord compares label and columns with the most probable ones.
func checkWord(t *testing.T, h *heads, x *naive, s, m int, w *syntax.Word) {
	t.Helper()
	top := func(p []float64, skip int) int {
		at := -1
		for i := range p {
			if i != skip && (at < 0 || p[i] > p[at]) {
				at = i
			}
		}
		return at
	}
	label := "root"
	if w.Head != 0 {
		label = h.p.Labels[top(x.labels(s, int(w.Head), m), slices.Index(h.p.Labels, "root"))]
	}
	if w.Deprel != label {
		t.Errorf("label %s, want %s", w.Deprel, label)
	}
	value := map[string]string{}
	for c := range h.p.Classifiers {
		value[h.p.Classifiers[c].Name] = h.p.Classifiers[c].Values[top(x.column(s, m, c), -1)]
	}
	feats := ""
	for _, name := range []string{"Case", "Number", "Tense"} {
		if v := value["feats:"+name]; v != "" {
			if feats != "" {
				feats += "|"
			}
			feats += name + "=" + v
		}
	}
	if w.UPOS != value["upos"] || w.XPOS != value["xpos"] || w.Feats != feats {
		t.Errorf("word %v, want %v", *w, value)
	}
}

func TestTally(t *testing.T) {
	word := func(head int32, deprel, upos, feats string) syntax.Word {
		return syntax.Word{Head: head, Deprel: deprel, UPOS: upos, Feats: feats}
	}
	gold := &syntax.Sentence{Words: []syntax.Word{word(2, "nsubj:pass", "NOUN", "A=b"), word(0, "root", "VERB", ""),
		word(2, "obj", "NOUN", "")}}
	guess := &syntax.Sentence{Words: []syntax.Word{word(2, "nsubj", "NOUN", ""), word(0, "root", "NOUN", ""),
		word(1, "obj", "NOUN", "")}}
	var got tally
	got.count(gold, guess)
	if want := (tally{words: 3, heads: 2, labels: 2, upos: 2, features: 2}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}
