package label

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/treebeam/treebeam/parser/syntax"
)

func value(feats, name string) string { v, _ := syntax.Value(feats, name); return v }

// brokenRules counts the rules that a labelled tree breaks, as the guidelines say
// them: word by word, from the strings.
func brokenRules(words []syntax.Word) (count int) {
	base := func(m int) string { b, _, _ := strings.Cut(words[m].Deprel, ":"); return b }
	in := func(x, list string) bool { return slices.Contains(strings.Fields(list), x) }
	for m := range words {
		w := &words[m]
		tag := w.UPOS
		if x := value(w.Feats, "ExtPos"); x != "" {
			tag = x
		}
		subjects, objects, fixed, clause, oblique := 0, 0, false, false, false
		for k := range words {
			if int(words[k].Head) != m+1 {
				continue
			}
			switch base(k) {
			case "nsubj", "csubj":
				clause = true
				if !strings.HasSuffix(words[k].Deprel, ":outer") {
					subjects++
				}
			case "cop":
				clause = true
			case "obj":
				objects++
			case "fixed":
				fixed = true
			case "obl":
				oblique = true
			}
		}
		count += max(subjects-1, 0) + max(objects-1, 0)
		if tag == "PUNCT" && !in(base(m), "punct root") && !fixed || in(tag, wrongTags[base(m)]) && !fixed || fixed &&
			tag == "PROPN" {
			count++
		}
		if in(w.UPOS, "NOUN PROPN PRON") && in(base(m), "nsubj obj iobj obl vocative dislocated expl nmod") && oblique && !clause {
			count++
		}
		if w.Head == 0 {
			continue
		}
		head := int(w.Head) - 1
		if in(base(m), "conj fixed flat goeswith appos") && m < head {
			count++
		}
		negates := in(w.UPOS, "PART ADV") && value(w.Feats, "Polarity") == "Neg" && base(m) == "advmod" &&
			base(head) != "punct"
		possessive := value(words[head].Feats, "Poss") == "Yes" && base(head) == "det" && in(base(m), "appos acl nmod")
		if allowed, bound := below[base(head)]; bound && !in(base(m), allowed) && !negates && !possessive {
			count++
		}
	}
	return count
}

// strict is a model of relations that rules are about, which any arc may have,
// with random weights.
func strict(rng *rand.Rand) *Model {
	return strictOf(rng, "punct case nsubj obj csubj:pass nsubj:outer cop obl:tmod fixed advmod det mark aux conj nmod dep goeswith cc")
}

// strictOf is strict for four of the relations.
func strictOf(rng *rand.Rand, relations string) *Model {
	m := newModel(vocabulary())
	all := strings.Fields(relations)
	rng.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	names := append(all[:4:4], "root")
	m.rel = *newRelations(names, make([]int32, len(m.rel.setOf)+20*contexts*len(names)))
	m.pair = make([]int16, contexts*len(names)*len(names))
	for i := range m.pair {
		m.pair[i] = int16(rng.IntN(6*unit) - 3*unit)
	}
	m.derive()
	return m
}

// strictly returns sentences of words that rules are about.
func strictly(rng *rand.Rand, trees, longest int) []syntax.Sentence {
	list := sample(rng, trees, longest)
	for k := range list {
		for i := range list[k].Words {
			w := &list[k].Words[i]
			if rng.IntN(2) == 0 {
				w.UPOS = strings.Fields("VERB AUX ADP PROPN SCONJ CCONJ PART ADV PUNCT")[rng.IntN(9)]
				w.Feats = []string{"", "ExtPos=ADV", "ExtPos=PROPN", "Polarity=Neg", "Number=Sing|Poss=Yes"}[rng.IntN(5)]
			}
		}
	}
	return list
}

// TestRulesAgainstEnumeration: the labelling is the best one of those that break
// the fewest rules, and marginals are those of all labellings, each less
// probable for what it breaks.
func TestRulesAgainstEnumeration(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 2))
	againstEnumeration(t, rng, strictly(rng, 600, 5), strict, brokenRules)
}

// againstEnumeration compares models of random weights with all labellings of
// sentences. count counts the rules that one breaks.
func againstEnumeration(t *testing.T, rng *rand.Rand, sentences []syntax.Sentence, model func(*rand.Rand) *Model,
	count func([]syntax.Word) int) {
	t.Helper()
	rare := 0
	for _, s := range sentences {
		m := model(rng)
		c := m.charts.New().(*chart)
		m.prepare(c, &s)
		for i := range c.score {
			c.score[i] = int32(rng.IntN(6*unit) - 3*unit)
		}
		c.maximise(m.pair)
		free := slices.Clone(c.choice)
		rate := func(choice []uint8) int {
			for i := range s.Words {
				s.Words[i].Deprel = m.rel.names[m.rel.set(c.set[i+1])[choice[i+1]]]
			}
			return count(s.Words)
		}
		if is := rate(free) > 0; is != c.broken(m.rules, &s) {
			t.Fatalf("%+v: broken is %v", s.Words, !is)
		} else if is {
			rare++
		}
		c.readWords(m.rules, &s)
		total := c.maximiseStrictly(m)
		c.exponentials()
		c.sumStrictly(m)
		best, mass, sums, found := math.MinInt, 0.0, make([]float64, len(c.prob)), false
		enumerate(m, c, func(choice []uint8, score int) {
			broken := rate(choice)
			best = max(best, score-broken*penalty)
			found = found || score-broken*penalty == int(total) && slices.Equal(choice[1:], c.choice[1:])
			p := math.Exp(float64(score)/unit) * discount(int32(broken))
			mass += p
			for i := 1; i < len(choice); i++ {
				sums[c.off[i]+int32(choice[i])] += p
			}
		})
		if int(total) != best || !found {
			t.Fatalf("%+v: total %d, best %d, found %v", s.Words, total, best, found)
		}
		for i, p := range sums {
			if math.Abs(p/mass-c.prob[i]) > 1e-6 {
				t.Fatalf("marginal %d is %g, by enumeration %g", i, c.prob[i], p/mass)
			}
		}
	}
	if rare < 100 {
		t.Errorf("%d labellings break rules", rare)
	}
}
