package graph

import "math"

// Marginals computes single-root marginals. It is scratch: one per goroutine.
type Marginals struct {
	weight  []float64 // of arc h -> m at [h*(n+1)+m], reduced as words are eliminated
	adjoint []float64 // likewise: derivative of log Z by the weight
	live    []int32   // words not yet eliminated, decreasing
	steps   []elimination
	ints    []int32   // heads and modifiers of all steps
	factors []float64 // of the modifiers of all steps
	scaled  []rescale
}

// An elimination is one word with the arcs into and out of it, all between
// words that were live. Its heads are ints[heads:modifiers], its modifiers
// ints[modifiers:end], with factors[factors:...].
type elimination struct {
	word                           int32
	heads, modifiers, end, factors int32
	pivot                          float64
}

// A rescale records that the weights of the arcs into m were multiplied by
// 2^scaleBits after the given number of eliminations.
type rescale struct{ step, m int32 }

const (
	scaleBits   = 200
	scaleFactor = 1 << scaleBits
	scaleBelow  = 1.0 / (1 << 200)
	leastWeight = 1e-290 // of any arc, relative to the best into its word
)

// Compute writes into p, one entry per arc, the marginal probability of each arc. The
// probability of a single-root tree is proportional to the product of exp(score/1024)
// over its arcs. Compute reports whether the candidates hold such a tree.
//
// The sum over trees Z follows the matrix tree theorem (Koo, Globerson, Carreras
// and Collins 2007, section 3.2), but Compute forms neither determinant nor
// inverse: both suffer from cancellation where the best heads of words form a
// cycle. It eliminates the words one by one instead, with sums, products and
// quotients of weights only (as Grassmann, Taksar and Heyman do for Markov
// chains). Eliminating word v adds the logarithm of p, the total weight of the
// arcs into v, to log Z. Every pair of an arc into v and an arc out of v becomes
// part of an arc h -> m, with weight w(h,v) w(v,m) / p. The arc into the last word
// is the root's. Marginals are the derivatives of log Z by the logarithms of the
// weights. A backward pass computes them with an absolute error near 1e-13,
// whatever the spread.
//
// Compute takes O(n^3) time, less where candidates are few. Every product is rounded
// before it is added, so the bits are the same on every machine. Arcs more than 667
// nats below the best arc of their word count as 667 below.
func (g *Marginals) Compute(a *Arcs, p []float64) bool {
	if a.N() == 0 || g.compute(a, p, nil) {
		return true
	}
	head := make([]int32, a.N()+1)
	if !new(Spanner).MaximumTree(a, 0, head) {
		return false
	}
	// A weight was too small for a float64, for example of a path of many unlikely arcs. The
	// arcs of the best tree stay what they are if every word goes before its head.
	order, _ := subtrees(head)
	return g.compute(a, p, order)
}

// compute is Compute with the order in which words are eliminated, or nil for the last
// word first. It also fails if a weight was too small for a float64.
func (g *Marginals) compute(a *Arcs, p []float64, order []int32) bool {
	n := a.N()
	for m := 1; m <= n; m++ {
		lo, hi := a.Span(m)
		best := a.best(m)
		for i := lo; i < hi; i++ {
			p[i] = ExpOdds(best - a.Score[i])
		}
	}
	g.load(a, p)
	if !g.eliminate(n, order) {
		return false
	}
	g.differentiate(n)
	for m := 1; m <= n; m++ {
		lo, hi := a.Span(m)
		for i := lo; i < hi; i++ {
			x := p[i] * g.adjoint[int(a.Heads[i])*(n+1)+m]
			if x != x {
				return false
			}
			p[i] = math.Min(math.Max(x, 0), 1)
		}
	}
	return true
}

// load fills the weights from p, and leaves in p the value that it takes for each
// arc. The weights into a word may have any common factor, and so may the weights
// of all root arcs.
func (g *Marginals) load(a *Arcs, p []float64) {
	n := a.N()
	g.weight = resize(g.weight, (n+1)*(n+1))
	g.adjoint = resize(g.adjoint, (n+1)*(n+1))
	clear(g.weight)
	clear(g.adjoint)
	g.live, g.steps, g.ints = g.live[:0], g.steps[:0], g.ints[:0]
	g.factors, g.scaled = g.factors[:0], g.scaled[:0]
	most := 0.0 // of the root arcs
	for m := 1; m <= n; m++ {
		lo, hi := a.Span(m)
		for i := lo; i < hi; i++ {
			w := math.Max(p[i], leastWeight)
			p[i] = w
			if a.Heads[i] == 0 {
				most = math.Max(most, w)
			}
		}
	}
	scale := 1.0
	for ; most > 0 && most*scale < 0.5; scale *= 2 {
	}
	for m := 1; m <= n; m++ {
		lo, hi := a.Span(m)
		for i := lo; i < hi; i++ {
			if a.Heads[i] == 0 {
				p[i] *= scale
			}
			g.weight[int(a.Heads[i])*(n+1)+m] = p[i]
		}
	}
	for m := n; m >= 1; m-- {
		g.live = append(g.live, int32(m))
	}
}

// eliminate removes all words but one, in the order of compute. A word that no live word can reach
// must be the root, and stays until the end. A second such word means that there
// is no tree.
func (g *Marginals) eliminate(n int, order []int32) bool {
	size := n + 1
	for k := 0; k < n && len(g.live) > 1; k++ {
		v := int32(n - k)
		if order != nil {
			v = order[k]
		}
		s := elimination{word: v, heads: int32(len(g.ints)), factors: int32(len(g.factors))}
		at := -1
		for i, h := range g.live {
			if h == v {
				at = i
				continue
			}
			if w := g.weight[int(h)*size+int(v)]; w != 0 {
				g.ints = append(g.ints, h)
				s.pivot += w
			}
		}
		if s.pivot == 0 {
			continue
		}
		g.live = append(g.live[:at], g.live[at+1:]...)
		s.modifiers = int32(len(g.ints))
		out := g.weight[int(v)*size : int(v)*size+size]
		for _, m := range g.live {
			if w := out[m]; w != 0 {
				g.ints = append(g.ints, m)
				g.factors = append(g.factors, w/s.pivot)
			}
		}
		s.end = int32(len(g.ints))
		g.steps = append(g.steps, s)
		g.bypass(&s, size)
	}
	if len(g.live) != 1 {
		return false
	}
	last := g.weight[g.live[0]]
	return last > 0 && !math.IsInf(last, 0)
}

// bypass adds the arcs that run through the word of s.
func (g *Marginals) bypass(s *elimination, size int) {
	modifiers := g.ints[s.modifiers:s.end]
	factors := g.factors[s.factors:][:len(modifiers)]
	add := func(h int32) {
		row := g.weight[int(h)*size : int(h)*size+size]
		w := row[s.word]
		for k, m := range modifiers {
			row[m] += float64(w * factors[k])
		}
	}
	if g.weight[s.word] != 0 {
		add(0)
	}
	for _, h := range g.ints[s.heads:s.modifiers] {
		add(h)
	}
	for _, h := range g.ints[s.heads:s.modifiers] {
		if g.weight[int(h)*size+int(s.word)] > s.pivot/2 {
			g.rescale(h, size)
		}
	}
}

// rescale keeps the weights into m in range. The weights into one word may take
// any common factor. They shrink by more than half at once only if m and the word
// just eliminated are each the likeliest head of the other.
func (g *Marginals) rescale(m int32, size int) {
	sum := 0.0
	for _, h := range g.live {
		if h != m {
			sum += g.weight[int(h)*size+int(m)]
		}
	}
	if sum == 0 || sum >= scaleBelow {
		return
	}
	g.scaled = append(g.scaled, rescale{int32(len(g.steps)), m})
	g.weight[m] *= scaleFactor
	for _, h := range g.live {
		g.weight[int(h)*size+int(m)] *= scaleFactor
	}
}

// differentiate fills the adjoints of all arcs, from the last elimination
// back to the first.
func (g *Marginals) differentiate(n int) {
	size := n + 1
	last := g.live[0]
	g.adjoint[last] = 1 / g.weight[last]
	scaled := len(g.scaled)
	for k := len(g.steps) - 1; k >= 0; k-- {
		s := &g.steps[k]
		for ; scaled > 0 && g.scaled[scaled-1].step == int32(k+1); scaled-- {
			m := int(g.scaled[scaled-1].m)
			g.adjoint[m] *= scaleFactor
			for _, h := range g.live {
				g.adjoint[int(h)*size+m] *= scaleFactor
			}
		}
		g.back(s, size)
		g.live = append(g.live, s.word)
	}
}

// back takes the adjoints through one elimination.
func (g *Marginals) back(s *elimination, size int) {
	v := int(s.word)
	heads, modifiers := g.ints[s.heads:s.modifiers], g.ints[s.modifiers:s.end]
	factors := g.factors[s.factors:][:len(modifiers)]
	out := g.adjoint[v*size : v*size+size] // of the arcs v -> m; first by factor
	through := func(h int32) {
		row := g.adjoint[int(h)*size : int(h)*size+size]
		w, sum := g.weight[int(h)*size+v], 0.0
		for k, m := range modifiers {
			out[m] += float64(w * row[m])
			sum += float64(row[m] * factors[k])
		}
		row[v] = sum
	}
	if g.weight[v] != 0 {
		through(0)
	}
	for _, h := range heads {
		through(h)
	}
	count := 0.0 // expected number of modifiers of v
	for k, m := range modifiers {
		count += float64(out[m] * factors[k])
		out[m] /= s.pivot
	}
	rest := (1 - count) / s.pivot
	for _, h := range heads {
		g.adjoint[int(h)*size+v] += rest
	}
}
