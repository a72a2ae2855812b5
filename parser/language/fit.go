package language

import (
	"math"

	"github.com/treebeam/treebeam/parser/graph"
	"github.com/treebeam/treebeam/parser/hash"
)

const fitted = 40 // windows of a language and a size

// fit sets the factor of each size of text to that with which windows of other text are
// likeliest.
func (m *Model) fit(w *windows, seed uint64) {
	r := hash.Rand(seed)
	limit := float32(maxFactor)
	for size := range m.factors {
		list := m.examples(w, &r, size)
		// More letters say more, but each says less: they depend on each other.
		m.factors[size] = min(limit, likeliest(list))
		limit = m.factors[size]
	}
}

// examples returns windows of all languages that have text of a size.
func (m *Model) examples(w *windows, r *hash.Rand, size int) (list []scored) {
	for code, text := range w.texts {
		for range fitted {
			// n letters, and about n/5 spaces
			n := 1<<size + int(r.Below(1<<size))
			if n = n * 6 / 5; code == w.none || len(text) > n {
				list = append(list, m.scored(w.draw(r, code, n), code))
			}
		}
	}
	return list
}

// balance sets the bias of each language so that other text than was learned from is
// likeliest. A language with few samples knows them by heart, and loses to its neighbours
// without one.
func (m *Model) balance(w *windows, seed uint64) {
	const middle, steps = 7, 100 // 128 to 255 letters
	r := hash.Rand(hash.Pair(seed, 2))
	list := m.examples(w, &r, middle)
	if len(list) == 0 {
		return
	}
	factor, count := float64(likeliest(list)), 0.0
	for _, s := range list {
		count += s.count / float64(len(list))
	}
	bias, p := make([]float64, len(m.codes)), make([]float64, len(m.codes))
	for range steps {
		slope := make([]float64, len(m.codes))
		for _, s := range list {
			for c, d := range s.differences {
				p[c] = float64((d + float64(s.count*(bias[c]-bias[s.code]))) * factor)
			}
			softmax(p)
			for c := range p {
				slope[c] -= p[c]
			}
			slope[s.code]++
		}
		for c, x := range slope {
			bias[c] += float64(x/fitted) / float64(factor*count)
		}
	}
	for c, x := range bias {
		m.bias[c] = int32(math.RoundToEven(max(-maxBias, min(maxBias, x))))
	}
}

// A scored window has the difference of each language's score from the true one's.
type scored struct {
	differences []float64
	code        int
	count       float64 // of n-grams
}

func (m *Model) scored(text []rune, code int) scored {
	var scores [maxCodes]int64
	s := scored{make([]float64, len(m.codes)), code, float64(m.scores(text, &scores))}
	for c := range s.differences {
		s.differences[c] = float64(scores[c] - scores[code])
	}
	return s
}

// likeliest returns the factor with the least loss, to 1 in 20.
func likeliest(list []scored) float32 {
	best, factor := math.Inf(1), 0.0
	for x := float64(maxFactor); x > 1e-12; x /= 1.05 {
		loss := 0.0
		for _, s := range list {
			top, total := 0.0, 0.0
			for _, d := range s.differences {
				top = max(top, d*x)
			}
			for _, d := range s.differences {
				total += graph.Exp(max(-700, float64(d*x)-top))
			}
			loss += top + graph.Log(total)
		}
		if loss < best {
			best, factor = loss, x
		}
		if loss > 2*best && factor > 0 && x < factor/8 {
			break
		}
	}
	return float32(factor)
}
