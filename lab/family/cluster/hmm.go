package cluster

import (
	"math"

	"github.com/treebeam/treebeam/parser/hash"
)

// How HMM learns: with the best values of Liang and Klein (2009) for word classes.
const (
	batch = 3     // sentences between two steps
	tiny  = 1e-30 // of every probability: what was not seen for long stays possible
)

// HMM clusters the words of t into at most classes classes, 1 to MaxStates: the
// states of a hidden Markov model, learned by stepwise EM (Liang and Klein 2009) in so
// many passes over the text, 1 or more, with random choices that depend on seed. The
// class of a word is the state that emits most of its occurrences. Words that are not
// clustered share one emission. It takes O(T K^2) time a pass, for T words of text and
// K classes, and runs in one goroutine. progress, if not nil, is told after every
// pass how many of all are done.
func HMM(t *Text, classes, passes int, seed uint64, progress func(done, all int)) (*Table, error) {
	if err := t.check(classes); err != nil {
		return nil, err
	}
	m := newMarkov(len(t.Words)+1, classes, seed)
	e := newExpected(m)
	step := 0
	for pass := range passes {
		order := hash.Shuffled(len(t.Ends), seed+uint64(pass)+1)
		for len(order) > 0 {
			n := min(batch, len(order))
			e.reset(m)
			for _, i := range order[:n] {
				from, to := t.sentence(i)
				e.add(t.Tokens[from:to])
			}
			order = order[n:]
			m.update(e, 1/math.Sqrt(float64(step+2)))
			step++
		}
		if progress != nil {
			progress(pass+1, passes)
		}
	}
	often := make([]float64, len(t.Words)*classes)
	for i := range t.Ends {
		from, to := t.sentence(i)
		e.reset(m)
		e.add(t.Tokens[from:to])
		for j, w := range t.Tokens[from:to] {
			if int(w) == len(t.Words) {
				continue
			}
			for k, p := range e.state[j*classes : (j+1)*classes] {
				often[int(w)*classes+k] += p
			}
		}
	}
	return t.flatTable(often, classes), nil
}

// A markov is a hidden Markov model by its sufficient statistics: mean counts, all
// times 1/scale. State states is before the first and behind the last word.
type markov struct {
	words, states int
	emit          []float64 // by word and state
	emitSum       []float64 // by state
	move          []float64 // by state and next state
	moveSum       []float64
	scale         float64
}

// newMarkov returns a model whose probabilities are about equal.
func newMarkov(words, states int, seed uint64) *markov {
	m := &markov{words: words, states: states, scale: 1}
	side := states + 1
	m.emit, m.emitSum = make([]float64, words*states), make([]float64, states)
	m.move, m.moveSum = make([]float64, side*side), make([]float64, side)
	r := hash.Rand(hash.Mix(seed))
	for i := range m.emit {
		m.emit[i] = (1 + float64(1e-3*r.Float())) / float64(words)
		m.emitSum[i%states] += m.emit[i]
	}
	for i := range m.move {
		if i == len(m.move)-1 { // no sentence is empty
			continue
		}
		m.move[i] = (1 + float64(1e-3*r.Float())) / float64(side)
		m.moveSum[i/side] += m.move[i]
	}
	return m
}

// update moves the statistics by a share eta of the way to those that e expects, in
// O(words of e): everything else shrinks with scale.
func (m *markov) update(e *expected, eta float64) {
	m.scale *= 1 - eta
	if m.scale < 1e-100 { // long before it vanishes
		for _, list := range [][]float64{m.emit, m.emitSum, m.move, m.moveSum} {
			for i := range list {
				list[i] *= m.scale
			}
		}
		m.scale = 1
	}
	by := eta / m.scale / float64(len(e.tokens))
	for i, w := range e.tokens {
		for k, p := range e.states[i*m.states : (i+1)*m.states] {
			x := float64(by * p)
			m.emit[int(w)*m.states+k] += x
			m.emitSum[k] += x
		}
	}
	side := m.states + 1
	for i := range m.move {
		x := float64(by * e.moves(i))
		m.move[i] += x
		m.moveSum[i/side] += x
	}
}

// An expected has what a model expects of sentences: how often which state emits
// which word, and which follows which.
type expected struct {
	model  *markov
	tokens []int32   // of all sentences added
	states []float64 // by token and state: the probability of the state
	state  []float64 // of the last sentence: the end of states
	move   []float64 // probabilities of the model, by state and next state
	over   []float64 // by state and next state: expected moves / probability
	emitBy []float64 // 1 / the sum of emissions, by state

	forward, backward []float64 // of one sentence: by place and state
	emission          []float64 // likewise
	norm              []float64 // by place: what forward was divided by
	next              []float64 // of one place
}

func newExpected(m *markov) *expected {
	side := m.states + 1
	return &expected{move: make([]float64, side*side), over: make([]float64, side*side), emitBy: make([]float64, m.states), next: make([]float64, side)}
}

// reset forgets all sentences and takes the probabilities of m, which must not change
// before the next reset.
func (e *expected) reset(m *markov) {
	e.model, e.tokens, e.states = m, e.tokens[:0], e.states[:0]
	side := m.states + 1
	for s := range side {
		by := 1 / m.moveSum[s]
		for t := range side {
			e.move[s*side+t] = float64(m.move[s*side+t]*by) + tiny
		}
	}
	e.move[side*side-1] = 0
	for k := range m.states {
		e.emitBy[k] = 1 / m.emitSum[k]
	}
	clear(e.over)
}

// moves returns the expected count of moves number i.
func (e *expected) moves(i int) float64 { return float64(e.over[i] * e.move[i]) }

// add adds a sentence of one word or more: the E step, exact by forward and backward
// sums (Baum et al. 1970). The
// product of norm is the sentence's probability.
func (e *expected) add(words []int32) {
	n, k := len(words), e.model.states
	side := k + 1
	e.forward, e.backward, e.emission = grow(e.forward, n*k), grow(e.backward, n*k), grow(e.emission, n*k)
	e.norm = grow(e.norm, n+1)
	for i, w := range words {
		row := e.emission[i*k : (i+1)*k]
		for s := range row {
			row[s] = float64(e.model.emit[int(w)*k+s]*e.emitBy[s]) + tiny
		}
	}
	edge := e.move[k*side : k*side+k]
	for i := range n {
		now := e.forward[i*k : (i+1)*k]
		if i == 0 {
			copy(now, edge)
		} else {
			clear(now)
			for s, p := range e.forward[(i-1)*k : i*k] {
				for t, q := range e.move[s*side : s*side+k] {
					now[t] += float64(p * q)
				}
			}
		}
		sum := 0.0
		for s := range now {
			now[s] = float64(now[s] * e.emission[i*k+s])
			sum += now[s]
		}
		e.norm[i] = sum
		by := 1 / sum
		for s := range now {
			now[s] *= by
		}
	}
	end := 0.0
	last := e.forward[(n-1)*k:]
	for s := range k {
		end += float64(last[s] * e.move[s*side+k])
	}
	e.norm[n] = end
	for s := range k {
		e.backward[(n-1)*k+s] = e.move[s*side+k] / end
		e.over[s*side+k] += last[s] / end
	}
	for i := n - 2; i >= 0; i-- {
		for s := range k {
			e.next[s] = float64(e.emission[(i+1)*k+s]*e.backward[(i+1)*k+s]) / e.norm[i+1]
		}
		next := e.next[:k]
		for s := range k {
			p, sum := e.forward[i*k+s], 0.0
			over := e.over[s*side : s*side+k]
			for t, q := range e.move[s*side : s*side+k] {
				sum += float64(q * next[t])
				over[t] += float64(p * next[t])
			}
			e.backward[i*k+s] = sum
		}
	}
	for s := range k { // the first word
		e.over[k*side+s] += e.emission[s] * e.backward[s] / e.norm[0]
	}
	e.tokens = append(e.tokens, words...)
	at := len(e.states)
	for i := range n * k {
		e.states = append(e.states, float64(e.forward[i]*e.backward[i]))
	}
	e.state = e.states[at:]
}

// grow returns a slice of length n, a if that is long enough.
func grow(a []float64, n int) []float64 {
	if cap(a) < n {
		return make([]float64, n)
	}
	return a[:n]
}
