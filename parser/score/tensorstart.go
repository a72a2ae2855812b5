package score

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/treebeam/treebeam/parser/graph"
	"github.com/treebeam/treebeam/parser/hash"
	"github.com/treebeam/treebeam/parser/linear"
	"github.com/treebeam/treebeam/parser/syntax"
	"github.com/treebeam/treebeam/parser/word"
)

// pairs are the sparse first-order templates that the tensor can start from:
// a feature of the head and one of the modifier (Lei et al. 2014), each without and
// with the distance. Every pair of FEATS items is added to them.
var pairs = [...][2]int{
	{wordFinesLeft, wordFinesRight},
	{wordFine, wordFinesRight},
	{wordFinesLeft, wordFine},
	{wordFineLeft, wordFinesRight},
	{wordFinesLeft, wordFineRight},
	{wordFinesRight, wordFinesLeft},
	{wordFine, wordFinesLeft},
	{wordFinesRight, wordFine},
	{wordFineRight, wordFinesLeft},
	{wordFinesRight, wordFineLeft},
	{wordFinesLeft, wordFinesLeft},
	{wordFinesRight, wordFinesRight},
	{wordLemmaFine, wordLemmaFine},
	{wordFine, wordLemmaFine},
	{wordLemmaFine, wordFine},
	{wordFine, wordLemma},
	{wordLemma, wordFine},
	{wordLemma, wordLemma},
	{wordForm, wordForm},
	{wordFine, wordFine},
	{wordCoarse, wordCoarse},
	{wordLemmaFine, wordBias},
	{wordBias, wordLemmaFine},
	{wordFine, wordBias},
	{wordBias, wordFine},
	{wordFormLeft, wordBias},
	{wordFormRight, wordBias},
	{wordBias, wordFormLeft},
	{wordBias, wordFormRight},
	{wordLemma, wordMarker},
	{wordCoarse, wordMarker},
	{wordLemma, wordCase},
}

// maxCells bounds the sparse array that is decomposed.
const maxCells = 1_500_000

// startSVD starts U, V and W from a first-order model of the same training data. It
// returns how many cells of the model it decomposed, and how many components it found.
func (t *TensorLearner) startSVD(train []syntax.Sentence, v *word.Vocabulary) (cells, found int) {
	list := t.pretrain(train, v).cells
	slices.SortStableFunc(list, func(a, b cell) int { return cmp.Compare(math.Abs(b.value), math.Abs(a.value)) })
	list = list[:min(len(list), maxCells)]
	return len(list), t.decompose(list)
}

// A firstOrder is a log-linear model of the head of a word among its candidates. Its
// weights are cells of a sparse array. Lei et al. (2014) use a margin over whole
// trees instead. As in their paper, only features of gold arcs have cells.
type firstOrder struct {
	t       *TensorLearner
	index   linear.Index
	cells   []cell    // by number in index
	squares []float64 // sums of squared gradients, likewise
	encoder *word.Encoder
	codes   *word.Sentence
	keys    []hash.Key
	rows    [][]int32 // by position: rows of its features, -1 unknown
	ids     [][]int32 // by candidate: numbers of its cells
	p       []float64
}

// A cell is one entry of the sparse array. Its column is a modifier row and a
// bin, modifier*bins + bin.
type cell struct {
	head, column int32
	value        float64
}

// pretrain makes two passes over the sentences: the first finds the cells of gold
// arcs, the second learns.
func (t *TensorLearner) pretrain(train []syntax.Sentence, v *word.Vocabulary) *firstOrder {
	x := &firstOrder{t: t, encoder: word.NewEncoder(v)}
	each := func(i int, do func(s *syntax.Sentence, m int)) {
		s := &train[i]
		if n := len(s.Words); n == 0 || n > syntax.MaxWholeWords || len(s.Candidates.Start) != n+1 {
			return
		}
		x.encode(s)
		for m := 1; m <= x.codes.Len(); m++ {
			if slices.Contains(s.Candidates.Of(m), s.Words[m-1].Head) {
				do(s, m)
			}
		}
	}
	for i := range train {
		each(i, func(s *syntax.Sentence, m int) {
			x.arc(int(s.Words[m-1].Head), m, func(head, column int32) { x.index.Count(hash.Key2(0, uint64(head), uint64(column))) })
		})
	}
	x.index.Cut(1)
	for _, i := range hash.Shuffled(len(train), t.seed+0x5D0) {
		each(i, x.learn)
	}
	return x
}

// encode loads a sentence.
func (x *firstOrder) encode(s *syntax.Sentence) {
	x.codes = x.encoder.Encode(s)
	x.rows = resize(x.rows, x.codes.Len()+1)
	for p := range x.rows {
		x.keys = wordKeys(x.codes, p, x.keys[:0])
		x.rows[p] = x.rows[p][:0]
		for _, k := range x.keys {
			x.rows[p] = append(x.rows[p], int32(x.t.features.Find(k)))
		}
	}
}

// arc calls do with all cells of h -> m.
func (x *firstOrder) arc(h, m int, do func(head, column int32)) {
	bin, a, b := int32(word.Distance(h, m)), x.rows[h], x.rows[m]
	put := func(i, j int32) {
		if i >= 0 && j >= 0 {
			do(i, j*bins)
			do(i, j*bins+bin)
		}
	}
	for _, k := range pairs {
		put(a[k[0]], b[k[1]])
	}
	for i := wordKinds; i < len(a); i += 2 { // items of FEATS stand at every other place
		for j := wordKinds; j < len(b); j += 2 {
			put(a[i], b[j])
		}
	}
}

// find appends the numbers of the cells of h -> m that have one.
func (x *firstOrder) find(h, m int, ids []int32) []int32 {
	x.arc(h, m, func(head, column int32) {
		id := x.index.ID(hash.Key2(0, uint64(head), uint64(column)))
		if int(id) == len(x.cells) {
			x.cells, x.squares = append(x.cells, cell{head, column, 0}), append(x.squares, 0)
		}
		if id >= 0 {
			ids = append(ids, id)
		}
	})
	return ids
}

func (x *firstOrder) sum(ids []int32) float64 {
	sum := 0.0
	for _, id := range ids {
		sum += x.cells[id].value
	}
	return sum
}

// learn takes an AdaGrad step (Duchi et al. 2011) for word m.
func (x *firstOrder) learn(s *syntax.Sentence, m int) {
	const eta = 0.05
	heads, gold := s.Candidates.Of(m), s.Words[m-1].Head
	x.ids, x.p = resize(x.ids, len(heads)), x.p[:0]
	for i, h := range heads {
		x.ids[i] = x.find(int(h), m, x.ids[i][:0])
		x.p = append(x.p, x.sum(x.ids[i]))
	}
	top, sum := slices.Max(x.p), 0.0
	for i := range x.p {
		x.p[i] = graph.Exp(max(x.p[i]-top, -600))
		sum += x.p[i]
	}
	for i, h := range heads {
		g := -x.p[i] / sum
		if h == gold {
			g++
		}
		g *= float64(s.Step())
		if math.Abs(g) < 2e-3 {
			continue
		}
		for _, id := range x.ids[i] {
			if h == gold || x.squares[id] > 0 { // a cell begins with a gold arc
				x.squares[id] += g * g
				x.cells[id].value += eta * g / (math.Sqrt(x.squares[id]) + 1e-3)
			}
		}
	}
}

// decompose sets U, V and W such that they come close to the sparse array
// (Lei et al. 2014). The unfolding of head rows against columns has singular triplets
// (sigma, u, q). Each q, as a matrix of modifier rows and bins, has a largest triplet
// (s, v, w). A component is u, v and w, and its scale sigma*s is spread evenly over
// the three. Components that the array does not have get small seeded values: if all
// three were zero, they could never move. decompose returns the number of components
// found.
func (t *TensorLearner) decompose(list []cell) int {
	r := hash.Rand(t.seed + 0x51D)
	fillRandom(t.now, 0.02, &r)
	if len(list) == 0 {
		return 0
	}
	var columns []int32 // that have a cell
	for _, c := range list {
		columns = append(columns, c.column)
	}
	slices.Sort(columns)
	columns = slices.Compact(columns)
	a := sparse{rows: t.features.Len(), columns: len(columns)}
	for _, c := range list {
		at, _ := slices.BinarySearch(columns, c.column)
		a.cells = append(a.cells, cell{c.head, int32(at), c.value})
	}
	sigma, u, q := a.topSingular(t.rank, t.seed+0x51E)
	for c, s := range sigma {
		var svd mat.SVD
		var v, w mat.Dense
		one := mat.NewDense(t.features.Len(), bins, nil)
		for i, column := range columns {
			one.Set(int(column/bins), int(column%bins), q.At(i, c))
		}
		factorize(&svd, one)
		svd.UTo(&v)
		svd.VTo(&w)
		share := math.Cbrt(s * svd.Values(nil)[0])
		for f := range t.features.Len() {
			t.line(2 * f)[c] = u.At(f, c) * share
			t.line(2*f + 1)[c] = v.At(f, 0) * share
		}
		for b := range bins {
			t.bin(b)[c] = w.At(b, 0) * share
		}
	}
	return len(sigma)
}

// A sparse matrix. The head of a cell is its row.
type sparse struct {
	rows, columns int
	cells         []cell
}

// times returns a x, or a' x if transposed.
func (a *sparse) times(x *mat.Dense, transposed bool) *mat.Dense {
	rows := a.rows
	if transposed {
		rows = a.columns
	}
	_, width := x.Dims()
	y := mat.NewDense(rows, width, nil)
	for _, e := range a.cells {
		to, from := int(e.head), int(e.column)
		if transposed {
			to, from = from, to
		}
		floats.AddScaled(y.RawRowView(to), e.value, x.RawRowView(from))
	}
	return y
}

// topSingular returns the largest singular values in decreasing order, at most k and
// none below 1e-9 of the largest. Their vectors are the columns of u and q. It uses
// randomised subspace iteration (Halko, Martinsson and Tropp 2011, algorithm 4.4)
// with ten more vectors than requested.
func (a *sparse) topSingular(k int, seed uint64) (sigma []float64, u, q *mat.Dense) {
	const rounds = 7
	width := min(k+10, a.rows, a.columns)
	r := hash.Rand(seed)
	start := make([]float64, a.rows*width)
	fillRandom(start, 1, &r)
	y := mat.NewDense(a.rows, width, start)
	var svd mat.SVD
	for range rounds {
		y = a.times(a.times(y, true), false)
		factorize(&svd, y)
		y = &mat.Dense{}
		svd.UTo(y)
	}
	factorize(&svd, a.times(y, true))
	var v mat.Dense
	u, q = &mat.Dense{}, &mat.Dense{}
	svd.UTo(q)
	svd.VTo(&v)
	u.Mul(y, &v)
	sigma = svd.Values(nil)
	for i, s := range sigma {
		if i == k || s <= 0 || s < 1e-9*sigma[0] {
			return sigma[:i], u, q
		}
	}
	return sigma, u, q
}

// factorize panics on a matrix that is not finite. Weights are always finite.
func factorize(svd *mat.SVD, a *mat.Dense) {
	if !svd.Factorize(a, mat.SVDThin) {
		panic("score: no singular value decomposition")
	}
}

// fillRandom draws every element from [-size, size).
func fillRandom(a []float64, size float64, r *hash.Rand) {
	for i := range a {
		a[i] = size * (2*r.Float() - 1)
	}
}

// resize returns a slice of n elements. It keeps the elements of a.
func resize[T any](a []T, n int) []T { return slices.Grow(a[:0], n)[:n] }
