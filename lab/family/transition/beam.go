package transition

import "slices"

// A Beam keeps the Width best states after every action. Its fields may be
// changed between sentences. It is scratch: one per goroutine, without
// allocations in steady state.
type Beam struct {
	Width   int  // states that are kept, at least 1
	OneRoot bool // exactly one word hangs on 0

	states []state // of all steps, one after another
	views  []View  // of the last step
	ranked []option
	path   []Action
	scores [numActions]int64
}

// A state is the top of a stack with what was done last. The stack below it is
// that of another state, which it shares with others: no action copies a stack
// (Goldberg, Zhao and Huang 2013). The arcs of a state are not kept; they are
// read off the way to it.
type state struct {
	score       int64
	top         int32
	left, right int32 // outermost modifiers of top, or None
	from        int32 // first word of the tree under top
	next        int32
	tail        int32 // state whose top is below top, or None
	previous    int32 // state before the last action
	last        Action
}

// An option is an action that a state may take.
type option struct {
	score  int64
	state  int32
	action Action
}

// Decode writes the best tree that it finds into head[1..n] and returns its
// score: O(n * Width) time and memory. Of equal scores, the state that was
// better one action before wins, then the action that comes first.
func (b *Beam) Decode(n int, s Scorer, head []int32) int64 {
	b.states = slices.Grow(b.states[:0], 1+2*n*max(b.Width, 1))
	b.start()
	for range 2 * n {
		b.step(n, s)
	}
	best := &b.states[len(b.states)-len(b.views)]
	b.read(int32(len(b.states)-len(b.views)), head)
	return best.score
}

// start begins a sentence: 0 is alone on the stack.
func (b *Beam) start() {
	b.states = append(b.states[:0], state{left: None, right: None, next: 1, tail: None, previous: None})
	b.views = append(b.views[:0], View{})
}

// step takes the best actions of the states of the last step. Only what is
// kept is built.
func (b *Beam) step(n int, s Scorer) {
	first := int32(len(b.states) - len(b.views))
	b.ranked = b.ranked[:0]
	for i := range b.views {
		v := &b.views[i]
		b.view(first+int32(i), n, v)
		s.Score(v, &b.scores)
		for a := range numActions {
			if v.may(a, b.OneRoot) {
				b.rank(option{b.states[first+int32(i)].score + b.scores[a], first + int32(i), a})
			}
		}
	}
	for _, o := range b.ranked {
		b.states = append(b.states, b.take(o))
	}
	b.views = slices.Grow(b.views[:0], len(b.ranked))[:len(b.ranked)]
}

// rank puts o into its place among the best options so far.
func (b *Beam) rank(o option) {
	i := len(b.ranked)
	for i > 0 && b.ranked[i-1].score < o.score {
		i--
	}
	if len(b.ranked) < max(b.Width, 1) {
		b.ranked = append(b.ranked, o)
	} else if i == len(b.ranked) {
		return
	}
	copy(b.ranked[i+1:], b.ranked[i:])
	b.ranked[i] = o
}

// take returns the state after an action.
func (b *Beam) take(o option) state {
	at := &b.states[o.state]
	out := state{score: o.score, previous: o.state, last: o.action, next: at.next}
	if o.action == Shift {
		out.top, out.left, out.right, out.from = at.next, None, None, at.next
		out.next, out.tail = at.next+1, o.state
		return out
	}
	below := &b.states[at.tail]
	out.from, out.tail = below.from, below.tail
	if o.action == Left {
		out.top, out.left, out.right = at.top, below.top, at.right
	} else {
		out.top, out.left, out.right = below.top, below.left, at.top
	}
	return out
}

// view sets v to what scores may see of a state.
func (b *Beam) view(i int32, n int, v *View) {
	s := &b.states[i]
	*v = View{N: int32(n), Next: s.next, S0: s.top, From: s.from, L0: s.left, R0: s.right, S1: None, S2: None, L1: None, R1: None, beam: b, at: i}
	if s.tail == None {
		return
	}
	t := &b.states[s.tail]
	v.S1, v.L1, v.R1 = t.top, t.left, t.right
	if t.tail != None {
		v.S2 = b.states[t.tail].top
	}
}

// read writes the arcs on the way to a state into head.
func (b *Beam) read(i int32, head []int32) {
	for b.states[i].previous != None {
		s := &b.states[i]
		before := &b.states[s.previous]
		switch s.last {
		case Left:
			head[b.states[before.tail].top] = before.top
		case Right:
			head[before.top] = b.states[before.tail].top
		}
		i = s.previous
	}
}

// actions returns the actions on the way to a state, in order.
func (b *Beam) actions(i int32) []Action {
	b.path = b.path[:0]
	for ; b.states[i].previous != None; i = b.states[i].previous {
		b.path = append(b.path, b.states[i].last)
	}
	slices.Reverse(b.path)
	return b.path
}
