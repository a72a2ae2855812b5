package firstorder

import (
	"github.com/treebeam/treebeam/parser/graph"
	"github.com/treebeam/treebeam/parser/hash"
)

// A Climber climbs and draws trees. It is scratch: one per goroutine.
type Climber struct {
	order, first, next, stack []int32
	state                     []bool
	weights                   []uint32 // [(m-1)*N + r]: running sum over the heads of m, best first
}

// Climb improves the tree head[1..N] in place until no change of one head
// gains: every sweep visits the words in the post-order of the tree that it
// began with, and hangs each on its best head that is not below it
// (Zhang et al. 2014). Where it ends is a local optimum.
func (c *Climber) Climb(s *Scores, head []int32) {
	for changed := true; changed; {
		changed = false
		c.postorder(s.N, head)
		for _, m := range c.order {
			for _, h := range s.ranked(int(m)) {
				if h == head[m] {
					break
				}
				if !below(head, h, m) {
					head[m], changed = h, true
					break
				}
			}
		}
	}
}

// below reports whether u is m or a descendant of m.
func below(head []int32, u, m int32) bool {
	for u != 0 && u != m {
		u = head[u]
	}
	return u == m
}

// postorder leaves the words in c.order, each after all of its descendants,
// children by position.
func (c *Climber) postorder(n int, head []int32) {
	c.first, c.next = grown(c.first, n+1), grown(c.next, n+1)
	clear(c.first)
	for m := n; m >= 1; m-- {
		c.next[m], c.first[head[m]] = c.first[head[m]], int32(m)
	}
	c.order, c.stack = c.order[:0], append(c.stack[:0], 0)
	for len(c.stack) > 0 {
		u := c.stack[len(c.stack)-1]
		if m := c.first[u]; m != 0 {
			c.first[u] = c.next[m]
			c.stack = append(c.stack, m)
			continue
		}
		c.stack = c.stack[:len(c.stack)-1]
		if u != 0 {
			c.order = append(c.order, u)
		}
	}
}

// Uniform draws head[1..N] evenly from all trees by Wilson's algorithm
// (Wilson 1996).
func (c *Climber) Uniform(s *Scores, head []int32, r *hash.Rand) {
	c.wilson(s, head, r, 0, nil)
}

// Prepare sets what Sampled draws by: every arc has the weight
// exp(score/nat), rounded to 1/65536 of that of the word's best arc, and at
// least this much.
func (c *Climber) Prepare(s *Scores, nat int32) {
	c.weights = c.weights[:0]
	for m := 1; m <= s.N; m++ {
		heads := s.ranked(m)
		best := int64(s.Arc(heads[0], m))
		sum := uint32(0)
		for _, h := range heads {
			loss := (best - int64(s.Arc(h, m))) * 1024 / int64(nat)
			sum += uint32(graph.ExpOdds(int32(min(loss, 1<<20)))*65536) + 1
			c.weights = append(c.weights, sum)
		}
	}
}

// Sampled draws head[1..N] with probability proportional to the product of
// the weights that Prepare set for s. Peaked weights can make the walk long:
// after 1,000 steps for each word, steps are drawn uniformly.
func (c *Climber) Sampled(s *Scores, head []int32, r *hash.Rand) {
	c.wilson(s, head, r, 1000*s.N, c.weights)
}

// wilson draws the first steps by weight and the others uniformly.
func (c *Climber) wilson(s *Scores, head []int32, r *hash.Rand, steps int, weights []uint32) {
	n := s.N
	if cap(c.state) <= n {
		c.state = make([]bool, 2*n+1)
	}
	inTree := c.state[:n+1]
	clear(inTree)
	inTree[0] = true
	for m := 1; m <= n; m++ {
		for u := m; !inTree[u]; u = int(head[u]) {
			rank := 0
			if steps > 0 {
				w := weights[(u-1)*n : u*n]
				for x := r.Below(w[n-1]); x >= w[rank]; {
					rank++
				}
				steps--
			} else {
				rank = int(r.Below(uint32(n)))
			}
			head[u] = s.ranked(u)[rank]
		}
		for u := m; !inTree[u]; u = int(head[u]) {
			inTree[u] = true
		}
	}
}

func grown(a []int32, n int) []int32 {
	if cap(a) < n {
		return make([]int32, 2*n)[:n]
	}
	return a[:n]
}
