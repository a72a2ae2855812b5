package tag

import (
	"slices"

	"github.com/treebeam/treebeam/parser/sequence"
	"github.com/treebeam/treebeam/parser/syntax"
)

// Probabilities are multiples of 1/probGrain. They are finer than in the output
// columns because log-odds are computed from them, and most words are nearly
// certain.
const (
	probGrain = 1 << 16

	// sureProb is the probability of the only label of a frequent form, which is not tagged in
	// context.
	sureProb = 1 - 1.0/256
)

// Special values of the lead of a word's best label (lead).
const (
	noRival = -1 // no label with another UPOS was left out of the search
	isSure  = -2 // all were left out: the form is frequent and had one label only
)

// lead returns by how much the best candidate of the last word of lat leads the
// best of the allowed labels that are no candidates and have another UPOS, both
// by their scores without neighbours. These labels are left out of the search
// because they cannot be best, but they hold most of the remaining probability
// of a nearly certain word.
func (m *Model) lead(lat *sequence.Lattice[int32], allowed []uint16, emit []int32) int64 {
	list := lat.Last()
	if len(list) == len(allowed) {
		return noRival
	}
	best, least := lat.Emit[len(lat.Emit)-len(list)], lat.Emit[len(lat.Emit)-1]
	kind, rival, found := m.kind[list[0]], int32(0), false
	for k, x := range allowed {
		if s := emit[k]; (!found || s > rival) && s <= least && m.kind[x] != kind &&
			(s < least || !slices.Contains(list, x)) {
			rival, found = s, true
		}
	}
	if !found {
		return noRival
	}
	return int64(best) - int64(rival)
}

// tagProbs sets TagProb and TagsGiven of a sentence whose lattice was searched,
// before its tags are set: labels is the best path; leads and given are by word.
func (m *Model) tagProbs(sc *scratch, s *syntax.Sentence, temperature int32) {
	sc.post.Compute(&sc.lat, &m.tags.Labels, m.tags.Pairs, temperature)
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
			p = 1 / (1 + sc.post.Odds(lead))
		}
		if lo, hi := sc.lat.Start[i], sc.lat.Start[i+1]; hi-lo > 1 {
			sum := 0.0
			for k, w := range sc.post.Of(&sc.lat, i) {
				if m.kind[sc.lat.Label[int(lo)+k]] == m.kind[l] {
					sum += w
				}
			}
			p *= sum
		}
		s.TagProb[i] = float32(min(max(int(float64(p*probGrain)+0.5), 1), probGrain-1)) / probGrain
	}
	s.TagsGiven = given == len(s.Words)
}
