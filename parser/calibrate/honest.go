package calibrate

import "slices"

// fitWhole fits what reads the chances of words: the function of trees, and the
// spread of sums. They learn from words by fits to other groups, since a
// fit is too sure of what it has seen.
func (m *Model) fitWhole(examples []Example) {
	halves := halvesOf(examples)
	models := [2]*Model{m, m}
	if len(halves[0]) > 0 && len(halves[1]) > 0 {
		for k := range models {
			x := &Model{tags: m.tags, relations: m.relations}
			x.fitWords(halves[1-k])
			models[k] = x
		}
	}
	var c cases
	var errs, variances [3]float64
	for k, half := range halves {
		x := models[k]
		var r reader
		var y row
		for _, e := range half {
			s := e.Sentence
			r.read(m, s)
			var sum summary
			var right, expected [3]int64
			var variance [3]float64
			for i := range s.Words {
				r.word(&y, m, s, i)
				p := x.ofWord(&y, &r, i)
				if s.TagsGiven {
					p.upos = fine
				}
				sum.add(p)
				head, both := p.head, p.both()
				las := both + int32(int64(head-both)*int64(m.lenient)/grain)
				for q, v := range [...]int32{p.upos, head, las} {
					expected[q] += int64(v)
					variance[q] += float64(v) / fine * float64(fine-v) / fine
				}
				for q, ok := range [...]bool{e.Right.UPOS[i], e.Right.Head[i], e.Right.LAS[i]} {
					if ok {
						right[q] += fine
					}
				}
			}
			for q := range errs {
				d := float64(right[q]-expected[q]) / fine
				errs[q] += float64(float64(d*d) * float64(e.Weight))
				variances[q] += float64(variance[q] * float64(e.Weight))
			}
			sum.row(&y, &r)
			c.rows = append(c.rows, y[:numFeatures]...)
			c.tags, c.names, c.head = append(c.tags, 0), append(c.names, 0), append(c.head, 0)
			c.right, c.weights = append(c.right, e.Right.Tree), append(c.weights, e.Weight)
		}
	}
	for q := range m.spread {
		m.spread[q] = int32(min(max(nearest(errs[q]/max(variances[q], 1e-9)*spreadOne), 0), mostSpread))
	}
	m.whole = m.fitFunction(&c, wholeLinear, wholeFeatures, plan{trees: 30, rate: 24, ridge: 20, sample: 2, seed: 4})
}

// halvesOf deals the groups out to two halves in turn.
func halvesOf(examples []Example) (halves [2][]Example) {
	var groups []int
	for k := range examples {
		groups = append(groups, examples[k].Group)
	}
	slices.Sort(groups)
	groups = slices.Compact(groups)
	for _, e := range examples {
		at, _ := slices.BinarySearch(groups, e.Group)
		halves[at%2] = append(halves[at%2], e)
	}
	return halves
}
