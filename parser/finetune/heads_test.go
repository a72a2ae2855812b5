package finetune

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/treebeam/treebeam/parser/encode"
	"github.com/treebeam/treebeam/parser/hash"
	"github.com/treebeam/treebeam/parser/matrix"
	"github.com/treebeam/treebeam/parser/syntax"
)

// tinySizes differ, so that no width can stand for another.
var tinySizes = encode.HeadSizes{Arc: 6, Label: 5, Tag: 7}

// tiny returns heads with random weights and a batch of sentences of 1, 5 and
// 3 words with random levels.
func tiny(t *testing.T, width, levels int) (*heads, *batch, []matrix.Matrix) {
	t.Helper()
	word := func(head int32, deprel, upos, xpos, feats string) syntax.Word {
		return syntax.Word{Form: "x", Head: head, Deprel: deprel, UPOS: upos, XPOS: xpos, Feats: feats}
	}
	sents := []syntax.Sentence{
		{Words: []syntax.Word{word(0, "root", "VERB", "V1", "Number=Sing|Tense=Past")}},
		{Words: []syntax.Word{word(2, "nsubj", "NOUN", "N", "Case=Nom|Number=Sing"), word(0, "root", "VERB", "V2", "Tense=Pres"),
			word(5, "det", "DET", "D", ""), word(5, "amod", "ADJ", "A", ""), word(2, "obj", "NOUN", "N", "Case=Acc|Number=Plur")}},
		{Words: []syntax.Word{word(3, "nsubj", "PRON", "P", "Case=Nom"), word(syntax.NoHead, "", "PART", "", ""), word(0, "root", "VERB", "V1", "Number=Plur")}},
	}
	h, err := sizedHeads(tinySizes, width, levels, sents, 7)
	if err != nil {
		t.Fatal(err)
	}
	r := hash.Rand(3)
	for _, x := range groups(h.p) {
		for i := range x.data {
			x.data[i] = float32(r.Float()*2 - 1)
		}
	}
	sents[2].Words[0].XPOS = "unseen"
	b := &batch{start: []int{0}, weight: []float32{1, 0.5, 2}}
	for i := range sents {
		at := int32(b.start[i]) + 1
		var words []span
		for range sents[i].Words {
			pieces := int32(1 + r.Below(3))
			words = append(words, span{at, at + pieces})
			at += pieces
		}
		b.sents, b.words, b.start = append(b.sents, &sents[i]), append(b.words, words), append(b.start, int(at)+1)
	}
	b.ids = make([]int32, b.start[len(sents)])
	list := make([]matrix.Matrix, levels)
	for l := range list {
		list[l] = matrix.Of(make([]float32, len(b.ids)*(width+l)), len(b.ids), width+l).Columns(0, width)
		for i := range list[l].Data {
			list[l].Data[i] = float32(r.Float()*4 - 2)
		}
	}
	return h, b, list
}

// A group is one group of weights.
type group struct {
	name string
	data []float32
}

func groups(p *encode.Heads) []group {
	list := []group{{"mix", p.Mix}, {"scale", p.Scale}, {"arc", p.Arc}, {"arc bias", p.ArcBias}, {"label", p.Label}}
	linear := func(name string, l encode.Linear) {
		list = append(list, group{name + " weight", l.Weight}, group{name + " bias", l.Bias})
	}
	linear("arc modifier", p.ArcModifier)
	linear("arc head", p.ArcHead)
	linear("label modifier", p.LabelModifier)
	linear("label head", p.LabelHead)
	linear("tag", p.Tag)
	for _, c := range p.Classifiers {
		linear(c.Name, c.Linear)
	}
	return list
}

func like(levels []matrix.Matrix) []matrix.Matrix {
	out := make([]matrix.Matrix, len(levels))
	for l, m := range levels {
		out[l] = matrix.Of(make([]float32, m.Rows*m.Cols), m.Rows, m.Cols)
		for i := range out[l].Data {
			out[l].Data[i] = 9 // of a step before
		}
	}
	return out
}

// A naive computes what encode.Heads says, in float64 and word by word.
type naive struct {
	p      *encode.Heads
	levels []matrix.Matrix
	words  [][][]float64 // of a sentence and row: its vector
	kept   [][]float32   // of a sentence: columns of the MLPs
}

func newNaive(h *heads, b *batch, levels []matrix.Matrix, seed uint64) *naive {
	x := &naive{p: h.p, levels: levels}
	mix, sum := make([]float64, len(levels)), 0.0
	for l, a := range h.p.Mix {
		mix[l] = math.Exp(float64(a))
		sum += mix[l]
	}
	row := 0
	for s := range b.sents {
		spans := append([]span{{int32(b.start[s]), int32(b.start[s]) + 1}}, b.words[s]...)
		var words [][]float64
		for _, pieces := range spans {
			v, mask := make([]float64, h.width), slices.Repeat([]float32{1}, h.width)
			dropWord(mask, row, seed)
			for i := range v {
				for p := pieces.lo; p < pieces.hi; p++ {
					for l, level := range levels {
						v[i] += float64(level.Data[int(p)*level.Stride+i]) * mix[l] / sum
					}
				}
				v[i] *= float64(h.p.Scale[0]) / float64(pieces.hi-pieces.lo) * float64(mask[i])
			}
			words = append(words, v)
			row++
		}
		kept := make([]float32, len(h.p.ArcModifier.Bias)*2+len(h.p.LabelHead.Bias)*2+len(h.p.Tag.Bias))
		h.keepColumns(kept, s, seed)
		x.words, x.kept = append(x.words, words), append(x.kept, kept)
	}
	return x
}

func (x *naive) linear(l encode.Linear, v []float64) []float64 {
	out := make([]float64, len(l.Bias))
	for o := range out {
		out[o] = float64(l.Bias[o])
		for i, a := range v {
			out[o] += float64(l.Weight[o*len(v)+i]) * a
		}
	}
	return out
}

func (x *naive) mlp(s, row, which int) []float64 {
	a, b := len(x.p.ArcBias), len(x.p.LabelHead.Bias)
	at := []int{0, a, 2 * a, 2*a + b, 2*a + 2*b}[which]
	l := []encode.Linear{x.p.ArcModifier, x.p.ArcHead, x.p.LabelModifier, x.p.LabelHead, x.p.Tag}[which]
	out := x.linear(l, x.words[s][row])
	for i := range out {
		if out[i] < 0 {
			out[i] *= 0.1
		}
		out[i] *= float64(x.kept[s][at+i])
	}
	return out
}

// arcs returns the log-probabilities of the heads of word m.
func (x *naive) arcs(s, m int) []float64 {
	modifier := x.mlp(s, m, arcModifier)
	var out []float64
	for h := range x.words[s] {
		head, score := x.mlp(s, h, arcHead), 0.0
		for j, b := range head {
			score += float64(x.p.ArcBias[j]) * b
			for i, a := range modifier {
				score += a * float64(x.p.Arc[i*len(head)+j]) * b
			}
		}
		if h == m {
			score = math.Inf(-1)
		}
		out = append(out, score)
	}
	return logShares(out)
}

// labels returns the log-probabilities of the labels of an arc.
func (x *naive) labels(s, h, m int) (out []float64) {
	modifier, head := append(x.mlp(s, m, labelModifier), 1), append(x.mlp(s, h, labelHead), 1)
	for l := range x.p.Labels {
		score := 0.0
		for i, a := range modifier {
			for j, b := range head {
				score += a * float64(x.p.Label[(l*len(modifier)+i)*len(head)+j]) * b
			}
		}
		out = append(out, score)
	}
	return logShares(out)
}

func (x *naive) column(s, m, c int) []float64 {
	return logShares(x.linear(x.p.Classifiers[c].Linear, x.mlp(s, m, tagMLP)))
}

func logShares(a []float64) []float64 {
	sum := 0.0
	for _, v := range a {
		sum += math.Exp(v)
	}
	for i := range a {
		a[i] -= math.Log(sum)
	}
	return a
}

func (x *naive) loss(b *batch) float64 {
	sum, words := 0.0, 0.0
	for s, sentence := range b.sents {
		weight := float64(b.weight[s])
		for m := 1; m <= len(sentence.Words); m++ {
			w := sentence.Words[m-1]
			words += weight
			if w.Head >= 0 {
				sum -= weight * x.arcs(s, m)[w.Head]
				sum -= weight * x.labels(s, int(w.Head), m)[slices.Index(x.p.Labels, w.Deprel)]
			}
			for c, classifier := range x.p.Classifiers {
				value, share := w.UPOS, 1.0
				if classifier.Name == "xpos" {
					value, share = w.XPOS, 0.5
				} else if name, ok := strings.CutPrefix(classifier.Name, "feats:"); ok {
					value, share = "", 0.2
					eachFeature(w.Feats, func(a, v string) {
						if a == name {
							value = v
						}
					})
				}
				if i := slices.Index(classifier.Values, value); i >= 0 {
					sum -= weight * share * x.column(s, m, c)[i]
				}
			}
		}
	}
	return sum / words
}

func TestInventory(t *testing.T) {
	h, _, _ := tiny(t, 8, 3)
	got := fmt.Sprint(h.p.Labels)
	for _, c := range h.p.Classifiers {
		got += fmt.Sprintf(" %s%q", c.Name, c.Values)
	}
	want := `[root nsubj amod det obj dep]` +
		` upos["VERB" "NOUN" "ADJ" "DET" "PART" "PRON"] xpos["N" "V1" "" "A" "D" "P" "V2"]` +
		` feats:Number["" "Plur" "Sing"] feats:Case["" "Nom" "Acc"] feats:Tense["" "Past" "Pres"]`
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	// One value everywhere is nothing to learn.
	same := []syntax.Sentence{{Words: []syntax.Word{{UPOS: "X", Feats: "A=b"}, {UPOS: "X", Feats: "A=b"}}}}
	if list := listClassifiers(same); len(list) > 0 {
		t.Errorf("classifiers %v of one value each", list)
	}
}

func TestStepIsTheNaiveLossAndItsGradients(t *testing.T) {
	for _, seed := range []uint64{0, 5} {
		h, b, levels := tiny(t, 8, 3)
		back := like(levels)
		h.label.size = int(seed) // 0 is one block for all
		loss := h.step(b, levels, back, stepOptions{workers: 2, seed: seed})
		naiveLoss := func() float64 { return newNaive(h, b, levels, seed).loss(b) }
		if want := naiveLoss(); math.Abs(loss-want) > 1e-5 {
			t.Fatalf("seed %d: loss %v, want %v", seed, loss, want)
		}
		const eps = 1.0 / 1024
		check := func(name string, at *float32, got float32) {
			old := *at
			*at = old + eps
			high, up := naiveLoss(), *at
			*at = old - eps
			low, down := naiveLoss(), *at
			*at = old
			if want := (high - low) / float64(up-down); math.Abs(float64(got)-want) > 2e-4*(1+math.Abs(want)) {
				t.Errorf("seed %d: gradient of %s is %v, want %v", seed, name, got, want)
			}
		}
		gradients := groups(h.grad)
		for g, x := range groups(h.p) {
			for i := range x.data {
				check(fmt.Sprintf("%s[%d]", x.name, i), &x.data[i], gradients[g].data[i])
			}
		}
		for l := range levels {
			for p := range levels[l].Rows {
				for i := range levels[l].Cols {
					check(fmt.Sprintf("level %d, piece %d", l, p), &levels[l].Data[p*levels[l].Stride+i], back[l].Data[p*back[l].Stride+i])
				}
			}
		}
	}
}

func TestWorkersAndScratchChangeNoBit(t *testing.T) {
	run := func(workers int, again bool) (float64, []float32) {
		h, b, levels := tiny(t, 8, 3)
		back := like(levels)
		if again {
			other := *b // where other rows are roots and have no head
			other.sents = []*syntax.Sentence{b.sents[1], b.sents[1]}
			other.words = [][]span{b.words[1], b.words[1]}
			other.start = []int{b.start[1], b.start[2], b.start[3]}
			h.step(&other, levels, back, stepOptions{seed: 3})
			h.grad = zeros(h.p)
		}
		loss := h.step(b, levels, back, stepOptions{workers: workers, seed: 9})
		var all []float32
		for _, g := range groups(h.grad) {
			all = append(all, g.data...)
		}
		for _, m := range back {
			all = append(all, m.Data...)
		}
		return loss, all
	}
	loss, want := run(1, false)
	for _, again := range []bool{false, true} {
		other, got := run(3, again)
		if other != loss || !slices.Equal(got, want) {
			t.Errorf("again %v: 3 workers learn otherwise than 1", again)
		}
	}
}

func TestStepsAllocateLittle(t *testing.T) {
	h, b, levels := tiny(t, 8, 3)
	back := like(levels)
	step := func() { h.step(b, levels, back, stepOptions{seed: 3}) }
	step()
	if n := testing.AllocsPerRun(5, step); n > 60 && !underRace {
		t.Errorf("a step allocates %v times", n)
	}
}

// TestHeadsLearn learns a batch by heart, from levels that do not change.
func TestHeadsLearn(t *testing.T) {
	_, b, levels := tiny(t, 8, 3)
	h, err := sizedHeads(encode.HeadSizes{Arc: 16, Label: 16, Tag: 16}, 8, 3, []syntax.Sentence{*b.sents[0], *b.sents[1]}, 7)
	if err != nil {
		t.Fatal(err)
	}
	b.sents, b.words, b.start, b.weight = b.sents[:2], b.words[:2], b.start[:3], nil
	back := like(levels)
	for range 300 {
		h.step(b, levels, back, stepOptions{})
		gradients := groups(h.grad)
		for g, x := range groups(h.p) {
			addScaled(x.data, gradients[g].data, -0.2)
			clear(gradients[g].data)
		}
	}
	guess := blank(b)
	h.parse(b, levels, guess, stepOptions{})
	for s := range guess {
		if got, want := fmt.Sprint(guess[s].Words), fmt.Sprint(b.sents[s].Words); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}
