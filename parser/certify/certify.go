// Package certify tries to prove that no tree over the candidate heads of a sentence
// scores higher than the best tree of a search (Prover.Prove). It may instead find a
// better tree.
//
// The score of a tree is divided into factors that are easy to maximise separately.
// There is one factor for every head, an automaton over its children and its own head
// (Koo, Rush, Collins, Jaakkola and Sontag 2010, G+S); one for every pair of words
// whose arcs have a head bigram or cross; and one for 0, which must have exactly one
// child. The sum of their maxima and of the best arc score of every word is a bound on
// all trees. To lower the bound, scores of arcs move between the factors and the words.
// They do not follow a subgradient, as in the paper, but move factor by factor, by
// max-product linear programming (Globerson and Jaakkola 2007): each factor gives its
// words equal shares of its max-marginals. So the bound never rises, there is no step
// size, and integers suffice.
//
// The same max-marginals bound every tree that has a given arc. If that bound is not
// above the best known score, the arc is dropped. Most words soon have one arc left;
// the prover branches on the others. Cycles are relaxed: an arc is dropped if it would
// close a cycle with the arcs of words that have only one arc left.
//
// The proof depends only on the sentence and the model. Models with global families, or
// with a local family that has no bound (parts.go), have no proof.
package certify

import (
	"math"
	"slices"

	"github.com/treebeam/treebeam/parser/part"
)

// A Prover makes proofs. It is scratch that is reused, for one goroutine at a time.
type Prover struct {
	offer  func(heads []int32) (best int64)
	scores *part.Scores
	aim    int64 // a better tree must score above it
	steps  int64
	limit  int64
	stuck  bool // no tree is left

	start      []int32 // arcs of the words, as in graph.Arcs
	heads      []int32
	words      []int32 // by arc: its modifier
	children   []int32 // arcs by head, those of head h from childrenOf[h] to childrenOf[h+1], by modifier
	childrenOf []int32
	right      []int32 // by head: the first of its children to the right
	open       []int32 // words with a choice
	active     []int32 // heads whose factor has one
	tree       []int32 // the heads that are left

	// Scores of the parts in a head's factor. An entry of the child list is a child,
	// or one of what is around them: a side of k children has k+2, from Start to the
	// head or from the head to End. Under every candidate head of the head, those
	// of edges are a square for each side, those of nodes one for each child.
	edges, nodes     []int32
	edgesOf, nodesOf []int32 // by head

	pairs []pair
	cells []int32 // of the tables of pairs

	parts    []part.Part
	requests []request
	answers  []int32 // by request
	crosses  []int32 // by arc
	meets    []meeting

	state
	saved savedStates

	// Scratch of one update of a head's factor.
	entries [2]list
	weight  []int64 // by child: what it adds where it is a child
	out     []int64 // by child: largest score of another arc of its word; barred if there is none
	up      []int64 // by candidate head of the head
	with    []int64 // by child: max-marginal with it
	without []int64
	inSide  []int64
	outSide []int64
	forward []int64
	worths  []int64
}

// A state is what changes during the proof.
type state struct {
	alive []bool  // by arc
	count []int32 // by word: arcs that are alive
	bound int64   // on the score of every tree that is left

	numbers []int64 // the memory of the slices below
	theta   []int64 // by arc: the share of its score that the word holds
	toChild []int64 // by arc: what the factor of its head has given it
	toHead  []int64 // by arc: what the factor of its modifier has given it
	top     []int64 // by word: largest theta
	base    []int64 // by head: the constant term of its factor
	most    []int64 // by head: the maximum of its factor
	pairTop []int64 // by pair: the maximum of its factor
	toPair  []int64 // by pair and arc: what the factor of the pair has given it
}

const (
	barred     = -1 << 48 // below all scores of trees; sums of a thousand stay in range
	barredCell = math.MinInt32

	partSteps = 32 // a part that is looked up, next to a comparison
	// tenths of the steps that parts may take: sentences that need more rarely have a proof
	hopeful     = 7
	maxCells    = 1 << 22 // of each kind of tables
	maxBranches = 1 << 18 // numbers in saved states
)

// Prove tries to prove, in about limit steps of 5 ns, that no tree over the candidates
// in scores has a score above best. It calls offer with heads that may be a better tree, or not be a tree; offer
// returns the best score so far. If proved is true, no tree scores higher than that.
// Prove also returns the number of its steps.
func (p *Prover) Prove(offer func(heads []int32) (best int64), scores *part.Scores, best, limit int64) (steps int64, proved bool) {
	p.offer, p.scores = offer, scores
	proved = p.begin(best, limit) && p.prove()
	return p.steps, proved
}

// begin builds the factors and computes a first bound. It reports whether that
// could be done for the families of the model and within a part of the limit.
func (p *Prover) begin(aim, limit int64) bool {
	p.aim, p.limit, p.steps, p.stuck = aim, limit, 0, false
	p.active = p.active[:0]
	if p.scores.Families&^bounded != 0 {
		return false
	}
	p.list()
	if partSteps*p.least() > limit/10*hopeful {
		return false
	}
	if !p.requestHeads() || !p.requestPairs() {
		return false
	}
	p.answer()
	folded := p.fold()
	p.reset()
	p.addFolded(folded)
	for h := int32(0); int(h) < len(p.count) && !p.spent(); h++ {
		if p.hasChoice(h) {
			p.active = append(p.active, h)
		}
		p.updateHead(h)
	}
	for i := 0; i < len(p.pairs) && !p.spent(); i++ {
		p.updatePair(i)
	}
	if p.spent() {
		return false
	}
	p.bound = 0
	for _, list := range [...][]int64{p.top[1:], p.most, p.pairTop} {
		for _, v := range list {
			p.bound += v
		}
	}
	return true
}

// list sorts the arcs by head, and the words with a choice.
func (p *Prover) list() {
	arcs := &p.scores.Arcs
	n := arcs.N()
	p.start, p.heads = arcs.Start, arcs.Heads
	p.alive, p.count = resize(p.alive, len(p.heads)), resize(p.count, n+1)
	p.words, p.children = resize(p.words, len(p.heads)), resize(p.children, len(p.heads))
	p.childrenOf, p.right = resize(p.childrenOf, n+2), resize(p.right, n+1)
	p.open = p.open[:0]
	clear(p.childrenOf)
	for m := int32(1); int(m) <= n; m++ {
		lo, hi := p.start[m-1], p.start[m]
		if p.count[m] = hi - lo; p.count[m] > 1 {
			p.open = append(p.open, m)
		}
		for a := lo; a < hi; a++ {
			p.alive[a], p.words[a] = true, m
			p.childrenOf[p.heads[a]+1]++
		}
	}
	for h := range n + 1 {
		p.childrenOf[h+1] += p.childrenOf[h]
		p.right[h] = p.childrenOf[h]
	}
	for a, h := range p.heads {
		p.children[p.right[h]] = int32(a)
		p.right[h]++
	}
	for h := range int32(n + 1) {
		k := p.childrenOf[h]
		for k < p.childrenOf[h+1] && p.words[p.children[k]] < h {
			k++
		}
		p.right[h] = k
	}
}

// spent reports whether the prover has taken more steps than it may.
func (p *Prover) spent() bool { return p.steps > p.limit }

// fixed reports whether a word has one arc left.
func (p *Prover) fixed(m int32) bool { return p.count[m] == 1 }

// hasChoice reports whether one of the words in the factor of h has a choice.
func (p *Prover) hasChoice(h int32) bool {
	if h > 0 && !p.fixed(h) {
		return true
	}
	for _, a := range p.children[p.childrenOf[h]:p.childrenOf[h+1]] {
		if !p.fixed(p.words[a]) {
			return true
		}
	}
	return false
}

// reset makes room for the state, and empties it but for alive and count. The
// bound is not known yet.
func (p *Prover) reset() {
	arcs, words, pairs, messages := len(p.heads), len(p.count), len(p.pairs), 0
	for i := range p.pairs {
		q := &p.pairs[i]
		q.messages = int32(messages)
		messages += int(p.count[q.u] + p.count[q.v])
	}
	p.numbers = resize(p.numbers, 3*arcs+3*words+pairs+messages)
	clear(p.numbers)
	rest := p.numbers
	for _, part := range [...]struct {
		list *[]int64
		size int
	}{{&p.theta, arcs}, {&p.toChild, arcs}, {&p.toHead, arcs}, {&p.top, words}, {&p.base, words}, {&p.most, words},
		{&p.pairTop, pairs}, {&p.toPair, messages}} {
		*part.list, rest = rest[:part.size], rest[part.size:]
	}
	p.bound = math.MaxInt64 / 4
	for a, s := range p.scores.Arcs.Score {
		p.theta[a] = int64(s)
	}
	p.saved.clear()
}

func resize[T any](a []T, n int) []T { return slices.Grow(a[:0], n)[:n] }
