package language

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/bits"
	"slices"

	"github.com/treebeam/treebeam/parser/graph"
	"github.com/treebeam/treebeam/parser/hash"
	"github.com/treebeam/treebeam/parser/vector"
)

// A Sample is text in a language: a document, or a sentence.
type Sample struct{ Code, Text string }

// Options are the options of Train. The zero value means the defaults.
type Options struct {
	Rows    int    // vectors of n-grams; 0: 65,536, a megabyte
	Epochs  int    // 0: 20
	Windows int    // in an epoch, per language on average; 0: 300
	Seed    uint64 // of the order and the places of windows
	// Dev is held-out text, on which the factors of the probabilities are fitted.
	// Without it they are fitted on the samples, and the probabilities are
	// overconfident.
	Dev []Sample
	// Without are codes whose Foreign samples are left out, to measure the results for
	// languages that the model has never seen.
	Without []string
}

const (
	shortest, farthest = 10, 400 // characters of a window
	rate               = 1.0     // of the first step
	dropped            = 0.2     // share of the n-grams of a window that are left out
)

// Train learns a model of the languages of the samples, and of None. It learns None
// from samples with that code, from Foreign samples in other languages, and from random
// text. It learns from windows of text; their number for a language does not depend on
// the size of its samples. Windows are learned from one after another, so the result is
// the same on every machine.
func Train(samples []Sample, o Options) (*Model, error) {
	o.Rows, o.Epochs, o.Windows = cmp.Or(o.Rows, 1<<16), cmp.Or(o.Epochs, 20), cmp.Or(o.Windows, 300)
	texts := gather(samples)
	codes := slices.Sorted(maps.Keys(texts))
	if !slices.Contains(codes, None) {
		codes = append(codes, None)
		slices.Sort(codes)
	}
	switch {
	case len(codes) < 2:
		return nil, errors.New("language: there are no samples to learn from")
	case len(codes) > maxCodes:
		return nil, fmt.Errorf("language: %d languages, at most %d", len(codes), maxCodes)
	case o.Rows < 1 || o.Rows > maxRows:
		return nil, fmt.Errorf("language: %d rows, at most %d", o.Rows, maxRows)
	}
	others := slices.DeleteFunc(Foreign(), func(s Sample) bool {
		return texts[s.Code] != nil || slices.Contains(o.Without, s.Code)
	})
	l := newLearner(newWindows(codes, texts, others), o)
	l.learn(o)
	m := l.quantized()
	dev := l.windows
	if len(o.Dev) > 0 {
		dev = newWindows(codes, gather(o.Dev), others)
	}
	m.count(l.windows)
	m.judge(dev, o.Seed)
	m.balance(dev, o.Seed)
	m.fit(dev, o.Seed)
	return m, nil
}

// gather returns the folded text of each language.
func gather(samples []Sample) map[string][]rune {
	texts := map[string][]rune{}
	for _, s := range samples {
		text := texts[s.Code]
		if text == nil {
			text = []rune{' '}
		}
		texts[s.Code] = space(foldPart(text, s.Text, len(s.Text)))
	}
	for code, text := range texts {
		if len(text) < 2 {
			delete(texts, code)
		}
	}
	return texts
}

// A learner holds what is learned, in floats.
type learner struct {
	*windows
	rows    int
	vectors []float32 // width a row
	output  []float32 // width a code
	squares []float32 // sums of squared gradients: rows, then codes
}

func newLearner(w *windows, o Options) *learner {
	l := &learner{windows: w, rows: o.Rows}
	l.vectors = make([]float32, o.Rows*width)
	l.output = make([]float32, len(w.codes)*width)
	l.squares = make([]float32, o.Rows+len(w.codes))
	r := hash.Rand(hash.Pair(o.Seed, 1))
	for i := range l.vectors {
		l.vectors[i] = float32(r.Float()-0.5) * (2.0 / width)
	}
	return l
}

// learn takes one step a window. Half of the windows of an epoch are as many from each
// language, the others by the losses of the languages in the epoch before: languages that
// are hard to tell apart come more often, None does not. Steps become smaller to the end, and for a row
// with its gradients so far (AdaGrad, with one sum a row).
func (l *learner) learn(o Options) {
	r := hash.Rand(hash.Pair(o.Seed, 2))
	losses := slices.Repeat([]float64{1}, len(l.codes))
	var rows, kept []uint32
	for epoch := range o.Epochs {
		list := schedule(losses, o.Windows*len(l.codes))
		sum, count := make([]float64, len(losses)), make([]float64, len(losses))
		for i, at := range hash.Shuffled(len(list), hash.Pair(o.Seed, uint64(epoch)+3)) {
			code := list[at]
			text := l.draw(&r, code, between(&r, shortest, farthest))
			g := grams{text: text, at: 1, word: 1, rows: uint64(l.rows)}
			rows, kept = g.next(slices.Grow(rows[:0], len(text)*perRune)), kept[:0]
			for _, x := range rows {
				if r.Float() >= dropped {
					kept = append(kept, x)
				}
			}
			if len(kept) > 0 {
				sum[code] += l.step(kept, code, rate*float32(1-float64(epoch*len(list)+i)/float64(o.Epochs*len(list))))
				count[code]++
			}
		}
		for c := range losses {
			losses[c] = sum[c] / max(1, count[c])
		}
		losses[l.none] = 0 // no model can tell nonsense from a language's rarer words
	}
}

// schedule returns about n languages: half of them each language as often, the others in
// proportion to their losses.
func schedule(losses []float64, n int) (list []int) {
	total := 1e-9
	for _, x := range losses {
		total += x
	}
	for c, x := range losses {
		list = append(list, slices.Repeat([]int{c}, 1+int(float64(n)/2*(1/float64(len(losses))+x/total)))...)
	}
	return list
}

// step moves the vectors of a window and of the languages up the log-likelihood of its
// language. The sum of a window's vectors is divided by the root of their number, so that
// long windows count more than short ones. It returns the loss.
func (l *learner) step(rows []uint32, code int, rate float32) (loss float64) {
	var sum, slope [width]float32
	var probabilities [maxCodes]float64
	p := probabilities[:len(l.codes)]
	scale := 1 / float32(math.Sqrt(float64(len(rows))))
	for _, x := range rows {
		vector.Add(sum[:], l.vectors[int(x)*width:][:width])
	}
	vector.Scale(sum[:], scale)
	for c := range p {
		p[c] = float64(dot(sum[:], l.output[c*width:][:width]))
	}
	softmax(p)
	for c := range p {
		d := -float32(p[c])
		if c == code {
			d++
		}
		out := l.output[c*width:][:width]
		vector.AddScaled(slope[:], d, out)
		square := &l.squares[l.rows+c]
		*square += float32(d * d)
		vector.AddScaled(out, float32(rate*d)/float32(1+float32(math.Sqrt(float64(*square)))), sum[:])
	}
	loss = -graph.Log(max(1e-300, p[code]))
	vector.Scale(slope[:], scale)
	length := dot(slope[:], slope[:])
	if length < 1e-10 {
		return loss
	}
	for _, x := range rows {
		l.squares[x] += length
		factor := rate / float32(0.01+float32(math.Sqrt(float64(l.squares[x]))))
		vector.AddScaled(l.vectors[int(x)*width:][:width], factor, slope[:])
	}
	return loss
}

func dot(a, b []float32) (sum float32) {
	for i, x := range a {
		sum += float32(x * b[i])
	}
	return sum
}

// quantized returns the model in integers, its factors not yet fitted.
func (l *learner) quantized() *Model {
	m := &Model{codes: l.codes, vectors: make([]uint64, len(l.vectors)/lanes), output: make([]int16, len(l.output)),
		bias: make([]int32, len(l.codes)), factors: make([]float32, sizes)}
	unit := clip(l.vectors) / 127
	for i, x := range l.vectors {
		m.vectors[i/lanes] |= uint64(uint8(128+nearest(x/unit, 127))) << (i % lanes * 8)
	}
	unit = max(slices.Max(l.output), -slices.Min(l.output), 1e-6) / 32767
	for i, x := range l.output {
		m.output[i] = int16(nearest(x/unit, 32767))
	}
	return m
}

// nearest rounds x to an integer of at most limit in size.
func nearest(x float32, limit int) int {
	return int(max(-float64(limit), min(float64(limit), math.RoundToEven(float64(x)))))
}

// clip returns a size that all but one of 10,000 weights do not exceed.
func clip(list []float32) float32 {
	sorted := make([]float32, len(list))
	for i, x := range list {
		sorted[i] = max(x, -x)
	}
	slices.Sort(sorted)
	return max(sorted[len(sorted)-1-len(sorted)/10000], 1e-6)
}

// between returns a number from low to high, whose logarithm is evenly spread.
func between(r *hash.Rand, low, high int) int {
	steps := graph.Log(float64(high) / float64(low))
	return int(float64(low) * graph.Exp(r.Float()*steps))
}

// size returns the index of the factor for a text of so many letters.
func size(letters int) int { return min(bits.Len(uint(letters)), sizes) - 1 }
