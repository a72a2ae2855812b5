package encode

import (
	"math"

	"github.com/treebeam/treebeam/parser/syntax"
	"github.com/treebeam/treebeam/parser/vector"
)

// headScratch is the scratch of the heads.
type headScratch struct {
	modifiers, heads []float32 // n x A and (n+1) x A
	forms            []float32 // n x A
	columns          []float32 // A x (n+1), padded
	scores           []float32 // of one block
	exponentials     []float32
	logs             []int32 // of all classifiers for one word; of one row of arcs
	byHead           []int32 // words by their heads
	first            []int32 // by head: its first word in byHead
}

// dense sets the dense scores of s from the vectors of its words.
func (x *scratch) dense(m *Model, s *syntax.Sentence) {
	y := &m.heads
	if y.head.rows > 0 {
		x.arcs(y, s)
	}
	if y.labelHead.rows > 0 {
		x.labelVectors(y, s)
	}
	if len(m.bound.tags) > 0 || len(m.bound.feats) > 0 {
		x.tags(m, s)
	}
}

// arcs sets s.Dense.Arcs.
func (x *scratch) arcs(y *heads, s *syntax.Sentence) {
	n, a, c := len(s.Words), y.head.rows, &x.heads
	w := y.head.width
	c.modifiers, c.heads, c.forms = resize(c.modifiers, n*a), resize(c.heads, (n+1)*a), resize(c.forms, n*a)
	y.modifier.apply(&x.blocks, c.modifiers, x.vectors[w:], n)
	vector.LeakyReLU(c.modifiers)
	y.head.apply(&x.blocks, c.heads, x.vectors, n+1)
	vector.LeakyReLU(c.heads)
	y.arc.apply(&x.blocks, c.forms, c.modifiers, n)
	cols := padded(n + 1)
	c.columns = resize(c.columns, a*cols)
	for i := range a {
		row := c.columns[i*cols : (i+1)*cols]
		for h := range n + 1 {
			row[h] = c.heads[h*a+i]
		}
		clear(row[n+1:])
	}
	c.scores, c.logs = resize(c.scores, attentionBlock*cols), resize(c.logs, n+2)
	out := make([]int32, (n+1)*(n+1))
	for h := range n + 1 {
		out[h*(n+1)] = least
	}
	for from := 0; from < n; from += attentionBlock {
		rows := min(attentionBlock, n-from)
		vector.Product(c.scores, cols, c.forms[from*a:], a, c.columns, cols, rows, a, cols)
		for t := range rows {
			mod := from + t + 1
			row := c.scores[t*cols : t*cols+n+1]
			row[mod] = nothing
			c.logSoftmax(c.logs, row)
			for h, v := range c.logs[:n+1] {
				out[h*(n+1)+mod] = v
			}
		}
	}
	s.Dense.Arcs = out
}

// logSoftmax sets dst to the log-probabilities of n values, in units, from their scores,
// and dst[n] to the least of them.
func (c *headScratch) logSoftmax(dst []int32, scores []float32) {
	n := len(scores)
	c.exponentials = resize(c.exponentials, padded(n))
	copy(c.exponentials, scores)
	for i := n; i < len(c.exponentials); i++ {
		c.exponentials[i] = nothing
	}
	top, sum := vector.Softmax(c.exponentials)
	normaliser := top + float32(vector.Log(float64(sum)))
	low := int32(0)
	for i, v := range scores {
		dst[i] = units(v, normaliser)
		low = min(low, dst[i])
	}
	dst[n] = low
}

// units returns the log-probability of a score, given the logarithm of the sum
// of all exponentials, rounded to nearest, ties to even: from -30 nats to 0.
func units(x, normaliser float32) int32 {
	v := max(least, min(0, float32((x-normaliser)*unit)))
	return int32(math.RoundToEven(float64(v)))
}

// labelVectors sets s.Dense.Vectors and Scales.
func (x *scratch) labelVectors(y *heads, s *syntax.Sentence) {
	n, b, c := len(s.Words), y.labelHead.rows, &x.heads
	d := &s.Dense
	d.Vectors, d.Scales = make([]int8, (n+1)*2*b), make([]float32, (n+1)*2)
	c.modifiers, c.heads = resize(c.modifiers, (n+1)*b), resize(c.heads, (n+1)*b)
	y.labelModifier.apply(&x.blocks, c.modifiers, x.vectors, n+1)
	vector.LeakyReLU(c.modifiers)
	y.labelHead.apply(&x.blocks, c.heads, x.vectors, n+1)
	vector.LeakyReLU(c.heads)
	for i := range n + 1 {
		d.Scales[2*i] = vector.Quantize(d.Vectors[2*i*b:(2*i+1)*b], c.modifiers[i*b:(i+1)*b])
		d.Scales[2*i+1] = vector.Quantize(d.Vectors[(2*i+1)*b:(2*i+2)*b], c.heads[i*b:(i+1)*b])
	}
}

// labelBlock is how many heads are scored at once.
const labelBlock = 16

// Labels sets s.Dense.Labels from s.Dense.Vectors: the log-probabilities of the labels
// of every word, given its head. A word whose head is not in the sentence has scores of
// 0. Without vectors Labels does nothing.
func (m *Model) Labels(s *syntax.Sentence) {
	n, y, order := len(s.Words), &m.heads, m.bound.labels
	b, labels := y.labelHead.rows, len(y.labels)
	d := &s.Dense
	if n == 0 || len(order) == 0 || len(d.Vectors) != (n+1)*2*b || len(d.Scales) != (n+1)*2 {
		return
	}
	x := m.get()
	c := &x.heads
	c.sortByHead(s)
	out := make([]int32, n*len(order))
	cols := padded(labels)
	size := (b + 1) * cols
	c.forms, c.modifiers, c.scores, c.logs = resize(c.forms, size), resize(c.modifiers, b+1), resize(c.scores, cols),
		resize(c.logs, labels+1)
	x.blocks.sums, x.blocks.input = resize(x.blocks.sums, labelBlock*size), resize(x.blocks.input, labelBlock*b)
	for h := 0; h <= n; {
		var list [labelBlock]int
		k := 0
		for ; h <= n && k < labelBlock; h++ {
			if c.first[h] < c.first[h+1] {
				list[k] = h
				copy(x.blocks.input[k*b:], d.Vectors[(2*h+1)*b:(2*h+2)*b])
				k++
			}
		}
		if k == 0 {
			break
		}
		y.label.product.Multiply(x.blocks.sums, x.blocks.input[:k*b], k)
		for i, head := range list[:k] {
			vector.Dequantize(c.forms, x.blocks.sums[i*size:(i+1)*size], d.Scales[2*head+1], y.label.scales, y.label.bias)
			for _, word := range c.byHead[c.first[head]:c.first[head+1]] {
				vector.Expand(c.modifiers[:b], d.Vectors[2*int(word)*b:(2*int(word)+1)*b], d.Scales[2*word])
				c.modifiers[b] = 1
				vector.Product(c.scores, cols, c.modifiers, b+1, c.forms, cols, 1, b+1, cols)
				c.logSoftmax(c.logs, c.scores[:labels])
				row := out[(int(word)-1)*len(order):]
				for l, place := range order {
					row[l] = c.logs[place]
				}
			}
		}
	}
	d.Labels = out
	m.pool.Put(x) // not after a panic, which may leave x in any state
}

// sortByHead fills byHead and first.
func (c *headScratch) sortByHead(s *syntax.Sentence) {
	n := len(s.Words)
	c.first, c.byHead = resize(c.first, n+3), resize(c.byHead, n)
	clear(c.first)
	valid := func(h int32) bool { return h >= 0 && int(h) <= n }
	for i := range s.Words {
		if h := s.Words[i].Head; valid(h) {
			c.first[h+2]++
		}
	}
	for h := 2; h < len(c.first); h++ {
		c.first[h] += c.first[h-1]
	}
	for i := range s.Words {
		if h := s.Words[i].Head; valid(h) {
			c.byHead[c.first[h+1]] = int32(i + 1)
			c.first[h+1]++
		}
	}
}

// tagVectors sets heads.modifiers to what all classifiers read of n words.
func (x *scratch) tagVectors(m *Model, n int) {
	y, c := &m.heads.tag, &x.heads
	c.modifiers = resize(c.modifiers, n*y.rows)
	y.apply(&x.blocks, c.modifiers, x.vectors[y.width:], n)
	vector.LeakyReLU(c.modifiers)
}

// tags sets s.Dense.Tags and Feats.
func (x *scratch) tags(m *Model, s *syntax.Sentence) {
	y, c, n := &m.heads, &x.heads, len(s.Words)
	t, k := y.tag.rows, y.classifier.rows
	x.tagVectors(m, n)
	c.scores, c.logs = resize(c.scores, block*k), resize(c.logs, k+len(y.classifiers))
	var tags, feats []int32
	if len(m.bound.tags) > 0 {
		tags = make([]int32, 0, n*len(m.bound.tags))
	}
	if len(m.bound.feats) > 0 {
		feats = make([]int32, 0, n*len(m.bound.feats))
	}
	for lo := 0; lo < n; lo += block {
		rows := min(block, n-lo)
		y.classifier.apply(&x.blocks, c.scores, c.modifiers[lo*t:], rows)
		for r := range rows {
			scores, logs := c.scores[r*k:], c.logs
			for i := range y.classifiers {
				n := len(y.classifiers[i].Values)
				if !m.bound.idle[i] {
					c.logSoftmax(logs, scores[:n])
				}
				scores, logs = scores[n:], logs[n+1:]
			}
			for _, pair := range m.bound.tags {
				v := c.logs[pair[0]]
				if pair[1] >= 0 {
					v += c.logs[pair[1]]
				}
				tags = append(tags, v)
			}
			base := int32(0)
			for _, place := range m.bound.empty {
				base += c.logs[place]
			}
			for _, pairs := range m.bound.feats {
				v := base
				for j := 0; j+1 < len(pairs); j += 2 {
					v += c.logs[pairs[j]] - c.logs[pairs[j+1]]
				}
				feats = append(feats, v)
			}
		}
	}
	s.Dense.Tags, s.Dense.Feats = tags, feats
}
