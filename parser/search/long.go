package search

import (
	"fmt"
	"slices"

	"github.com/treebeam/treebeam/parser/graph"
	"github.com/treebeam/treebeam/parser/prune"
	"github.com/treebeam/treebeam/parser/score"
	"github.com/treebeam/treebeam/parser/syntax"
)

// A long sentence is not searched whole. One climb in each of its windows says
// what every head of the words in the middle is worth around the best tree of
// the window (linearize). That makes a first-order model of the whole sentence.
// Its best tree is found at once, so that arcs go from one middle to another. If
// no arcs may cross, the arcs of that tree are lifted until none does. All of it
// takes time and memory in proportion to the words.
const (
	mostWorth = 1 << 20 // bounds what a head is worth, in 1/1024 nat
	noArc     = -2 * mostWorth
)

// A longTree is the first-order model of a long sentence.
type longTree struct {
	arcs             graph.Arcs // scored by what heads are worth, in 1/1024 nat
	weight           []int32    // by arc: the score of the arc alone, in 1/score.Unit
	posterior, first []float64  // by arc: probabilities by the search and by the pruner
	searched         []int32    // by word minus 1: its head in the tree of its window
	head             []int32    // by word
	joined           []bool     // by word: it hung on 0, and was moved to the root
}

// parseLong decodes a sentence that is not searched whole.
func (x *Search) parseLong(m *Model, s *syntax.Sentence, o *Options) error {
	once := *o
	once.Restarts, once.Patience, once.Certify, once.Projective = 1, 1, -1, false
	l := longTree{arcs: graph.Arcs{Start: make([]int32, 1, len(s.Words)+1)}, head: make([]int32, len(s.Words)+1),
		joined: make([]bool, len(s.Words)+1)}
	left := freeWords * int64(o.Budget)
	status, c := max(s.Status, syntax.Long), syntax.Confidence{}
	for _, w := range s.Windows() {
		part := s.Window(w.Lo, w.Hi)
		left += o.allowance(s.Words[w.From:w.To])
		once.left = max(left, 1)
		prune.Connect(&part.Candidates)
		if err := x.parse(m, &part, &once); err != nil {
			return fmt.Errorf("words %d to %d: %w", w.Lo+1, w.Hi, err)
		}
		left -= x.used
		l.add(x, &part, w)
		status = max(status, part.Status)
		c.HeadMargin = append(c.HeadMargin, part.Confidence.HeadMargin[w.From-w.Lo:w.To-w.Lo]...)
		c.Restarts += part.Confidence.Restarts
	}
	l.find(&x.spanner)
	l.join()
	if o.Projective {
		graph.Lift(l.head)
	}
	s.Status = status
	for i := range s.Words {
		s.Words[i].Head = l.head[i+1]
	}
	l.confidence(&c, s.Candidates.Lost)
	s.Confidence = c
	return nil
}

// add appends the scores and probabilities that the search of a window gives to
// the words in its middle.
func (l *longTree) add(x *Search, s *syntax.Sentence, w syntax.Window) {
	whole := func(h int32) int32 {
		if h != syntax.Root {
			h += int32(w.Lo)
		}
		return h
	}
	start := s.Candidates.Start[w.From-w.Lo : w.To-w.Lo+1]
	for m := w.From - w.Lo + 1; m <= w.To-w.Lo; m++ {
		now := int64(s.Candidates.Gains[x.Tree.Arc[m]])
		for i := s.Candidates.Start[m-1]; i < s.Candidates.Start[m]; i++ {
			worth := max(-mostWorth, min(int64(s.Candidates.Gains[i])-now, mostWorth))
			l.arcs.Heads, l.arcs.Score = append(l.arcs.Heads, whole(s.Candidates.Heads[i])), append(l.arcs.Score, int32(worth))
		}
		l.arcs.Start = append(l.arcs.Start, int32(len(l.arcs.Heads)))
		l.searched = append(l.searched, whole(x.Tree.Head[m]))
	}
	lo, hi := start[0], start[len(start)-1]
	l.weight = append(l.weight, x.Scores.Arcs.Score[lo:hi]...)
	l.posterior, l.first = append(l.posterior, x.posterior[lo:hi]...), append(l.first, x.prunerMarginals()[lo:hi]...)
}

// find sets the best heads, which form one or more trees below 0. The spanner
// needs a single tree, so there 0 is a word before all others and the only one
// that hangs on the spanner's own 0. Every word may hang on it, so a tree always
// exists.
func (l *longTree) find(s *graph.Spanner) {
	n := l.arcs.N()
	a := graph.Arcs{Start: []int32{0, 1}, Heads: []int32{0}, Score: []int32{0}}
	for m := 1; m <= n; m++ {
		lo, hi := l.arcs.Span(m)
		if l.arcs.Heads[lo] != syntax.Root {
			a.Heads, a.Score = append(a.Heads, 1), append(a.Score, noArc)
		}
		for i := lo; i < hi; i++ {
			a.Heads, a.Score = append(a.Heads, l.arcs.Heads[i]+1), append(a.Score, l.arcs.Score[i])
		}
		a.Start = append(a.Start, int32(len(a.Heads)))
	}
	head := make([]int32, n+2)
	s.MaximumTree(&a, 0, head)
	for m := 1; m <= n; m++ {
		l.head[m] = head[m+1] - 1
	}
}

// join finds the words that hang on 0, and hangs all but the first of them on
// the first.
func (l *longTree) join() {
	root := int32(0)
	for m := int32(1); int(m) < len(l.head); m++ {
		switch {
		case l.head[m] != syntax.Root:
		case root == 0:
			root = m
		default:
			l.head[m], l.joined[m] = root, true
		}
	}
}

// confidence sets the probabilities of the heads in their windows. A word that
// was joined to the root has the probability of head 0. A head that is not a
// candidate, which lifting can produce, has probability 0. A head that its
// window would not have chosen has no margin. The score of the tree is that of
// its candidate arcs, without larger parts.
func (l *longTree) confidence(c *syntax.Confidence, lost []float32) {
	n, total := l.arcs.N(), int64(0)
	c.HeadMarginal, c.HeadDoubt = make([]float32, n), make([]float32, n)
	c.FirstOrder, c.FirstDoubt = make([]float32, n), make([]float32, n)
	for i, searched := range l.searched {
		lo, hi := l.arcs.Span(i + 1)
		at := slices.Index(l.arcs.Heads[lo:hi], l.head[i+1])
		if at < 0 && l.joined[i+1] {
			at = slices.Index(l.arcs.Heads[lo:hi], syntax.Root)
		}
		setHead(c, i, at, l.posterior[lo:hi], l.first[lo:hi], lost)
		if at < 0 || l.arcs.Heads[lo+at] != searched {
			c.HeadMargin[i] = 0
		}
		if at >= 0 {
			total += int64(l.weight[lo+at])
		}
	}
	c.TreeScore = float32(float64(total) / score.Unit)
	c.NCandidates = int32(len(l.arcs.Heads))
}
