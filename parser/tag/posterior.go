package tag

import (
	"slices"

	"github.com/treebeam/treebeam/parser/graph"
	"github.com/treebeam/treebeam/parser/syntax"
)

// Probabilities are multiples of 1/probGrain, finer than those of columns: what
// reads them are log-odds, and most words are all but certain.
const (
	probGrain = 1 << 16

	// sureProb is that of the only label of a frequent form, which is not looked at
	// in its sentence. On dev 99.1 % (tr_imst) to 100.0 % (el_gdt) of them are right.
	sureProb = 1 - 1.0/256

	// The temperature of Tag is 1/2: a score of scoreUnit is worth two nats. Of 0.4,
	// 0.45, ... 0.6 it gives the tags of dev the highest likelihood in en_ewt and
	// tr_imst, and nearly so in fr_sequoia and el_gdt.
	natShift = 1 // from 1/scoreUnit to 1/1024 nat
	coldBits = 16
)

// HeatUnit is the heat of Tag (TagAt).
const HeatUnit = 256

// What stands for the lead of a word's best label (lead).
const (
	noRival = -1 // no label with another UPOS was left out
	isSure  = -2 // all were: the form is frequent, and had one label only
)

// lead returns by how much the best candidate of the last word of lat leads the
// best of the allowed labels that are no candidates and have another UPOS, both
// by their scores without neighbours. They are left out of the search because
// they cannot be best, and yet they are most of what a word that seems certain
// could be instead.
func (m *Model) lead(lat *lattice[int32], allowed []uint16, emit []int32) int64 {
	list := lat.last()
	if len(list) == len(allowed) {
		return noRival
	}
	best, least := lat.emit[len(lat.emit)-len(list)], lat.emit[len(lat.emit)-1]
	kind, rival, found := m.kind[list[0]], int32(0), false
	for k, x := range allowed {
		if s := emit[k]; (!found || s > rival) && s <= least && m.kind[x] != kind && (s < least || !slices.Contains(list, x)) {
			rival, found = s, true
		}
	}
	if !found {
		return noRival
	}
	return int64(best) - int64(rival)
}

// tagProbs sets TagProb and TagsGiven of a sentence whose lattice was searched,
// before its tags are set: labels are the best path, leads and given those of its
// words.
func (m *Model) tagProbs(sc *scratch, s *syntax.Sentence, heat int32) {
	sc.post.compute(&sc.lat, &m.tags.labels, m.tags.pairs, heat)
	s.TagProb = make([]float32, len(s.Words))
	given := 0
	for i, l := range sc.labels {
		if sc.given[i] != "" {
			s.TagProb[i] = 1
			given++
			continue
		}
		p := 1.0
		switch lead := sc.leads[i]; {
		case lead == isSure:
			p = sureProb
		case lead >= 0:
			p = 1 / (1 + sc.post.odds(lead))
		}
		if lo, hi := sc.lat.start[i], sc.lat.start[i+1]; hi-lo > 1 {
			sum := 0.0
			for k, w := range sc.post.of(&sc.lat, i) {
				if m.kind[sc.lat.label[int(lo)+k]] == m.kind[l] {
					sum += w
				}
			}
			p *= sum
		}
		s.TagProb[i] = float32(min(max(int(float64(p*probGrain)+0.5), 1), probGrain-1)) / probGrain
	}
	s.TagsGiven = given == len(s.Words)
}

// A posterior holds the probabilities of paths through a lattice, proportional
// to exp(score/scoreUnit/temperature), by the forward-backward algorithm (Baum
// et al. 1970). All sums are next to the best path: a candidate has the score of
// the best path up to it (lattice.best) and, in units of that one's weight, the
// weight of all; likewise behind it. So nothing underflows that counts.
//
// A word with one candidate parts the sentence in two that do not depend on each
// other: between such words nothing is to be done.
type posterior struct {
	before []float64 // weight of all paths that end in a candidate, by that of the best; the largest of a word is 1
	behind []float64 // the same of paths that begin behind it
	after  []int64   // score of the best path behind a candidate, less what all of the word have in common
	weight []float64 // of the candidates of a word
	cold   int64     // what a score of 1 << coldBits is worth in 1/1024 nat
}

// odds returns the odds of something that scores diff >= 0 less.
func (p *posterior) odds(diff int64) float64 {
	return float64(graph.ExpOdds(int32(min(diff*p.cold>>coldBits, 1<<24)))) // a product: rounded
}

// compute fills p. lat must have been searched.
func (p *posterior) compute(lat *lattice[int32], ls *labels, pairs []int32, heat int32) {
	p.cold = (HeatUnit << (coldBits - natShift)) / int64(max(heat, 1))
	size := len(lat.emit)
	p.before, p.behind = slices.Grow(p.before[:0], size)[:size], slices.Grow(p.behind[:0], size)[:size]
	p.after = slices.Grow(p.after[:0], size)[:size]
	n := len(lat.start) - 1
	for i := range n {
		p.forward(lat, i, ls, pairs)
	}
	for i := n - 1; i >= 0; i-- {
		p.backward(lat, i, ls, pairs)
	}
}

// forward fills before of word i, given that of the one before it.
func (p *posterior) forward(lat *lattice[int32], i int, ls *labels, pairs []int32) {
	b0, b1 := lat.start[i], lat.start[i+1]
	for b := b0; b < b1; b++ {
		p.before[b] = 1
	}
	if i == 0 || b1-b0 == 1 || b0-lat.start[i-1] == 1 {
		return
	}
	for b := b0; b < b1; b++ {
		sum := 0.0
		for a := lat.start[i-1]; a < b0; a++ {
			s := lat.best[a] + pairScore(ls, pairs, lat.label[a], lat.label[b]) + lat.emit[b]
			sum += float64(p.before[a] * p.odds(int64(lat.best[b]-s)))
		}
		p.before[b] = sum
	}
	scale(p.before[b0:b1])
}

// backward fills behind and after of word i, given those of the one behind it.
func (p *posterior) backward(lat *lattice[int32], i int, ls *labels, pairs []int32) {
	a0, b0 := lat.start[i], lat.start[i+1]
	for a := a0; a < b0; a++ {
		p.behind[a], p.after[a] = 1, 0
	}
	if b0-a0 == 1 || i+2 == len(lat.start) {
		return
	}
	b1 := lat.start[i+2]
	for a := a0; a < b0; a++ {
		sum, top := 0.0, int64(0)
		for b := b0; b < b1; b++ {
			s := int64(pairScore(ls, pairs, lat.label[a], lat.label[b])) + int64(lat.emit[b]) + p.after[b]
			switch {
			case b == b0:
				sum, top = p.behind[b], s
			case s > top:
				sum, top = p.behind[b]+float64(sum*p.odds(s-top)), s
			default:
				sum += float64(p.behind[b] * p.odds(top-s))
			}
		}
		p.behind[a], p.after[a] = sum, top
	}
	scale(p.behind[a0:b0])
}

// scale makes the largest of list 1.
func scale(list []float64) {
	top := slices.Max(list)
	for k := range list {
		list[k] /= top
	}
}

// through returns the score of the best path through candidate c, less what all of
// its word, of which first is one, have in common.
func (p *posterior) through(lat *lattice[int32], first, c int32) int64 {
	return int64(lat.best[c]-lat.best[first]) + p.after[c]
}

// of returns the probabilities of the candidates of word i. They are valid until
// the next call.
func (p *posterior) of(lat *lattice[int32], i int) []float64 {
	lo, hi := lat.start[i], lat.start[i+1]
	top := p.through(lat, lo, lo)
	for c := lo + 1; c < hi; c++ {
		top = max(top, p.through(lat, lo, c))
	}
	p.weight = p.weight[:0]
	sum := 0.0
	for c := lo; c < hi; c++ {
		w := float64(float64(p.before[c]*p.behind[c]) * p.odds(top-p.through(lat, lo, c)))
		p.weight = append(p.weight, w)
		sum += w
	}
	for k := range p.weight {
		p.weight[k] /= sum
	}
	return p.weight
}
