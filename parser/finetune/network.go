// Package finetune fine-tunes a pretrained encoder on a treebank and learns the heads
// above it (Train): biaffine scores of arcs and labels (Dozat and Manning 2017), and
// classifiers of tags. The optimizer is Adam (Kingma and Ba 2015). The networks compute in
// 32-bit floats; a tape records their operations for the gradients. The result is the same
// for any number of workers, but may differ between kinds of processors.
package finetune

import (
	"slices"

	"github.com/treebeam/treebeam/parser/encode"
	"github.com/treebeam/treebeam/parser/piece"
	"github.com/treebeam/treebeam/parser/syntax"
)

// A batch is a few sentences and their pieces, one sentence after the other. Its rows
// are the roots and words of the sentences, each with the span of its pieces.
type batch struct {
	sents     []*syntax.Sentence // at least one word each
	ids       []int32            // of the pieces, with both marks around each sentence
	positions []int32            // of pieces in their sentences
	banks     []int32            // of pieces: the bank of their sentence
	cases     []int32            // of pieces: the case of their word
	start     []int              // of sentence s: its first piece, which is the mark Begin; length len(sents)+1
	rows      []span
	first     []int // of sentence s: the row of its root; length len(sents)+1
	arcs      []int // of sentence s: the place of its first arc; length len(sents)+1
}

// A span is pieces ids[lo:hi] of a batch.
type span struct{ lo, hi int32 }

// add appends a sentence: its pieces, and the span of each word among them.
func (b *batch) add(s *syntax.Sentence, ids, cases []int32, words []span, bank int32) {
	if len(b.sents) == 0 {
		b.start, b.first, b.arcs = []int{0}, []int{0}, []int{0}
	}
	at := int32(len(b.ids))
	b.rows = append(b.rows, span{at, at + 1})
	for _, w := range words {
		b.rows = append(b.rows, span{at + w.lo, at + w.hi})
	}
	for i := range ids {
		b.positions, b.banks = append(b.positions, int32(i)), append(b.banks, bank)
	}
	b.sents, b.ids = append(b.sents, s), append(b.ids, ids...)
	b.cases = append(b.cases, cases...)
	b.start, b.first = append(b.start, len(b.ids)), append(b.first, len(b.rows))
	b.arcs = append(b.arcs, b.arcs[len(b.arcs)-1]+len(words)*(len(words)+1))
}

// A network is an encoder that runs on a tape. Level 0 is the embedding, and level l is
// the output of layer l. A level has a row of Width floats for each piece of a batch.
type network struct {
	p, grad      *encode.Params // Word has rows for the pieces that learn
	flat, slopes []float32      // all of p, all of grad
	half         bool           // products round their factors to bfloat16 if the processor is faster with it

	word, position, bank, cased table
}

// newNetwork returns a network that moves the weights of p, which it lays out anew.
// Pieces beyond the pieces of p have the rows of frozen.
func newNetwork(p *encode.Params, frozen []float32) *network {
	n := &network{p: p, grad: &encode.Params{Shape: p.Shape, Pieces: p.Pieces, Banks: p.Banks,
		Layers: make([]encode.Layer, len(p.Layers))}}
	n.flat, n.slopes = encode.Flatten(p.Tensors()), encode.Flatten(n.grad.Tensors())
	n.word = table{width: p.Width, weights: p.Word, grad: n.grad.Word, frozen: frozen}
	n.position = table{width: p.Width, weights: p.Position, grad: n.grad.Position}
	n.bank = table{width: p.Width, weights: p.Bank, grad: n.grad.Bank}
	n.cased = table{width: p.Width, weights: p.Case, grad: n.grad.Case}
	return n
}

// Sites of dropout in a layer, and the site of the embedding.
const (
	ofProbabilities site = iota
	ofAttention
	ofFeedForward
	ofEmbedding
	sites
)

// forward returns the levels of a batch.
func (n *network) forward(t *tape, b *batch) (levels []*array) {
	p, g := n.p, n.grad
	t.half, t.chunk = n.half, chunkRows
	place := t.gather(&n.position, b.positions)
	if len(p.Banks) > 0 {
		place = t.add(place, t.gather(&n.bank, b.banks))
	}
	if p.Pieces.Lower {
		place = t.add(place, t.gather(&n.cased, b.cases))
	}
	x := t.addNorm(t.gather(&n.word, b.ids), place, p.Norm, g.Norm, p.Epsilon, nowhere)
	x = t.dropout(x, ofEmbedding)
	levels = append(levels, x)
	for i := range p.Layers {
		l, d, at := &p.Layers[i], &g.Layers[i], site(i)*sites
		if i < p.Local {
			wide := t.gelu(t.linear(t.neighbours(x, b.start), l.Up, d.Up))
			x = t.addNorm(x, t.linear(wide, l.Down, d.Down), l.FeedForwardNorm, d.FeedForwardNorm, p.Epsilon, at+ofFeedForward)
			levels = append(levels, x)
			continue
		}
		context := t.attention(t.linear(x, joined(l), joined(d)), b.start, p.Heads, at+ofProbabilities)
		middle := t.addNorm(x, t.linear(context, l.Output, d.Output), l.AttentionNorm, d.AttentionNorm, p.Epsilon, at+ofAttention)
		wide := t.gelu(t.linear(middle, l.Up, d.Up))
		x = t.addNorm(middle, t.linear(wide, l.Down, d.Down), l.FeedForwardNorm, d.FeedForwardNorm, p.Epsilon,
			at+ofFeedForward)
		levels = append(levels, x)
	}
	return levels
}

// joined returns query, key and value of a layer, which lie side by side, as one.
func joined(l *encode.Layer) encode.Linear {
	return encode.Linear{Weight: l.Query.Weight[:3*len(l.Query.Weight)], Bias: l.Query.Bias[:3*len(l.Query.Bias)]}
}

// heads are the heads of an encoder that run on a tape.
type heads struct {
	p, grad      *encode.Heads
	flat, slopes []float32        // all of p, all of grad
	labels       map[string]int32 // index in p.Labels
	columns      []learned        // with the classifiers of each
	block        int              // arcs whose labels are scored at once; 0: as many as labelBlock allows
}

// newHeads returns heads that move the weights of p, which it lays out anew.
func newHeads(p *encode.Heads) *heads {
	g := &encode.Heads{Sizes: p.Sizes, Labels: p.Labels, Classifiers: slices.Clone(p.Classifiers)}
	for i := range g.Classifiers {
		g.Classifiers[i].Linear = encode.Linear{}
	}
	h := &heads{p: p, grad: g, labels: index(p.Labels), columns: columnsOf(p.Classifiers)}
	h.flat, h.slopes = encode.Flatten(p.Tensors()), encode.Flatten(g.Tensors())
	return h
}

// scored is what heads compute from the levels of a batch: the scores of its arcs, and
// the outputs of MLPs.
type scored struct{ arcs, labelModifier, labelHead, tag *array }

func (h *heads) forward(t *tape, b *batch, levels []*array) scored {
	p, g := h.p, h.grad
	t.half, t.chunk = false, len(b.rows)
	words := t.words(b, levels, p, g)
	mlps := []struct {
		l, grad encode.Linear
		out     *array
	}{
		{l: p.ArcModifier, grad: g.ArcModifier}, {l: p.ArcHead, grad: g.ArcHead},
		{l: p.LabelModifier, grad: g.LabelModifier}, {l: p.LabelHead, grad: g.LabelHead}, {l: p.Tag, grad: g.Tag},
	}
	columns := 0
	for _, m := range mlps {
		columns += len(m.l.Bias)
	}
	kept := t.floats(len(b.sents) * columns)
	for s := range b.sents {
		t.keepColumns(kept[s*columns:(s+1)*columns], s)
	}
	all := columns
	for i, m := range slices.Backward(mlps) {
		columns -= len(m.l.Bias)
		factors := make([][]float32, len(b.sents))
		for s := range factors {
			factors[s] = kept[s*all+columns:][:len(m.l.Bias)]
		}
		mlps[i].out = t.leakyReLU(t.linear(words, m.l, m.grad), b.first, factors)
	}
	return scored{t.biaffine(b, mlps[0].out, mlps[1].out, p, g), mlps[2].out, mlps[3].out, mlps[4].out}
}

// labelBlock bounds the floats in the middle of a block of arcs.
const labelBlock = 1 << 20

// eachLabel scores the labels of arcs, block by block. It calls f with each block and its
// scores, and then propagates the gradient back.
func (h *heads) eachLabel(t *tape, x scored, arcs []arc, f func(block []arc, scores *array)) {
	size := h.block
	if size == 0 {
		size = max(16, labelBlock/(len(h.p.Labels)*(h.p.Sizes.Label+1)))
	}
	for block := range slices.Chunk(arcs, size) {
		at := t.mark()
		f(block, t.bilinear(x.labelModifier, x.labelHead, block, h.p, h.grad))
		t.rewind(at)
	}
}

// classify returns the scores of the values of all classifiers, side by side.
func (h *heads) classify(t *tape, x scored) *array {
	join := func(p *encode.Heads) (all encode.Linear) {
		for _, c := range p.Classifiers {
			all.Bias = p.Classifiers[0].Bias[:len(all.Bias)+len(c.Bias)]
		}
		all.Weight = p.Classifiers[0].Weight[:len(all.Bias)*p.Sizes.Tag]
		return all
	}
	return t.linear(x.tag, join(h.p), join(h.grad))
}

// learn runs the heads over a batch forward, and backward except for the ways that it
// leaves on the tape. It returns the loss: the mean over words of the cross-entropies of
// head, label given the gold head, and classifiers. It does not learn from values that
// are in no inventory.
func (h *heads) learn(t *tape, b *batch, levels []*array) (loss float64) {
	clear(h.slopes) // weights that do not learn from this batch have no gradient
	x := h.forward(t, b, levels)
	words := len(b.rows) - len(b.sents)
	weight := 1 / float32(words)

	var choices []choice
	var arcs []arc
	at := 0
	for s, sentence := range b.sents {
		n := len(sentence.Words)
		for m := 1; m <= n; m++ {
			head := goldHead(sentence, m)
			choices = append(choices, choice{at, at + n + 1, head, m, weight})
			at += n + 1
			if gold, ok := h.labels[sentence.Words[m-1].GoldRelation()]; ok && head >= 0 {
				arcs = append(arcs, arc{b.first[s] + m, b.first[s] + head, gold})
			}
		}
	}
	loss = t.crossEntropy(x.arcs, choices)

	h.eachLabel(t, x, arcs, func(block []arc, scores *array) {
		choices = choices[:0]
		for i, a := range block {
			choices = append(choices, choice{i * scores.cols, (i + 1) * scores.cols, int(a.gold), -1, weight})
		}
		loss += t.crossEntropy(scores, choices)
	})
	if len(h.p.Classifiers) > 0 {
		loss += t.crossEntropy(h.classify(t, x), h.goldValues(b, weight))
	}
	return loss
}

// An example is a sentence in pieces, with both marks. An id is a row of weights or, for
// a piece that does not learn, the number of rows plus the piece.
type example struct {
	sent  *syntax.Sentence
	ids   []int32
	cases []int32 // of the words of the pieces
	words []span  // from the first mark
	bank  int32
}

// cut returns a sentence in pieces by their ids.
func cut(v *piece.Vocabulary, s *syntax.Sentence) example {
	e := example{sent: s, ids: []int32{v.Begin}}
	var ends []int32
	e.ids, ends = v.Sentence(e.ids, nil, s)
	e.ids = append(e.ids, v.End)
	e.cases = make([]int32, len(e.ids))
	for i, id := range e.ids {
		e.ids[i], e.cases[i] = piece.Split(id)
	}
	at := int32(1)
	for _, end := range ends {
		e.words = append(e.words, span{at, end})
		at = end
	}
	return e
}

// join returns a batch of examples, in the banks that bank says, or in their own if it is
// nil.
func join(examples []*example, bank func(i int, e *example) int32) *batch {
	b := new(batch)
	for i, e := range examples {
		of := e.bank
		if bank != nil {
			of = bank(i, e)
		}
		b.add(e.sent, e.ids, e.cases, e.words, of)
	}
	return b
}

// batches cuts a list of examples, in an order, into batches. A batch has at most most
// pieces, or a single example.
func batches(examples []example, order []int, most int) (list [][]*example) {
	size := most
	for _, i := range order {
		e := &examples[i]
		if size += len(e.ids); size > most {
			list, size = append(list, nil), len(e.ids)
		}
		last := &list[len(list)-1]
		*last = append(*last, e)
	}
	return list
}
