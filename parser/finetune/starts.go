package finetune

import (
	"math"
	"slices"

	"github.com/treebeam/treebeam/parser/encode"
	"github.com/treebeam/treebeam/parser/graph"
	"github.com/treebeam/treebeam/parser/hash"
	"github.com/treebeam/treebeam/parser/matrix"
	"github.com/treebeam/treebeam/parser/syntax"
	"github.com/treebeam/treebeam/parser/vector"
)

// LearnStarts returns a network that tells from the vectors of m for two adjacent words whether
// the second begins a sentence. It learns from windows of text, in the forms that m reads, in
// which the words of isStart begin sentences; one of them must have two words. windows has a
// list for each treebank, whose sentences name the bank of m that they are read as (Language).
// Very many windows are thinned out. The result is the same on every processor.
func LearnStarts(m *encode.Model, windows [][]syntax.Sentence, isStart func(*syntax.Word) bool, seed uint64,
	log func(format string, a ...any)) *encode.StartNetwork {
	var p pairs
	for _, list := range windows {
		for i, s := range some(list, mostPairs/len(windows)) {
			bank := s.Language
			if i%elsewhereOf == elsewhereOf-1 {
				bank = encode.Anywhere
			}
			p.add(m.Of(bank), s, isStart)
		}
	}
	return p.fit(seed, log)
}

// mostPairs bounds the memory of LearnStarts: 250,000 vectors of 384 numbers take 385 MB.
const mostPairs = 250_000

// some returns windows with at most n words, from all parts of the list.
func some(windows []syntax.Sentence, n int) (out []*syntax.Sentence) {
	words, taken := syntax.CountWords(windows), 0
	seen := 0
	for i := range windows {
		s := &windows[i]
		if seen += s.Len(); taken+s.Len() <= int(int64(seen)*int64(n)/int64(max(words, n))) {
			out, taken = append(out, s), taken+s.Len()
		}
	}
	return out
}

// pairs are examples of a classifier: rows of numbers, and what is true.
type pairs struct {
	rows   [][]float32
	starts []bool
}

func (p *pairs) add(m *encode.Model, window *syntax.Sentence, isStart func(*syntax.Word) bool) {
	m.Windows([]*syntax.Sentence{window}, func(vectors []float32) {
		w := len(vectors) / (len(window.Words) + 1)
		vectors = slices.Clone(vectors)
		for i := 1; i < len(window.Words); i++ {
			p.rows, p.starts = append(p.rows, vectors[i*w:(i+2)*w]), append(p.starts, isStart(&window.Words[i]))
		}
	})
}

// The network learns by AdaGrad (Duchi, Hazan and Singer 2011) from batches, in which a part
// of the numbers is dropped (Srivastava and others 2014).
const (
	startEpochs = 10
	startBatch  = 32
	startRate   = 0.05
	startDrop   = 0.2
)

// fit returns the network that the pairs teach.
func (p *pairs) fit(seed uint64, log func(format string, a ...any)) *encode.StartNetwork {
	const units = encode.StartUnits
	n := len(p.rows[0])
	mean, scale := p.moments()
	s, slopes, squares := encode.NewStartNetwork(n/2), encode.NewStartNetwork(n/2), encode.NewStartNetwork(n/2)
	r := hash.Rand(hash.Pair(seed, 0))
	for i := range s.Hidden {
		s.Hidden[i] = float32((2*r.Float() - 1) * math.Sqrt(3/float64(n)))
	}
	for i := range units {
		s.Sum[i] = float32((2*r.Float() - 1) * math.Sqrt(3.0/units))
	}
	x, across, hidden := make([]float32, startBatch*n), make([]float32, (n+15)&^15*startBatch), make([]float32, startBatch*units)
	odds := make([]float32, 0, startBatch)
	for epoch := range startEpochs {
		loss, rate := 0.0, startRate*(1-float32(epoch)/startEpochs)
		for batch := range slices.Chunk(hash.Shuffled(len(p.rows), hash.Pair(seed, uint64(epoch)+1)), startBatch) {
			p.draw(x, batch, mean, scale, &r)
			odds = s.Odds(odds[:0], hidden, x, n, len(batch))
			loss += p.slopes(slopes, s.Sum, hidden, odds, batch)
			matrix.Of(x, len(batch), n).Transpose(across, startBatch)
			vector.Product(slopes.Hidden, units, across, startBatch, hidden, units, n, len(batch), units)
			for _, move := range [][3][]float32{{s.Hidden, slopes.Hidden, squares.Hidden}, {s.Bias, slopes.Bias, squares.Bias}, {s.Sum, slopes.Sum, squares.Sum}} {
				adaGrad(move[0], move[1], move[2], rate)
			}
		}
		log("epoch %d of %d, %d gaps, loss %.4f", epoch+1, startEpochs, len(p.rows), loss/float64(len(p.rows)))
	}
	for i := range n { // the numbers as they are
		for k := range units {
			w := &s.Hidden[i*units+k]
			*w = float32(*w * scale[i])
			s.Bias[k] -= float32(*w * mean[i])
		}
	}
	return s
}

// draw sets x to the rows of a batch, with mean 0 and deviation 1, and drops some of their
// numbers.
func (p *pairs) draw(x []float32, batch []int, mean, scale []float32, r *hash.Rand) {
	for b, k := range batch {
		row := x[b*len(mean) : (b+1)*len(mean)]
		for i, v := range p.rows[k] {
			row[i] = 0
			if r.Float() >= startDrop {
				row[i] = float32((v-mean[i])*scale[i]) / (1 - startDrop)
			}
		}
	}
}

// slopes sets y, but for y.Hidden, to how the log-likelihood of a batch rises with the weights,
// and hidden, the hidden units, to how it rises with what goes into them. It returns the loss.
func (p *pairs) slopes(y *encode.StartNetwork, sum, hidden, odds []float32, batch []int) (loss float64) {
	const units = encode.StartUnits
	clear(y.Bias)
	clear(y.Sum)
	for b, k := range batch {
		sign := float32(-1)
		if p.starts[k] {
			sign = 1
		}
		wrong := 1 / (1 + graph.Exp(min(float64(sign*odds[b]), 600)))
		loss -= graph.Log(1 - wrong)
		slope := float32(wrong) * sign
		y.Sum[units] += slope
		for i, v := range hidden[b*units : (b+1)*units] {
			y.Sum[i] += float32(slope * v)
			d := float32(slope * sum[i])
			if v < 0 {
				d *= 0.1
			}
			hidden[b*units+i] = d
			y.Bias[i] += d
		}
	}
	return loss
}

// adaGrad moves weights along their slopes; squares are the sums of the slopes' squares.
func adaGrad(weights, slopes, squares []float32, rate float32) {
	for k, g := range slopes {
		squares[k] += float32(g * g)
		weights[k] += float32(rate * g / float32(math.Sqrt(float64(squares[k])+1e-8)))
	}
}

// moments returns the mean of every number, and the inverse of its deviation: 0 for a number
// that is always the same, which teaches nothing.
func (p *pairs) moments() (mean, scale []float32) {
	n := len(p.rows[0])
	sum, squares := make([]float64, n), make([]float64, n)
	for _, row := range p.rows {
		for i, x := range row {
			sum[i] += float64(x)
			squares[i] += float64(x) * float64(x)
		}
	}
	mean, scale = make([]float32, n), make([]float32, n)
	for i := range n {
		m := sum[i] / float64(len(p.rows))
		mean[i] = float32(m)
		if variance := squares[i]/float64(len(p.rows)) - float64(m*m); variance > 1e-8 {
			scale[i] = float32(1 / math.Sqrt(variance))
		}
	}
	return mean, scale
}
