// Package search finds trees: randomized hill climbing with restarts over
// the candidate heads (Zhang, Lei, Barzilay and Jaakkola 2014), on
// integer scores. We depart from the paper in these: one root a sentence, with
// moves that give the root to another word (climb.go); chains of moves at the end of a climb (chain.go), all trees of a sentence that has
// few (exact.go), trees without crossing arcs on demand (projective.go). It
// also trains the model that it searches with.
package search

import (
	"errors"
	"fmt"
	"math"
	"sync"

	"github.com/treebeam/treebeam/parser/feature"
	"github.com/treebeam/treebeam/parser/pack"
	"github.com/treebeam/treebeam/parser/part"
	"github.com/treebeam/treebeam/parser/score"
	"github.com/treebeam/treebeam/parser/syntax"
)

// Options of Parse. The zero value has the defaults.
type Options struct {
	Seed     uint64 // run seed; a sentence's own is made of it and its content
	Restarts int    // at most so many climbs; 6 if 0
	Patience int    // stop after so many climbs in a row without a better tree; half of Restarts, at least 3, if 0
	// Projective allows no arc to cross another, that from 0 included. The
	// candidates must hold a projective tree (prune.Project).
	Projective bool
	// Budget bounds the search of a sentence, or of each of its windows: after
	// so many heads weighed a word it stops where it is, by local parts no
	// worse than the pruner's best tree, and the status becomes Budget. 1,000 times
	// Restarts if 0.
	Budget int
	Exact  int // score all trees if the candidate heads combine in at most so many ways; 32 if 0, never if negative
}

const (
	defaultRestarts = 6
	leastPatience   = 3
	defaultExact    = 32
	defaultBudget   = 1000 // for each of Restarts: of 3,101 dev sentences of English and Turkish one took 1,472 with 6, 99 % under 900
)

// Counters measure the work of a search.
type Counters = part.Counters

// A Model is a trained parser. It is read-only and safe for concurrent use.
type Model struct {
	source  part.Source    // its Parts and Tensor learn while the model is trained
	weights *score.Weights // once they are fixed
	tensor  *score.Tensor  // once it is; nil has none
	delta   int32          // of settle, in units of 1/score.Unit
	pool    sync.Pool      // *search
}

func (m *Model) get() *search {
	if x, ok := m.pool.Get().(*search); ok {
		return x
	}
	return &search{}
}

// Parse sets the Head of every word and s.Confidence but for LabelProb and
// the calibrated values. s.Candidates must be set and must hold a single-root
// tree in every window, as Prune leaves them. It returns an error, and
// changes nothing, if they do not.
func (m *Model) Parse(s *syntax.Sentence, o Options) error {
	_, err := m.Count(s, o)
	return err
}

// Count is Parse, and returns the work that it took.
func (m *Model) Count(s *syntax.Sentence, o Options) (Counters, error) {
	n := len(s.Words)
	if n == 0 {
		return Counters{}, nil
	}
	if err := check(s); err != nil {
		return Counters{}, err
	}
	if o.Restarts <= 0 {
		o.Restarts = defaultRestarts
	}
	if o.Patience <= 0 {
		o.Patience = max(leastPatience, o.Restarts/2)
	}
	if o.Exact == 0 {
		o.Exact = defaultExact
	}
	if o.Budget <= 0 {
		o.Budget = defaultBudget * o.Restarts
	}
	x := m.get()
	x.t.Count = Counters{}
	err := x.parseAll(m, s, o)
	count := x.t.Count
	m.pool.Put(x) // but not after a panic, which leaves it as it is
	return count, err
}

// parseAll decodes s in its windows.
func (x *search) parseAll(m *Model, s *syntax.Sentence, o Options) error {
	b := s.Windows()
	if len(b) == 2 {
		err := x.parse(m, s, o)
		s.Confidence.Weighed = x.t.Count.Gains
		return err
	}
	windows := make([]syntax.Sentence, len(b)-1)
	for i := range windows {
		windows[i] = s.Window(b[i], b[i+1])
		err := check(&windows[i])
		if err == nil {
			err = x.parse(m, &windows[i], o)
		}
		if err != nil {
			return fmt.Errorf("words %d to %d: %w", b[i]+1, b[i+1], err)
		}
	}
	root := int32(0)
	s.Confidence = syntax.Confidence{TreeAgreement: 1}
	for i := range windows {
		s.Status = max(s.Status, windows[i].Status)
		root = join(s, &windows[i], int32(b[i]), root)
	}
	s.Confidence.HeadMarginal = nil
	s.Confidence.Weighed = x.t.Count.Gains
	s.Status = max(s.Status, syntax.Long)
	return nil
}

// parse decodes one window and writes its result into s.
func (x *search) parse(m *Model, s *syntax.Sentence, o Options) error {
	x.prepare(m, s)
	x.projective = o.Projective
	x.limit = x.t.Count.Gains + int64(o.Budget)*int64(len(s.Words))
	if !x.enumerate(o.Exact) && !x.run(contentSeed(s, o.Seed), o.Restarts, o.Patience) {
		return errors.New("the candidate heads hold no tree with a single root")
	}
	for i := range s.Words {
		s.Words[i].Head = x.best[i+1]
	}
	if x.cut {
		s.Status = max(s.Status, syntax.Budget)
	}
	x.confidence(s)
	return nil
}

// join copies the heads and signals of a window that begins behind word
// offset of s. The window's root hangs on root, or becomes it if root is 0.
// It returns the root of s.
func join(s, w *syntax.Sentence, offset, root int32) int32 {
	for i := range w.Words {
		h := w.Words[i].Head
		switch {
		case h != 0:
			h += offset
		case root != 0:
			h = root
		default:
			root = offset + int32(i) + 1
		}
		s.Words[int(offset)+i].Head = h
	}
	a, b := &s.Confidence, &w.Confidence
	a.HeadMargin = append(a.HeadMargin, b.HeadMargin...)
	a.HeadAgreement = append(a.HeadAgreement, b.HeadAgreement...)
	a.TreeScore += b.TreeScore
	a.TreeAgreement = min(a.TreeAgreement, b.TreeAgreement)
	if offset == 0 || b.TreeMargin < a.TreeMargin {
		a.TreeMargin = b.TreeMargin
	}
	a.Restarts += b.Restarts
	a.NCandidates += b.NCandidates
	return root
}

// check reports candidates that do not fit the sentence.
func check(s *syntax.Sentence) error {
	n := len(s.Words)
	c := &s.Candidates
	if len(c.Start) != n+1 || len(c.LogOdds) != len(c.Heads) || int(c.Start[n]) != len(c.Heads) {
		return fmt.Errorf("sentence of %d words has no candidate heads: prune it before it is parsed", n)
	}
	for m := 1; m <= n; m++ {
		if c.Start[m-1] >= c.Start[m] {
			return fmt.Errorf("word %d has no candidate head", m)
		}
		for _, h := range c.Of(m) {
			if h < 0 || int(h) > n || int(h) == m {
				return fmt.Errorf("word %d has a candidate head %d outside the sentence", m, h)
			}
		}
	}
	return nil
}

// contentSeed hashes the run seed with everything that the search reads.
func contentSeed(s *syntax.Sentence, seed uint64) uint64 {
	h := feature.Combine(seed, uint64(len(s.Words)))
	for i := range s.Words {
		w := &s.Words[i]
		h = feature.Combine(h, feature.HashString(w.Form))
		h = feature.Combine(h, feature.HashString(w.Lemma))
		h = feature.Combine(h, feature.HashString(w.UPOS))
		h = feature.Combine(h, feature.HashString(w.XPOS))
		h = feature.Combine(h, feature.HashString(w.Feats))
	}
	for i, head := range s.Candidates.Heads {
		h = feature.Combine(h, uint64(uint32(head))<<32|uint64(uint32(s.Candidates.LogOdds[i])))
	}
	return h
}

// Families returns the families of parts that the model scores.
func (m *Model) Families() feature.Families { return m.source.Families }

// Pack stores the model.
func (m *Model) Pack(s *pack.Sub) {
	m.source.Vocabulary.Pack(s)
	m.weights.Pack(s, "parts")
	pack.Put(s, "families", []uint32{uint32(m.source.Families), uint32(m.delta)})
	t := m.tensor
	if t == nil {
		t = new(score.Tensor)
	}
	pack.Write(s, func(l *pack.Layout) { l.Nested("tensor", t.Layout) })
}

// Open is the inverse of Pack.
func Open(v *pack.View, component string) (*Model, error) {
	m := &Model{}
	var err error
	if m.source.Vocabulary, err = feature.OpenVocabulary(v, component); err != nil {
		return nil, err
	}
	if m.weights, err = score.Open(v, component, "parts"); err != nil {
		return nil, err
	}
	m.source.Parts = m.weights
	t := new(score.Tensor)
	if err := pack.Read(v, component, func(l *pack.Layout) { l.Nested("tensor", t.Layout) }); err != nil {
		return nil, err
	}
	if t.Rank() > 0 {
		m.setTensor(t)
	}
	f, err := pack.Get[uint32](v, component, "families")
	if err != nil {
		return nil, err
	}
	if len(f) != 2 || !feature.Families(f[0]).Valid() || f[1] > math.MaxInt32 {
		return nil, feature.ErrDamaged(component + ".families")
	}
	m.source.Families, m.delta = feature.Families(f[0]), int32(f[1])
	return m, nil
}
