package cluster

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
)

// logJoint is the collapsed likelihood of all states and words, from the formula.
func logJoint(t *Text, states int, state []int16) float64 {
	lgamma := func(x float64) float64 {
		y, _ := math.Lgamma(x)
		return y
	}
	side, words := states+1, len(t.Words)+1
	emit, move := make([]float64, states*words), make([]float64, side*side)
	for i := range t.Ends {
		from, to := t.sentence(i)
		before := states
		for at := from; at < to; at++ {
			s := int(state[at])
			emit[s*words+int(t.Tokens[at])]++
			move[before*side+s]++
			before = s
		}
		move[before*side+states]++
	}
	log := 0.0
	rows := func(counts []float64, n int, each float64) {
		for ; len(counts) > 0; counts = counts[n:] {
			sum := 0.0
			for _, c := range counts[:n] {
				log += lgamma(each+c) - lgamma(each)
				sum += c
			}
			log -= lgamma(each*float64(n)+sum) - lgamma(each*float64(n))
		}
	}
	rows(emit, words, prior/float64(words))
	rows(move, side, prior)
	return log
}

// decode writes number z as states.
func decode(z, states int, state []int16) {
	for i := range state {
		state[i] = int16(z % states)
		z /= states
	}
}

// Every step leaves the posterior as it is: what it takes from each of all
// assignments and gives to each is added up.
func TestStepsKeepThePosterior(t *testing.T) {
	for _, c := range []struct {
		text   string
		states int
	}{
		{"a b a b|a b", 2},
		{"a b c|a b|c a b", 2},
		{"v w w v|v w w v", 2}, // equal neighbours
		{"w w w w w w", 2},
		{"a b a|b a|a", 3},
		{"w w v|w v w|w v", 3},
	} {
		var sentences [][]string
		for _, s := range strings.Split(c.text, "|") {
			sentences = append(sentences, strings.Fields(s))
		}
		text := collect(t, sentences, 1, 100)
		n := len(text.Tokens)
		all := int(math.Pow(float64(c.states), float64(n)))
		s := newSampler(text, c.states, 1)
		posterior, sum := make([]float64, all), 0.0
		for z := range all {
			decode(z, c.states, s.state)
			posterior[z] = math.Exp(logJoint(text, c.states, s.state))
			sum += posterior[z]
		}
		large := 0
		for pivot := range int32(n) {
			after := make([]float64, all)
			for z := range all {
				for other := range c.states {
					decode(z, c.states, s.state)
					if int(s.state[pivot]) == other {
						continue
					}
					s.count()
					here := int(s.state[pivot])
					block := slices.Clone(s.members(pivot, other))
					large = max(large, len(block))
					for _, i := range block {
						s.add(i, int(s.state[i]), -1)
					}
					shares := sharesOf(s.distribution(pivot, here, other, len(block)), nil)
					total := 0.0
					for _, x := range shares {
						total += x
					}
					for chosen := range 1 << len(block) {
						m, to := 0, 0
						for k, i := range block {
							s.state[i] = int16(here)
							if chosen>>k&1 == 1 {
								s.state[i] = int16(other)
								m++
							}
						}
						for i := n - 1; i >= 0; i-- {
							to = to*c.states + int(s.state[i])
						}
						p := shares[m] / total / choose(len(block), m) / float64(c.states-1)
						after[to] += posterior[z] / sum * p
					}
				}
			}
			for z := range all {
				if want := posterior[z] / sum; math.Abs(after[z]-want) > 1e-12 {
					t.Fatalf("%q, %d states, pivot %d: assignment %d has %g of the posterior, after a step %g", c.text, c.states, pivot, z, want, after[z])
				}
			}
		}
		if large < 2 && c.text != "w w w w w w" {
			t.Errorf("%q: no block has two tokens", c.text)
		}
	}
}

func choose(n, k int) float64 {
	x := 1.0
	for i := range k {
		x = x * float64(n-i) / float64(i+1)
	}
	return x
}

// Counts that steps keep up to date are those of a new count.
func TestSamplerCounts(t *testing.T) {
	text := collect(t, toy(9, 7, 300), 2, 100)
	s := newSampler(text, 5, 3)
	for range 3 {
		s.pass()
	}
	emit, move := slices.Clone(s.emit), slices.Clone(s.move)
	sums := append(slices.Clone(s.emitSum), s.moveSum...)
	s.count()
	if !slices.Equal(emit, s.emit) || !slices.Equal(move, s.move) || !slices.Equal(sums, append(slices.Clone(s.emitSum), s.moveSum...)) {
		t.Fatal("the counts are not those of the states")
	}
}

// Tokens beside their own word are no members, and no block looks through them: a
// text of nothing else took time in the square of its length.
func TestBlocksDoNotLookThroughTwins(t *testing.T) {
	text := collect(t, [][]string{{"w", "w", "w", "v", "w"}, {"w"}, {"w", "w"}, {"v", "v"}}, 1, 10)
	s := newSampler(text, 2, 1)
	if fmt.Sprint(s.places, s.begin) != "[4 5 3] [0 2 3 3]" {
		t.Errorf("blocks look through %v, from %v", s.places, s.begin)
	}
	for i := range s.state {
		s.state[i] = 0
	}
	if alone := s.members(7, 1); len(alone) != 1 { // token 4 stands between the same states
		t.Errorf("a token beside its own word has a block of %v", alone)
	}
}

// A block of thousands has weights beyond all floats.
func TestWeightsOfLargeBlocks(t *testing.T) {
	var sentences [][]string
	for range 5000 {
		sentences = append(sentences, []string{"a", "b"})
	}
	text := collect(t, sentences, 1, 10)
	s := newSampler(text, 2, 1)
	for i := range s.state {
		s.state[i] = 0
	}
	s.count()
	block := slices.Clone(s.members(0, 1))
	if len(block) != 5000 {
		t.Fatalf("%d tokens in the block", len(block))
	}
	for _, i := range block {
		s.add(i, 0, -1)
	}
	base := slices.Clone(s.state)
	weights := slices.Clone(s.distribution(0, 0, 1, len(block)))
	want := func(m int) float64 { // log2, from the formula
		copy(s.state, base)
		for _, i := range block[:m] {
			s.state[i] = 1
		}
		a, _ := math.Lgamma(5001)
		b, _ := math.Lgamma(float64(m) + 1)
		c, _ := math.Lgamma(float64(5001 - m))
		return (logJoint(text, 2, s.state) + a - b - c) / math.Ln2
	}
	zero := want(0)
	for _, m := range []int{1, 2, 100, 2500, 4999, 5000} {
		got := math.Log2(weights[m].mantissa) + float64(weights[m].exponent)
		if math.Abs(got-(want(m)-zero)) > 1e-6 {
			t.Errorf("%d tokens moved: 2^%.9f, the formula says 2^%.9f", m, got, want(m)-zero)
		}
	}
}

func TestTypeTellsKindsOfWordsApart(t *testing.T) {
	text := collect(t, kinds(3), 1, 100)
	table, err := Type(text, 4, 20, 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	checkKinds(t, table)
	again, err := Type(text, 4, 20, 1, nil)
	if err != nil || !slices.Equal(again.Rows, table.Rows) {
		t.Fatal("the same text and seed gave other classes", err)
	}
	if _, err := Type(text, MaxStates+1, 1, 1, nil); err == nil {
		t.Error("too many classes: no error")
	}
	if table, err := Type(text, 1, 1, 1, nil); err != nil || table.Classes() != 1 {
		t.Error(table, err)
	}
}
