package finetune

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/treebeam/treebeam/parser/encode"
	"github.com/treebeam/treebeam/parser/hash"
	"github.com/treebeam/treebeam/parser/syntax"
)

// tinySizes differ, so that no width can stand for another.
var tinySizes = encode.HeadSizes{Arc: 6, Label: 5, Tag: 7}

// tiny returns heads with random weights and a batch of sentences of 1, 5 and
// 3 words with random levels.
func tiny(t *testing.T, width, levels int) (*heads, *batch, []*array) {
	t.Helper()
	word := func(head int32, deprel, upos, xpos, feats string) syntax.Word {
		return syntax.Word{Form: "x", Head: head, Deprel: deprel, UPOS: upos, XPOS: xpos, Feats: feats}
	}
	sents := []syntax.Sentence{
		{Words: []syntax.Word{word(0, "root", "VERB", "V1", "Number=Sing|Tense=Past")}},
		{Words: []syntax.Word{word(2, "nsubj", "NOUN", "N", "Case=Nom|Number=Sing"),
			word(0, "root", "VERB", "V2", "Tense=Pres"),
			word(5, "det", "DET", "D", ""), word(5, "amod", "ADJ", "A", ""),
			word(2, "obj", "NOUN", "N", "Case=Acc|Number=Plur")}},
		{Words: []syntax.Word{word(3, "nsubj", "PRON", "P", "Case=Nom"), word(syntax.NoHead, "", "PART", "", ""),
			word(0, "root", "VERB", "V1", "Number=Plur")}},
	}
	z := tinySizes
	z.Width, z.Levels = width, levels
	h, err := freshHeads(z, sents, 7)
	if err != nil {
		t.Fatal(err)
	}
	r := hash.Rand(3)
	random := func(list []float32, size float64) {
		for i := range list {
			list[i] = float32((r.Float()*2 - 1) * size)
		}
	}
	random(h.flat, 1)
	sents[2].Words[0].XPOS = "unseen"
	b := new(batch)
	for i := range sents {
		at := int32(1)
		var words []span
		for range sents[i].Words {
			pieces := int32(1 + r.Below(3))
			words = append(words, span{at, at + pieces})
			at += pieces
		}
		b.add(&sents[i], make([]int32, at+1), make([]int32, at+1), words, 0)
	}
	list := make([]*array, levels)
	for l := range list {
		list[l] = &array{rows: len(b.ids), cols: width, data: make([]float32, len(b.ids)*width)}
		random(list[l].data, 2)
	}
	return h, b, list
}

// step returns the loss of a batch, and leaves the gradients of levels.
func (h *heads) step(t *tape, b *batch, levels []*array, seed uint64) float64 {
	for _, l := range levels {
		l.grad = nil
	}
	t.begin(seed, true)
	loss := h.learn(t, b, levels)
	t.rewind(mark{})
	return loss
}

// A naive computes what encode.Heads says, in float64 and word by word.
type naive struct {
	p      *encode.Heads
	levels []*array
	words  [][][]float64 // of a sentence and row: its vector
	kept   [][]float32   // of a sentence: columns of the MLPs
}

func newNaive(h *heads, b *batch, levels []*array, seed uint64) *naive {
	x, o := &naive{p: h.p, levels: levels}, tape{seed: seed}
	mix, sum := make([]float64, len(levels)), 0.0
	for l, a := range h.p.Mix {
		mix[l] = math.Exp(float64(a))
		sum += mix[l]
	}
	row := 0
	for s := range b.sents {
		var words [][]float64
		for _, pieces := range b.rows[b.first[s]:b.first[s+1]] {
			v, mask := make([]float64, h.p.Sizes.Width), slices.Repeat([]float32{1}, h.p.Sizes.Width)
			o.dropNumbers(mask, row)
			for i := range v {
				for p := pieces.lo; p < pieces.hi; p++ {
					for l, level := range levels {
						v[i] += float64(level.row(int(p))[i]) * mix[l] / sum
					}
				}
				v[i] *= float64(h.p.Scale[0]) / float64(pieces.hi-pieces.lo) * float64(mask[i])
			}
			words = append(words, v)
			row++
		}
		kept := make([]float32, len(h.p.ArcModifier.Bias)*2+len(h.p.LabelHead.Bias)*2+len(h.p.Tag.Bias))
		o.keepColumns(kept, s)
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
	modifier := x.mlp(s, m, 0)
	var out []float64
	for h := range x.words[s] {
		head, score := x.mlp(s, h, 1), 0.0
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
	modifier, head := append(x.mlp(s, m, 2), 1), append(x.mlp(s, h, 3), 1)
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
	return logShares(x.linear(x.p.Classifiers[c].Linear, x.mlp(s, m, 4)))
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
		for m := 1; m <= len(sentence.Words); m++ {
			w := sentence.Words[m-1]
			words++
			if w.Head >= 0 {
				sum -= x.arcs(s, m)[w.Head]
				sum -= x.labels(s, int(w.Head), m)[slices.Index(x.p.Labels, w.Deprel)]
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
					sum -= share * x.column(s, m, c)[i]
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
		h.block = int(seed) // 0 is one block for all
		loss := h.step(&tape{workers: 2}, b, levels, seed)
		naiveLoss := func() float64 { return newNaive(h, b, levels, seed).loss(b) }
		if want := naiveLoss(); math.Abs(loss-want) > 1e-5 {
			t.Fatalf("seed %d: loss %v, want %v", seed, loss, want)
		}
		const eps = 1.0 / 1024
		check := func(name string, weights, gradients []float32) {
			for i := range weights {
				at := &weights[i]
				old := *at
				*at = old + eps
				high, up := naiveLoss(), *at
				*at = old - eps
				low, down := naiveLoss(), *at
				*at = old
				if want := (high - low) / float64(up-down); math.Abs(float64(gradients[i])-want) > 2e-4*(1+math.Abs(want)) {
					t.Errorf("seed %d: gradient of %s[%d] is %v, want %v", seed, name, i, gradients[i], want)
				}
			}
		}
		gradients := h.grad.Tensors()
		for g, x := range h.p.Tensors() {
			check(x.Name, *x.Data, *gradients[g].Data)
		}
		for l, level := range levels {
			check(fmt.Sprintf("level %d", l), level.data, level.grad)
		}
	}
}

func TestWorkersAndScratchChangeNoBit(t *testing.T) {
	run := func(workers int, again bool) (float64, []float32) {
		h, b, levels := tiny(t, 8, 3)
		o := &tape{workers: workers}
		if again {
			other := new(batch) // where other rows are roots and have no head
			for range 2 {
				other.add(b.sents[1], make([]int32, 7), make([]int32, 7), []span{{1, 2}, {2, 3}, {3, 4}, {4, 5}, {5, 6}}, 0)
			}
			h.step(o, other, levels, 3)
		}
		loss := h.step(o, b, levels, 9)
		all := slices.Clone(h.slopes)
		for _, level := range levels {
			all = append(all, level.grad...)
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

// TestHeadsLearn learns a batch by heart, from levels that do not change.
func TestHeadsLearn(t *testing.T) {
	_, all, levels := tiny(t, 8, 3)
	h, err := freshHeads(encode.HeadSizes{Width: 8, Levels: 3, Arc: 16, Label: 16, Tag: 16},
		[]syntax.Sentence{*all.sents[0], *all.sents[1]}, 7)
	if err != nil {
		t.Fatal(err)
	}
	b := *all
	b.sents, b.start, b.first, b.arcs, b.rows = b.sents[:2], b.start[:3], b.first[:3], b.arcs[:3], b.rows[:b.first[2]]
	o := new(tape)
	for range 300 {
		h.step(o, &b, levels, 0)
		addScaled(h.flat, h.slopes, -0.2)
	}
	guess := blank(&b)
	o.begin(0, false)
	h.parse(o, &b, levels, guess)
	for s := range guess {
		if got, want := fmt.Sprint(guess[s].Words), fmt.Sprint(b.sents[s].Words); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}
