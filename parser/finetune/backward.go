package finetune

import (
	"github.com/treebeam/treebeam/parser/matrix"
	"github.com/treebeam/treebeam/parser/vector"
)

// backward sets grad to the gradient of the weights, given those of the
// levels of the last forward, which it uses up.
func (n *network) backward(b *batch, dlevels []matrix.Matrix, o stepOptions) {
	for i := len(n.states) - 1; i >= 0; i-- {
		n.layerBack(i, b, dlevels[i+1].Data, dlevels[i].Data, o)
	}
	n.embedBack(b, dlevels[0].Data, o)
}

// layerBack adds to din the gradient of the input of layer i, dout being that
// of its output, which it uses up.
func (n *network) layerBack(i int, b *batch, dout, din []float32, o stepOptions) {
	p, g, s, rows, w, f := &n.p.Layers[i], &n.grad.Layers[i], &n.states[i], b.rows(), n.p.Width, n.p.FeedForward
	weights := matrix.Product{TransposeA: true, Half: n.half, Workers: o.workers}
	inputs := matrix.Product{Half: n.half, Workers: o.workers}
	accumulate := matrix.Product{Add: true, Half: n.half, Workers: o.workers}

	// Feed-forward. The gradient of the middle takes the place of dout.
	product, wide := matrix.Of(n.product, rows, w), matrix.Of(n.wide, rows, f)
	n.normBack(dout, nil, &s.feedForward, p.FeedForwardNorm.Gain, i, ofFeedForward, o)
	n.sums.end(g.FeedForwardNorm.Gain, g.FeedForwardNorm.Bias, g.Down.Bias)
	weights.Multiply(matrix.Of(g.Down.Weight, w, f), product, matrix.Of(s.active, rows, f))
	inputs.Multiply(wide, product, matrix.Of(p.Down.Weight, w, f))
	n.sums.begin(rows, f)
	chunks(rows, o.workers, func(c, lo, hi int) {
		sum := n.sums.of(c)
		for t := lo; t < hi; t++ {
			d, slope, sum := n.wide[t*f:(t+1)*f], s.slope[t*f:(t+1)*f], sum[:f]
			for j, x := range slope {
				d[j] *= x
				sum[j] += d[j]
			}
		}
	})
	n.sums.end(g.Up.Bias)
	middle := matrix.Of(s.middle, rows, w)
	weights.Multiply(matrix.Of(g.Up.Weight, f, w), wide, middle)
	accumulate.Multiply(matrix.Of(dout, rows, w), wide, matrix.Of(p.Up.Weight, f, w))

	// Attention.
	context, dcontext := matrix.Of(s.context, rows, w), matrix.Of(n.context, rows, w)
	n.normBack(dout, din, &s.attention, p.AttentionNorm.Gain, i, ofAttention, o)
	n.sums.end(g.AttentionNorm.Gain, g.AttentionNorm.Bias, g.Output.Bias)
	weights.Multiply(matrix.Of(g.Output.Weight, w, w), product, context)
	inputs.Multiply(dcontext, product, matrix.Of(p.Output.Weight, w, w))
	n.attendBack(i, b, o)
	dweight, dbias := joined(g, w)
	n.sums.begin(rows, 3*w)
	chunks(rows, o.workers, func(c, lo, hi int) {
		for t := lo; t < hi; t++ {
			vector.Add(n.sums.of(c), n.heads[t*3*w:(t+1)*3*w])
		}
	})
	n.sums.end(dbias)
	dheads := matrix.Of(n.heads, rows, 3*w)
	weight, _ := joined(p, w)
	weights.Multiply(dweight, dheads, matrix.Of(n.levels[i], rows, w))
	accumulate.Multiply(matrix.Of(din, rows, w), dheads, weight)
}

// normBack goes back through addAndNorm: from the gradient d of its result to
// that of the product, in n.product, and of the other summand, which it adds to
// residual or sets d to. The partial sums are of gain, bias and the bias of the
// product.
func (n *network) normBack(d, residual []float32, of *normed, gain []float32, i int, p place, o stepOptions) {
	w := n.p.Width
	n.sums.begin(len(d)/w, 3*w)
	chunks(len(d)/w, o.workers, func(c, lo, hi int) {
		sum := n.sums.of(c)
		dgain, dbias, dproduct := sum[:w], sum[w:2*w], sum[2*w:]
		for t := lo; t < hi; t++ {
			d, x := d[t*w:(t+1)*w], n.product[t*w:(t+1)*w]
			of.back(x, d, t, gain, dgain, dbias)
			if residual != nil {
				vector.Add(residual[t*w:(t+1)*w], x)
			} else {
				copy(d, x)
			}
			if o.seed != 0 {
				mask(x, x, o.drop(i, p, t))
			}
			vector.Add(dproduct, x)
		}
	})
}

// attendBack sets n.heads to the gradient of query, key and value of layer i,
// n.context being that of the context.
func (n *network) attendBack(i int, b *batch, o stepOptions) {
	s, rows, w := &n.states[i], b.rows(), n.p.Width
	depth, scale := w/n.p.Heads, n.scale()
	all, dall, dcontext := matrix.Of(s.heads, rows, 3*w), matrix.Of(n.heads, rows, 3*w), matrix.Of(n.context, rows, w)
	n.eachHead(b, o, func(work *[2][]float32, sentence, h, at int) {
		lo, hi := b.start[sentence], b.start[sentence+1]
		size := hi - lo
		part := func(m matrix.Matrix, k int) matrix.Matrix {
			return m.RowRange(lo, hi).Columns(k*w+h*depth, k*w+(h+1)*depth)
		}
		p, d := s.probabilities[at:at+size*size], part(dcontext, 0)
		place := sentence*n.p.Heads + h
		kept := matrix.Of(n.kept(&work[0], p, i, place, o), size, size)
		work[1] = resize(work[1], size*size)
		dp := matrix.Of(work[1], size, size)
		matrix.Product{TransposeA: true}.Multiply(part(dall, 2), kept, d)
		matrix.Product{TransposeB: true}.Multiply(dp, d, part(all, 2))
		if o.seed != 0 {
			mask(dp.Data, dp.Data, o.drop(i, ofProbabilities, place))
		}
		for t := range size {
			softmaxBackward(dp.Data[t*size:(t+1)*size], p[t*size:(t+1)*size], scale)
		}
		matrix.Product{}.Multiply(part(dall, 0), dp, part(all, 1))
		matrix.Product{TransposeA: true}.Multiply(part(dall, 1), dp, part(all, 0))
	})
}

// embedBack sets the gradient of the embedding: of the rows of words that the
// batch holds, those of the last one becoming zero.
func (n *network) embedBack(b *batch, d []float32, o stepOptions) {
	w, g := n.p.Width, n.grad
	rows := b.rows()
	n.sums.begin(rows, 2*w)
	chunks(rows, o.workers, func(c, lo, hi int) {
		sum := n.sums.of(c)
		for t := lo; t < hi; t++ {
			d := d[t*w : (t+1)*w]
			if o.seed != 0 {
				mask(d, d, o.drop(0, ofEmbedding, t))
			}
			n.embedding.back(n.product[t*w:(t+1)*w], d, t, n.p.Norm.Gain, sum[:w], sum[w:])
		}
	})
	n.sums.end(g.Norm.Gain, g.Norm.Bias)
	for _, id := range n.touched {
		clear(g.Word[int(id)*w : (int(id)+1)*w])
	}
	n.touched = append(n.touched[:0], b.ids...)
	clear(g.Position)
	for s := range b.sents {
		for t := b.start[s]; t < b.start[s+1]; t++ {
			x, at, id := n.product[t*w:(t+1)*w], t-b.start[s], int(b.ids[t])
			vector.Add(g.Word[id*w:(id+1)*w], x)
			vector.Add(g.Position[at*w:(at+1)*w], x)
		}
	}
}
