package transition

import (
	"errors"
	"fmt"

	"github.com/treebeam/treebeam/parser/hash"
)

// A Strategy says up to which action the perceptron learns from a sentence that
// the beam parses wrongly.
type Strategy int

// An update needs a violation: what the beam prefers must score as much as gold
// (Huang, Fayong and Guo 2012). Where the beam has lost gold, the end may have
// none.
const (
	Skip   Strategy = iota // at the end, if there is a violation there
	Early                  // where the beam loses gold, else at the end
	Max                    // where the violation is largest
	Latest                 // at the last violation
)

var strategyNames = [...]string{"skip", "early", "max", "latest"}

// String returns the strategy's name.
func (s Strategy) String() string { return strategyNames[s] }

// An Example is a sentence with its tree: heads by word, entry 0 unused.
type Example struct {
	Words []Word
	Head  []int32
}

const weightBits = 18

// A Perceptron scores actions by learned weights. It is a Scorer for the
// sentence of Read, with a buffer of its own: one per goroutine.
type Perceptron struct {
	weights []int64 // by key and action
	words   []Word
	keys    []hash.Key
}

// Read sets the sentence that is to be parsed.
func (p *Perceptron) Read(words []Word) { p.words = words }

// Score implements Scorer.
func (p *Perceptron) Score(v *View, out *[3]int64) {
	*out = [3]int64{}
	p.keys = features(v, p.words, p.keys[:0])
	for _, k := range p.keys {
		row := p.weights[slot(k):]
		for a := range out {
			out[a] += row[a]
		}
	}
}

func slot(k hash.Key) int { return int(uint64(k)>>(64-weightBits)) * int(numActions) }

// TrainOptions of Train.
type TrainOptions struct {
	Strategy Strategy
	Width    int // of the beam, also of that in use
	Epochs   int
	Seed     uint64
}

// Counts are what happened in the last epoch of a training.
type Counts struct {
	Sentences int // learned from: those without crossing arcs
	Wrong     int // that the beam parsed wrongly
	Updates   int
	Invalid   int // wrong ones without a violation at the end; not counted by Early
}

// A learner holds what Train needs beside the weights.
type learner struct {
	Perceptron
	sums    []int64 // of updates, each times the number of examples before it
	seen    int64
	beam    Beam
	replay  Beam
	options TrainOptions
	count   Counts
}

// Train learns from trees without crossing arcs, leaving out the others, by the
// averaged perceptron (Collins 2002). measure, if it is not nil, is called with
// the averaged model after every epoch. All is counted in integers; the result
// depends on nothing but the arguments. It fails if there is nothing to learn from.
func Train(list []Example, o TrainOptions, measure func(epoch int, p *Perceptron, c Counts)) (*Perceptron, error) {
	var examples []Example
	var paths [][]Action
	for _, e := range list {
		if path, ok := oracle(e.Head); ok {
			examples, paths = append(examples, e), append(paths, path)
		}
	}
	if len(examples) == 0 {
		return nil, errors.New("no sentence has a tree without crossing arcs")
	}
	if o.Strategy < Skip || o.Strategy > Latest {
		return nil, fmt.Errorf("strategy %d: there is none", o.Strategy)
	}
	size := int(numActions) << weightBits
	l := &learner{options: o, sums: make([]int64, size), beam: Beam{Width: o.Width, OneRoot: true}}
	l.weights = make([]int64, size)
	order := make([]int, len(examples))
	for i := range order {
		order[i] = i
	}
	r := hash.Rand(o.Seed)
	for epoch := 1; epoch <= o.Epochs; epoch++ {
		for i := len(order) - 1; i > 0; i-- {
			k := int(r.Below(uint32(i + 1)))
			order[i], order[k] = order[k], order[i]
		}
		l.count = Counts{Sentences: len(order)}
		for _, i := range order {
			l.learn(&examples[i], paths[i])
		}
		if measure != nil {
			measure(epoch, l.average(), l.count)
		}
	}
	return l.average(), nil
}

// average returns the mean of the weights after every example, times their
// number.
func (l *learner) average() *Perceptron {
	p := &Perceptron{weights: make([]int64, len(l.weights))}
	for i, w := range l.weights {
		p.weights[i] = w*l.seen - l.sums[i]
	}
	return p
}

// learn parses a sentence and updates the weights if that goes wrong.
func (l *learner) learn(e *Example, gold []Action) {
	n := len(e.Words)
	l.Read(e.Words)
	golds := l.prefix(n, gold)
	at := l.search(n, gold, golds)
	if at.state != None {
		l.count.Wrong++
		if l.options.Strategy != Early && !at.ends {
			l.count.Invalid++
		}
		if at.steps > 0 {
			l.count.Updates++
			l.update(n, gold[:at.steps], +1)
			l.update(n, append([]Action(nil), l.beam.actions(at.state)...), -1)
		}
	}
	l.seen++
}

// prefix returns the scores of gold after every action.
func (l *learner) prefix(n int, gold []Action) []int64 {
	scores, sum := make([]int64, 0, len(gold)), int64(0)
	l.follow(n, gold, func(v *View, a Action) {
		var out [numActions]int64
		l.Score(v, &out)
		sum += out[a]
		scores = append(scores, sum)
	})
	return scores
}

// A place is where an update stops.
type place struct {
	steps int   // 0: no update
	state int32 // of the beam there; None if the sentence was parsed rightly
	ends  bool  // there is a violation at the end
}

// search parses a sentence and finds where to update.
func (l *learner) search(n int, gold []Action, golds []int64) (at place) {
	b := &l.beam
	b.start()
	at = place{state: None}
	state, most, wrong := int32(0), int64(-1), false // state is gold's
	for step := 1; step <= 2*n; step++ {
		b.step(n, &l.Perceptron)
		first := int32(len(b.states) - len(b.views))
		now := int32(None)
		for i := first; int(i) < len(b.states) && state != None; i++ {
			if s := &b.states[i]; s.previous == state && s.last == gold[step-1] {
				now = i
			}
		}
		fell := state != None && now == None
		state = now
		end := step == 2*n
		wrong = state != first
		violation := b.states[first].score - golds[step-1]
		if end {
			at.ends = wrong && violation >= 0
		}
		use := false
		switch l.options.Strategy {
		case Skip:
			use = end && at.ends
		case Early:
			use = fell || end && wrong
		case Max:
			use = wrong && violation > most
		case Latest:
			use = wrong && violation >= 0
		}
		if use {
			at.steps, at.state, most = step, first, violation
		}
		if fell && l.options.Strategy == Early {
			return at // what follows is not learned from
		}
	}
	if !wrong {
		return place{state: None}
	}
	if at.state == None {
		at.state = int32(len(b.states) - len(b.views))
	}
	return at
}

// follow visits the states on the way of some actions.
func (l *learner) follow(n int, actions []Action, visit func(v *View, a Action)) {
	b := &l.replay
	b.start()
	var v View
	for _, a := range actions {
		i := int32(len(b.states) - 1)
		b.view(i, n, &v)
		visit(&v, a)
		b.states = append(b.states, b.take(option{0, i, a}))
	}
}

// update adds delta to the weights of all features of some actions.
func (l *learner) update(n int, actions []Action, delta int64) {
	l.follow(n, actions, func(v *View, a Action) {
		l.keys = features(v, l.words, l.keys[:0])
		for _, k := range l.keys {
			i := slot(k) + int(a)
			l.weights[i] += delta
			l.sums[i] += delta * l.seen
		}
	})
}

// oracle returns the one sequence of actions that leads to a tree, if that has one
// root and no arcs that cross.
func oracle(head []int32) ([]Action, bool) {
	n := int32(len(head) - 1)
	left := make([]int32, n+1) // modifiers that are not attached yet
	for _, h := range head[1:] {
		if h < 0 || h > n {
			return nil, false
		}
		left[h]++
	}
	if n == 0 || left[0] != 1 {
		return nil, false
	}
	stack, next := []int32{0}, int32(1)
	var path []Action
	for len(path) < int(2*n) {
		k := len(stack) - 1
		s0, s1 := stack[k], int32(None)
		if k > 0 {
			s1 = stack[k-1]
		}
		switch {
		case s1 > 0 && head[s1] == s0 && left[s1] == 0:
			path, stack = append(path, Left), append(stack[:k-1], s0)
			left[s0]--
		case s1 >= 0 && head[s0] == s1 && left[s0] == 0:
			path, stack = append(path, Right), stack[:k]
			left[s1]--
		case next <= n:
			path, stack, next = append(path, Shift), append(stack, next), next+1
		default:
			return nil, false
		}
	}
	return path, true
}
