package calibrate

import "slices"

// A fit is overconfident on its own data. So whatever reads its results learns
// from fits to other groups (cross-fitting): the curves that correct them, the
// function of trees, and the overdispersion of sums.

// crossFolds is the number of folds that groups are dealt out to. Each fold
// gets probabilities from a fit to the others.
const crossFolds = 4

// A crossFitted is an example with the log-odds of its words by functions that were fitted
// to other folds.
type crossFitted struct {
	*Example
	fold  int
	words [][3]int32 // log-odds before curves: of head, deprel, UPOS
	model *Model     // for the language
}

// crossFit fits curves, lines, the function of trees and the overdispersion.
func (m *Model) crossFit(examples []Example) {
	list := m.crossPredict(examples)
	for k, f := range [...]*function{&m.heads, &m.labels, &m.upos} {
		var points []point
		lines := m.newLineFit(k)
		each := func(use func(e *Example, z int32, right bool)) {
			for _, e := range list {
				for i := range e.words {
					if right, ok := e.outcome(k, i); ok {
						use(e.Example, e.words[i][k], right)
					}
				}
			}
		}
		each(func(e *Example, z int32, right bool) { points = append(points, point{z, right, e.Weight}) })
		f.curve = fitCurve(points)
		each(lines.add)
		lines.fit()
	}
	models := map[string]*Model{}
	for k := range list {
		e := &list[k]
		if models[e.Language] == nil {
			models[e.Language] = m.Of(e.Language)
		}
		e.model = models[e.Language]
	}
	m.fitOverdispersion(list)
	m.fitWhole(list)
}

// crossPredict applies functions that were fitted to other groups to all examples, if
// there are two groups or more.
func (m *Model) crossPredict(examples []Example) (list []crossFitted) {
	var groups []int
	for k := range examples {
		groups = append(groups, examples[k].Group)
	}
	slices.Sort(groups)
	groups = slices.Compact(groups)
	for k := range examples {
		at, _ := slices.BinarySearch(groups, examples[k].Group)
		list = append(list, crossFitted{Example: &examples[k], fold: at % crossFolds})
	}
	var r reader
	var x row
	for fold := range min(crossFolds, len(groups)) {
		other := m
		if len(groups) > 1 {
			var rest []Example
			for k := range list {
				if list[k].fold != fold {
					rest = append(rest, examples[k])
				}
			}
			other = &Model{tags: m.tags, relations: m.relations}
			other.fitWords(rest)
		}
		for k := range list {
			if e := &list[k]; e.fold == fold {
				r.read(m, e.Sentence)
				e.words = make([][3]int32, len(e.Sentence.Words))
				for i := range e.words {
					r.word(&x, e.Sentence, i)
					e.words[i] = other.oddsOfWord(&x, &r, i)
				}
			}
		}
	}
	return list
}

// outcome reports whether the column that function k predicts, head, deprel or UPOS, is
// right in word i. ok reports whether the function applies: to deprels of right heads only,
// and to UPOS that were not given.
func (e *Example) outcome(k, i int) (right, ok bool) {
	switch k {
	case 0:
		return e.Right.Head[i], true
	case 1:
		return e.Right.Deprel[i], e.Right.Head[i]
	}
	return e.Right.UPOS[i], !e.Sentence.TagsGiven
}

// chances returns the probabilities of word i by the fitted curves.
func (e *crossFitted) chances(i int) chances {
	p := e.model.chancesOf(e.words[i], e.Sentence.Segmented)
	if e.Sentence.TagsGiven {
		p.upos = fine
	}
	return p
}

// fitOverdispersion compares the squared errors of sentences' sums with what they
// would be if words were right independently. The ratio is 1 at least, for a few
// sentences, or copies of one, may come out right by chance.
func (m *Model) fitOverdispersion(list []crossFitted) {
	var errs, variances [3]float64
	for k := range list {
		e := &list[k]
		var off [3]int64
		var variance [3]float64
		for i := range e.words {
			p := e.chances(i)
			both := p.both()
			las := both + int32(int64(p.head-both)*int64(m.subtypeShare)/one)
			for q, v := range [...]int32{p.upos, p.head, las} {
				off[q] += int64(v)
				variance[q] += float64(v) / fine * float64(fine-v) / fine
			}
			for q, ok := range [...]bool{e.Right.UPOS[i], e.Right.Head[i], e.Right.LAS[i]} {
				if ok {
					off[q] -= fine
				}
			}
		}
		for q := range errs {
			d := float64(off[q]) / fine
			errs[q] += float64(float64(d*d) * float64(e.Weight))
			variances[q] += float64(variance[q] * float64(e.Weight))
		}
	}
	for q := range m.overdispersion {
		m.overdispersion[q] = int32(min(max(nearest(errs[q]/max(variances[q], 1e-9)*nat), nat), mostOverdispersion))
	}
}

// fitWhole fits the function of trees: a line, for there are few of them.
func (m *Model) fitWhole(list []crossFitted) {
	var r reader
	var trees []instance
	for k := range list {
		e := &list[k]
		r.read(m, e.Sentence)
		var sum summary
		for i := range e.words {
			sum.add(e.chances(i))
		}
		x := new(row)
		sum.row(x, &r)
		trees = append(trees, instance{x: x, right: e.Right.Tree, weight: e.Weight})
	}
	m.whole = m.fitFunction(trees, wholeLinear, nil, plan{})
	lines := m.newLineFit(functions - 1)
	for k := range trees {
		lines.add(list[k].Example, m.whole.sum(trees[k].x, wholeLinear), trees[k].right)
	}
	lines.fit()
}
