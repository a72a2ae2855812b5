package score

import (
	"fmt"
	"math"
	"slices"

	"github.com/treebeam/treebeam/parser/hash"
	"github.com/treebeam/treebeam/parser/pack"
	"github.com/treebeam/treebeam/parser/syntax"
	"github.com/treebeam/treebeam/parser/word"
	"gonum.org/v1/gonum/floats"
)

// Gamma is the weight of the sparse score in a tree's if there is a tensor (Lei et al.
// 2014: 0.3). Its type makes 1-Gamma a difference of float64.
const Gamma float64 = 0.7

// CheckRank returns an error for a rank that a tensor cannot have.
func CheckRank(rank int) error {
	if rank < 1 || rank > maxRank {
		return fmt.Errorf("tensor of rank %d: must be from 1 to %d", rank, maxRank)
	}
	return nil
}

// A TensorLearner is a tensor in training. One array holds U, V and W as lines of rank
// numbers: line 2*f is row f of U, line 2*f+1 is row f of V, and the bins of W follow.
// Project, Arc and Gradient are safe for concurrent use, but not together with Add.
type TensorLearner struct {
	seed     uint64
	features hash.Set
	rank     int
	now      []float64
	total    []float64 // sum over steps of step * increment; at the start the values themselves
	reach    float64   // longest step of a sentence
}

const (
	minCount     = 3       // least occurrences in training of a feature that has a row
	maxRows      = 48_000  // most features that have a row
	reachOfStart = 1. / 32 // longest step of a sentence, by the length of all lines at the start
)

// NewTensorLearner collects the features of the training sentences and initialises U, V
// and W, of a rank that CheckRank accepts. Sentences must have gold heads, and candidates
// that include them. log receives lines of progress.
func NewTensorLearner(train []syntax.Sentence, v *word.Vocabulary, rank int, seed uint64, log func(format string, a ...any)) *TensorLearner {
	t := &TensorLearner{seed: seed, features: learnFeatures(train, v, maxRows), rank: rank}
	t.now = make([]float64, t.size())
	cells, found := t.startSVD(train, v)
	log("tensor: start from %d cells, %d components", cells, found)
	t.total = slices.Clone(t.now)
	t.reach = reachOfStart * floats.Norm(t.now, 2)
	log("tensor: rank %d, gamma %g, %d rows", rank, Gamma, t.features.Len())
	return t
}

// learnFeatures returns the features of the words and roots of train that occur at
// least minCount times, but no more than the limit most frequent ones. It leaves out
// features that are on at more than half of all positions, as the empty tag is in a
// treebank without tags. Several features that are always on would count several
// times. The bias is the exception.
func learnFeatures(train []syntax.Sentence, v *word.Vocabulary, limit int) hash.Set {
	count := make(map[hash.Key]int)
	encoder := word.NewEncoder(v)
	var keys []hash.Key
	for i := range train {
		c := encoder.Encode(&train[i])
		for p := 0; p <= c.Len(); p++ {
			keys = wordKeys(c, p, keys[:0])
			for _, k := range keys {
				count[k]++
			}
		}
	}
	bias, positions := keys[wordBias], count[keys[wordBias]] // on at every position
	list := slices.DeleteFunc(syntax.ByCount(count), func(k hash.Key) bool {
		return count[k] < minCount || count[k]*2 > positions && k != bias
	})
	set, _ := hash.NewSet(list[:min(len(list), limit)], false)
	return set
}

func (t *TensorLearner) size() int { return (2*t.features.Len() + bins) * t.rank }

// line returns a line: 2*f is row f of U, and 2*f+1 is row f of V.
func (t *TensorLearner) line(i int) []float64 { return t.now[i*t.rank:][:t.rank] }

// bin returns a line of W.
func (t *TensorLearner) bin(b int) []float64 { return t.line(2*t.features.Len() + b) }

// Project implements ArcScorer.
func (t *TensorLearner) Project(c *word.Sentence, p *Projection) (lookups int) {
	p.rows, p.start = p.rows[:0], append(p.start[:0], 0)
	p.floats = resize(p.floats, 2*(c.Len()+1)*t.rank)
	clear(p.floats)
	for pos := 0; pos <= c.Len(); pos++ {
		p.keys = wordKeys(c, pos, p.keys[:0])
		lookups += len(p.keys)
		first := len(p.rows)
		p.rows = t.features.FindAll(p.rows, p.keys)
		for _, row := range p.rows[first:] {
			for side := range 2 {
				floats.Add(t.projected(p, 2*pos+side), t.line(2*int(row)+side))
			}
		}
		p.start = append(p.start, int32(len(p.rows)))
	}
	return lookups
}

// projected returns a projection: 2*pos for U.phi of a position, 2*pos+1 for
// V.phi.
func (t *TensorLearner) projected(p *Projection, i int) []float64 {
	return p.floats[i*t.rank:][:t.rank]
}

// Arc implements ArcScorer.
func (t *TensorLearner) Arc(p *Projection, h, m int) int32 {
	return toUnits((1 - Gamma) * t.score(p, h, m))
}

// toUnits rounds a score to units of 1/Unit, within the bounds of a Tensor. NaN
// becomes 0.
func toUnits(x float64) int32 {
	x = math.Round(x * Unit)
	if x != x {
		return 0
	}
	return int32(max(-maxArc, min(maxArc, x)))
}

// score returns t(h,m).
func (t *TensorLearner) score(p *Projection, h, m int) float64 {
	v, always, w := t.projected(p, 2*m+1), t.bin(0), t.bin(int(word.Distance(h, m)))
	sum := 0.0
	for r, u := range t.projected(p, 2*h) {
		sum += u * v[r] * (always[r] + w[r])
	}
	return sum
}

// A Gradient is the gradient of t(gold tree) - t(other tree) with respect to U, V
// and W, each at the same values of the other two (Lei et al. 2014).
type Gradient struct {
	rows []int32   // touched rows of U and V, each once
	d    []float64 // two lines of each, then the bins of W
}

// Gradient returns the gradient for two trees over the sentence in p. gold[m] and
// other[m] are the heads of word m; entry 0 is unused.
func (t *TensorLearner) Gradient(p *Projection, gold, other []int32) *Gradient {
	R, n := t.rank, len(p.start)-2
	w := make([]float64, bins*R)
	by := make([]float64, 2*(n+1)*R) // by position: what its phi is multiplied with in dU and dV
	touched := make([]bool, n+1)
	arc := func(h, m int, sign float64) {
		touched[h], touched[m] = true, true
		b := int(word.Distance(h, m))
		v, always, bin := t.projected(p, 2*m+1), t.bin(0), t.bin(b)
		for r, u := range t.projected(p, 2*h) {
			by[2*h*R+r] += sign * v[r] * (always[r] + bin[r])
			by[(2*m+1)*R+r] += sign * u * (always[r] + bin[r])
			w[r] += sign * u * v[r]
			w[b*R+r] += sign * u * v[r]
		}
	}
	for m := 1; m <= n; m++ {
		if gold[m] != other[m] {
			arc(int(gold[m]), m, 1)
			arc(int(other[m]), m, -1)
		}
	}
	g := &Gradient{}
	p.local = resize(p.local, t.features.Len())
	for pos, ok := range touched {
		if !ok {
			continue
		}
		for _, row := range p.rows[p.start[pos]:p.start[pos+1]] {
			at := int(p.local[row])
			if at >= len(g.rows) || g.rows[at] != row {
				at = len(g.rows)
				p.local[row] = int32(at)
				g.rows, g.d = append(g.rows, row), append(g.d, make([]float64, 2*R)...)
			}
			floats.Add(g.d[2*at*R:][:2*R], by[2*pos*R:][:2*R])
		}
	}
	g.d = append(g.d, w...)
	return g
}

// StepNorm returns the squared length of the step that Add takes with a scale
// of 1.
func (t *TensorLearner) StepNorm(g *Gradient) float64 {
	return (1 - Gamma) * (1 - Gamma) * floats.Dot(g.d, g.d)
}

// Add moves U, V and W by scale*(1-gamma) times the gradient. step is the number of the
// step, from 1, for the average. A step longer than a fixed bound is shortened: all
// sentences of a batch step from the same values, and the score is cubic in them, so
// steps that are right one by one could together diverge.
func (t *TensorLearner) Add(g *Gradient, scale float64, step int) {
	if long := scale * math.Sqrt(t.StepNorm(g)); long > t.reach {
		scale *= t.reach / long
	}
	x := scale * (1 - Gamma)
	move := func(to int, d []float64) {
		floats.AddScaled(t.now[to*t.rank:][:len(d)], x, d)
		floats.AddScaled(t.total[to*t.rank:][:len(d)], x*float64(step), d)
	}
	for i, row := range g.rows {
		move(2*int(row), g.d[2*i*t.rank:][:2*t.rank])
	}
	move(2*t.features.Len(), g.d[2*len(g.rows)*t.rank:])
}

// averaged returns all lines, each averaged over steps 1..steps.
func (t *TensorLearner) averaged(steps int) []float64 {
	a := slices.Clone(t.now)
	floats.Scale(float64(steps+1), a)
	floats.Sub(a, t.total)
	floats.Scale(1/float64(steps), a)
	return a
}

// Averaged returns the Tensor of the values, averaged over steps 1..steps.
func (t *TensorLearner) Averaged(steps int) *Tensor {
	a := *t
	a.now = t.averaged(steps)
	rows := 2 * t.features.Len()
	q := &Tensor{rank: t.rank, features: t.features, lines: make([]int8, rows*t.rank), shift: make([]uint8, rows)}
	for i := range rows {
		q.line(i, a.line(i))
	}
	q.w = make([]int32, bins*t.rank)
	for i, x := range a.now[rows*t.rank:] {
		q.w[i] = int32(math.Round(max(-maxW, min(maxW, math.Ldexp((1-Gamma)*x, fixedBits)))))
	}
	return q
}

// Layout names the sections of a checkpoint. A checkpoint fits only the same options
// and training data.
func (t *TensorLearner) Layout(l *pack.Layout) {
	features := t.features
	features.Layout(l, "features")
	pack.Array(l, "now", &t.now)
	pack.Array(l, "total", &t.total)
	pack.Value(l, "reach", &t.reach)
	l.Check("features", features.Equal(&t.features), "is of other data")
	l.Check("now", len(t.now) == t.size() && len(t.total) == t.size(), "is of another rank")
	if l.Reading() {
		t.now, t.total = slices.Clone(t.now), slices.Clone(t.total)
	}
}
