// Package search finds the best tree of a sentence over its candidate heads, on integer
// scores (Model.Parse). The decoder Greedy climbs with restarts (Zhang, Lei, Barzilay
// and Jaakkola 2014). Exact scores all trees of a sentence that has few. Greedy departs
// from the paper in three points: every tree has a single root, and moves exist that
// make another word the root (climb.go); a climb ends with chains of moves (chain.go);
// and a proof can show that no tree scores higher
// (package certify, after Koo et al. 2010).
//
// The package also computes the marginal probability of every head (marginal.go) and
// trains the model (Train).
package search

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/treebeam/treebeam/parser/graph"
	"github.com/treebeam/treebeam/parser/hash"
	"github.com/treebeam/treebeam/parser/pack"
	"github.com/treebeam/treebeam/parser/part"
	"github.com/treebeam/treebeam/parser/score"
	"github.com/treebeam/treebeam/parser/syntax"
	"github.com/treebeam/treebeam/parser/word"
)

// Options are the options of Parse. The zero value means the defaults.
type Options struct {
	Seed     uint64 // seed of the run; the seed of a sentence is made from it and from the content of the sentence
	Restarts int    // largest number of climbs; 6 if 0
	Patience int    // climbs in a row without a better tree after which the search stops; half of Restarts, at least 3, if 0
	// all trees are scored if the candidate heads combine in at most this many ways; 32
	// if 0, never if negative
	Exact   int
	Decoder Decoder // used instead of Exact and Greedy if set

	// If Projective is set, arcs of the tree that is found are lifted until none crosses
	// another, the arc from 0 included (graph.Lift).
	Projective bool

	// Certify bounds the proof that no tree over the candidates is better, in counted
	// steps of about 5 ns: 20,000 if 0, no proof if negative. The proof is tried after
	// the first climb; if it succeeds, there are no more climbs. Models with global
	// families and sentences in windows have no such proof.
	Certify int

	// Budget bounds the work (Counters.Work) of the search per word. A sentence, with
	// all its windows, may use Budget for each word with a letter or a digit, plus 20
	// times Budget. The search then stops with a tree whose local parts score no lower
	// than those of the pruner's best tree, and the status becomes Budget. If 0, Budget
	// is 5,000 times Restarts, at least 30,000, in sentences that were cut
	// (syntax.Long) or are searched in windows, and ten times as much in others.
	Budget int

	left int64 // rest of the budget, in a window
}

const (
	defaultRestarts = 6
	leastPatience   = 3
	defaultExact    = 32
	defaultCertify  = 20_000

	// With 30,000 a word the search of no sentence in 1.8 million words of English
	// stopped early, and the search of about one in a thousand in Turkish news.
	defaultBudget = 5000
	wholeBudget   = 10 // times as much in a sentence that is not cut
	freeWords     = 20
	mostBudget    = 1 << 40 // product with the number of words stays in range
)

func (o *Options) setDefaults(s *syntax.Sentence) {
	o.Restarts = cmp.Or(max(o.Restarts, 0), defaultRestarts)
	o.Patience = cmp.Or(max(o.Patience, 0), max(leastPatience, o.Restarts/2))
	o.Exact = cmp.Or(o.Exact, defaultExact)
	o.Certify = cmp.Or(o.Certify, defaultCertify)
	budget := defaultBudget * min(max(o.Restarts, defaultRestarts), mostBudget/defaultBudget/wholeBudget)
	if s.Whole() && s.Status < syntax.Long {
		budget *= wholeBudget
	}
	o.Budget = min(cmp.Or(max(o.Budget, 0), budget), mostBudget)
}

// allowance returns the budget of words, without freeWords.
func (o *Options) allowance(words []syntax.Word) (sum int64) {
	for i := range words {
		if strings.ContainsFunc(words[i].Form, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) }) {
			sum += int64(o.Budget)
		}
	}
	return sum
}

// Counters measure the work of a search.
type Counters = part.Counters

// A Model is a trained parser. It is read-only and safe for concurrent use.
type Model struct {
	source  part.Source    // its Parts and Tensor change while the model is trained
	weights *score.Weights // the fixed weights, after training
	tensor  score.Tensor   // the fixed tensor; of rank 0 if there is none
	delta   int32          // largest local loss of a move that is scored in full, exclusive, in units of 1/score.Unit
	pool    sync.Pool      // *Search
}

func (m *Model) get() *Search {
	if x, ok := m.pool.Get().(*Search); ok {
		return x
	}
	return &Search{}
}

// Parse sets the Head of every word, s.Candidates.Gains, and s.Confidence except
// LabelProb and the calibrated values. s.Candidates must be as Prune leaves them and,
// for a sentence that is searched whole, must hold a single-root tree. Otherwise Parse
// returns an error and changes nothing.
func (m *Model) Parse(s *syntax.Sentence, o Options) error {
	_, err := m.Count(s, o)
	return err
}

// Count is Parse, and also returns its work.
func (m *Model) Count(s *syntax.Sentence, o Options) (Counters, error) {
	if len(s.Words) == 0 {
		return Counters{}, nil
	}
	if err := check(s); err != nil {
		return Counters{}, err
	}
	o.setDefaults(s)
	x := m.get()
	x.Scores.Count, x.Tree.Walked = Counters{}, 0
	var err error
	if s.Whole() {
		err = x.parse(m, s, &o)
	} else {
		err = x.parseLong(m, s, &o)
	}
	count := x.Scores.Count
	count.Walked = x.Tree.Walked
	m.pool.Put(x) // but not after a panic, which leaves it as it is
	if err == nil {
		s.Confidence.Weighed = count.Gains
	}
	return count, err
}

// find sets x.best to the best tree of a sentence, or of a window of one, and
// reports whether there is one.
func (x *Search) find(m *Model, s *syntax.Sentence, o *Options) bool {
	x.prepare(m, s)
	x.Seed = contentSeed(s, o.Seed)
	x.limit = x.work() + cmp.Or(o.left, freeWords*int64(o.Budget)+o.allowance(s.Words))
	if o.Decoder != nil {
		return o.Decoder.Decode(x)
	}
	return Exact{o.Exact}.Decode(x) || Greedy{o.Restarts, o.Patience, o.Certify}.Decode(x)
}

// parse decodes a sentence, or a window of one, and writes its result into s.
func (x *Search) parse(m *Model, s *syntax.Sentence, o *Options) error {
	begin := x.work()
	if !x.find(m, s, o) {
		return errors.New("the candidate heads hold no tree with a single root")
	}
	for i := range s.Words {
		s.Words[i].Head = x.best[i+1]
	}
	x.used = x.work() - begin
	if x.cut {
		s.Status = max(s.Status, syntax.Budget)
	}
	x.confidence(s)
	if o.Projective {
		x.lift(s)
	}
	return nil
}

// lift lifts arcs of the tree of a sentence that was searched whole. A new head has the
// probability that it had as a candidate, or 0, and no margin.
func (x *Search) lift(s *syntax.Sentence) {
	copy(x.start, x.best)
	graph.Lift(x.start)
	if slices.Equal(x.start[1:], x.best[1:]) {
		return
	}
	c, first := &s.Confidence, x.prunerMarginals()
	for i := range s.Words {
		if w := &s.Words[i]; w.Head != x.start[i+1] {
			w.Head = x.start[i+1]
			lo, hi := x.Scores.Arcs.Span(i + 1)
			at := slices.Index(x.Scores.Arcs.Heads[lo:hi], w.Head)
			setHead(c, i, at, x.posterior[lo:hi], first[lo:hi], s.Candidates.Lost)
			c.HeadMargin[i] = 0
		}
	}
	c.TreeMargin, c.Certificate = 0, syntax.Uncertain
	if x.load(s.Heads()) {
		c.TreeScore = float32(float64(x.total()) / score.Unit)
	}
}

// check reports a sentence without candidates.
func check(s *syntax.Sentence) error {
	n := len(s.Words)
	c := &s.Candidates
	if len(c.Start) != n+1 || len(c.LogOdds) != len(c.Heads) || int(c.Start[n]) != len(c.Heads) {
		return fmt.Errorf("sentence of %d words has no candidate heads: prune it before it is parsed", n)
	}
	return nil
}

// contentSeed hashes the run seed with everything that the search reads.
func contentSeed(s *syntax.Sentence, seed uint64) uint64 {
	h := hash.Pair(seed, uint64(len(s.Words)))
	for i := range s.Words {
		w := &s.Words[i]
		for _, text := range [...]string{word.Plain(w.Form), word.Plain(w.Lemma), w.UPOS, w.XPOS, w.Feats} {
			h = hash.Pair(h, hash.String(text))
		}
	}
	for i, head := range s.Candidates.Heads {
		h = hash.Pair(h, uint64(uint32(head))<<32|uint64(uint32(s.Candidates.LogOdds[i])))
	}
	return h
}

// Families returns the families of parts that the model scores.
func (m *Model) Families() part.Families { return m.source.Families }

// Pack stores the model in s, without its Vocabulary.
func (m *Model) Pack(s *pack.Sub) { pack.Write(s, m.layout) }

// Open is the inverse of Pack. v must be the Vocabulary that the model was trained
// with.
func Open(view *pack.View, component string, v *word.Vocabulary) (*Model, error) {
	m := &Model{source: part.Source{Vocabulary: v}, weights: new(score.Weights)}
	return m, pack.Read(view, component, m.layout)
}

func (m *Model) layout(l *pack.Layout) {
	pack.Value(l, "families", (*uint32)(&m.source.Families))
	pack.Value(l, "delta", &m.delta)
	m.weights.Layout(l, "parts")
	l.Nested("tensor", m.tensor.Layout)
	l.Check("families", m.source.Families.Valid(), "names families of parts that have left the program")
	l.Check("delta", m.delta >= 0, "is negative")
	m.fix()
}

// prior is the weight of the pruner's log-odds of an arc in its score (stacking:
// Nivre and McDonald 2008, Martins et al. 2008), in 1/score.Unit a nat: 0.15 of
// the loss of a wrong head. The value was chosen on dev. Training does not use
// it: it gained nothing there.
const prior = score.Unit * 15 / 100

// fix makes the source score with the fixed weights.
func (m *Model) fix() {
	m.source.Prior = prior
	m.source.Parts, m.source.Tensor = m.weights, nil
	if m.tensor.Rank() > 0 {
		m.source.Tensor = &m.tensor
	}
}
