package finetune

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/treebeam/treebeam/parser/encode"
	"github.com/treebeam/treebeam/parser/hash"
	"github.com/treebeam/treebeam/parser/pack"
	"github.com/treebeam/treebeam/parser/piece"
	"github.com/treebeam/treebeam/parser/syntax"
)

const toyForms = 12

// toy returns a small encoder whose vocabulary has the marks, the words w0,
// w1, ... whole and the characters in them.
func toy(layers int) *encode.Params {
	v := &piece.Vocabulary{Pieces: []string{"<s>", "</s>", "<unk>", "\u2581", "w"}, Begin: 0, End: 1, Unknown: 2}
	for i := range 10 {
		v.Pieces = append(v.Pieces, fmt.Sprint(i))
	}
	for i := range 2 * toyForms {
		v.Pieces = append(v.Pieces, fmt.Sprintf("\u2581w%d", i))
	}
	for i := range v.Pieces {
		v.Scores = append(v.Scores, -float32(i%3)-2)
	}
	r := hash.Rand(5)
	p := randomParams(&r, 32, 4, layers, len(v.Pieces))
	p.Pieces = v
	return p
}

// toyTrees returns sentences whose words hang on the last one, or on the word
// before if their number is even; the label tells which.
func toyTrees(n int) (list []syntax.Sentence) {
	r := hash.Rand(6)
	for range n {
		var s syntax.Sentence
		size := 3 + int(r.Below(5))
		for m := 1; m <= size; m++ {
			k := r.Below(toyForms)
			w := syntax.Word{Form: fmt.Sprintf("w%d", k), Head: int32(size), Deprel: "far", UPOS: "NOUN"}
			switch {
			case m == size:
				w.Head, w.Deprel = 0, "root"
			case k%2 == 0 && m > 1:
				w.Head, w.Deprel, w.UPOS = int32(m-1), "near", "VERB"
			}
			s.Words = append(s.Words, w)
		}
		list = append(list, s)
	}
	return list
}

// A small encoder learns a toy language, from its training set.
func TestLearns(t *testing.T) {
	trees := toyTrees(60)
	x, err := newTrainer(toy(2), trees, trees, Options{Epochs: 15, Workers: 2, pace: pace{40, 3e-3, 3e-3}})
	if err != nil {
		t.Fatal(err)
	}
	before := x.measure()
	if err := x.run(); err != nil {
		t.Fatal(err)
	}
	if after := x.best.figure / float64(before.words); after < 0.95 {
		t.Errorf("LAS %.3f on what it learned from, before %.3f", after, float64(before.labels)/float64(before.words))
	}
}

// A training from an encoder and heads that were tuned before begins with what they have
// learned, whatever the order of relations and values and whatever else is new.
func TestStartsFromHeads(t *testing.T) {
	trees := toyTrees(60)
	o := Options{Epochs: 8, Workers: 2, pace: pace{40, 3e-3, 3e-3}}
	x, err := newTrainer(toy(2), trees, trees, o)
	if err != nil {
		t.Fatal(err)
	}
	if err := x.run(); err != nil {
		t.Fatal(err)
	}
	p, h, err := Train(toy(2), trees, trees, o)
	if err != nil {
		t.Fatal(err)
	}
	o.Heads = h
	same, err := newTrainer(p, trees, trees, o)
	if err != nil {
		t.Fatal(err)
	}
	before := same.measure()
	if float64(before.labels) != x.best.figure || before.upos < before.words/2 {
		t.Errorf("%d words with the right head and label and %d with the right UPOS at the start, want %v", before.labels, before.upos, x.best.figure)
	}
	more := syntax.Clone(trees)
	for i := range 40 { // a new relation is the most frequent one, and a new tag
		s := syntax.Clone(trees[i%len(trees) : i%len(trees)+1])[0]
		for m := range s.Words {
			if s.Words[m].Head != 0 {
				s.Words[m].Deprel, s.Words[m].UPOS = "aside", "ADJ"
			}
		}
		more = append(more, s, s)
	}
	other, err := newTrainer(p, more, trees, o)
	if err != nil {
		t.Fatal(err)
	}
	if other.heads.p.Labels[0] == h.Labels[0] && other.heads.p.Classifiers[0].Values[0] == h.Classifiers[0].Values[0] {
		t.Fatalf("the order is the same: %v", other.heads.p.Labels)
	}
	got := other.measure()
	if got.labels < before.labels*9/10 || got.upos < before.upos*8/10 {
		t.Errorf("with a new relation %d words have the right head and label and %d the right UPOS, before %d and %d", got.labels, got.upos, before.labels, before.upos)
	}
	o.Layers = 1
	if one, err := newTrainer(p, trees, trees, o); err != nil || len(one.heads.p.Mix) != 2 || one.heads.p.Mix[1] != h.Mix[1] {
		t.Errorf("with one layer: %v, %v", one.heads.p.Mix, err)
	}
}

// weightsOf lists all weights of a result.
func weightsOf(p *encode.Params, h *encode.Heads) (list []float32) {
	for _, x := range append(p.Tensors(), h.Tensors()...) {
		list = append(list, *x.Data...)
	}
	return list
}

// Any number of workers gives the same weights; what was handed in stays; the
// layers and the vocabulary are as asked for.
func TestTrain(t *testing.T) {
	p, trees := toy(3), toyTrees(24)
	untouched := weightsOf(p, new(encode.Heads))
	text := []syntax.Sentence{{Words: []syntax.Word{{Form: fmt.Sprintf("w%d", toyForms+1)}}}}
	o := Options{Layers: 2, Epochs: 2, Seed: 3, Texts: text, Workers: 1, pace: pace{50, 2.5e-4, 1e-3}}
	tuned, heads, err := Train(p, trees, trees[:8], o)
	if err != nil {
		t.Fatal(err)
	}
	want := weightsOf(tuned, heads)
	o.Workers = 3
	if again, h, err := Train(p, trees, trees[:8], o); err != nil || !slices.Equal(weightsOf(again, h), want) {
		t.Errorf("3 workers: other weights (%v)", err)
	}
	if !slices.Equal(weightsOf(p, new(encode.Heads)), untouched) {
		t.Error("the encoder that was handed in has changed")
	}
	if len(tuned.Layers) != 2 || len(heads.Mix) != 3 {
		t.Errorf("%d layers, %d levels; want 2, 3", len(tuned.Layers), len(heads.Mix))
	}
	for i, name := range p.Pieces.Pieces {
		at := slices.Index(tuned.Pieces.Pieces, name)
		switch kept := at >= 0; {
		case !kept && i >= 15: // seen or not: there is room for all
			t.Errorf("piece %s is gone", name)
		case kept:
			same := slices.Equal(tuned.Word[at*32:(at+1)*32], p.Word[i*32:(i+1)*32])
			if learns := i < 2 || i >= 15 && i-15 < toyForms; same == learns {
				t.Errorf("piece %s: its vector stayed is %v", name, same)
			}
		}
	}
}

// An encoder that is adapted learns its new trees, and keeps its inventories, the vectors of
// pieces and of other treebanks, and what was handed in.
func TestAdapt(t *testing.T) {
	p, trees := toy(2), toyTrees(60)
	p.Banks, p.Bank = []string{"xa", "xb", encode.Anywhere}, make([]float32, 3*p.Width)
	p.Coarse, p.Word = encode.NewCodes(p.Word, p.Width, 20), nil
	p, h, err := Adapt(p, toyHeads(t, p, trees), trees, Options{Epochs: 8, Workers: 2})
	if err != nil {
		t.Fatal(err)
	}
	for i := range trees {
		trees[i].Language = "xb"
		for k := range trees[i].Words {
			if w := &trees[i].Words[k]; w.Deprel == "far" {
				w.Deprel, w.Feats = "near", "New=Yes"
			}
		}
	}
	untouched := slices.Concat(weightsOf(p, h))
	q, g, err := Adapt(p, h, trees[:40], Options{Epochs: 8, Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	if again, h, err := Adapt(p, h, trees[:40], Options{Epochs: 8, Seed: 3, Workers: 3}); err != nil || !slices.Equal(weightsOf(again, h), weightsOf(q, g)) {
		t.Errorf("3 workers: other weights (%v)", err)
	}
	if !slices.Equal(weightsOf(p, h), untouched) {
		t.Error("what was handed in has changed")
	}
	w := p.Width
	if q.Pieces != p.Pieces || q.Coarse != p.Coarse || q.Word != nil || !slices.Equal(q.Banks, p.Banks) || !slices.Equal(g.Labels, h.Labels) ||
		len(g.Classifiers) != len(h.Classifiers) || !slices.Equal(g.Classifiers[0].Values, h.Classifiers[0].Values) {
		t.Error("the inventories have changed")
	}
	for i, learns := range []bool{false, true, false} {
		if same := slices.Equal(q.Bank[i*w:(i+1)*w], p.Bank[i*w:(i+1)*w]); same == learns {
			t.Errorf("the vector of %s stayed is %v", q.Banks[i], same)
		}
	}
	if x, y, err := Adapt(p, h, trees[:40], Options{Epochs: 8, Seed: 3, Again: true}); err != nil || slices.Equal(weightsOf(x, y), weightsOf(q, g)) {
		t.Error("steps again are as long as the first", err)
	}
	many, _, err := Adapt(p, h, trees[:40], Options{Epochs: 4, Many: true, Again: true})
	if err != nil {
		t.Fatal(err)
	}
	if many.Coarse != p.Coarse || !slices.Equal(many.Banks, p.Banks) || !slices.Equal(many.Bank[:w], p.Bank[:w]) ||
		slices.Equal(many.Bank[w:2*w], p.Bank[w:2*w]) || slices.Equal(many.Bank[2*w:], p.Bank[2*w:]) {
		t.Error("of many treebanks: a tenth of the sentences of xb is learned as from anywhere, and none as of xa")
	}
	labels := func(p *encode.Params, h *encode.Heads) int {
		x, err := newTrainer(p, trees, trees[40:], Options{Heads: h, kept: true})
		if err != nil {
			t.Fatal(err)
		}
		return x.measure().labels
	}
	if before, after := labels(p, h), labels(q, g); after <= before {
		t.Errorf("%d words with the right head and label before, %d after", before, after)
	}
}

// toyHeads returns new heads for the relations and tags of trees.
func toyHeads(t *testing.T, p *encode.Params, trees []syntax.Sentence) *encode.Heads {
	t.Helper()
	z := usualSizes
	z.Width, z.Levels = p.Width, len(p.Layers)+1
	h, err := freshHeads(z, trees, 1)
	if err != nil {
		t.Fatal(err)
	}
	return h.p
}

// Sentences that cannot be learned from are left out; without any, and with
// options that do not fit, there is an error.
func TestLeftOut(t *testing.T) {
	p, trees := toy(1), toyTrees(4)
	two := syntax.Clone(trees[:1])
	two[0].Words[0].Head = 0
	long := syntax.Sentence{Words: slices.Repeat(trees[0].Words[:1], p.Positions-1)}
	for i := range long.Words {
		long.Words[i].Head = int32(i)
	}
	fits := syntax.Sentence{Words: long.Words[:p.Positions-2]}
	x, err := newTrainer(p, slices.Concat(trees, two, []syntax.Sentence{long, fits, {}}), []syntax.Sentence{long}, Options{})
	if err != nil || len(x.train) != 5 || len(x.dev) != 0 {
		t.Errorf("%d sentences learn, %d of dev; want 5, 0 (%v)", len(x.train), len(x.dev), err)
	}
	for what, f := range map[string]func() error{
		"no sentence": func() error { _, _, err := Train(p, two, nil, Options{}); return err },
		"not 2":       func() error { _, _, err := Train(p, trees, nil, Options{Layers: 2}); return err },
		"lower learning rates": func() error {
			_, _, err := Train(p, trees, nil, Options{pace: pace{400, 1e30, 1e-3}})
			return err
		},
	} {
		if err := f(); err == nil || !strings.Contains(err.Error(), what) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// An interruption after any epoch changes nothing.
func TestResume(t *testing.T) {
	trees := toyTrees(20)
	o := Options{Epochs: 3, Seed: 2, pace: pace{40, 1e-3, 1e-3}}
	p, h, err := Train(toy(1), trees, trees[:9], o)
	if err != nil {
		t.Fatal(err)
	}
	want, interrupted := weightsOf(p, h), errors.New("interrupted")
	for stop := 1; stop <= 3; stop++ {
		var kept []pack.Section
		part := o
		part.Checkpoint = func(epoch int, layout func(*pack.Layout)) error {
			if epoch > stop {
				return interrupted
			}
			var b pack.Builder
			pack.Write(b.Sub("c"), layout)
			for i := range b.Sections {
				b.Sections[i].Data = slices.Clone(b.Sections[i].Data)
			}
			kept = b.Sections
			return nil
		}
		if _, _, err := Train(toy(1), trees, trees[:9], part); !errors.Is(err, interrupted) && (stop < 3 || err != nil) {
			t.Fatal(err)
		}
		rest := o
		rest.Resume = func(layout func(*pack.Layout)) (bool, error) {
			return true, pack.Read(pack.NewView(kept), "c", layout)
		}
		if p, h, err = Train(toy(1), trees, trees[:9], rest); err != nil || !slices.Equal(weightsOf(p, h), want) {
			t.Errorf("interrupted after epoch %d: other weights (%v)", stop, err)
		}
		if _, _, err := Train(toy(2), trees, nil, rest); err == nil {
			t.Error("the checkpoint of another training was accepted")
		}
	}
}
