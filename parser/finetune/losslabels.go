package finetune

import (
	"github.com/treebeam/treebeam/parser/linear"
	"github.com/treebeam/treebeam/parser/matrix"
)

// labelBlock bounds the floats in the middle of a block of arcs.
const labelBlock = 1 << 20

// A labelled arc is one whose label is scored: the rows of its ends, and the
// label to learn or -1.
type labelled struct {
	modifier, head int
	gold           int32
}

// labelScratch holds one block of labelled arcs, with B' = B+1.
type labelScratch struct {
	size           int        // of a block; 0 for what labelBlock allows
	list           []labelled // of the whole batch
	modifier, head []float32  // block x B': the outputs of the MLPs and a 1
	middle         []float32  // block x labels x B': Label_l·[head; 1]
	scores         []float32  // block x labels
	dmodifier      []float32
	dhead          []float32
}

// listLabelled lists the words of a batch whose head and label can be learned.
func (h *heads) listLabelled(b *batch) {
	h.label.list = h.label.list[:0]
	for s, sentence := range b.sents {
		for m := 1; m <= len(sentence.Words); m++ {
			head := goldHead(sentence, m)
			gold, ok := h.labels[goldLabel(&sentence.Words[m-1])]
			if head >= 0 && ok {
				h.label.list = append(h.label.list, labelled{h.first[s] + m, h.first[s] + head, gold})
			}
		}
	}
}

// labelBlocks scores the labels of list, block by block, and calls f with each
// block and its scores, block x labels.
func (h *heads) labelBlocks(o stepOptions, f func(block []labelled, scores matrix.Matrix)) {
	x, width, labels := &h.label, len(h.p.LabelHead.Bias), len(h.p.Labels)
	size := x.size
	if size == 0 {
		size = max(16, labelBlock/(labels*(width+1)))
	}
	for lo := 0; lo < len(x.list); lo += size {
		block := x.list[lo:min(lo+size, len(x.list))]
		h.scoreLabels(block, o)
		f(block, matrix.Of(x.scores, len(block), labels))
	}
}

func (h *heads) scoreLabels(block []labelled, o stepOptions) {
	x, width, labels, n := &h.label, len(h.p.LabelHead.Bias), len(h.p.Labels), len(block)
	one := width + 1
	x.modifier, x.head = resize(x.modifier, n*one), resize(x.head, n*one)
	x.middle, x.scores = resize(x.middle, n*labels*one), resize(x.scores, n*labels)
	for i, arc := range block {
		copy(x.modifier[i*one:], h.mlp[labelModifier].out[arc.modifier*width:][:width])
		copy(x.head[i*one:], h.mlp[labelHead].out[arc.head*width:][:width])
		x.modifier[i*one+width], x.head[i*one+width] = 1, 1
	}
	matrix.Product{TransposeB: true, Workers: o.workers}.Multiply(matrix.Of(x.middle, n, labels*one),
		matrix.Of(x.head, n, one), matrix.Of(h.p.Label, labels*one, one))
	linear.Parallel(n, o.workers, func(_, i int) {
		for l := range labels {
			x.scores[i*labels+l] = dot(x.modifier[i*one:][:one], x.middle[(i*labels+l)*one:][:one])
		}
	})
}

// learnLabels computes the gradients of the labels' weights and MLPs.
func (h *heads) learnLabels(b *batch, o stepOptions) (loss float64) {
	x, width, labels := &h.label, len(h.p.LabelHead.Bias), len(h.p.Labels)
	one := width + 1
	modifier, head := h.mlp[labelModifier].back, h.mlp[labelHead].back
	clear(modifier)
	clear(head)
	h.listLabelled(b)
	h.labelBlocks(o, func(block []labelled, scores matrix.Matrix) {
		n := len(block)
		x.dmodifier, x.dhead, h.loss = resize(x.dmodifier, n*one), resize(x.dhead, n*one), resize(h.loss, n)
		clear(x.dmodifier)
		linear.Parallel(n, o.workers, func(_, i int) {
			d := scores.Data[i*labels:][:labels]
			h.loss[i] = entropy(d, int(block[i].gold), -1, h.weight[block[i].modifier])
			for l, w := range d {
				// The middle is read for the last time and makes room for the
				// modifier times the gradient.
				middle := x.middle[(i*labels+l)*one:][:one]
				addScaled(x.dmodifier[i*one:][:one], middle, w)
				for j, v := range x.modifier[i*one:][:one] {
					middle[j] = v * w
				}
			}
		})
		loss += total(h.loss)
		middle := matrix.Of(x.middle, n, labels*one)
		matrix.Product{TransposeA: true, Add: true, Workers: o.workers}.Multiply(
			matrix.Of(h.grad.Label, labels*one, one), middle, matrix.Of(x.head, n, one))
		matrix.Product{Workers: o.workers}.Multiply(matrix.Of(x.dhead, n, one), middle, matrix.Of(h.p.Label, labels*one, one))
		for i, arc := range block {
			copy(modifier[arc.modifier*width:][:width], x.dmodifier[i*one:])
			addScaled(head[arc.head*width:][:width], x.dhead[i*one:], 1)
		}
	})
	return loss
}
