package tag

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/treebeam/treebeam/parser/pack"
)

// A lemmatizer finds the lemma of a form and its tags: by a memory of the
// forms of the treebank, else by the best rewrite rule. It is read-only.
type lemmatizer struct {
	rules   []rule
	byScore []uint16 // rules that the layer scores; label l is rule byScore[l]
	layer   *layer

	prints  []uint32 // memory, open addressing; 0 is empty
	answers []uint16 // rule
	turkish bool
}

// Keys of the memory, from the most to the least certain.
func memoryKeys(w *word, upos, xpos, feats uint64) [5]uint64 {
	return [5]uint64{
		key2(301, w.form, mix(upos+3*xpos)+feats),
		key2(302, w.form, mix(upos+3*xpos)),
		key2(303, w.form, upos),
		key2(304, w.lower, mix(upos+3*xpos)+feats),
		key2(305, w.lower, mix(upos+3*xpos)),
	}
}

func (z *lemmatizer) remembered(key uint64) (uint16, bool) {
	n := len(z.prints)
	if n == 0 {
		return 0, false
	}
	hi, _ := bits.Mul64(key, uint64(n))
	i, p := int(hi), uint32(key)|1
	for z.prints[i] != 0 {
		if z.prints[i] == p {
			return z.answers[i], true
		}
		if i++; i == n {
			i = 0
		}
	}
	return 0, false
}

// remember builds the memory; of keys that collide the first stays.
func (z *lemmatizer) remember(keys []uint64, answers []uint16) {
	n := len(keys)*10/8 + 2
	z.prints, z.answers = make([]uint32, n), make([]uint16, n)
	for k, key := range keys {
		if _, ok := z.remembered(key); ok {
			continue
		}
		hi, _ := bits.Mul64(key, uint64(n))
		i := int(hi)
		for z.prints[i] != 0 {
			i = (i + 1) % n
		}
		z.prints[i], z.answers[i] = uint32(key)|1, answers[k]
	}
}

// lemma returns the lemma of form, whose analysis w is in sc.text. It
// allocates only a lemma that differs from the form.
func (z *lemmatizer) lemma(sc *scratch, form string, w *word, upos, xpos, feats uint64) string {
	if len(z.rules) == 0 {
		return "" // the treebank has no lemmas
	}
	lower := sc.text.lower[w.start:w.end]
	r := -1
	for _, key := range memoryKeys(w, upos, xpos, feats) {
		if a, ok := z.remembered(key); ok && z.rules[a].fits(len(lower)) {
			r = int(a)
			break
		}
	}
	if r < 0 {
		r = z.guess(sc, w, len(lower), upos, xpos, feats)
	}
	if r < 0 {
		return form
	}
	rule := &z.rules[r]
	if !w.lowered && rule.mode == caseLower && rule.cutPrefix == 0 && rule.cutSuffix == 0 &&
		rule.addPrefix == "" && rule.addSuffix == "" {
		return form
	}
	sc.form = append(sc.form[:0], []rune(form)...)
	sc.lemma = rule.apply(sc.lemma[:0], sc.form, lower, z.turkish)
	if sameAsForm(form, sc.lemma) {
		return form
	}
	return string(sc.lemma)
}

func sameAsForm(form string, lemma []rune) bool {
	i := 0
	for _, r := range form {
		if i >= len(lemma) || lemma[i] != r {
			return false
		}
		i++
	}
	return i == len(lemma)
}

// guess returns the best-scored rule that fits a form of n runes, or -1.
func (z *lemmatizer) guess(sc *scratch, w *word, n int, upos, xpos, feats uint64) int {
	acc := sc.parts(z.layer.labels.n)
	sc.keys = lemmaKeys(sc.keys[:0], w, upos, mix(upos+3*xpos)+feats)
	sc.sum(z.layer.table, acc)
	best, top := -1, int32(0)
	for l, r := range z.byScore {
		if !z.rules[r].fits(n) {
			continue
		}
		s := int32(0)
		for _, p := range z.layer.labels.of(uint16(l)) {
			s += acc[p]
		}
		if best < 0 || s > top {
			best, top = int(r), s
		}
	}
	return best
}

func (z *lemmatizer) pack(s *pack.Sub) {
	numbers := make([]uint8, 0, 3*len(z.rules))
	texts := make([]string, 0, 2*len(z.rules))
	for _, r := range z.rules {
		numbers = append(numbers, r.mode, r.cutPrefix, r.cutSuffix)
		texts = append(texts, r.addPrefix, r.addSuffix)
	}
	pack.Put(s, "lemma.rules", numbers)
	s.PutStrings("lemma.texts", texts)
	pack.Put(s, "lemma.scored", z.byScore)
	pack.Put(s, "lemma.prints", z.prints)
	pack.Put(s, "lemma.answers", z.answers)
	z.layer.pack(s, "lemma.layer")
}

func openLemmatizer(v *pack.View, component string, turkish bool) (*lemmatizer, error) {
	z := &lemmatizer{turkish: turkish}
	numbers, err := pack.Get[uint8](v, component, "lemma.rules")
	if err != nil {
		return nil, err
	}
	texts, err := v.GetStrings(component, "lemma.texts")
	if err != nil {
		return nil, err
	}
	if z.byScore, err = pack.Get[uint16](v, component, "lemma.scored"); err != nil {
		return nil, err
	}
	if z.prints, err = pack.Get[uint32](v, component, "lemma.prints"); err != nil {
		return nil, err
	}
	if z.answers, err = pack.Get[uint16](v, component, "lemma.answers"); err != nil {
		return nil, err
	}
	if z.layer, err = openLayer(v, component, "lemma.layer"); err != nil {
		return nil, err
	}
	ok := len(numbers)%3 == 0 && len(texts) == len(numbers)/3*2 && len(z.byScore) == z.layer.labels.count() &&
		len(z.prints) == len(z.answers) && (len(z.prints) == 0 || slices.Contains(z.prints, 0))
	n := len(numbers) / 3
	for _, r := range z.byScore {
		ok = ok && int(r) < n
	}
	for _, r := range z.answers {
		ok = ok && int(r) < max(n, 1)
	}
	if !ok {
		return nil, fmt.Errorf("model component %q: lemma rules are damaged; train the model again", component)
	}
	for i := range n {
		if numbers[3*i] >= caseModes {
			return nil, fmt.Errorf("model component %q: lemma rule %d has no such case; train the model again", component, i)
		}
		z.rules = append(z.rules, rule{numbers[3*i], numbers[3*i+1], numbers[3*i+2], texts[2*i], texts[2*i+1]})
	}
	return z, nil
}
