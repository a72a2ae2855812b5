package tag

import (
	"slices"
	"strings"
	"unicode"

	"github.com/treebeam/treebeam/parser/syntax"
)

// Unknown words are tagged by their endings and neighbours, one occurrence at a
// time. If a text has an unknown form several times, its occurrences are evidence
// for each other: what Qiu, Hu and Zhao (2008) ask of the web for words whose parts
// do not settle their tag, the text itself is asked here. A first pass over all of
// the text sums what the occurrences say of each form (Evidence). A second one adds
// the mean to what each occurrence says by itself (Revisions). We depart from the
// paper where it makes the form's tag that of the vote: a form may have several.

// Limits of what is revised.
const (
	MaxRevisions    = 200_000 // forms; the most frequent ones are taken
	MaxRevisedBytes = 100     // of a form
)

// lossCap is the most that an occurrence says against a UPOS. Those that its beam
// left out are at least that far below the best.
const lossCap = beamMargin

// reviseWeight is how much the mean of all occurrences counts, against 1 for the
// word's own. Taggers that learned from 1,000 sentences of tr_imst and el_gdt tagged
// the rest of train about as well with weights from 2 to 5, and worse with 1.
const reviseWeight = 2

// Evidence is what the occurrences of a form, which training has not, say of its
// UPOS. Evidence of the same model and form adds up to the same in any order.
type Evidence struct {
	Count int64 // occurrences
	// Loss says by UPOS, in the order of Kinds, how far the best tags of the sentence
	// with it score below the best ones, in 1/score.Unit, summed over the occurrences.
	// Each says lossCap at most.
	Loss []int64
}

// Plus returns the sum of e and o, which share no memory with it. The zero Evidence
// is that of no occurrence.
func (e Evidence) Plus(o Evidence) Evidence {
	sum := Evidence{e.Count + o.Count, make([]int64, max(len(e.Loss), len(o.Loss)))}
	copy(sum.Loss, e.Loss)
	for k, x := range o.Loss {
		sum.Loss[k] += x
	}
	return sum
}

// Revision returns what the evidence adds to the scores of a form, by UPOS, and
// whether it can change any tag: not that of a form that occurs once, or whose
// occurrences all leave one UPOS only. It is reviseWeight times the mean loss, as if
// one more occurrence had nothing to say.
func (e *Evidence) Revision() (add []int16, some bool) {
	if e.Count < 2 {
		return nil, false
	}
	open := 0 // UPOS that were candidates somewhere
	add = make([]int16, len(e.Loss))
	for k, x := range e.Loss {
		if x < e.Count*lossCap {
			open++
		}
		add[k] = -int16(min(reviseWeight*x/(e.Count+1), reviseWeight*lossCap))
	}
	return add, open > 1
}

// Revisable reports whether a form can have revisions: it has MaxRevisedBytes at
// most, and no control characters.
func Revisable(form string) bool {
	return form != "" && len(form) <= MaxRevisedBytes &&
		!strings.ContainsFunc(form, func(r rune) bool { return unicode.IsControl(r) || r == unicode.ReplacementChar })
}

// Revisions say how scores of forms change, by what a whole text says of them.
// They are read-only and safe for concurrent use. A nil *Revisions changes nothing.
type Revisions struct {
	kinds int
	at    map[string]int32 // by exceptionKey of the form: where in add its scores are, over kinds
	add   []int16
}

// NewRevisions returns revisions with room for forms, of a model with so many Kinds.
func NewRevisions(kinds, forms int) *Revisions {
	return &Revisions{kinds, make(map[string]int32, forms), make([]int16, 0, kinds*forms)}
}

// Put sets what is added to the scores of a form as Evidence names it, one number for
// each of Kinds. Others must not use v meanwhile.
func (v *Revisions) Put(form string, add []int16) {
	v.at[form] = int32(len(v.add) / max(v.kinds, 1))
	v.add = append(v.add, add...)
}

// Of returns what is added to the scores of a form, by kind; nil is nothing.
func (v *Revisions) Of(form string) []int16 {
	at, found := v.at[exceptionKey(form)]
	if !found {
		return nil
	}
	return v.add[int(at)*v.kinds:][:v.kinds]
}

// Kinds returns the UPOS that the model knows, sorted: the order of Evidence and
// Revisions.
func (m *Model) Kinds() []string { return slices.Compact(slices.Clone(m.upos)) }

// evidence calls found with what unknown words say, after the lattice was searched
// and tagProbs was called.
func (m *Model) evidence(sc *scratch, s *syntax.Sentence, found func(form string, loss []int64)) {
	kinds := int(m.kind[len(m.kind)-1]) + 1
	for i := range s.Words {
		if f := sc.text.at(i).form; !f.unknown() || sc.given[i] != "" || !Revisable(s.Words[i].Form) {
			continue
		}
		sc.loss = slices.Grow(sc.loss[:0], kinds)[:kinds]
		sc.post.losses(&sc.lat, i, m.kind, sc.loss)
		found(exceptionKey(s.Words[i].Form), sc.loss)
	}
}

// losses sets loss, by kind, to how far the best path with this kind of label at word
// i scores below the best path of all: by lossCap at most. kind is by label.
func (p *posterior) losses(lat *lattice[int32], i int, kind []uint16, loss []int64) {
	for k := range loss {
		loss[k] = lossCap
	}
	lo, hi := lat.start[i], lat.start[i+1]
	top := p.through(lat, lo, lo)
	for c := lo + 1; c < hi; c++ {
		top = max(top, p.through(lat, lo, c))
	}
	for c := lo; c < hi; c++ {
		k := kind[lat.label[c]]
		loss[k] = min(loss[k], top-p.through(lat, lo, c))
	}
}

// heed adds revisions to emit, the scores of labels of a form as it is written.
func (m *Model) heed(v *Revisions, f *form, written string, labels []uint16, emit []int32) {
	if v == nil || !f.unknown() {
		return
	}
	if add := v.Of(written); add != nil {
		for k, l := range labels {
			emit[k] += int32(add[m.kind[l]])
		}
	}
}
