package tensor

import (
	"fmt"
	"math"

	"github.com/treebeam/treebeam/parser/feature"
	"github.com/treebeam/treebeam/parser/graph"
	"github.com/treebeam/treebeam/parser/score"
	"github.com/treebeam/treebeam/parser/syntax"
)

// Starts of U, V and W.
const (
	StartSVD    = "svd"    // from sparse first-order weights
	StartRandom = "random" // small seeded values
)

// Options of a tensor. Zero values have the defaults.
type Options struct {
	Rank    int     // R; 16 if 0
	Gamma   float64 // weight of the sparse score in a tree's, in (0,1]; 0.7 if 0 (the papers: 0.3)
	Start   string  // StartSVD if ""
	Limit   int     // rows of words' features kept; 48,000 if 0
	Reach   float64 // longest step of a sentence, by the length of all of U, V and W at the start; 1/32 if 0, no bound if negative
	Turns   bool    // move one of U, V and W a step, in turn, instead of all
	Seed    uint64
	Vectors *Vectors // of words, further features; nil has none
	Log     func(format string, a ...any)
}

func (o *Options) setDefaults() {
	if o.Rank <= 0 {
		o.Rank = 16
	}
	if o.Gamma == 0 {
		o.Gamma = 0.7
	}
	if o.Start == "" {
		o.Start = StartSVD
	}
	if o.Reach == 0 {
		o.Reach = 1. / 32
	}
	if o.Limit <= 0 {
		o.Limit = 48_000
	}
	if o.Log == nil {
		o.Log = func(string, ...any) {}
	}
}

// maxRank bounds what a model may claim.
const maxRank = 256

// Validate reports options that no tensor can have. Zero values are right.
func (o Options) Validate() error {
	o.setDefaults()
	switch {
	case o.Rank > maxRank:
		return fmt.Errorf("tensor of rank %d: at most %d", o.Rank, maxRank)
	case o.Gamma <= 0 || o.Gamma > 1:
		return fmt.Errorf("gamma %g of the tensor: want a number above 0, at most 1", o.Gamma)
	case o.Start != StartSVD && o.Start != StartRandom:
		return fmt.Errorf("start %q of the tensor: want %s or %s", o.Start, StartSVD, StartRandom)
	}
	return nil
}

// factors are U, V and W. Row f of U is U[f*rank : (f+1)*rank], likewise V;
// bin b of W is W[b*rank : (b+1)*rank], b below Bins.
type factors struct {
	rank    int
	U, V, W []float64
}

func newFactors(rank, rows int) factors {
	return factors{rank, make([]float64, rows*rank), make([]float64, rows*rank), make([]float64, Bins*rank)}
}

// length returns the Euclidean length of U, V and W together.
func (f *factors) length() float64 {
	sum := 0.0
	for _, a := range [...][]float64{f.U, f.V, f.W} {
		for _, x := range a {
			sum += float64(x * x)
		}
	}
	return math.Sqrt(sum)
}

func (f *factors) clone() factors {
	g := newFactors(f.rank, len(f.U)/f.rank)
	copy(g.U, f.U)
	copy(g.V, f.V)
	copy(g.W, f.W)
	return g
}

// A Learner is a tensor in training. Reading (Project, Arc, Gradient) is safe
// for concurrent use, but not beside Add.
type Learner struct {
	o    Options
	dict dictionary
	factors
	total factors // start values plus the sum over steps of step * increment
	reach float64 // longest step of a sentence, negative if there is no bound
}

// NewLearner makes the dictionary of the training sentences and starts U, V
// and W. Sentences must have gold heads and candidates that hold them.
func NewLearner(train []syntax.Sentence, v *feature.Vocabulary, o Options) (*Learner, error) {
	o.setDefaults()
	if err := o.Validate(); err != nil {
		return nil, err
	}
	l := &Learner{o: o, dict: learnDictionary(train, v, o.Limit)}
	l.factors = newFactors(o.Rank, l.rows())
	switch o.Start {
	case StartRandom:
		l.startRandom()
	default:
		l.startSVD(train, v)
	}
	l.total = l.factors.clone()
	l.reach = o.Reach * l.length()
	o.Log("tensor: rank %d, gamma %g, %d rows, start %s", o.Rank, o.Gamma, l.rows(), o.Start)
	return l, nil
}

// rows counts the rows of U and V: those of the dictionary, then three blocks
// of vector dimensions, of the word to the left, the word and the one to the
// right.
func (l *Learner) rows() int { return l.dict.n + 3*l.o.Vectors.dim() }

// Gamma is the weight of the sparse score.
func (l *Learner) Gamma() float64 { return l.o.Gamma }

// Project implements Scorer.
func (l *Learner) Project(c *feature.Codes, s *syntax.Sentence, p *Projection) int {
	lookups := l.encode(c, s, p)
	R := l.rank
	p.rank = R
	p.u, p.v = resize(p.u, (c.N+1)*R), resize(p.v, (c.N+1)*R)
	clear(p.u)
	clear(p.v)
	for pos := 0; pos <= c.N; pos++ {
		u, v := p.u[pos*R:(pos+1)*R], p.v[pos*R:(pos+1)*R]
		for _, t := range p.terms[p.start[pos]:p.start[pos+1]] {
			x := float64(t.value)
			axpy(x, l.U[int(t.row)*R:][:R], u)
			axpy(x, l.V[int(t.row)*R:][:R], v)
		}
	}
	return lookups
}

// axpy adds x*a to y.
func axpy(x float64, a, y []float64) {
	for i, e := range a {
		y[i] += float64(x * e)
	}
}

// encode fills p.terms and p.start.
func (l *Learner) encode(c *feature.Codes, s *syntax.Sentence, p *Projection) (lookups int) {
	p.terms = p.terms[:0]
	p.start = append(p.start[:0], 0)
	for pos := 0; pos <= c.N; pos++ {
		p.keys = c.Word(pos, p.keys[:0])
		lookups += len(p.keys)
		for _, k := range p.keys {
			if row := l.dict.row(k); row >= 0 {
				p.terms = append(p.terms, term{row, 1})
			}
		}
		for block := range 3 {
			vector := l.o.Vectors.at(s, pos+block-1)
			base := int32(l.dict.n + block*len(vector))
			for d, x := range vector {
				p.terms = append(p.terms, term{base + int32(d), x})
			}
		}
		p.start = append(p.start, int32(len(p.terms)))
	}
	return lookups
}

// Arc implements Scorer.
func (l *Learner) Arc(p *Projection, h, m int) int32 {
	return toUnits((1 - l.o.Gamma) * l.score(p, h, m))
}

// toUnits rounds a score to units of 1/score.Unit, within the bounds that a
// Model keeps to. What is not a number becomes 0.
func toUnits(x float64) int32 {
	x = math.Round(x * score.Unit)
	if x != x {
		return 0
	}
	return int32(max(-maxScore, min(maxScore, x)))
}

// score returns t(h,m).
func (l *Learner) score(p *Projection, h, m int) float64 {
	R := l.rank
	u, v := p.u[h*R:][:R], p.v[m*R:][:R]
	w0, w := l.W[:R], l.W[int(feature.Distance(h, m))*R:][:R]
	sum := 0.0
	for r := range u {
		sum += float64(float64(u[r]*v[r]) * (w0[r] + w[r]))
	}
	return sum
}

// Add moves U, V and W by scale*(1-gamma) times the gradient; step counts the
// steps so far, from 1, for the average. A step longer than Options.Reach
// allows is cut: all sentences of a batch step from the same values, the score
// is cubic in them, and gradients grow with it, so that steps that are right
// each by itself could together lead ever further away.
func (l *Learner) Add(g *Gradient, scale float64, step int) {
	if long := scale * math.Sqrt(l.StepNorm(g)); l.reach >= 0 && long > l.reach {
		scale *= l.reach / long
	}
	x := scale * (1 - l.o.Gamma)
	t := float64(step) * x
	R := l.rank
	for i, row := range g.rows {
		at := int(row) * R
		axpy(x, g.u[i*R:][:R], l.U[at:])
		axpy(x, g.v[i*R:][:R], l.V[at:])
		axpy(t, g.u[i*R:][:R], l.total.U[at:])
		axpy(t, g.v[i*R:][:R], l.total.V[at:])
	}
	axpy(x, g.w, l.W)
	axpy(t, g.w, l.total.W)
}

// averaged returns U, V and W averaged over steps 1..steps, each by itself.
func (l *Learner) averaged(steps int) factors {
	a := newFactors(l.rank, l.rows())
	for _, x := range [...]struct{ to, now, total []float64 }{
		{a.U, l.U, l.total.U}, {a.V, l.V, l.total.V}, {a.W, l.W, l.total.W},
	} {
		for i := range x.to {
			x.to[i] = (float64(x.now[i]*float64(steps+1)) - x.total[i]) / float64(steps)
		}
	}
	return a
}

// Averaged returns the Model of the weights averaged over steps 1..steps.
func (l *Learner) Averaged(steps int) *Model {
	a := l.averaged(steps)
	return quantise(&a, &l.dict, l.o.Gamma, l.o.Vectors)
}

// startRandom draws U, V and W uniformly. Every word has about twenty
// features, so that projections start near 0.5 and scores well below 1.
func (l *Learner) startRandom() {
	r := graph.Rand(l.o.Seed + 0x7E45)
	fillRandom(l.U, 0.2, &r)
	fillRandom(l.V, 0.2, &r)
	fillRandom(l.W, 0.1, &r)
}

// fillRandom draws every element from [-size, size).
func fillRandom(a []float64, size float64, r *graph.Rand) {
	for i := range a {
		a[i] = size * (float64(r.Next()>>11)/(1<<52) - 1)
	}
}

// State is the content of a Learner for a checkpoint.
type State struct {
	Prints     []uint32 // by row
	U, V, W    []float64
	TU, TV, TW []float64
	Reach      float64
}

// State copies nothing: encode it before the next Add.
func (l *Learner) State() State {
	prints := make([]uint32, l.dict.n)
	for i, p := range l.dict.prints {
		if p != 0 {
			prints[l.dict.rows[i]] = p
		}
	}
	return State{prints, l.U, l.V, l.W, l.total.U, l.total.V, l.total.W, l.reach}
}

// FromState is the inverse of State under the same options.
func FromState(st State, o Options) (*Learner, error) {
	o.setDefaults()
	if err := o.Validate(); err != nil {
		return nil, err
	}
	l := &Learner{o: o, dict: newDictionary(st.Prints)}
	size := l.rows() * o.Rank
	for _, a := range [][]float64{st.U, st.V, st.TU, st.TV} {
		if len(a) != size {
			return nil, fmt.Errorf("the tensor's checkpoint is damaged")
		}
	}
	if len(st.W) != Bins*o.Rank || len(st.TW) != len(st.W) {
		return nil, fmt.Errorf("the tensor's checkpoint is damaged")
	}
	l.reach = st.Reach
	l.factors = factors{o.Rank, st.U, st.V, st.W}
	l.total = factors{o.Rank, st.TU, st.TV, st.TW}
	return l, nil
}
