// Package part scores the parts of the trees of one sentence.
package part

import (
	"math"

	"github.com/treebeam/treebeam/parser/feature"
	"github.com/treebeam/treebeam/parser/graph"
	"github.com/treebeam/treebeam/parser/score"
	"github.com/treebeam/treebeam/parser/syntax"
)

const (
	empty   = math.MinInt32     // of a table entry: not asked for yet
	waiting = math.MinInt32 + 1 // asked for, but not scored yet
)

// Scores hold the scores of all parts of one sentence, in units of
// 1/score.Unit, filled when they are first asked for. Parts are addressed by
// small local numbers instead of words:
//
//   - an arc h -> m is its index in arcs; the slot of h at m is that index
//     minus arcs.Start[m-1];
//   - an entry of the extended child list of h (feature.Sibling) is its
//     place among all that could stand in it: 0 is Start, then the words
//     that have h as a candidate and h itself, by position, then End.
//
// Scores are scratch: refilled for every sentence, used by one goroutine.
type Scores struct {
	scorer score.Scorer
	on     feature.Families
	codes  feature.Codes
	Arcs   graph.Arcs // Score is the arc's score, cost included
	N      int

	cross []int32 // per arc: its score for every arc that it crosses

	place    []int32 // per arc h -> m: place of m in the list of h
	self     []int32 // per head: place of h in its own list
	kids     []int32 // words of all lists: that of h starts at kidStart[h]
	kidStart []int32 // length n+2

	grand      []int32 // [grandStart[arc] + slot of g at h]
	grandStart []int32
	sib        []int32 // [sibStart[h] + i*width + j]
	sibStart   []int32
	grandSib   []int32 // [grandSibStart[h] + (slot of g at h * width + i)*width + j]
	grandSibAt []int32
	bigram     []int32 // [bigramStart[m] + slot of h1 at m * heads of m+1 + slot of h2]
	bigramAt   []int32
	tri        []memo       // direct-mapped
	great      []memo       // likewise: grand-grandparents
	nephews    []memo       // likewise: sibling-grandchildren
	global     []globalMemo // likewise: parts of global families
	tour       tour
	generation uint64

	Projection score.Projection // of the sentence, by the tensor if there is one

	// Parts that were asked for and are not scored yet: keys of all of them,
	// one after another. Their entries are waiting.
	keys     []feature.Key
	asked    []*int32 // entries
	ends     []int32  // end of each part's keys
	sums     []int32
	deferred bool // entries wait for answer; else every part is scored at once
	Count    Counters
}

// A memo caches the score of one part; key holds the generation and what
// tells the part from others of the sentence.
type memo struct {
	key   uint64
	score int32
}

const (
	memoBits  = 13 // of the number of slots of a direct-mapped table
	memoSlots = 1 << memoBits
)

// Keys of parts hold words and places of child lists, of which there are up to
// n+3, in wordBits, and numbers of arcs, up to n*n, in arcBits.
const (
	wordBits = 10
	arcBits  = 2 * wordBits
)

// They suffice: a negative constant would not compile.
const (
	_ = uint(1<<wordBits - (syntax.MaxWholeWords + 3))
	_ = uint(1<<arcBits - syntax.MaxWholeWords*syntax.MaxWholeWords)
)

// slotOf returns the slot of a key.
func slotOf(list []memo, key uint64) *memo {
	return &list[key*0x9E3779B97F4A7C15>>(64-memoBits)]
}

// Counters measure the work of a search. They do not depend on the machine.
type Counters struct {
	Lookups  int64 // weights looked up
	Gains    int64 // heads evaluated for a word
	Globals  int64 // trees whose global parts were scored
	Climbs   int64 // restarts
	Improved int64 // restarts after the first that found a better tree
	Exact    int64 // sentences whose trees were all scored
	Words    int64
}

// Add adds d to c.
func (c *Counters) Add(d Counters) {
	c.Lookups += d.Lookups
	c.Gains += d.Gains
	c.Globals += d.Globals
	c.Climbs += d.Climbs
	c.Improved += d.Improved
	c.Exact += d.Exact
	c.Words += d.Words
}

// ask takes the keys of the part behind an unfilled entry, appended to
// t.keys. It returns the score, or 0 if that is deferred.
func (t *Scores) ask(e *int32, keys []feature.Key) int32 {
	t.keys = keys
	t.asked = append(t.asked, e)
	t.ends = append(t.ends, int32(len(keys)))
	*e = waiting
	if t.deferred {
		return 0
	}
	t.answer()
	return *e
}

// answer scores all parts that were asked for. Many at a time are scored much
// faster than one by one: their weights are fetched side by side.
func (t *Scores) answer() {
	t.Count.Lookups += int64(len(t.keys))
	t.sums = resize(t.sums, len(t.ends))
	t.scorer.SumParts(t.keys, t.ends, t.sums)
	for i, e := range t.asked {
		*e = t.sums[i]
	}
	t.keys, t.asked, t.ends = t.keys[:0], t.asked[:0], t.ends[:0]
}

// sum scores keys that no table remembers. Nothing may be asked for.
func (t *Scores) sum(keys []feature.Key) int32 {
	t.keys = keys[:0]
	t.Count.Lookups += int64(len(keys))
	return t.scorer.Sum(keys)
}

// manyKeys is how many keys of arcs are collected before they are summed.
const manyKeys = 2048

// A Source is what a model knows of the parts of trees: read-only, shared by
// all that parse with it.
type Source struct {
	Vocabulary *feature.Vocabulary
	Parts      score.Scorer
	Tensor     score.ArcScorer // of arcs; nil has none
	Families   feature.Families
}

// Prepare loads a sentence whose candidates are set and scores its arcs.
func (t *Scores) Prepare(from *Source, s *syntax.Sentence) {
	t.scorer, t.on = from.Parts, from.Families
	from.Vocabulary.Encode(s, &t.codes)
	t.Arcs.Start, t.Arcs.Heads = s.Candidates.Start, s.Candidates.Heads
	t.prepare()
	if from.Tensor != nil {
		t.addTensor(from.Tensor, s)
	}
	t.Count.Words += int64(t.N)
}

// HasGlobals reports whether families of whole trees are on.
func (t *Scores) HasGlobals() bool { return t.on.Any(feature.Globals) }

// addTensor adds the tensor's scores to those of all arcs.
func (t *Scores) addTensor(sc score.ArcScorer, s *syntax.Sentence) {
	t.Count.Lookups += int64(sc.Project(&t.codes, s, &t.Projection))
	for m := 1; m <= t.N; m++ {
		lo, hi := t.Arcs.Span(m)
		for a := lo; a < hi; a++ {
			t.Arcs.Score[a] += sc.Arc(&t.Projection, int(t.Arcs.Heads[a]), m)
		}
	}
}

// prepare sizes the tables for the candidates in t.Arcs, whose Start and
// Heads are set, and scores the arcs. t.codes must hold the sentence.
func (t *Scores) prepare() {
	a := &t.Arcs
	n := a.N()
	t.N = n
	// Empty already, unless a sentence ended in a panic.
	t.keys, t.asked, t.ends = t.keys[:0], t.asked[:0], t.ends[:0]
	t.generation++
	if t.generation >= 1<<(64-4*wordBits) {
		t.generation, t.tri, t.great, t.nephews, t.global = 1, nil, nil, nil, nil
	}
	t.tri = t.memos(t.tri, feature.TriSiblings)
	t.great = t.memos(t.great, feature.GreatGrandparents)
	t.nephews = t.memos(t.nephews, feature.SiblingGrandchildren)
	if t.global == nil && t.on.Any(feature.Globals) {
		t.global = make([]globalMemo, memoSlots)
	}
	if t.on.Any(feature.PunctuationPairs) {
		t.tour.partner = t.codes.Partners(t.tour.partner)
	}
	a.Score = resize(a.Score, len(a.Heads))
	t.cross = resize(t.cross, len(a.Heads))
	t.deferred = true
	for m := 1; m <= n; m++ {
		lo, hi := a.Span(m)
		for i := lo; i < hi; i++ {
			t.ask(&a.Score[i], t.arcKeys(int(a.Heads[i]), m, t.keys))
			t.cross[i] = empty
		}
		if len(t.keys) > manyKeys {
			t.answer()
		}
	}
	t.answer()
	t.deferred = false
	t.placeKids()
	t.layOut()
}

// layOut sizes the dense tables of the families that are on, all unfilled.
func (t *Scores) layOut() {
	a, n, on := &t.Arcs, t.N, t.on
	t.grandStart = resize(t.grandStart, len(a.Heads)+1)
	t.sibStart = resize(t.sibStart, n+2)
	t.grandSibAt = resize(t.grandSibAt, n+2)
	t.bigramAt = resize(t.bigramAt, n+2)
	var grand, sib, grandSib, bigram int32
	if on.Any(feature.Grandparents) {
		for i, h := range a.Heads {
			t.grandStart[i] = grand
			if h != 0 {
				grand += a.Start[h] - a.Start[h-1]
			}
		}
	}
	for h := 1; h <= n; h++ {
		w := t.width(h)
		t.sibStart[h], t.grandSibAt[h], t.bigramAt[h] = sib, grandSib, bigram
		if on.Any(feature.Siblings) {
			sib += w * w
		}
		if on.Any(feature.GrandSiblings) {
			grandSib += w * w * (a.Start[h] - a.Start[h-1])
		}
		if h < n && on.Any(feature.HeadBigrams) {
			bigram += (a.Start[h] - a.Start[h-1]) * (a.Start[h+1] - a.Start[h])
		}
	}
	t.grand = unfilled(t.grand, int(grand))
	t.sib = unfilled(t.sib, int(sib))
	t.grandSib = unfilled(t.grandSib, int(grandSib))
	t.bigram = unfilled(t.bigram, int(bigram))
}

// memos returns the slots of a direct-mapped table, none if its families are
// all off.
func (t *Scores) memos(list []memo, of feature.Families) []memo {
	if list == nil && t.on.Any(of) {
		list = make([]memo, memoSlots)
	}
	return list
}

// arcKeys appends the keys of the arc h -> m: all of them, or the lean half.
func (t *Scores) arcKeys(h, m int, buf []feature.Key) []feature.Key {
	if t.on.Any(feature.Lean) {
		return t.codes.LeanArc(h, m, buf)
	}
	return t.codes.Arc(h, m, buf)
}

// placeKids builds the lists of possible children.
func (t *Scores) placeKids() {
	a, n := &t.Arcs, t.N
	t.kidStart = resize(t.kidStart, n+2)
	clear(t.kidStart)
	for _, h := range a.Heads {
		t.kidStart[h+1]++
	}
	for h := 0; h <= n; h++ { // Start, h and End too
		t.kidStart[h+1] += t.kidStart[h] + 3
	}
	t.kids = resize(t.kids, int(t.kidStart[n+1]))
	t.self = resize(t.self, n+1)
	t.place = resize(t.place, len(a.Heads))
	next := resize(t.bigramAt, n+2) // borrowed: next free place of each list
	t.bigramAt = next
	for h := 0; h <= n; h++ {
		t.kids[t.kidStart[h]] = feature.Start
		t.kids[t.kidStart[h+1]-1] = feature.End
		next[h] = 1
		t.self[h] = 0
	}
	for m := 0; m <= n; m++ {
		t.self[m] = next[m]
		t.kids[t.kidStart[m]+next[m]] = int32(m)
		next[m]++
		if m == 0 {
			continue
		}
		lo, hi := a.Span(m)
		for i := lo; i < hi; i++ {
			h := a.Heads[i]
			t.place[i] = next[h]
			t.kids[t.kidStart[h]+next[h]] = int32(m)
			next[h]++
		}
	}
}

// width returns the number of places in the list of h.
func (t *Scores) width(h int) int32 { return t.kidStart[h+1] - t.kidStart[h] }

// word returns the word, or feature.Start or End, at a place of h's list.
func (t *Scores) word(h int, place int32) int { return int(t.kids[t.kidStart[h]+place]) }

// grandparent scores g -> h -> m: arc is that of h -> m, slot that of g at h.
func (t *Scores) grandparent(arc, slot int32, m int) int32 {
	e := &t.grand[t.grandStart[arc]+slot]
	if *e > waiting {
		return *e
	}
	if *e == waiting {
		return 0
	}
	h := t.Arcs.Heads[arc]
	g := t.Arcs.Heads[t.Arcs.Start[h-1]+slot]
	return t.ask(e, t.codes.Grandparent(int(g), int(h), m, t.keys))
}

// sibling scores the neighbours at places i < j of h's list, alone and with
// their grandparent at the slot.
func (t *Scores) sibling(h int, slot, i, j int32) int32 {
	var sum int32
	if t.on&feature.Siblings != 0 {
		w := t.width(h)
		s := &t.sib[t.sibStart[h]+i*w+j]
		switch {
		case *s > waiting:
			sum = *s
		case *s == empty:
			sum = t.ask(s, t.codes.Sibling(h, t.word(h, i), t.word(h, j), t.keys))
		}
	}
	if t.on&feature.GrandSiblings != 0 {
		sum += t.grandSibling(h, slot, i, j)
	}
	return sum
}

func (t *Scores) grandSibling(h int, slot, i, j int32) int32 {
	w := t.width(h)
	e := &t.grandSib[t.grandSibAt[h]+(slot*w+i)*w+j]
	if *e > waiting {
		return *e
	}
	if *e == waiting {
		return 0
	}
	g := t.Arcs.Heads[t.Arcs.Start[h-1]+slot]
	return t.ask(e, t.codes.GrandSibling(int(g), h, t.word(h, i), t.word(h, j), t.keys))
}

// triSibling scores three neighbours at places i < j < k of h's list.
func (t *Scores) triSibling(h int, i, j, k int32) int32 {
	key := t.generation<<(4*wordBits) | uint64(h)<<(3*wordBits) | uint64(i)<<(2*wordBits) | uint64(j)<<wordBits | uint64(k)
	e := slotOf(t.tri, key)
	if e.key == key {
		return e.score
	}
	e.key = key
	return t.ask(&e.score, t.codes.TriSibling(h, t.word(h, i), t.word(h, j), t.word(h, k), t.keys))
}

// headBigram scores the heads of m and m+1, given by their slots.
func (t *Scores) headBigram(m int, slot1, slot2 int32) int32 {
	a := &t.Arcs
	e := &t.bigram[t.bigramAt[m]+slot1*(a.Start[m+1]-a.Start[m])+slot2]
	if *e > waiting {
		return *e
	}
	if *e == waiting {
		return 0
	}
	h1, h2 := a.Heads[a.Start[m-1]+slot1], a.Heads[a.Start[m]+slot2]
	return t.ask(e, t.codes.HeadBigram(m, int(h1), int(h2), t.keys))
}

// crossing scores one crossing on the side of an arc.
func (t *Scores) crossing(arc int32, m int) int32 {
	e := &t.cross[arc]
	if *e > waiting {
		return *e
	}
	if *e == waiting {
		return 0
	}
	return t.ask(e, t.codes.Crossing(int(t.Arcs.Heads[arc]), m, t.keys))
}

func resize[T any](a []T, n int) []T {
	if cap(a) < n {
		return make([]T, n, n+n/2)
	}
	return a[:n]
}

func unfilled(a []int32, n int) []int32 {
	a = resize(a, n)
	for i := range a {
		a[i] = empty
	}
	return a
}
