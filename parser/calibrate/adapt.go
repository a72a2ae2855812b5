package calibrate

// adaptRidge is the ridge that pulls the changes of Adapt to none, in cases of
// weight 1. It is large because the words of a sentence, and the parses of one
// sentence in several ways, are not independent cases.
const adaptRidge = 200

// Adapt returns a copy of the calibrator with its log-odds scaled and shifted to fit
// the examples (maximum likelihood, with a ridge towards no change). It is meant for a
// few examples of another kind of text. It replaces an earlier adaptation, and leaves what
// Of has set. It fails as Fit does.
func (m *Model) Adapt(examples []Example) (*Model, error) {
	used, err := usable(examples)
	if err != nil {
		return nil, err
	}
	out := m.copy()
	var samples [3][]sample
	var r reader
	var x row
	for k := range used {
		e := &used[k]
		r.read(m, e.Sentence)
		for i := range e.Sentence.Words {
			r.word(&x, e.Sentence, i)
			z := m.oddsOfWord(&x, &r, i)
			for q, f := range [...]*function{&m.heads, &m.labels, &m.upos} {
				if right, ok := e.outcome(q, i); ok {
					samples[q] = append(samples[q], f.moveCase(z[q], e, right))
				}
			}
		}
	}
	for q, f := range [...]*function{&out.heads, &out.labels, &out.upos} {
		f.move(samples[q])
	}
	var trees []sample
	for k := range used {
		e := &used[k]
		r.read(out, e.Sentence)
		var sum summary
		for i := range e.Sentence.Words {
			r.word(&x, e.Sentence, i)
			p := out.ofWord(&x, &r, i)
			if e.Sentence.TagsGiven {
				p.upos = fine
			}
			sum.add(p)
		}
		sum.row(&x, &r)
		trees = append(trees, m.whole.moveCase(m.whole.sum(&x, wholeLinear), e, e.Right.Tree))
	}
	out.whole.move(trees)
	return out, nil
}

// moveCase returns a case for move.
func (f *function) moveCase(z int32, e *Example, right bool) sample {
	return sample{[]float64{1, float64(f.before(z, e.Sentence.Segmented)) / one}, right, float64(e.Weight) / weightOne}
}

// move fits slope and offset.
func (f *function) move(samples []sample) {
	w := []float64{0, 1}
	fit(w, samples, adaptRidge)
	f.offset = int32(nearest(min(max(w[0], -4), 4) * one))
	f.slope = int32(nearest(min(max(w[1], 0), 4) * one))
}
