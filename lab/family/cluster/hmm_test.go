package cluster

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/treebeam/treebeam/parser/hash"
)

// collect makes a text.
func collect(t *testing.T, sentences [][]string, least int64, most int) *Text {
	t.Helper()
	var c Collector
	for _, s := range sentences {
		if err := c.Add(s); err != nil {
			t.Fatal(err)
		}
	}
	return c.Text(least, most)
}

// What is too long, or empty, is as unknown as a rare word: no table may have it.
func TestCollectorLeavesOutWhatNoTableHas(t *testing.T) {
	var c Collector
	for range 3 {
		if err := c.Add([]string{"a", strings.Repeat("x", MaxWord+1), "", strings.Repeat("y", MaxWord)}); err != nil {
			t.Fatal(err)
		}
	}
	text := c.Text(2, 10)
	if want := []string{"a", strings.Repeat("y", MaxWord)}; !slices.Equal(text.Words, want) || !slices.Equal(text.Tokens[:4], []int32{0, 2, 2, 1}) {
		t.Fatalf("words %q, tokens %v", text.Words, text.Tokens)
	}
}

func TestCollectorNumbersWords(t *testing.T) {
	text := collect(t, [][]string{{"b", "a", "c"}, nil, {"a", "d"}, {"a", "b"}}, 2, 2)
	if fmt.Sprint(text.Words, text.Count, text.Tokens, text.Ends) != "[a b] [3 2] [1 0 2 0 2 0 1] [3 5 7]" {
		t.Fatal(text)
	}
}

func TestFlatMethodsAreBounded(t *testing.T) {
	text := &Text{Words: make([]string, maxCells/MaxStates+1), Tokens: []int32{0}, Ends: []int32{1}}
	for _, learn := range []func(*Text, int, int, uint64, func(int, int)) (*Table, error){HMM, Type} {
		if _, err := learn(text, MaxStates, 1, 1, nil); err == nil || !strings.Contains(err.Error(), "take fewer words or classes") {
			t.Error(err)
		}
	}
	if err := text.check(MaxStates / 2); err != nil {
		t.Error(err)
	}
}

// someMarkov is a model with all kinds of probabilities.
func someMarkov(seed uint64, words, states int) *markov {
	m := newMarkov(words, states, seed)
	r := hash.Rand(seed)
	clear(m.emitSum)
	clear(m.moveSum)
	for i := range m.emit {
		m.emit[i] = r.Float()
		m.emitSum[i%states] += m.emit[i]
	}
	for i := range len(m.move) - 1 {
		m.move[i] = r.Float() * r.Float()
		m.moveSum[i/(states+1)] += m.move[i]
	}
	return m
}

// paths calls f with all paths of states through n words, and their probability.
func paths(m *markov, words []int32, f func(path []int, p float64)) {
	side := m.states + 1
	path := make([]int, len(words))
	move := func(s, t int) float64 { return m.move[s*side+t] / m.moveSum[s] }
	var walk func(i int, p float64)
	walk = func(i int, p float64) {
		before := m.states
		if i > 0 {
			before = path[i-1]
		}
		if i == len(words) {
			f(path, p*move(before, m.states))
			return
		}
		for s := range m.states {
			path[i] = s
			walk(i+1, p*move(before, s)*m.emit[int(words[i])*m.states+s]/m.emitSum[s])
		}
	}
	walk(0, 1)
}

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-11*max(1, math.Abs(a), math.Abs(b)) }

func TestExpectationsAreThoseOfAllPaths(t *testing.T) {
	for seed := range uint64(40) {
		states, vocabulary := 1+int(seed%4), 3
		m := someMarkov(seed, vocabulary, states)
		e := newExpected(m)
		e.reset(m)
		side := states + 1
		moves := make([]float64, side*side)
		var emits []float64
		r := hash.Rand(seed)
		for range 3 {
			words := make([]int32, 1+r.Below(5))
			for i := range words {
				words[i] = int32(r.Below(uint32(vocabulary)))
			}
			e.add(words)
			total := 0.0
			paths(m, words, func(_ []int, p float64) { total += p })
			norm := 1.0
			for _, x := range e.norm {
				norm *= x
			}
			if !near(norm/total, 1) {
				t.Fatalf("seed %d: the sentence has probability %g, all paths have %g", seed, norm, total)
			}
			emit := make([]float64, len(words)*states)
			paths(m, words, func(path []int, p float64) {
				before := states
				for i, s := range path {
					emit[i*states+s] += p / total
					moves[before*side+s] += p / total
					before = s
				}
				moves[before*side+states] += p / total
			})
			emits = append(emits, emit...)
		}
		for i := range moves {
			if !near(e.moves(i), moves[i]) {
				t.Fatalf("seed %d: move %d is expected %g times, by all paths %g", seed, i, e.moves(i), moves[i])
			}
		}
		for i := range emits {
			if !near(e.states[i], emits[i]) {
				t.Fatalf("seed %d: emission %d: %g, by all paths %g", seed, i, e.states[i], emits[i])
			}
		}
	}
}

// Scaling what is not touched is the same as writing all of it.
func TestLazyUpdatesAreDenseOnes(t *testing.T) {
	text := collect(t, toy(3, 9, 300), 1, 100)
	lazy := someMarkov(5, len(text.Words)+1, 3)
	dense := someMarkov(5, len(text.Words)+1, 3)
	a, b := newExpected(lazy), newExpected(dense)
	for step := range 900 {
		from, to := text.sentence(step % len(text.Ends))
		a.reset(lazy)
		a.add(text.Tokens[from:to])
		b.reset(dense)
		b.add(text.Tokens[from:to])
		eta := 1 / math.Sqrt(float64(step+2))
		if step%100 > 30 { // the scale must be folded in at times
			eta = 0.95
		}
		lazy.update(a, eta)
		denseUpdate(dense, b, eta)
		for i := range lazy.emit {
			if x := lazy.emit[i] * lazy.scale; math.Abs(x-dense.emit[i]) > 1e-9*(x+1e-3) {
				t.Fatalf("step %d: emission %d: %g, dense %g", step, i, x, dense.emit[i])
			}
		}
		for i := range lazy.move {
			if x := lazy.move[i] * lazy.scale; math.Abs(x-dense.move[i]) > 1e-9*(x+1e-3) {
				t.Fatalf("step %d: move %d: %g, dense %g", step, i, x, dense.move[i])
			}
		}
	}
}

func denseUpdate(m *markov, e *expected, eta float64) {
	for _, list := range [][]float64{m.emit, m.move} {
		for i := range list {
			list[i] *= 1 - eta
		}
	}
	by := eta / float64(len(e.tokens))
	for i, w := range e.tokens {
		for k := range m.states {
			m.emit[int(w)*m.states+k] += by * e.states[i*m.states+k]
		}
	}
	for i := range m.move {
		m.move[i] += by * e.moves(i)
	}
	clear(m.emitSum)
	clear(m.moveSum)
	for i, x := range m.emit {
		m.emitSum[i%m.states] += x
	}
	for i, x := range m.move {
		m.moveSum[i/(m.states+1)] += x
	}
}

// EM over the whole text is a step of size 1: the likelihood never falls.
func TestLikelihoodOfBatchesRises(t *testing.T) {
	text := collect(t, toy(11, 12, 200), 1, 100)
	m := someMarkov(2, len(text.Words)+1, 4)
	e := newExpected(m)
	last := math.Inf(-1)
	for pass := range 30 {
		e.reset(m)
		log := 0.0
		for i := range text.Ends {
			from, to := text.sentence(i)
			e.add(text.Tokens[from:to])
			for _, x := range e.norm {
				log += math.Log(x)
			}
		}
		if log < last-1e-6 {
			t.Fatalf("pass %d: the log-likelihood falls from %g to %g", pass, last, log)
		}
		last = log
		denseUpdate(m, e, 1)
	}
}

func TestHMMTellsKindsOfWordsApart(t *testing.T) {
	text := collect(t, kinds(3), 1, 100)
	table, err := HMM(text, 4, 10, 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	checkKinds(t, table)
	again, err := HMM(text, 4, 10, 1, nil)
	if err != nil || !slices.Equal(again.Rows, table.Rows) {
		t.Fatal("the same text and seed gave other classes", err)
	}
	for _, classes := range []int{0, MaxStates + 1} {
		if _, err := HMM(text, classes, 1, 1, nil); err == nil {
			t.Errorf("%d classes: no error", classes)
		}
	}
	if _, err := HMM(&Text{}, 2, 1, 1, nil); err == nil {
		t.Error("no words: no error")
	}
}
