package search

import (
	"cmp"
	"fmt"

	"github.com/treebeam/treebeam/parser/graph"
	"github.com/treebeam/treebeam/parser/hash"
	"github.com/treebeam/treebeam/parser/syntax"
)

// Sampled looks for the best tree by simulated annealing: sweeps of the sampler
// at a temperature that falls, from that of the marginals on, and the best tree
// that was met (Zhang, Lei, Barzilay, Jaakkola and Globerson 2014). It climbs nowhere.
type Sampled struct {
	Sweeps int // 40 if 0
}

// Risk looks for the tree of which the most heads are expected to be right: the
// maximum spanning tree of the marginals that sweeps of the sampler estimate, from
// the tree on that as many sweeps of annealing find.
type Risk struct {
	Sweeps int // 40 if 0
}

const (
	defaultSweeps = 40
	chains        = 2   // of Sampled, each of so many sweeps
	coldest       = 128 // times colder than the marginals is the last sweep

	// unitNats and oddsShare of Risk.
	riskNats  = 4096
	riskShare = 460
)

// NamedDecoder returns the decoder of a name: nil, for Exact and Greedy as they
// are, of "greedy" and "", Sampled of "sample" and Risk of "risk".
func NamedDecoder(name string) (Decoder, error) {
	switch name {
	case "", "greedy":
		return nil, nil
	case "sample":
		return Sampled{}, nil
	case "risk":
		return Risk{}, nil
	}
	return nil, fmt.Errorf("decoder %q: want greedy, sample or risk", name)
}

// Decode implements Decoder.
func (d Sampled) Decode(x *Search) bool {
	if !x.startChain() {
		return false
	}
	r := hash.Rand(x.Seed ^ sampleSalt)
	for range chains {
		x.anneal(cmp.Or(d.Sweeps, defaultSweeps), &r)
	}
	return true
}

// Decode implements Decoder.
func (d Risk) Decode(x *Search) bool {
	if !x.startChain() {
		return false
	}
	r := hash.Rand(x.Seed ^ sampleSalt)
	x.anneal(cmp.Or(d.Sweeps, defaultSweeps), &r)
	x.heat(riskNats, riskShare)
	x.sample(cmp.Or(d.Sweeps, defaultSweeps), &r)
	if x.safest() {
		x.bestAt = worst
		x.Offer()
	}
	return true
}

// anneal makes so many sweeps, each colder than the one before, and then the best
// tree that was met the present one.
func (x *Search) anneal(sweeps int, r *hash.Rand) {
	nats := int64(unitNats)
	for k := 0; k < sweeps && !x.Spent(); k++ {
		x.heat(nats, 0)
		x.sweep(r)
		nats = min(nats*9/8, unitNats*coldest)
	}
	x.Tree.Set(&x.Scores.Arcs, x.best)
	x.chain.score = x.bestAt
	x.climbs++
}

// startChain makes the pruner's best tree the beginning of a chain, and offers
// it.
func (x *Search) startChain() bool {
	if !x.First() {
		return false
	}
	x.Offer()
	x.linear, x.posterior = resize(x.linear, len(x.Pruned.Heads)), resize(x.posterior, len(x.Pruned.Heads))
	x.chain.estimate, x.chain.score, x.chain.keep = Mixed, x.bestAt, true
	return true
}

// heat prepares sweeps from the present tree at a temperature (see warm), with
// blocks from the first-order model around it.
func (x *Search) heat(nats, share int64) {
	for m := int32(1); int(m) <= x.Scores.N; m++ {
		x.linearizeAt(m, nats, share)
	}
	x.warm(nats, share)
}

// safest makes the tree with the largest sum of marginals in x.posterior the
// present one, and reports whether it could.
func (x *Search) safest() bool {
	x.shaken = resize(x.shaken, len(x.posterior))
	for i, p := range x.posterior {
		x.shaken[i] = int32(p*(1<<20)) - 1<<20
	}
	a := graph.Arcs{Start: x.Pruned.Start, Heads: x.Pruned.Heads, Score: x.shaken}
	switch {
	case !x.Projective:
		x.spanner.MaximumTree(&a, 0, x.start)
	case x.Scores.N <= syntax.MaxMarginalWords:
		x.spanner.ProjectiveTree(&a, x.start)
	default:
		return false // its chart would be too large: what was met stays
	}
	x.Tree.Set(&x.Scores.Arcs, x.start)
	return true
}
