package transition

import "container/heap"

// Costs price actions, for a search that finds the cheapest sequence of them.
type Costs interface {
	// Cost returns the cost, 0 or more, of an action when s0 is on top of the
	// stack, s1 is below it or None, and next is the next word, over all words if
	// there is none.
	Cost(a Action, s1, s0, next int32) int32
}

// MaxBestFirst is the most words that BestFirst takes.
const MaxBestFirst = 1<<16 - 3

// BestFirst finds the cheapest sequence of actions: best-first search in which
// stacks are one item if they agree in what costs depend on (Zhao, Cross and
// Huang 2013, algorithm 1). The first tree of all words that it reaches is the
// best. It is scratch: one per goroutine.
type BestFirst struct {
	OneRoot bool
	Limit   int // items that it may finish, no limit if 0

	n      int32
	costs  Costs
	items  []item
	queue  queue
	best   map[uint64]int32   // by signature: the cheapest item so far
	ending map[uint64][]int32 // finished items by their last word and their top
	after  map[uint64][]int32 // finished items by their first word and what is below it
	done   int
}

// An item stands for all stacks with this top tree and this below it.
type item struct {
	from, to int32 // words of the tree under top; 0 and 0 of the root alone
	below    int32
	top      int32
	before   int64 // cost of the cheapest way to it
	inside   int64 // cost of what built the tree, once its first word was there
	// How it was made: two items joined, or a shift.
	left, right int32
	action      Action
	finished    bool
}

func (x *item) signature() uint64 {
	return uint64(uint16(x.from))<<48 | uint64(uint16(x.to))<<32 | uint64(uint16(x.below))<<16 | uint64(uint16(x.top))
}

// Decode writes the cheapest tree of n words into head[1..n] and returns its
// cost. It reports failure if that takes more than Limit items, or n is over
// MaxBestFirst.
func (x *BestFirst) Decode(n int, c Costs, head []int32) (cost int64, found bool) {
	if n > MaxBestFirst {
		return 0, false
	}
	x.n, x.costs, x.items, x.done = int32(n), c, x.items[:0], 0
	x.best, x.ending, x.after = map[uint64]int32{}, map[uint64][]int32{}, map[uint64][]int32{}
	x.queue = queue{of: x, order: x.queue.order[:0]}
	x.try(item{below: None, left: None, right: None})
	for len(x.queue.order) > 0 {
		k := heap.Pop(&x.queue).(int32)
		p := x.items[k]
		if p.finished || x.best[p.signature()] != k {
			continue // a cheaper one has taken its place
		}
		if p.top == 0 && p.to == x.n {
			x.read(k, head)
			return p.before, true
		}
		if x.done++; x.Limit > 0 && x.done > x.Limit {
			return 0, false
		}
		x.finish(k)
	}
	return 0, false
}

// Finished returns the number of items that the last search finished.
func (x *BestFirst) Finished() int { return x.done }

// finish puts an item that is known to be reached in the cheapest way into the
// chart: the next word is shifted, and it is joined with its neighbours there.
func (x *BestFirst) finish(k int32) {
	x.items[k].finished = true
	p := x.items[k]
	end, begin := pair(p.to, p.top), pair(p.from, p.below)
	x.ending[end], x.after[begin] = append(x.ending[end], k), append(x.after[begin], k)
	if p.to < x.n {
		x.try(item{from: p.to + 1, to: p.to + 1, below: p.top, top: p.to + 1,
			before: p.before + x.cost(Shift, &p), left: None, right: None})
	}
	if p.below != None {
		for _, q := range x.ending[pair(p.from-1, p.below)] {
			x.join(q, k)
		}
	}
	for _, r := range x.after[pair(p.to+1, p.top)] {
		x.join(k, r)
	}
}

func (x *BestFirst) cost(a Action, p *item) int64 {
	return int64(max(x.costs.Cost(a, p.below, p.top, p.to+1), 0))
}

// join tries both arcs between the tops of two items in the chart, of which the
// second begins where the first ends.
func (x *BestFirst) join(q, p int32) {
	l, r := x.items[q], x.items[p]
	v := View{N: x.n, Next: r.to + 1, S0: r.top, S1: l.top, R0: None} // in any order: costs do not see it
	for a := Left; a <= Right; a++ {
		if !v.may(a, x.OneRoot) {
			continue
		}
		head, _ := v.arc(a)
		more := r.inside + x.cost(Shift, &l) + x.cost(a, &r)
		x.try(item{from: l.from, to: r.to, below: l.below, top: head,
			before: l.before + more, inside: l.inside + more, left: q, right: p, action: a})
	}
}

// try puts an item in line, unless it is there already for no more.
func (x *BestFirst) try(p item) {
	s := p.signature()
	if k, known := x.best[s]; known {
		if old := &x.items[k]; old.finished || !cheaper(&p, old) {
			return
		}
	}
	x.items = append(x.items, p)
	k := int32(len(x.items) - 1)
	x.best[s] = k
	heap.Push(&x.queue, k)
}

func cheaper(p, q *item) bool {
	return p.before < q.before || p.before == q.before && p.inside < q.inside
}

// read writes the arcs of an item's tree into head.
func (x *BestFirst) read(k int32, head []int32) {
	for stack := []int32{k}; len(stack) > 0; {
		p := &x.items[stack[len(stack)-1]]
		stack = stack[:len(stack)-1]
		if p.left == None {
			continue
		}
		v := View{S0: x.items[p.right].top, S1: x.items[p.left].top}
		h, m := v.arc(p.action)
		head[m] = h
		stack = append(stack, p.left, p.right)
	}
}

func pair(a, b int32) uint64 { return uint64(uint32(a))<<32 | uint64(uint32(b)) }

// A queue has the cheapest item first; of equal ones, that which is older.
type queue struct {
	of    *BestFirst
	order []int32
}

func (q *queue) Len() int { return len(q.order) }
func (q *queue) Less(i, j int) bool {
	a, b := &q.of.items[q.order[i]], &q.of.items[q.order[j]]
	if cheaper(a, b) || cheaper(b, a) {
		return cheaper(a, b)
	}
	return q.order[i] < q.order[j]
}
func (q *queue) Swap(i, j int) { q.order[i], q.order[j] = q.order[j], q.order[i] }
func (q *queue) Push(x any)    { q.order = append(q.order, x.(int32)) }
func (q *queue) Pop() any {
	last := q.order[len(q.order)-1]
	q.order = q.order[:len(q.order)-1]
	return last
}
