package search

import (
	"math/bits"
	"slices"

	"github.com/treebeam/treebeam/parser/graph"
	"github.com/treebeam/treebeam/parser/hash"
	"github.com/treebeam/treebeam/parser/part"
	"github.com/treebeam/treebeam/parser/score"
)

// An Estimate says how marginals are estimated from samples.
type Estimate uint8

const (
	// Around is the mean of the marginals around the best tree and around the
	// sampled ones, each those of a first-order model (Search.linearize): it tells
	// most for its time.
	Around Estimate = iota
	Mixed           // mean of the distributions that heads were drawn from one by one, blocks between them
	Heads           // the same, of single heads alone: Gibbs sampling
	Blocks          // share of the trees that had a head, blocks alone
)

// A sampler draws trees from the distribution of the whole model: a tree of
// score S, by all its parts, whose arcs have log-odds of o nats with the pruner
// has the weight exp(S/T + c o). It is a Markov chain (Zhang, Lei, Barzilay,
// Jaakkola and Globerson 2014, "Steps to Excellence"): in a sweep, blocks of words
// draw heads from a first-order model, by Wilson's algorithm, which erases cycles, and the
// draw is accepted by Metropolis and Hastings' rule; then every word by itself
// draws from its heads that keep a tree. We depart from the paper in the
// first-order model, which is that around the best tree (linearize) and not the
// scores of arcs, so that more draws are accepted; in blocks, whose words are
// linked by candidate arcs, so that arcs turn around and the root changes, the old
// and the new one being in it; and in estimates.
//
// Scores are in 1/nat nat, and integers.
type sampler struct {
	nats, share int64 // of 1/score.Unit of the score, and of 1/1024 nat of the pruner, in 1/nat nat
	estimate    Estimate
	keep        bool  // the best tree that is met is the result
	score       int64 // of the present tree, while trees are kept

	free    []int32  // words with a choice
	roots   []int32  // words that may be the root
	chance  []uint64 // of the candidate heads of a word, in 1/certain of the best
	blocks  graph.Sampler
	block   []int32   // words that are redrawn
	changed []int32   // those with other heads, heads before their modifiers
	depth   []int32   // of these
	mean    []float64 // of the posteriors around trees
	since   []int32   // per word: the move that gave it its head, where the estimate is of Blocks
	now     int32     // the move
}

// MaxSamples is the largest Options.Samples that the commands take. Parse does not
// look.
const MaxSamples = 1000

const (
	nat       = 1 << 26
	certain   = 1 << 32
	blockSize = 4
)

// likelihood returns exp(-loss) of a loss of at least 0 in 1/nat nat.
func likelihood(loss int64) float64 {
	const coarse = nat / 1024
	if loss >= 600*nat {
		return 0
	}
	r := float64(loss%coarse) / nat // below 1/1024
	return graph.ExpOdds(int32(loss/coarse)) * (1 - float64(r*(1-float64(r*(0.5-r/6)))))
}

// warm prepares sampling at a temperature: nats are what one score.Unit is worth,
// and share what the pruner's log-odds are, both in 1/1024. x.linear must hold
// the first-order model that blocks are drawn from.
func (x *Search) warm(nats, share int64) {
	z := &x.chain
	z.nats, z.share = nats*(nat/1024/score.Unit), share*(nat/1024/1024)
	z.free, z.roots = z.free[:0], z.roots[:0]
	arcs := &x.Scores.Arcs
	for m := int32(1); int(m) <= x.Scores.N; m++ {
		lo, hi := arcs.Span(int(m))
		if hi-lo > 1 {
			z.free = append(z.free, m)
		}
		if arcs.Heads[lo] == 0 {
			z.roots = append(z.roots, m)
		}
	}
	linear := x.linearArcs()
	z.blocks.PrepareRedraw(&linear)
}

// sampleSalt makes the sampler's random choices others than the search's.
const sampleSalt = 0xA24BAED4963EE407

// sample makes so many sweeps from the present tree, or fewer if the search is
// spent, and leaves in x.posterior the estimate of the marginals of all arcs. For
// Around, x.posterior must hold those around the best tree, and x.linear is lost.
func (x *Search) sample(sweeps int, r *hash.Rand) {
	z := &x.chain
	if z.estimate == Around {
		x.sampleAround(sweeps, r)
		return
	}
	clear(x.posterior)
	z.since, z.now = resize(z.since, x.Scores.N+1), 0
	clear(z.since)
	total := 0.0
	for ; total < float64(sweeps) && !x.Spent(); total++ {
		x.sweep(r)
	}
	if z.estimate == Blocks {
		for m := 1; m <= x.Scores.N; m++ {
			x.posterior[x.Tree.Slot[m]] += float64(z.now - z.since[m])
		}
		total = float64(z.now)
	}
	for m := 1; m <= x.Scores.N; m++ {
		lo, hi := x.Pruned.Span(m)
		if total == 0 || hi-lo == 1 {
			clear(x.posterior[lo:hi])
			x.posterior[x.Tree.Slot[m]] = 1
			continue
		}
		for i := lo; i < hi; i++ {
			x.posterior[i] /= total
		}
	}
}

func (x *Search) sampleAround(sweeps int, r *hash.Rand) {
	z := &x.chain
	z.mean = append(z.mean[:0], x.posterior...)
	total := 1.0
	for ; total <= float64(sweeps) && !x.Spent(); total++ {
		x.sweep(r)
		for m := int32(1); int(m) <= x.Scores.N; m++ {
			x.linearize(m)
		}
		x.around(x.posterior)
		for i, p := range x.posterior {
			z.mean[i] += p
		}
	}
	for i, p := range z.mean {
		x.posterior[i] = p / total
	}
}

// sweep moves about every word that has a choice once, in blocks, alone or both.
func (x *Search) sweep(r *hash.Rand) {
	z := &x.chain
	if z.estimate != Heads {
		for range (len(z.free) + blockSize - 1) / blockSize {
			x.moveBlock(r)
		}
	}
	if z.estimate != Blocks {
		for _, m := range z.free {
			x.moveHead(m, r)
		}
	}
}

// moveHead draws the head of m among those that keep a tree, and adds their
// distribution to x.posterior.
func (x *Search) moveHead(m int32, r *hash.Rand) {
	y, z := &x.Tree, &x.chain
	now := y.Slot[m]
	if !x.weigh(m) {
		x.posterior[now]++
		return
	}
	lo := x.Scores.Arcs.Start[m-1]
	x.weighGlobals(m)
	value := func(k int) int64 {
		return int64(x.worth[k])*z.nats + int64(x.Pruned.Score[int(lo)+k])*z.share
	}
	best := value(int(now - lo))
	for k, s := range x.worth {
		if s != part.Barred {
			best = max(best, value(k))
		}
	}
	z.chance = z.chance[:0]
	sum := uint64(0)
	for k, s := range x.worth {
		c := uint64(0)
		if s != part.Barred {
			c = uint64(likelihood(best-value(k)) * certain)
		}
		z.chance, sum = append(z.chance, c), sum+c
	}
	for k, c := range z.chance {
		x.posterior[int(lo)+k] += float64(c) / float64(sum)
	}
	at, _ := bits.Mul64(r.Next(), sum)
	k := 0
	for ; at >= z.chance[k]; k++ {
		at -= z.chance[k]
	}
	if to := lo + int32(k); to != now {
		y.Move(int(m), to)
		x.moved(int64(x.worth[k]) - int64(x.worth[now-lo]))
	}
}

// moved counts what the chain has gained, and offers the present tree, whose
// score is known, if trees are kept.
func (x *Search) moved(gain int64) {
	z := &x.chain
	if z.score += gain; z.keep && z.score > x.bestAt {
		x.second, x.bestAt = x.bestAt, z.score
		copy(x.best, x.Tree.Head[:x.Scores.N+1])
	}
}

// weighGlobals adds to x.worth, as weigh left it, what the global parts of the
// trees with these heads score.
func (x *Search) weighGlobals(m int32) {
	if !x.Scores.HasGlobals() {
		return
	}
	y := &x.Tree
	now, lo := y.Slot[m], x.Scores.Arcs.Start[m-1]
	for k, s := range x.worth {
		if s != part.Barred {
			y.Move(int(m), lo+int32(k))
			x.worth[k] += int32(x.Scores.Globals(y))
		}
	}
	y.Move(int(m), now)
}

// drawBlock chooses the words of a block: a word with a choice, then words that
// candidate arcs lead to, or other possible roots where they lead to 0. It does not
// look at the tree.
func (x *Search) drawBlock(r *hash.Rand) {
	z, arcs := &x.chain, &x.Scores.Arcs
	at := z.free[r.Below(uint32(len(z.free)))]
	z.block = append(z.block[:0], at)
	for range 2 * blockSize {
		if len(z.block) == blockSize {
			return
		}
		lo, hi := arcs.Start[at-1], arcs.Start[at]
		if at = arcs.Heads[lo+int32(r.Below(uint32(hi-lo)))]; at == 0 {
			at = z.roots[r.Below(uint32(len(z.roots)))]
		}
		if !slices.Contains(z.block, at) {
			z.block = append(z.block, at)
		}
	}
}

// moveBlock redraws a block of words, and keeps what it drew by the rule of
// Metropolis and Hastings.
func (x *Search) moveBlock(r *hash.Rand) {
	if len(x.chain.free) == 0 {
		return
	}
	z, y := &x.chain, &x.Tree
	x.drawBlock(r)
	linear := x.linearArcs() // but for the scores, which PrepareRedraw has read
	copy(x.start, y.Head[:x.Scores.N+1])
	z.now++
	if !z.blocks.Redraw(&linear, z.block, x.start, r) {
		return
	}
	x.findChanged()
	if len(z.changed) == 0 {
		return
	}
	var old int64
	if x.Scores.HasGlobals() {
		old = x.Scores.Globals(y)
	}
	root, gain, odds, forth, back := y.Root, int64(0), int64(0), 1.0, 1.0
	x.trail = x.trail[:0]
	for _, m := range z.changed {
		from, to := y.Slot[m], x.Scores.Arc(x.start[m], int(m))
		gain += int64(x.Scores.Attach(y, int(m), to)) - int64(x.Scores.Attach(y, int(m), from))
		odds += int64(x.Pruned.Score[to]) - int64(x.Pruned.Score[from])
		forth *= z.blocks.Weight(&linear, int(m), to)
		back *= z.blocks.Weight(&linear, int(m), from)
		x.take(m, to)
	}
	if x.Scores.HasGlobals() {
		gain += x.Scores.Globals(y) - old
	}
	crossed := false
	for _, m := range z.changed {
		crossed = crossed || x.crossed(m, m)
	}
	rise := gain*z.nats + odds*z.share
	u := float64(r.Next()>>11) / (1 << 53)
	if rise >= 0 {
		forth *= likelihood(rise)
	} else {
		back *= likelihood(-rise)
	}
	if crossed || float64(u*forth) >= back {
		x.undo()
		y.Root = root
		return
	}
	x.moved(gain)
	if z.estimate == Blocks {
		for _, s := range x.trail {
			x.posterior[s.arc] += float64(z.now - z.since[s.word])
			z.since[s.word] = z.now
		}
	}
}

// findChanged collects the words of the block whose heads in x.start are not
// those of the present tree, in the order of their depth in x.start: if they move
// in this order, there is a tree at every step, or one with a second root.
func (x *Search) findChanged() {
	z := &x.chain
	z.changed, z.depth = z.changed[:0], z.depth[:0]
	for _, m := range z.block {
		if x.start[m] == x.Tree.Head[m] {
			continue
		}
		depth := int32(0)
		for u := m; u != 0; u = x.start[u] {
			depth++
		}
		at := 0
		for at < len(z.depth) && z.depth[at] <= depth {
			at++
		}
		z.changed, z.depth = slices.Insert(z.changed, at, m), slices.Insert(z.depth, at, depth)
	}
}
