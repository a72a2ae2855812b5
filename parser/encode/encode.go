package encode

import (
	"github.com/treebeam/treebeam/parser/matrix"
	"github.com/treebeam/treebeam/parser/piece"
	"github.com/treebeam/treebeam/parser/syntax"
	"github.com/treebeam/treebeam/parser/vector"
)

// batchPieces is how many pieces, including marks, go through the network at once. A
// single window may be longer.
const batchPieces = 512

// Encode sets Dense of every sentence, except Dense.Labels, which needs heads.
// Sentences without words, or with more than syntax.MaxWholeWords words, get an empty
// Dense.
//
// A sentence with more pieces than the encoder has positions is read in windows that
// overlap by half. A word takes its vector from the window in which it is furthest from
// an edge. The result for a sentence does not depend on the other sentences. Encode is
// safe for concurrent use and runs in the goroutine of its caller. Its scratch does not
// grow with the number of sentences.
func (m *Model) Encode(sents []*syntax.Sentence) {
	x := m.get()
	for _, s := range sents {
		s.Dense = syntax.Dense{}
		if n := len(s.Words); n > 0 && n <= syntax.MaxWholeWords {
			x.take(m, s, x.dense)
		}
	}
	x.flush(m, x.dense)
	m.pool.Put(x) // not after a panic, which may leave x in any state
}

// Hidden returns the vectors of the last layer, len(ids) x Width, for pieces with their
// marks. There must be at most as many ids as the encoder has positions.
func (m *Model) Hidden(ids []int32) []float32 {
	x := new(scratch)
	x.begin()
	x.tokens, x.starts = ids, append(x.starts, len(ids))
	x.forward(m)
	return x.state[:len(ids)*m.shape.Width]
}

// scratch is what one goroutine works in.
type scratch struct {
	ids, ends []int32 // of the sentence that is cut: pieces, and their number after each word

	// The batch.
	sents  []*syntax.Sentence
	tokens []int32 // pieces and marks of all sequences
	starts []int   // by sequence: its first token; one entry more than there are sequences
	words  []int32 // number of tokens of its sequence before the end of each word, over all sentences

	state  []float32 // tokens x Width: the level that was computed last
	mixed  []float32 // tokens x Width: the sum of all levels, weighted
	qkv    []float32 // tokens x 3·Width
	values []float32 // tokens x Width: the values that attention gathered
	added  []float32 // block x Width: the values to add to the state
	wide   []float32 // block x FeedForward
	keys   []float32 // of a head: its width x tokens of the sequence, both padded
	scores []float32 // attentionBlock x tokens of the sequence, padded
	blocks blocks

	vectors []float32 // (n+1) x Width: of the root and the words of a sentence
	best    []int32   // by word of a long sentence: its distance from the edge of the window it was taken from
	heads   headScratch
}

func (m *Model) get() *scratch {
	x, ok := m.pool.Get().(*scratch)
	if !ok {
		x = new(scratch)
		x.begin()
	}
	return x
}

// begin empties the batch.
func (x *scratch) begin() {
	clear(x.sents)
	x.sents, x.tokens, x.words = x.sents[:0], x.tokens[:0], x.words[:0]
	x.starts = append(x.starts[:0], 0)
}

// A reader makes something of x.vectors, which are those of a sentence.
type reader = func(m *Model, s *syntax.Sentence)

// take puts a sentence into the batch, which is encoded before it is too large. Sentences
// are read in their order, the last ones by flush.
func (x *scratch) take(m *Model, s *syntax.Sentence, read reader) {
	x.cut(m, s)
	size := len(x.ids) + 2
	if size > m.shape.Positions {
		x.flush(m, read)
		x.long(m, s)
		read(m, s)
		return
	}
	if len(x.tokens)+size > batchPieces {
		x.flush(m, read)
	}
	x.push(m, s)
}

// cut fills ids and ends.
func (x *scratch) cut(m *Model, s *syntax.Sentence) {
	x.ids, x.ends = m.pieces.Sentence(x.ids[:0], x.ends[:0], s)
}

// addPieces appends pieces without marks.
func (x *scratch) addPieces(m *Model, ids []int32) {
	x.tokens = append(x.tokens, m.pieces.Begin)
	x.tokens = append(x.tokens, ids...)
	x.tokens = append(x.tokens, m.pieces.End)
	x.starts = append(x.starts, len(x.tokens))
}

// push appends the sentence that was cut to the batch.
func (x *scratch) push(m *Model, s *syntax.Sentence) {
	x.sents = append(x.sents, s)
	x.words = append(x.words, x.ends...)
	x.addPieces(m, x.ids)
}

// flush encodes the batch.
func (x *scratch) flush(m *Model, read reader) {
	if len(x.sents) == 0 {
		return
	}
	x.forward(m)
	ends, w := x.words, m.shape.Width
	for i, s := range x.sents {
		n := len(s.Words)
		x.vectors = resize(x.vectors, (n+1)*w)
		from := x.starts[i]
		copy(x.vectors[:w], x.mixed[from*w:])
		at := int32(0)
		for k, end := range ends[:n] {
			x.mean(x.vectors[(k+1)*w:(k+2)*w], from+1+int(at), from+1+int(end))
			at = end
		}
		ends = ends[n:]
		read(m, s)
	}
	x.begin()
}

// mean sets dst to the mean of tokens lo to hi of the mixed levels.
func (x *scratch) mean(dst []float32, lo, hi int) {
	w := len(dst)
	copy(dst, x.mixed[lo*w:(lo+1)*w])
	for t := lo + 1; t < hi; t++ {
		vector.Add(dst, x.mixed[t*w:(t+1)*w])
	}
	if hi > lo+1 {
		for i, v := range dst {
			dst[i] = v / float32(hi-lo)
		}
	}
}

// long sets x.vectors of a sentence of several windows. It must have been cut.
func (x *scratch) long(m *Model, s *syntax.Sentence) {
	n, w, room := len(s.Words), m.shape.Width, m.shape.Positions-2
	x.vectors, x.best = resize(x.vectors, (n+1)*w), resize(x.best, n)
	for i := range x.best {
		x.best[i] = -1
	}
	start := func(word int) int { // first piece of a word
		if word == 0 {
			return 0
		}
		return int(x.ends[word-1])
	}
	for first := 0; first < n; {
		from, last := start(first), first
		for last < n && int(x.ends[last])-from <= room {
			last++
		}
		to := int(x.ends[last-1])
		x.begin()
		x.addPieces(m, x.ids[from:to])
		x.forward(m)
		if first == 0 {
			copy(x.vectors[:w], x.mixed[:w])
		}
		for k := first; k < last; k++ {
			lo, hi := start(k)-from, int(x.ends[k])-from
			if edge := int32(min(lo, to-from-hi)); edge > x.best[k] {
				x.best[k] = edge
				x.mean(x.vectors[(k+1)*w:(k+2)*w], 1+lo, 1+hi)
			}
		}
		if last == n {
			break
		}
		for next := from + room/2; start(first) < next && first < last; {
			first++
		}
	}
	x.begin()
}

// forward computes the mixed levels of the batch, and the last one.
func (x *scratch) forward(m *Model) {
	n, w := len(x.tokens), m.shape.Width
	x.state, x.mixed, x.values = resize(x.state, n*w), resize(x.mixed, n*w), resize(x.values, n*w)
	x.qkv = resize(x.qkv, 3*n*w)
	x.embed(m)
	clear(x.mixed)
	vector.AddScaled(x.mixed, m.mix[0], x.state)
	for i := range m.layers {
		l := &m.layers[i]
		if i < m.shape.Local {
			x.gather(w)
		} else {
			l.in.apply(&x.blocks, x.qkv, x.state, n)
			for k := range len(x.starts) - 1 {
				x.attend(&m.shape, x.starts[k], x.starts[k+1])
			}
		}
		x.finish(l, m.shape.Epsilon, n)
		vector.AddScaled(x.mixed, m.mix[i+1], x.state)
	}
}

// embed sets the state to the embedding.
func (x *scratch) embed(m *Model) {
	w := m.shape.Width
	x.added = resize(x.added, w)
	for k := range len(x.starts) - 1 {
		lo := x.starts[k]
		for t := lo; t < x.starts[k+1]; t++ {
			v := x.state[t*w : (t+1)*w]
			id, cased := piece.Split(x.tokens[t])
			if int(id) < m.word.rows {
				m.word.expand(v, int(id))
			} else {
				m.coarse.expand(v, int(id)-m.word.rows)
			}
			m.position.expand(x.added, t-lo)
			if m.cases != nil {
				vector.Add(x.added, m.cases[int(cased)*w:int(cased+1)*w])
			}
			if m.bound.bank != nil {
				vector.Add(x.added, m.bound.bank)
			}
			vector.AddNorm(v, x.added, m.shape.Epsilon, m.norm.Gain, m.norm.Bias)
		}
	}
}

// gather sets qkv to the three vectors that a local layer reads for each token, side by side.
func (x *scratch) gather(w int) {
	for k := range len(x.starts) - 1 {
		lo, hi := x.starts[k], x.starts[k+1]
		for t := lo; t < hi; t++ {
			row := x.qkv[3*t*w : 3*(t+1)*w]
			if t == lo {
				clear(row[:w])
			}
			if t+1 == hi {
				clear(row[2*w:])
			}
			from, to := max(lo, t-1), min(hi, t+2)
			copy(row[(from-t+1)*w:], x.state[from*w:to*w])
		}
	}
}

// finish computes the rest of a layer after its attention, or all of a local layer.
func (x *scratch) finish(l *layer, epsilon float32, n int) {
	w := l.down.rows
	x.added, x.wide = resize(x.added, block*w), resize(x.wide, block*l.up.rows)
	for lo := 0; lo < n; lo += block {
		k := min(block, n-lo)
		state := x.state[lo*w : (lo+k)*w]
		reads := x.qkv[3*lo*w:]
		if l.out.rows > 0 {
			l.out.apply(&x.blocks, x.added, x.values[lo*w:(lo+k)*w], k)
			addNorms(state, x.added, w, epsilon, &l.attentionNorm)
			reads = state
		}
		wide := x.wide[:k*l.up.rows]
		l.up.apply(&x.blocks, wide, reads, k)
		vector.GELU(wide)
		l.down.apply(&x.blocks, x.added, wide, k)
		addNorms(state, x.added, w, epsilon, &l.feedForwardNorm)
	}
}

func addNorms(x, y []float32, width int, epsilon float32, n *Norm) {
	for lo := 0; lo < len(x); lo += width {
		vector.AddNorm(x[lo:lo+width], y[lo:lo+width], epsilon, n.Gain, n.Bias)
	}
}

// attentionBlock is how many tokens attend at once.
const attentionBlock = 32

// padded is n up to a multiple of 16: rows of this length are fast.
func padded(n int) int { return (n + 15) &^ 15 }

// nothing pads scores: its exponential adds nothing to a sum.
const nothing = -1e30

// attend gathers the values of tokens lo to hi, which are a sequence. For every head this
// is the softmax of queries times keys, times values.
func (x *scratch) attend(s *Shape, lo, hi int) {
	n, w, d := hi-lo, s.Width, s.Width/s.Heads
	cols := padded(n)
	x.keys, x.scores = resize(x.keys, padded(d)*cols), resize(x.scores, attentionBlock*cols)
	for h := range s.Heads {
		qkv := x.qkv[lo*3*w+h*d:]
		matrix.Matrix{Data: qkv[w:], Rows: n, Cols: d, Stride: 3 * w}.Transpose(x.keys, cols)
		for from := 0; from < n; from += attentionBlock {
			rows := min(attentionBlock, n-from)
			vector.Product(x.scores, cols, qkv[from*3*w:], 3*w, x.keys, cols, rows, d, cols)
			out := x.values[(lo+from)*w+h*d:]
			var sums [attentionBlock]float32
			for t := range rows {
				row := x.scores[t*cols : (t+1)*cols]
				for j := n; j < cols; j++ {
					row[j] = nothing
				}
				_, sums[t] = vector.Softmax(row)
			}
			vector.Product(out, w, x.scores, cols, qkv[2*w:], 3*w, rows, n, d)
			for t, sum := range sums[:rows] {
				vector.Scale(out[t*w:t*w+d], 1/sum)
			}
		}
	}
}
