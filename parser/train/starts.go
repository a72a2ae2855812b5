package train

import (
	"math"
	"slices"

	"github.com/treebeam/treebeam/model"
	"github.com/treebeam/treebeam/parser/encode"
	"github.com/treebeam/treebeam/parser/graph"
	"github.com/treebeam/treebeam/parser/hash"
	"github.com/treebeam/treebeam/parser/pack"
	"github.com/treebeam/treebeam/parser/segment"
	"github.com/treebeam/treebeam/parser/syntax"
	"github.com/treebeam/treebeam/parser/word"
)

// starts teaches a finished encoder, which stays as it is, where sentences begin: a logistic
// regression on the vectors of two adjacent tokens, from windows of the treebank's
// paragraphs. An encoder whose layers learn that as well parses worse. Without paragraphs of
// several sentences there is nothing to learn, and starts returns e.
func (t *trainer) starts(e *tunedEncoder) (*tunedEncoder, error) {
	gold := t.gold()
	windows := segment.Windows(gold.train)
	if len(windows) == 0 {
		return e, nil
	}
	r, err := t.phase("starts", []string{gold.key, sumOfSections(e.sections)}, func(j job) ([]pack.Section, error) {
		m, err := encode.Open(pack.NewView(e.sections), model.EncodeName)
		if err != nil {
			return nil, err
		}
		var list pairs
		for _, s := range some(encodable(windows, word.LearnCasing(gold.train))) {
			list.add(m, s)
		}
		if m, err = m.WithStarts(list.fit(j)); err != nil {
			return nil, err
		}
		return packedAs(model.EncodeName, m), nil
	})
	if err != nil {
		return nil, err
	}
	return &tunedEncoder{r.sections, e.about}, nil
}

// mostPairs bounds the memory of starts: 250,000 of 768 numbers take 770 MB.
const mostPairs = 250_000

// some returns windows with at most mostPairs words, from all parts of the list.
func some(windows []syntax.Sentence) (out []*syntax.Sentence) {
	words, taken := syntax.CountWords(windows), 0
	seen := 0
	for i := range windows {
		s := &windows[i]
		if seen += s.Len(); taken+s.Len() <= int(int64(seen)*mostPairs/int64(max(words, mostPairs))) {
			out, taken = append(out, s), taken+s.Len()
		}
	}
	return out
}

// pairs are examples of a logistic regression: rows of numbers, and what is true.
type pairs struct {
	rows   [][]float32
	starts []bool
}

func (p *pairs) add(m *encode.Model, window *syntax.Sentence) {
	i := 0
	m.Pairs([]*syntax.Sentence{window}, func(first bool, pair []float32) {
		if !first {
			p.rows, p.starts = append(p.rows, slices.Clone(pair)), append(p.starts, segment.IsStart(&window.Words[i]))
		}
		i++
	})
}

// The regression learns by AdaGrad (Duchi, Hazan and Singer 2011) from batches.
const (
	startEpochs = 30
	startBatch  = 32
	startRate   = 0.05
)

// fit returns the weights of the numbers, and then a bias.
func (p *pairs) fit(j job) []float32 {
	n := len(p.rows[0])
	mean, scale := p.moments()
	for _, row := range p.rows {
		for i := range row {
			row[i] = (row[i] - mean[i]) * scale[i]
		}
	}
	weights, squares, slopes := make([]float32, n+1), make([]float32, n+1), make([]float32, n+1)
	for epoch := range startEpochs {
		loss, rate := 0.0, startRate*(1-float32(epoch)/startEpochs)
		for batch := range slices.Chunk(hash.Shuffled(len(p.rows), hash.Pair(j.Seed, uint64(epoch)+1)), startBatch) {
			clear(slopes)
			for _, k := range batch {
				row := p.rows[k]
				odds := weights[n]
				for i, x := range row {
					odds += float32(weights[i] * x)
				}
				sign := float32(-1)
				if p.starts[k] {
					sign = 1
				}
				wrong := 1 / (1 + graph.Exp(min(float64(sign*odds), 600)))
				loss -= graph.Log(1 - wrong)
				slope := float32(wrong) * sign
				for i, x := range row {
					slopes[i] += float32(slope * x)
				}
				slopes[n] += slope
			}
			for i, g := range slopes {
				squares[i] += float32(g * g)
				weights[i] += float32(rate * g / float32(math.Sqrt(float64(squares[i])+1e-8)))
			}
		}
		j.Log("epoch %d of %d, %d gaps, loss %.4f", epoch+1, startEpochs, len(p.rows), loss/float64(len(p.rows)))
	}
	for i := range n {
		weights[i] = float32(weights[i] * scale[i])
		weights[n] -= float32(weights[i] * mean[i])
	}
	return weights
}

// moments returns the mean of every number, and the inverse of its deviation.
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
		scale[i] = float32(1 / math.Sqrt(max(squares[i]/float64(len(p.rows))-m*m, 1e-8)))
	}
	return mean, scale
}
