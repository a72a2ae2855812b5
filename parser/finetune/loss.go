package finetune

import (
	"math"

	"github.com/treebeam/treebeam/parser/linear"
	"github.com/treebeam/treebeam/parser/matrix"
	"github.com/treebeam/treebeam/parser/syntax"
)

// step runs a batch forward and backward, given the levels of the encoder (the
// embedding and every layer, pieces x width). It sets dlevels to the gradients
// of the levels, adds the gradients of the weights to grad, and returns the
// loss: the mean over words of the cross-entropies of head, label given the
// gold head, and classifiers. What a word has that is in no inventory, it does
// not learn from.
func (h *heads) step(b *batch, levels, dlevels []matrix.Matrix, o stepOptions) (loss float64) {
	h.forward(b, levels, o)
	for i := range mlps {
		a := &h.mlp[i]
		a.back = resize(a.back, len(a.out))
	}
	loss = h.learnArcs(b, o)
	loss += h.learnLabels(b, o)
	loss += h.learnColumns(b, o)
	h.backward(b, levels, dlevels, o)
	return loss
}

// entropy returns weight times the cross-entropy of gold under the softmax of
// the scores without that of index skip, and turns the scores into its
// gradient. A gold < 0 costs nothing.
func entropy(scores []float32, gold, skip int, weight float32) float64 {
	if gold < 0 || weight == 0 {
		clear(scores)
		return 0
	}
	top := float32(math.Inf(-1))
	for i, x := range scores {
		if i != skip {
			top = max(top, x)
		}
	}
	sum, own := 0.0, float64(scores[gold]-top)
	for i, x := range scores {
		e := 0.0
		if i != skip {
			e = math.Exp(float64(x - top))
		}
		scores[i] = float32(e)
		sum += e
	}
	scale := float32(float64(weight) / sum)
	for i := range scores {
		scores[i] *= scale
	}
	scores[gold] -= weight
	return float64(weight) * (math.Log(sum) - own)
}

// total adds the losses in their order.
func total(loss []float64) (sum float64) {
	for _, x := range loss {
		sum += x
	}
	return sum
}

// arcScratch holds the scores of arcs. Of sentence s with n words they are
// scores[at[s]:at[s+1]], n x (n+1): row m-1 has the heads of word m.
type arcScratch struct {
	at           []int
	scores       []float32
	middle, back []float32 // rows x A: modifierᵀ·Arc and its gradient
	column       []float32 // of a row: the sum of the gradients of its scores as head
}

// scoreArcs computes the scores of all arcs.
func (h *heads) scoreArcs(sentences int, o stepOptions) {
	a, width, rows := &h.arcs, len(h.p.ArcBias), len(h.rows)
	a.at = append(a.at[:0], 0)
	for s := range sentences {
		n := h.first[s+1] - h.first[s] - 1
		a.at = append(a.at, a.at[s]+n*(n+1))
	}
	a.scores = resize(a.scores, a.at[sentences])
	a.middle = resize(a.middle, rows*width)
	matrix.Product{Workers: o.workers}.Multiply(matrix.Of(a.middle, rows, width),
		matrix.Of(h.mlp[arcModifier].out, rows, width), matrix.Of(h.p.Arc, width, width))
	linear.Parallel(sentences, o.workers, func(_, s int) {
		scores, middle, head := h.arcsOf(s, a.middle)
		matrix.Product{TransposeB: true}.Multiply(scores, middle, head)
		for i := range scores.Cols {
			bias := dot(h.p.ArcBias, head.Data[i*width:][:width])
			for m := range scores.Rows {
				scores.Data[m*scores.Stride+i] += bias
			}
		}
	})
}

// arcsOf returns views of sentence s: its scores, its words' rows of middle,
// and all its rows as heads.
func (h *heads) arcsOf(s int, middle []float32) (scores, modifier, head matrix.Matrix) {
	width, lo, hi := len(h.p.ArcBias), h.first[s], h.first[s+1]
	n := hi - lo - 1
	return matrix.Of(h.arcs.scores[h.arcs.at[s]:h.arcs.at[s+1]], n, n+1),
		matrix.Of(middle[(lo+1)*width:hi*width], n, width),
		matrix.Of(h.mlp[arcHead].out[lo*width:hi*width], n+1, width)
}

// goldHead is the head of word m to learn, or -1.
func goldHead(s *syntax.Sentence, m int) int {
	if head := int(s.Words[m-1].Head); head >= 0 && head <= len(s.Words) && head != m {
		return head
	}
	return -1
}

// learnArcs turns the scores of arcs into their gradients, and these into
// those of the MLPs and weights of arcs.
func (h *heads) learnArcs(b *batch, o stepOptions) float64 {
	a, width, rows := &h.arcs, len(h.p.ArcBias), len(h.rows)
	a.back, a.column, h.loss = resize(a.back, rows*width), resize(a.column, rows), resize(h.loss, len(b.sents))
	modifier, head := &h.mlp[arcModifier], &h.mlp[arcHead]
	linear.Parallel(len(b.sents), o.workers, func(_, s int) {
		d, middle, heads := h.arcsOf(s, a.middle)
		lo, hi := h.first[s], h.first[s+1]
		column := a.column[lo:hi]
		clear(column)
		h.loss[s] = 0
		for m := 1; m <= d.Rows; m++ {
			row := d.Data[(m-1)*d.Stride:][:d.Cols]
			h.loss[s] += entropy(row, goldHead(b.sents[s], m), m, h.weight[lo+m])
			addScaled(column, row, 1)
		}
		dheads := matrix.Of(head.back[lo*width:hi*width], d.Cols, width)
		matrix.Product{TransposeA: true}.Multiply(dheads, d, middle)
		for i, x := range column {
			addScaled(dheads.Data[i*width:][:width], h.p.ArcBias, x)
		}
		clear(a.back[lo*width : (lo+1)*width]) // a root has no head
		matrix.Product{}.Multiply(matrix.Of(a.back[(lo+1)*width:hi*width], d.Rows, width), d, heads)
	})
	for r, x := range a.column {
		addScaled(h.grad.ArcBias, head.out[r*width:][:width], x)
	}
	back := matrix.Of(a.back, rows, width)
	matrix.Product{TransposeA: true, Add: true, Workers: o.workers}.Multiply(
		matrix.Of(h.grad.Arc, width, width), matrix.Of(modifier.out, rows, width), back)
	matrix.Product{TransposeB: true, Workers: o.workers}.Multiply(
		matrix.Of(modifier.back, rows, width), back, matrix.Of(h.p.Arc, width, width))
	return total(h.loss)
}

// columnScratch holds the scores of all classifiers side by side, as if they
// were one with the values of all.
type columnScratch struct {
	values          int       // of all classifiers
	weights, bias   []float32 // values x T, values
	dweights, dbias []float32
	scores          []float32 // rows x values
	gold            []int32   // rows x classifiers, -1 if there is nothing to learn
}

// scoreColumns computes the scores of all values of all classifiers.
func (h *heads) scoreColumns(o stepOptions) matrix.Matrix {
	c, width, rows := &h.column, len(h.p.Tag.Bias), len(h.rows)
	c.weights, c.bias = c.weights[:0], c.bias[:0]
	for i := range h.p.Classifiers {
		c.weights = append(c.weights, h.p.Classifiers[i].Weight...)
		c.bias = append(c.bias, h.p.Classifiers[i].Bias...)
	}
	c.values = len(c.bias)
	c.scores = resize(c.scores, rows*c.values)
	scores := matrix.Of(c.scores, rows, c.values)
	matrix.Product{TransposeB: true, Workers: o.workers}.Multiply(scores,
		matrix.Of(h.mlp[tagMLP].out, rows, width), matrix.Of(c.weights, c.values, width))
	linear.Parallel(rows, o.workers, func(_, r int) { addScaled(c.scores[r*c.values:][:c.values], c.bias, 1) })
	return scores
}

// findGold looks the values of words up.
func (h *heads) findGold(b *batch) {
	c, classifiers := &h.column, len(h.classifiers)
	c.gold = resize(c.gold, len(h.rows)*classifiers)
	for s, sentence := range b.sents {
		for m := range len(sentence.Words) + 1 {
			gold := c.gold[(h.first[s]+m)*classifiers:][:classifiers]
			find := func(i int, value string) {
				if x, ok := h.classifiers[i].value[value]; ok {
					gold[i] = x
				} else {
					gold[i] = -1
				}
			}
			if m == 0 {
				for i := range gold {
					gold[i] = -1
				}
				continue
			}
			w := &sentence.Words[m-1]
			for i := range gold {
				switch i {
				case h.upos:
					find(i, w.UPOS)
				case h.xpos:
					find(i, w.XPOS)
				default:
					find(i, "")
				}
			}
			eachFeature(w.Feats, func(name, value string) {
				if i, ok := h.attributes[name]; ok {
					find(i, value)
				}
			})
		}
	}
}

// learnColumns computes the gradients of the classifiers and of their MLP.
func (h *heads) learnColumns(b *batch, o stepOptions) float64 {
	tag, width, rows := &h.mlp[tagMLP], len(h.p.Tag.Bias), len(h.rows)
	if len(h.p.Classifiers) == 0 {
		clear(tag.back)
		return 0
	}
	d := h.scoreColumns(o)
	h.findGold(b)
	c, classifiers := &h.column, len(h.classifiers)
	h.loss = resize(h.loss, rows)
	linear.Parallel(rows, o.workers, func(_, r int) {
		at := 0
		h.loss[r] = 0
		for i := range h.classifiers {
			values := len(h.p.Classifiers[i].Bias)
			h.loss[r] += entropy(c.scores[r*c.values+at:][:values], int(c.gold[r*classifiers+i]), -1, h.weight[r]*h.classifiers[i].weight)
			at += values
		}
	})
	c.dweights, c.dbias = resize(c.dweights, len(c.weights)), resize(c.dbias, len(c.bias))
	clear(c.dbias)
	addRows(c.dbias, d)
	out := matrix.Of(tag.out, rows, width)
	matrix.Product{TransposeA: true, Workers: o.workers}.Multiply(matrix.Of(c.dweights, c.values, width), d, out)
	matrix.Product{Workers: o.workers}.Multiply(matrix.Of(tag.back, rows, width), d, matrix.Of(c.weights, c.values, width))
	at := 0
	for i := range h.grad.Classifiers {
		g := &h.grad.Classifiers[i].Linear
		addScaled(g.Weight, c.dweights[at*width:], 1)
		addScaled(g.Bias, c.dbias[at:], 1)
		at += len(g.Bias)
	}
	return total(h.loss)
}
