package calibrate

import "slices"

// A fit is too sure of what it has seen. So what reads its results learns from
// fits to other groups: the curves that correct them, the function of trees, and
// the spread of sums.

// crossings is the number of parts that groups are dealt out to; each is given
// chances by a fit to the others.
const crossings = 4

// An unseen is what functions that have not seen an example say of its words.
type unseen struct {
	*Example
	part  int
	words [][3]int32 // log-odds before curves: of head, deprel, UPOS
}

// fitHonestly fits curves, the function of trees and the spread.
func (m *Model) fitHonestly(examples []Example) {
	list := m.crossed(examples)
	for k, f := range [...]*function{&m.heads, &m.labels, &m.upos} {
		var z, weights []int32
		var right []bool
		for _, e := range list {
			for i := range e.words {
				is := [...]bool{e.Right.Head[i], e.Right.Deprel[i], e.Right.UPOS[i]}[k]
				if k == 1 && !e.Right.Head[i] || k == 2 && e.Sentence.TagsGiven {
					continue
				}
				z, right, weights = append(z, e.words[i][k]), append(right, is), append(weights, e.Weight)
			}
		}
		f.curve = fitCurve(z, right, weights)
	}
	m.fitSpread(list)
	m.fitWhole(list)
}

// crossed gives all examples to functions that have not seen them. If all
// are of one group, they have.
func (m *Model) crossed(examples []Example) (list []unseen) {
	var groups []int
	for k := range examples {
		groups = append(groups, examples[k].Group)
	}
	slices.Sort(groups)
	groups = slices.Compact(groups)
	for k := range examples {
		at, _ := slices.BinarySearch(groups, examples[k].Group)
		list = append(list, unseen{Example: &examples[k], part: at % crossings})
	}
	var r reader
	var x row
	for part := range min(crossings, len(groups)) {
		other := m
		if len(groups) > 1 {
			var rest []Example
			for k := range list {
				if list[k].part != part {
					rest = append(rest, examples[k])
				}
			}
			other = &Model{tags: m.tags, relations: m.relations}
			other.fitWords(rest)
		}
		for k := range list {
			if e := &list[k]; e.part == part {
				r.read(m, e.Sentence)
				e.words = make([][3]int32, len(e.Sentence.Words))
				for i := range e.words {
					r.word(&x, m, e.Sentence, i)
					e.words[i] = other.oddsOfWord(&x, &r, i)
				}
			}
		}
	}
	return list
}

// chances returns those of word i, by curves that were fitted.
func (e *unseen) chances(m *Model, i int) chances {
	p := m.chancesOf(e.words[i])
	if e.Sentence.TagsGiven {
		p.upos = fine
	}
	return p
}

// fitSpread compares the squares of errors of sentences' sums with what they would
// be if words were right independently, which is the least that it allows for: a
// few sentences, or copies of one, may come out right by chance.
func (m *Model) fitSpread(list []unseen) {
	var errs, variances [3]float64
	for k := range list {
		e := &list[k]
		var off [3]int64
		var variance [3]float64
		for i := range e.words {
			p := e.chances(m, i)
			both := p.both()
			las := both + int32(int64(p.head-both)*int64(m.lenient)/grain)
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
	for q := range m.spread {
		m.spread[q] = int32(min(max(nearest(errs[q]/max(variances[q], 1e-9)*spreadOne), spreadOne), mostSpread))
	}
}

// fitWhole fits the function of trees: a line, for there are few of them.
func (m *Model) fitWhole(list []unseen) {
	var r reader
	var x row
	c := &cases{}
	for k := range list {
		e := &list[k]
		r.read(m, e.Sentence)
		var sum summary
		for i := range e.words {
			sum.add(e.chances(m, i))
		}
		sum.row(&x, &r)
		c.rows = append(c.rows, x[:numFeatures]...)
		c.right, c.weights = append(c.right, e.Right.Tree), append(c.weights, e.Weight)
	}
	m.whole = m.fitFunction(c, wholeLinear, nil, plan{})
}
