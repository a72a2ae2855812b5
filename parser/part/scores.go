// Package part scores the parts of dependency trees: arcs, and families of larger parts
// such as siblings and grandparents (families.go). Its input is a sentence with candidate
// heads. Scores holds the scores of the sentence, Tree a tree that changes arc by arc. Most
// templates of features are those of Lei, Xin, Zhang, Barzilay and Jaakkola (2014).
package part

import (
	"slices"

	"github.com/treebeam/treebeam/parser/graph"
	"github.com/treebeam/treebeam/parser/hash"
	"github.com/treebeam/treebeam/parser/score"
	"github.com/treebeam/treebeam/parser/syntax"
	"github.com/treebeam/treebeam/parser/word"
)

// A Source is the part of a model that scores parts. It is read-only and shared by all
// parses.
type Source struct {
	Vocabulary *word.Vocabulary
	Parts      score.Scorer
	Tensor     score.ArcScorer // of arcs; nil has none
	Families   Families
	// Prior is the weight of the pruner's log-odds of an arc, in units of 1/score.Unit
	// per nat. The log-odds are in units of 1/1024 nat.
	Prior int32
}

// Scores computes the scores of the parts of one sentence, in units of 1/score.Unit,
// and remembers them. It is scratch for one goroutine: it is refilled for every
// sentence, without allocating in steady state.
type Scores struct {
	N          int
	Arcs       graph.Arcs // Score holds the scores of the arcs, with tensor, prior, dense scores and what the caller adds
	Projection score.Projection
	Count      Counters
	Families   Families // the model's families

	scorer     score.Scorer
	vocabulary *word.Vocabulary
	encoder    *word.Encoder
	words      *word.Sentence
	families   []Family // all
	local      []Kind   // kinds of the local families that are on
	global     []Kind
	gains      []func(Kind, *Scores, *Tree, *Move) int32 // the Gain functions of local
	lists      bool                                      // some family needs the neighbours of a move

	memo       []entry // open addressing, a power of two, at most half full
	spare      []entry // for growing
	used       int
	shift      uint
	generation Part

	// Keys of the parts that were asked for and are not scored yet, part after
	// part. Their entries are pending.
	keys     []hash.Key
	ends     []int32 // end of each part's keys
	asked    []*entry
	sums     []int32
	deferred bool // new parts wait for answer; otherwise every part is scored at once
	open     bool // Score has returned 0 in place of an answer

	// Scratch of the families.
	list       []int32
	parts      []Part
	partScores []int32
	moves      []Move
}

// An entry holds a part, the generation of its sentence, and its score. Entries
// of other generations are free. A pending entry has no score yet, and Score
// does not find it at once, so it need not ask whether there is one.
type entry struct {
	key   Part
	score int32
}

const (
	pending       = 1 << partBits // a bit of the key: the part waits for answer
	oneGeneration = pending << 1
)

// Counters count the work of a search. They are the same on every machine.
type Counters struct {
	Lookups int64 // weights looked up
	Gains   int64 // heads evaluated for a word
	Parts   int64 // scores of parts asked for, new or not
	Walked  int64 // Tree.Walked
	Globals int64 // trees whose global parts were scored
	Climbs  int64 // climbs, the first and the restarts
	Exact   int64 // sentences whose trees were all scored
	Proved  int64 // sentences whose tree was shown to be the best by a bound
	Steps   int64 // steps of proofs
	Words   int64
}

// Work estimates the time of a search, in units of about 3 ns. Scoring a part takes as
// long as following four links.
func (c *Counters) Work() int64 { return 4*c.Parts + c.Walked }

// Add adds d to c.
func (c *Counters) Add(d Counters) {
	c.Lookups += d.Lookups
	c.Gains += d.Gains
	c.Parts += d.Parts
	c.Walked += d.Walked
	c.Globals += d.Globals
	c.Climbs += d.Climbs
	c.Exact += d.Exact
	c.Proved += d.Proved
	c.Steps += d.Steps
	c.Words += d.Words
}

// Prepare loads a sentence whose Candidates are set, and scores its arcs. The sentence
// must not change while x scores its parts.
func (x *Scores) Prepare(from *Source, s *syntax.Sentence) {
	x.scorer = from.Parts
	x.setFamilies(from.Families)
	if x.encoder == nil || x.vocabulary != from.Vocabulary {
		x.vocabulary, x.encoder = from.Vocabulary, word.NewEncoder(from.Vocabulary)
	}
	x.words = x.encoder.Encode(s)
	x.N = len(s.Words)
	x.Count.Words += int64(x.N)
	x.Arcs.Start, x.Arcs.Heads = s.Candidates.Start, s.Candidates.Heads
	x.forget(len(x.Arcs.Heads))
	x.scoreArcs()
	x.addToArcs(from, s)
}

func (x *Scores) setFamilies(on Families) {
	x.Families = on
	x.families, x.local, x.global, x.gains, x.lists = families, x.local[:0], x.global[:0], x.gains[:0], false
	for k := range families {
		switch f := &families[k]; {
		case !on.Has(Kind(k)):
		case f.Gain == nil:
			x.global = append(x.global, Kind(k))
		default:
			x.local, x.gains = append(x.local, Kind(k)), append(x.gains, f.Gain)
			x.lists = x.lists || f.Lists
		}
	}
}

// The memory of parts has 2^leastMemory to 2^mostMemory entries at first, by the arcs.
const (
	leastMemory  = 10
	mostMemory   = 24
	entriesOfArc = 16
)

// forget empties the memory of parts, and sizes it for the given number of
// arcs.
func (x *Scores) forget(arcs int) {
	// The memory is empty already, unless a sentence ended in a panic.
	x.keys, x.ends, x.asked, x.deferred = x.keys[:0], x.ends[:0], x.asked[:0], false
	if x.generation += oneGeneration; x.generation > 1<<64-64*oneGeneration { // a sentence adds far fewer generations
		clear(x.memo[:cap(x.memo)])
		clear(x.spare[:cap(x.spare)])
		x.generation = oneGeneration
	}
	x.used, x.shift = 0, 64-leastMemory
	for x.shift > 64-mostMemory && entriesOfArc*arcs > 1<<(64-x.shift) {
		x.shift--
	}
	x.memo = resize(x.memo, 1<<(64-x.shift))
}

// manyKeys is how many keys of arcs are collected before they are summed.
const manyKeys = 2048

// scoreArcs fills Arcs.Score.
func (x *Scores) scoreArcs() {
	a := &x.Arcs
	a.Score = resize(a.Score, len(a.Heads))
	done := 0
	sum := func(to int) {
		x.Count.Lookups += int64(len(x.keys))
		x.scorer.SumParts(x.keys, x.ends, a.Score[done:to])
		x.keys, x.ends, done = x.keys[:0], x.ends[:0], to
	}
	for m := 1; m <= x.N; m++ {
		lo, hi := a.Span(m)
		for i := lo; i < hi; i++ {
			x.keys = x.arc(int(a.Heads[i]), m, x.keys)
			x.ends = append(x.ends, int32(len(x.keys)))
		}
		if len(x.keys) > manyKeys {
			sum(hi)
		}
	}
	sum(len(a.Heads))
}

// addToArcs adds to the scores of the arcs everything that does not come from
// their keys.
func (x *Scores) addToArcs(from *Source, s *syntax.Sentence) {
	a := &x.Arcs
	if from.Tensor != nil {
		x.Count.Lookups += int64(from.Tensor.Project(x.words, &x.Projection))
	}
	dense := s.Dense.Arcs
	for m := 1; m <= x.N; m++ {
		lo, hi := a.Span(m)
		for i := lo; i < hi; i++ {
			h := int(a.Heads[i])
			a.Score[i] += int32(int64(from.Prior) * int64(s.Candidates.LogOdds[i]) >> 10)
			if from.Tensor != nil {
				a.Score[i] += from.Tensor.Arc(&x.Projection, h, m)
			}
			if dense != nil {
				a.Score[i] += max(-score.MaxDense, min(score.MaxDense, dense[h*(x.N+1)+m]))
			}
		}
	}
}

const spread = 0x9E3779B97F4A7C15

// Score returns the score of a part. While ScoreAll, Attach or AttachAll defer
// look-ups, it returns 0 for a new part.
func (x *Scores) Score(p Part) int32 {
	x.Count.Parts++
	p += x.generation
	e := x.memo[p*spread>>x.shift]
	if e.key != p {
		return x.find(p)
	}
	return e.score
}

// slot returns the entry of a key, or the free entry where it belongs.
func (x *Scores) slot(key Part) *entry {
	mask := Part(len(x.memo) - 1)
	for i := key * spread >> x.shift; ; i = (i + 1) & mask {
		if e := &x.memo[i]; e.key|pending == key|pending || e.key^x.generation >= oneGeneration {
			return e
		}
	}
}

// find looks for a key behind its first slot, and asks for its part if it is
// new.
func (x *Scores) find(key Part) int32 {
	e := x.slot(key)
	switch e.key {
	case key:
		return e.score
	case key | pending:
		x.open = true
		return 0
	}
	*e = entry{key: key | pending}
	x.keys = x.Keys(key-x.generation, x.keys)
	x.ends, x.asked = append(x.ends, int32(len(x.keys))), append(x.asked, e)
	if x.used++; x.deferred && 2*x.used < len(x.memo) {
		x.open = true
		return 0
	}
	x.answer()
	if 2*x.used >= len(x.memo) {
		x.grow()
	}
	return e.score // in the old table, if the memory has grown
}

// grow doubles the memory. No part may be pending.
func (x *Scores) grow() {
	old, now := x.memo, x.generation
	x.generation += oneGeneration // spare may hold entries of this sentence
	x.shift--
	x.memo, x.spare = resize(x.spare, 2*len(old)), old
	for _, e := range old {
		if part := e.key ^ now; part < oneGeneration {
			*x.slot(part + x.generation) = entry{part + x.generation, e.score}
		}
	}
}

// answer scores all parts that were asked for. Many at a time are scored much
// faster than one by one: their weights are fetched side by side.
func (x *Scores) answer() {
	x.Count.Lookups += int64(len(x.keys))
	x.sums = resize(x.sums, len(x.ends))
	x.scorer.SumParts(x.keys, x.ends, x.sums)
	for k, e := range x.asked {
		e.key, e.score = e.key&^pending, x.sums[k]
	}
	x.keys, x.ends, x.asked = x.keys[:0], x.ends[:0], x.asked[:0]
}

// Keys appends the feature keys of a part to keys.
func (x *Scores) Keys(p Part, keys []hash.Key) []hash.Key {
	if p.Kind() == arcs {
		h, m, _, _ := p.Fields()
		return x.arc(h, m, keys)
	}
	return x.families[p.Kind()].Keys(x, p, keys)
}

func resize[T any](a []T, n int) []T { return slices.Grow(a[:0], n)[:n] }
