package finetune

import (
	"math"

	"github.com/treebeam/treebeam/parser/encode"
	"github.com/treebeam/treebeam/parser/linear"
	"github.com/treebeam/treebeam/parser/matrix"
	"github.com/treebeam/treebeam/parser/vector"
)

// A network runs an encoder forward and backward. Levels, of which level 0 is
// the embedding and level l the output of layer l, are rows of Width floats,
// one for each piece of a batch. It keeps all that the way back needs.
//
// It is for one goroutine, which it helps by those of stepOptions.
type network struct {
	p, grad *encode.Params // of equal shapes; Word has a row for each slot
	half    bool           // products of the layers round their factors to bfloat16
	frozen  []float32      // rows of words that do not learn; their ids begin behind the slots
	flat    []float32      // all weights of p
	slopes  []float32      // all of grad

	embedding normed
	states    []state // of layers
	levels    [][]float32
	touched   []int32 // rows of grad.Word that the last step has set

	// Scratch of the way back, and of products.
	product, wide, context, heads []float32
	sums                          sums
	attention                     [][2][]float32 // of each worker
}

// A state is what a layer leaves for the way back.
type state struct {
	heads                  []float32 // rows x 3·Width: query, key and value
	probabilities          []float32 // of all sentences; of one, heads x pieces x pieces
	context                []float32 // rows x Width: the mix of values
	attention, feedForward normed
	middle                 []float32 // rows x Width, after the first norm
	active, slope          []float32 // rows x FeedForward: GELU and its slope
}

// newNetwork returns a network that moves the weights of p, which it lays out
// anew.
func newNetwork(p *encode.Params) *network {
	n := &network{p: p, grad: &encode.Params{Shape: p.Shape, Pieces: p.Pieces, Layers: make([]encode.Layer, len(p.Layers))}}
	n.states = make([]state, len(p.Layers))
	n.levels = make([][]float32, len(p.Layers)+1)
	n.flat, n.slopes = encode.Flatten(p.Tensors()), encode.Flatten(n.grad.Tensors())
	return n
}

// joined returns the weights, 3·Width x Width, and biases of query, key and
// value of a layer, which stand side by side.
func joined(l *encode.Layer, width int) (weight matrix.Matrix, bias []float32) {
	w, b := l.Query.Weight, l.Query.Bias
	return matrix.Of(w[:3*width*width], 3*width, width), b[:3*width]
}

func (n *network) resize(b *batch) {
	rows, w, f := b.rows(), n.p.Width, n.p.FeedForward
	squares := 0
	for s := range b.sents {
		size := b.start[s+1] - b.start[s]
		squares += size * size
	}
	n.embedding.resize(rows, w)
	for i := range n.levels {
		n.levels[i] = resize(n.levels[i], rows*w)
	}
	for i := range n.states {
		s := &n.states[i]
		s.heads, s.probabilities = resize(s.heads, rows*3*w), resize(s.probabilities, squares*n.p.Heads)
		s.context, s.middle = resize(s.context, rows*w), resize(s.middle, rows*w)
		s.active, s.slope = resize(s.active, rows*f), resize(s.slope, rows*f)
		s.attention.resize(rows, w)
		s.feedForward.resize(rows, w)
	}
	n.product, n.context = resize(n.product, rows*w), resize(n.context, rows*w)
	n.wide, n.heads = resize(n.wide, rows*f), resize(n.heads, rows*3*w)
}

// forward returns the levels, which are valid until the next forward.
func (n *network) forward(b *batch, o stepOptions) []matrix.Matrix {
	n.resize(b)
	n.embed(b, o)
	for i := range n.states {
		n.layer(i, b, o)
	}
	levels := make([]matrix.Matrix, len(n.levels))
	for i := range levels {
		levels[i] = matrix.Of(n.levels[i], b.rows(), n.p.Width)
	}
	return levels
}

func (n *network) embed(b *batch, o stepOptions) {
	w := n.p.Width
	linear.Parallel(len(b.sents), o.workers, func(_, s int) {
		for t := b.start[s]; t < b.start[s+1]; t++ {
			x, at := n.embedding.hat[t*w:(t+1)*w], t-b.start[s]
			copy(x, n.word(b.ids[t]))
			vector.Add(x, n.p.Position[at*w:(at+1)*w])
			y := n.levels[0][t*w : (t+1)*w]
			n.embedding.row(y, t, &n.p.Norm, n.p.Epsilon)
			if o.seed != 0 {
				mask(y, y, o.drop(0, ofEmbedding, t))
			}
		}
	})
}

// word returns the row of a piece.
func (n *network) word(id int32) []float32 {
	w, at := n.p.Width, int(id)
	if slots := len(n.p.Word) / w; at >= slots {
		at -= slots
		return n.frozen[at*w : (at+1)*w]
	}
	return n.p.Word[at*w : (at+1)*w]
}

// layer runs layer i from its level to the next.
func (n *network) layer(i int, b *batch, o stepOptions) {
	p, s, rows, w, f := &n.p.Layers[i], &n.states[i], b.rows(), n.p.Width, n.p.FeedForward
	in := matrix.Of(n.levels[i], rows, w)
	forward := matrix.Product{TransposeB: true, Half: n.half, Workers: o.workers}

	weight, bias := joined(p, w)
	forward.Multiply(matrix.Of(s.heads, rows, 3*w), in, weight)
	chunks(rows, o.workers, func(_, lo, hi int) {
		for t := lo; t < hi; t++ {
			vector.Add(s.heads[t*3*w:(t+1)*3*w], bias)
		}
	})
	n.attend(i, b, o)
	product := matrix.Of(n.product, rows, w)
	forward.Multiply(product, matrix.Of(s.context, rows, w), matrix.Of(p.Output.Weight, w, w))
	n.addAndNorm(s.middle, n.levels[i], &s.attention, p.Output.Bias, &p.AttentionNorm, i, ofAttention, o)

	forward.Multiply(matrix.Of(s.slope, rows, f), matrix.Of(s.middle, rows, w), matrix.Of(p.Up.Weight, f, w))
	chunks(rows, o.workers, func(_, lo, hi int) {
		for t := lo; t < hi; t++ {
			vector.GELUSlope(s.active[t*f:(t+1)*f], s.slope[t*f:(t+1)*f], p.Up.Bias)
		}
	})
	forward.Multiply(product, matrix.Of(s.active, rows, f), matrix.Of(p.Down.Weight, w, f))
	n.addAndNorm(n.levels[i+1], s.middle, &s.feedForward, p.Down.Bias, &p.FeedForwardNorm, i, ofFeedForward, o)
}

// addAndNorm sets out to the norm of in plus the product and its bias, of
// which some are dropped.
func (n *network) addAndNorm(out, in []float32, to *normed, bias []float32, norm *encode.Norm, i int, p place, o stepOptions) {
	w := n.p.Width
	chunks(len(out)/w, o.workers, func(_, lo, hi int) {
		for t := lo; t < hi; t++ {
			x, product := to.hat[t*w:(t+1)*w], n.product[t*w:(t+1)*w]
			vector.Add(product, bias)
			if o.seed != 0 {
				mask(product, product, o.drop(i, p, t))
			}
			copy(x, in[t*w:(t+1)*w])
			vector.Add(x, product)
			to.row(out[t*w:(t+1)*w], t, norm, n.p.Epsilon)
		}
	})
}

// attend sets the context of layer i: for each sentence and head the softmax
// of query times key over the pieces of the sentence, times value.
func (n *network) attend(i int, b *batch, o stepOptions) {
	s, rows, w := &n.states[i], b.rows(), n.p.Width
	depth, scale := w/n.p.Heads, n.scale()
	all, context := matrix.Of(s.heads, rows, 3*w), matrix.Of(s.context, rows, w)
	n.eachHead(b, o, func(work *[2][]float32, sentence, h, at int) {
		lo, hi := b.start[sentence], b.start[sentence+1]
		size, x := hi-lo, all.RowRange(lo, hi)
		query, key, value := x.Columns(h*depth, (h+1)*depth), x.Columns(w+h*depth, w+(h+1)*depth), x.Columns(2*w+h*depth, 2*w+(h+1)*depth)
		p := s.probabilities[at : at+size*size]
		matrix.Product{TransposeB: true}.Multiply(matrix.Of(p, size, size), query, key)
		for t := range size {
			softmax(p[t*size:(t+1)*size], scale)
		}
		matrix.Product{}.Multiply(context.RowRange(lo, hi).Columns(h*depth, (h+1)*depth), matrix.Of(n.kept(&work[0], p, i, sentence*n.p.Heads+h, o), size, size), value)
	})
}

// scale is that of scores of attention.
func (n *network) scale() float32 {
	return float32(1 / math.Sqrt(float64(n.p.Width/n.p.Heads)))
}

// kept returns the probabilities without those that are dropped, in the memory
// of to.
func (n *network) kept(to *[]float32, p []float32, layer, at int, o stepOptions) []float32 {
	if o.seed == 0 {
		return p
	}
	*to = resize(*to, len(p))
	mask(*to, p, o.drop(layer, ofProbabilities, at))
	return *to
}

// eachHead calls f for all sentences and heads with the place at which their
// probabilities begin.
func (n *network) eachHead(b *batch, o stepOptions, f func(work *[2][]float32, sentence, h, at int)) {
	for len(n.attention) < max(o.workers, 1) {
		n.attention = append(n.attention, [2][]float32{})
	}
	starts, at := make([]int, len(b.sents)), 0
	for s := range starts {
		starts[s] = at
		at += (b.start[s+1] - b.start[s]) * (b.start[s+1] - b.start[s]) * n.p.Heads
	}
	linear.Parallel(len(b.sents)*n.p.Heads, o.workers, func(worker, k int) {
		s, h := k/n.p.Heads, k%n.p.Heads
		size := b.start[s+1] - b.start[s]
		f(&n.attention[worker], s, h, starts[s]+h*size*size)
	})
}
