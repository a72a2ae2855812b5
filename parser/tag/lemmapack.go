package tag

import (
	"fmt"
	"slices"

	"github.com/treebeam/treebeam/parser/pack"
)

// lemmaVersion is that of the packed lemmatizer, of its features and of the
// order in which it asks: a model of another one cannot be used.
const lemmaVersion = 2

func (z *lemmatizer) pack(s *pack.Sub) {
	numbers := make([]uint8, 0, 3*len(z.rules))
	texts := make([]string, 0, 3*len(z.rules))
	for _, r := range z.rules {
		numbers = append(numbers, r.mode, r.cutPrefix, r.cutSuffix)
		texts = append(texts, r.addPrefix, r.addSuffix, r.drop)
	}
	pack.Put(s, "lemma.version", []uint8{lemmaVersion})
	pack.Put(s, "lemma.rules", numbers)
	s.PutStrings("lemma.texts", texts)
	pack.Put(s, "lemma.scored", z.byScore)
	pack.Put(s, "lemma.memory", z.memory)
	pack.Put(s, "lemma.answers", z.answers)
	pack.Put(s, "lemma.facts", z.facts)
	z.layer.pack(s, "lemma.layer")
}

func openLemmatizer(v *pack.View, component string, turkish bool) (*lemmatizer, error) {
	z := &lemmatizer{turkish: turkish}
	var err error
	if z.rules, err = openRules(v, component); err != nil {
		return nil, err
	}
	if z.byScore, err = pack.Get[uint16](v, component, "lemma.scored"); err != nil {
		return nil, err
	}
	memory, err := pack.Get[uint32](v, component, "lemma.memory")
	if err != nil {
		return nil, err
	}
	facts, err := pack.Get[uint32](v, component, "lemma.facts")
	if err != nil {
		return nil, err
	}
	z.memory, z.facts = memory, facts
	if z.answers, err = pack.Get[uint16](v, component, "lemma.answers"); err != nil {
		return nil, err
	}
	if z.layer, err = openLayer(v, component, "lemma.layer"); err != nil {
		return nil, err
	}
	ok := len(z.byScore) == z.layer.labels.count() && len(z.memory) == len(z.answers)
	for _, p := range []prints{z.memory, z.facts} {
		ok = ok && (len(p) == 0 || slices.Contains(p, 0))
	}
	n := len(z.rules)
	for _, r := range z.byScore {
		ok = ok && int(r) < n
	}
	for _, r := range z.answers {
		ok = ok && int(r) < max(n, 1)
	}
	if !ok {
		return nil, fmt.Errorf("model component %q: lemma rules are damaged; train the model again", component)
	}
	for r := range z.rules {
		z.regular = append(z.regular, z.facts.has(key1(keyRegular, uint64(r))))
	}
	return z, nil
}

func openRules(v *pack.View, component string) ([]rule, error) {
	if version, err := pack.Get[uint8](v, component, "lemma.version"); err != nil || len(version) != 1 || version[0] != lemmaVersion {
		return nil, fmt.Errorf("model component %q: its lemmas are of another version of the program; train them again with treebeam train --only lemmas", component)
	}
	numbers, err := pack.Get[uint8](v, component, "lemma.rules")
	if err != nil {
		return nil, err
	}
	texts, err := v.GetStrings(component, "lemma.texts")
	if err != nil {
		return nil, err
	}
	n := len(numbers) / 3
	if len(numbers)%3 != 0 || len(texts) != 3*n {
		return nil, fmt.Errorf("model component %q: lemma rules are damaged; train the model again", component)
	}
	var rules []rule
	for i := range n {
		if numbers[3*i] >= caseModes {
			return nil, fmt.Errorf("model component %q: lemma rule %d has no such case; train the model again", component, i)
		}
		rules = append(rules, rule{numbers[3*i], numbers[3*i+1], numbers[3*i+2], texts[3*i], texts[3*i+1], texts[3*i+2]})
	}
	return rules, nil
}
