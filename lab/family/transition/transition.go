// Package transition parses from left to right, by the arc-standard system:
// words are shifted on a stack, and the two on top of it are joined by an arc,
// until all hang together. It makes trees without crossing arcs only.
//
// Beam keeps the best few stacks after every action, in time linear in the
// words: a stack is a list whose tail is shared (Goldberg, Zhao and Huang 2013).
// BestFirst finds the cheapest sequence of actions, and proves it, by merging
// stacks that do not differ in what costs depend on (Zhao, Cross and Huang 2013).
// Arcs makes scores for both of candidate heads, so that no weights of their own
// are needed. Perceptron learns weights of its own, with the updates for inexact
// search of Huang, Fayong and Guo (2012).
package transition

// An Action is what a parser does next.
type Action uint8

// Positions 1 to n are words, and 0, the bottom of the stack, is the root.
const (
	Shift Action = iota // put the next word on the stack
	Left                // hang the second of the stack on the top
	Right               // hang the top of the stack on the second
	numActions
)

// None is the position of what is not there.
const None = -1

// A View is what scores of actions may depend on.
type View struct {
	N    int32 // words of the sentence
	Next int32 // next word to be shifted; N+1 if there is none

	S0, S1, S2 int32 // top of the stack and what is below it, or None
	From       int32 // first word of the tree under S0

	// Outermost modifiers so far, to the left and to the right, or None.
	L0, R0, L1, R1 int32

	beam *Beam // of Beam
	at   int32
}

// open reports whether a word has no head yet: it is on the stack, or not yet
// shifted.
func (v *View) open(w int32) bool {
	if w >= v.Next || w == v.S0 || w == v.S1 {
		return true
	}
	if w > v.S1 || v.beam == nil {
		return false
	}
	list := v.beam.states
	for i := list[list[v.at].tail].tail; i != None; i = list[i].tail {
		if list[i].top <= w {
			return list[i].top == w
		}
	}
	return false
}

// takes reports whether h may still get m as a modifier, so far as their order
// says: no word gets one on its left when another has come above it.
func (v *View) takes(h, m int32) bool {
	if h > m {
		return h >= v.Next || h == v.S0 && v.R0 == None
	}
	return h == 0 || v.open(h)
}

// may reports whether an action is allowed. A word gets its modifiers on the
// left first, so that one sequence of actions leads to a tree. With one root, a
// word hangs on 0 only when all others hang together.
func (v *View) may(a Action, oneRoot bool) bool {
	switch a {
	case Shift:
		return v.Next <= v.N
	case Left:
		return v.S1 > 0 && v.R0 == None
	default:
		return v.S1 > 0 || v.S1 == 0 && (!oneRoot || v.Next > v.N)
	}
}

// arc returns head and modifier of the arc that a makes.
func (v *View) arc(a Action) (head, modifier int32) {
	if a == Left {
		return v.S0, v.S1
	}
	return v.S1, v.S0
}

// A Scorer scores actions.
type Scorer interface {
	// Score sets out[a] for every action a; larger is better. What is not
	// allowed may have any score.
	Score(v *View, out *[3]int64)
}
