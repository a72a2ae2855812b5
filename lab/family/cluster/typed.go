package cluster

import (
	"math"

	"github.com/treebeam/treebeam/parser/hash"
)

// prior is what every outcome of a state counts before any was seen: moves have it
// once for each state, emissions have it as a sum over all words.
const prior = 0.1

// Type clusters the words of t into at most classes classes, 1 to MaxStates, by
// sampling the states of a hidden Markov model with Dirichlet priors, whose
// parameters are integrated out. It moves together what is of the same type: the
// occurrences of a word between the same states (type-based sampling; Liang, Jordan
// and Klein 2010). The class of a word is the state that it has most often in the
// second half of the passes over the text, 1 or more. Random choices depend on seed.
// A pass takes up to T n steps for T words of text and words that occur n times, fewer
// the more of these stand between the same states; it runs in one goroutine. progress, if not nil, is told after
// every pass how many of all are done.
func Type(t *Text, classes, passes int, seed uint64, progress func(done, all int)) (*Table, error) {
	if err := t.check(classes); err != nil {
		return nil, err
	}
	s := newSampler(t, classes, seed)
	often := make([]float64, len(t.Words)*classes)
	for pass := range passes {
		s.pass()
		if pass >= passes/2 {
			for i, w := range t.Tokens {
				if int(w) < len(t.Words) {
					often[int(w)*classes+int(s.state[i])]++
				}
			}
		}
		if progress != nil {
			progress(pass+1, passes)
		}
	}
	return t.flatTable(often, classes), nil
}

// A sampler has a state for every word of the text, and what follows from that.
type sampler struct {
	text    *Text
	states  int
	words   int
	state   []int16 // by token
	first   []bool  // by token: begins a sentence
	places  []int32 // of each word, in the order of the text, without twins
	begin   []int32 // word w is at places[begin[w]:begin[w+1]]
	emit    []int32 // by word and state: how often
	emitSum []int32 // by state
	move    []int32 // by state and next state; state states is the edge
	moveSum []int32
	done    []bool // by token: moved in this pass
	random  hash.Rand

	block   []int32   // scratch: tokens
	weights []weight  // scratch
	shares  []float64 // scratch
}

// A weight is mantissa * 2^exponent: weights of large blocks are out of the range of
// floats.
type weight struct {
	mantissa float64
	exponent int
}

// newSampler puts all occurrences of a word into the same state, one drawn for the
// word.
func newSampler(t *Text, classes int, seed uint64) *sampler {
	n, words := len(t.Tokens), len(t.Words)+1
	s := &sampler{text: t, states: classes, words: words, random: hash.Rand(hash.Mix(seed))}
	s.state, s.first, s.done = make([]int16, n), make([]bool, n+1), make([]bool, n)
	s.first[0] = true
	for _, end := range t.Ends {
		s.first[end] = true
	}
	s.place()
	side := classes + 1
	s.emit, s.emitSum = make([]int32, words*classes), make([]int32, classes)
	s.move, s.moveSum = make([]int32, side*side), make([]int32, side)
	of := make([]int16, words)
	for w := range of {
		of[w] = int16(s.random.Below(uint32(classes)))
	}
	for i, w := range t.Tokens {
		s.state[i] = of[w]
	}
	s.count()
	return s
}

// place fills places and begin.
func (s *sampler) place() {
	s.begin = make([]int32, s.words+1)
	for i, w := range s.text.Tokens {
		if !s.twin(int32(i)) {
			s.begin[w+1]++
		}
	}
	for w := range s.words {
		s.begin[w+1] += s.begin[w]
	}
	s.places = make([]int32, s.begin[s.words])
	at := append([]int32(nil), s.begin...)
	for i, w := range s.text.Tokens {
		if !s.twin(int32(i)) {
			s.places[at[w]] = int32(i)
			at[w]++
		}
	}
}

// count counts everything anew.
func (s *sampler) count() {
	clear(s.emit)
	clear(s.emitSum)
	clear(s.move)
	clear(s.moveSum)
	for i, state := range s.state {
		s.add(int32(i), int(state), 1)
		if next := int32(i + 1); !s.first[next] { // the next token counts this move again
			s.move[int(state)*(s.states+1)+int(s.state[next])]--
			s.moveSum[state]--
		}
	}
}

// before and after return the states around a token.
func (s *sampler) before(i int32) int {
	if s.first[i] {
		return s.states
	}
	return int(s.state[i-1])
}

func (s *sampler) after(i int32) int {
	if s.first[i+1] {
		return s.states
	}
	return int(s.state[i+1])
}

// add counts the choices at token i, if it is in a state: its word and the moves to
// both sides.
func (s *sampler) add(i int32, state int, by int32) {
	side := s.states + 1
	s.emit[int(s.text.Tokens[i])*s.states+state] += by
	s.emitSum[state] += by
	b, a := s.before(i), s.after(i)
	s.move[b*side+state] += by
	s.moveSum[b] += by
	s.move[state*side+a] += by
	s.moveSum[state] += by
}

// pass moves every token once, in a block or as the reason for one.
func (s *sampler) pass() {
	clear(s.done)
	if s.states == 1 {
		return
	}
	for _, p := range hash.Shuffled(len(s.state), s.random.Next()) {
		if i := int32(p); !s.done[i] {
			other := int(s.random.Below(uint32(s.states - 1)))
			if other >= int(s.state[i]) {
				other++
			}
			s.step(i, other)
		}
	}
}

// step draws the states of pivot's block anew, of the one that it has and another.
func (s *sampler) step(pivot int32, other int) {
	here := int(s.state[pivot])
	block := s.members(pivot, other)
	for _, i := range block {
		s.add(i, int(s.state[i]), -1)
	}
	m := s.draw(s.distribution(pivot, here, other, len(block)))
	for k := range m { // those that move are any m of the block
		j := k + int(s.random.Below(uint32(len(block)-k)))
		block[k], block[j] = block[j], block[k]
	}
	for k, i := range block {
		s.state[i] = int16(here)
		if k < m {
			s.state[i] = int16(other)
		}
		s.add(i, int(s.state[i]), 1)
		s.done[i] = true
	}
}

// members returns the block of a pivot: the tokens of the same word between the same
// states that are in the pivot's state or another one, and no two neighbours. A
// token beside another of its word is no further member: its move could make that
// neighbour one, and the block would not be the same seen from the other side. (The
// paper does not exclude them, and then samples from a slightly different
// distribution.) As a pivot it is a block of its own: nobody else moves it, so that
// otherwise each of them would go through all of its word.
func (s *sampler) members(pivot int32, other int) []int32 {
	b, a, here := s.before(pivot), s.after(pivot), s.state[pivot]
	w := s.text.Tokens[pivot]
	s.block = append(s.block[:0], pivot)
	if s.twin(pivot) {
		return s.block
	}
	for _, i := range s.places[s.begin[w]:s.begin[w+1]] {
		if x := s.state[i]; x != here && int(x) != other || i == pivot {
			continue
		}
		if s.before(i) != b || s.after(i) != a || i == pivot-1 || i == pivot+1 {
			continue
		}
		s.block = append(s.block, i)
	}
	return s.block
}

// twin reports whether the word beside token i, in its sentence, is the same.
func (s *sampler) twin(i int32) bool {
	w := s.text.Tokens[i]
	return !s.first[i] && s.text.Tokens[i-1] == w || !s.first[i+1] && s.text.Tokens[i+1] == w
}

// An entry is a count that the choices of a block add to: base is there without
// them, and each token adds zero, or one if it moves.
type entry struct {
	base      float64
	row, col  int // to tell entries apart
	zero, one int
	under     bool // a sum, by which is divided
}

// distribution returns, up to a factor, how probable it is that 0, 1, ... size
// tokens of the block of pivot, whose choices are not counted, are in state other and
// the rest in state here: binomial(size, m) times the collapsed likelihood. It
// needs no logarithms: the step from m to m+1 changes every count by 2 at most.
func (s *sampler) distribution(pivot int32, here, other, size int) []weight {
	var entries [16]entry
	n := 0
	put := func(e entry) {
		for i := range entries[:n] {
			if entries[i].row == e.row && entries[i].col == e.col {
				entries[i].zero += e.zero
				entries[i].one += e.one
				return
			}
		}
		entries[n] = e
		n++
	}
	side := s.states + 1
	b, a := s.before(pivot), s.after(pivot)
	w := int(s.text.Tokens[pivot])
	for _, c := range [2]struct{ state, zero, one int }{{here, 1, 0}, {other, 0, 1}} {
		put(entry{float64(s.emit[w*s.states+c.state]) + prior/float64(s.words), -1, c.state, c.zero, c.one, false})
		put(entry{float64(s.emitSum[c.state]) + prior, -2, c.state, c.zero, c.one, true})
		for _, move := range [2][2]int{{b, c.state}, {c.state, a}} {
			put(entry{float64(s.move[move[0]*side+move[1]]) + prior, move[0], move[1], c.zero, c.one, false})
			put(entry{float64(s.moveSum[move[0]]) + float64(prior*float64(side)), -3, move[0], c.zero, c.one, true})
		}
	}
	s.weights = append(s.weights[:0], weight{1, 0})
	for m := range size {
		up, down := float64(size-m), float64(m+1) // of the binomial
		for i := range entries[:n] {
			e := &entries[i]
			d := m*e.one + (size-m)*e.zero
			more, less := &up, &down
			if e.under {
				more, less = less, more
			}
			for k := 0; k < e.one-e.zero; k++ {
				*more *= e.base + float64(d+k)
			}
			for k := 0; k < e.zero-e.one; k++ {
				*less *= e.base + float64(d-1-k)
			}
		}
		last := s.weights[m]
		x, e := math.Frexp(last.mantissa * (up / down))
		s.weights = append(s.weights, weight{x, last.exponent + e})
	}
	return s.weights
}

// draw returns a number m with a probability that is proportional to the weight at m.
func (s *sampler) draw(weights []weight) int {
	s.shares = sharesOf(weights, s.shares[:0])
	sum := 0.0
	for _, x := range s.shares {
		sum += x
	}
	left := float64(s.random.Float() * sum)
	for m, x := range s.shares {
		if left -= x; left < 0 {
			return m
		}
	}
	return len(weights) - 1 // by rounding
}

// sharesOf appends weights as floats to list, up to a factor: the highest exponent
// becomes 0, and what is out of sight of it becomes 0.
func sharesOf(weights []weight, list []float64) []float64 {
	top := weights[0].exponent
	for _, w := range weights {
		top = max(top, w.exponent)
	}
	for _, w := range weights {
		list = append(list, math.Ldexp(w.mantissa, max(w.exponent-top, -1080)))
	}
	return list
}
