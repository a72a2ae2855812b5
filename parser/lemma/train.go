package lemma

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/treebeam/treebeam/parser/hash"
	"github.com/treebeam/treebeam/parser/sequence"
	"github.com/treebeam/treebeam/parser/syntax"
	"github.com/treebeam/treebeam/parser/word"
)

// Thresholds of what is learned.
const (
	ruleCut     = 2  // words that a rule must have been seen in
	regularCut  = 20 // words that a regular rule was seen in
	doubledCut  = 3  // words that a rule must have been seen in before it requires a pair of runes
	prefixCut   = 3  // pairs of lemmas, one with the prefix and one without
	oftenForm   = 5  // occurrences that keep a form in a small memory
	lemmaEpochs = 10
)

// An example is a word of the treebank with its tags and most frequent lemma,
// and the rules that make it, or -1 if there are too many.
type example struct {
	form, upos, feats, lemma string

	n          int // occurrences
	known      int // usable memory keys: the last 1 to 3
	word       word.Form
	tags       Tags
	rule       int // rule for the form; -1 if it is misspelt
	remembered int // rule for the form in any case
}

// examplesOf lists the different words. A word that is written apart has the
// lemma of the whole, which does not follow from its form, so it is left out.
func examplesOf(sents []syntax.Sentence) []example {
	count := map[[5]string]int{} // of form, UPOS, XPOS, FEATS, lemma
	for i := range sents {
		apart := map[int32]bool{}
		for _, w := range sents[i].Words {
			if syntax.Universal(w.Deprel) == "goeswith" {
				apart[w.Head] = true
			}
		}
		for j, w := range sents[i].Words {
			if w.Lemma != "" && !apart[int32(j+1)] {
				count[[5]string{word.Plain(w.Form), w.UPOS, w.XPOS, w.Feats, word.Plain(w.Lemma)}]++
			}
		}
	}
	list := slices.SortedFunc(maps.Keys(count), func(a, b [5]string) int {
		return cmp.Or(slices.Compare(a[:4], b[:4]), cmp.Compare(count[b], count[a]), strings.Compare(a[4], b[4]))
	})
	list = slices.CompactFunc(list, func(a, b [5]string) bool { return slices.Equal(a[:4], b[:4]) })
	examples := make([]example, len(list))
	for i, x := range list {
		examples[i] = example{form: x[0], upos: x[1], feats: x[3], lemma: x[4], n: count[x], known: 3,
			tags: TagsOf(x[1], x[2], x[3])}
	}
	return examples
}

// misspelt reports whether the treebank marks the word as misspelt (Typo=Yes,
// which is universal). No rule is learned from such a word.
func (x *example) misspelt() bool { return strings.Contains("|"+x.feats+"|", "|Typo=Yes|") }

// Train learns a model from the distinct triples of form, tags and lemma of a treebank,
// and from the entries of a lexicon.
func Train(sents []syntax.Sentence, lexicon []Entry, casing word.Casing, o sequence.Options) *Model {
	z := &Model{Casing: casing}
	numbers := map[rule]int{}
	number := func(r rule) int {
		if _, ok := numbers[r]; !ok {
			if len(numbers) == sequence.MaxLabels {
				return -1
			}
			numbers[r] = len(z.rules)
			z.rules = append(z.rules, r)
		}
		return numbers[r]
	}
	examples, entries := examplesOf(sents), entryExamples(lexicon)
	uses := newFactCounts() // of rules
	prepare := func(x *example) {
		x.word.Read(x.form, casing)
		form, lemma := []rune(x.form), []rune(x.lemma)
		x.rule = number(ruleFor(form, x.word.Runes, lemma, casing, x.word.Differ || x.word.First == 'X'))
		x.remembered = number(ruleFor(form, x.word.Runes, lemma, casing, false))
		if x.misspelt() {
			x.rule = -1
		}
	}
	single := map[int]bool{} // rules that were seen to cut off a rune that is not half of a pair
	for i := range examples {
		prepare(&examples[i])
		if x := &examples[i]; x.rule >= 0 {
			uses.note(uint64(x.rule), x)
			single[x.rule] = single[x.rule] || !z.rules[x.rule].doubled(x.word.Runes)
		}
	}
	for i := range entries {
		prepare(&entries[i])
	}
	z.regular = make([]uint8, len(z.rules))
	for r, n := range uses.words {
		if n >= regularCut {
			z.regular[r] = isRegular
		}
		if n >= doubledCut && !single[int(r)] {
			z.regular[r] |= undoubles
		}
	}
	z.memorize(examples, entries)
	z.learnScores(append(examples, entries...), uses.words, z.learnFacts(examples, entries, o.Cells > 0), o)
	if o.Cells > 0 {
		z.forget(examples)
	}
	return z
}

// memorize fills the memory with the most frequent rule under each key. Rules of
// the treebank take precedence over rules of entries.
func (z *Model) memorize(examples, entries []example) {
	count := map[[2]uint64]int{} // of key, rule
	note := func(x *example, n int) {
		keys := memoryKeys(x.word.Lower, x.tags)
		for _, key := range keys[len(keys)-x.known:] {
			if x.remembered >= 0 {
				count[[2]uint64{key, uint64(x.remembered)}] += n
			}
		}
	}
	for i := range examples {
		note(&examples[i], examples[i].n*(maxEntries+1))
	}
	for i := range entries {
		note(&entries[i], 1)
	}
	list := slices.SortedFunc(maps.Keys(count), func(a, b [2]uint64) int {
		return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(count[b], count[a]), cmp.Compare(a[1], b[1]))
	})
	list = slices.CompactFunc(list, func(a, b [2]uint64) bool { return a[0] == b[0] })
	keys, rules := make([]hash.Key, len(list)), make([]uint16, len(list))
	for i, x := range list {
		keys[i], rules[i] = x[0], uint16(x[1])
	}
	z.memory = hash.NewMap(keys, rules, false)
}

// forget makes the memory small. Of the treebank's forms, the memory keeps
// frequent ones and those whose lemma the rules do not find, by UPOS, and by all tags where that is another
// lemma.
func (z *Model) forget(examples []example) {
	full := z.memory
	z.memory = hash.Map[uint16]{}
	var sc Scratch
	kept := map[hash.Key]uint16{}
	for i := range examples {
		x := &examples[i]
		keys := memoryKeys(x.word.Lower, x.tags)
		if x.n < oftenForm && z.Lemma(&sc, x.form, &x.word, x.tags) == x.lemma {
			continue
		}
		rule, found := full.Find(keys[2])
		if found {
			kept[keys[2]] = rule
		}
		if r, ok := full.Find(keys[0]); ok && (!found || r != rule) {
			kept[keys[0]] = r
		}
	}
	list := slices.Sorted(maps.Keys(kept))
	rules := make([]uint16, len(list))
	for i, key := range list {
		rules[i] = kept[key]
	}
	z.memory = hash.NewMap(list, rules, true)
}

// factCounts count the different words, pairs of a form in lower case and a
// lemma, that support each fact.
type factCounts struct {
	words map[uint64]int
	known map[evidence]bool
}

type evidence struct {
	fact         uint64
	lower, lemma string
}

func newFactCounts() factCounts { return factCounts{map[uint64]int{}, map[evidence]bool{}} }

func (t factCounts) note(fact uint64, x *example) {
	if e := (evidence{fact, string(x.word.Runes), x.lemma}); !t.known[e] {
		t.known[e] = true
		t.words[fact]++
	}
}

// learnFacts stores the lemmas, of entries as well, prefixes, and what each rule
// changed. It returns how many words each fact was seen in.
func (z *Model) learnFacts(examples, entries []example, small bool) map[hash.Key]int {
	seen := newFactCounts()
	lemmas := map[[2]string]bool{} // UPOS, lemma
	note := func(x *example) {
		lemmas[[2]string{x.upos, x.lemma}] = true
		h := hash.String(x.lemma)
		seen.note(hash.Key2(keyLemma, h, x.tags.upos), x)
		seen.note(hash.Key1(keyAnyLemma, h), x)
	}
	for i := range entries {
		note(&entries[i])
	}
	for i := range examples {
		x := &examples[i]
		note(x)
		if x.rule < 0 || !z.rules[x.rule].learnable() {
			continue
		}
		rule, r := &z.rules[x.rule], uint16(x.rule)
		if rule.cutPrefix > 0 || rule.addPrefix != "" {
			seen.note(frontKey(r, x.word.Runes[:rule.cutPrefix]), x)
		}
		if end := z.endKey(r, x.word.Runes); end != 0 {
			seen.note(end, x)
		}
	}
	for _, key := range prefixKeys(lemmas) {
		seen.words[key] = prefixCut
	}
	z.facts, _ = hash.NewSet(slices.Sorted(maps.Keys(seen.words)), small)
	return seen.words
}

// prefixKeys returns the facts of prefixes: what precedes a lemma of the same
// UPOS in prefixCut lemmas or more.
func prefixKeys(lemmas map[[2]string]bool) []hash.Key {
	count := map[hash.Key]int{}
	for l := range lemmas {
		runes := []rune(l[1])
		if hasDigit(runes) {
			continue
		}
		for k := minPrefix; k < min(len(runes)-minBase+1, maxPrefix); k++ { // what prefixed looks at
			if lemmas[[2]string{l[0], string(runes[k:])}] {
				count[hash.Key2(keyPrefix, hash.Runes(runes[:k]), hash.String(l[0]))]++
			}
		}
	}
	maps.DeleteFunc(count, func(_ hash.Key, n int) bool { return n < prefixCut })
	return slices.Collect(maps.Keys(count))
}

// learnScores learns the layer from the examples whose rule was seen in ruleCut
// words: which of the rules that are allowed makes the lemma. The signs of an
// example are computed as if the treebank did not have it.
func (z *Model) learnScores(examples []example, uses map[uint64]int, seen map[hash.Key]int, o sequence.Options) {
	labels := &sequence.Labels{Start: []uint32{0}}
	p := sequence.New(labels)
	edits := map[rule]int{} // rules without their modes
	for r := range z.rules {
		if n := uses[uint64(r)]; (n >= ruleCut || n > 0 && len(z.rules) == 1) && z.rules[r].learnable() {
			edit := z.rules[r]
			edit.mode = 0
			if _, ok := edits[edit]; !ok {
				edits[edit] = ruleModes + len(edits)
			}
			z.scored = append(z.scored, uint16(r))
			labels.Add(uint16(z.rules[r].mode), uint16(edits[edit]))
		}
	}
	labels.N = ruleModes + len(edits)
	var sc Scratch
	var keys []hash.Key
	for i := range examples {
		x := &examples[i]
		label, scored := slices.BinarySearch(z.scored, uint16(x.rule))
		if x.rule < 0 || !scored {
			continue
		}
		var all int
		if keys, all = keysOf(keys[:0], &x.word, x.tags); x.known < 3 {
			keys = keys[:all]
		}
		sc.form = append(sc.form[:0], []rune(x.form)...)
		var allowed []uint16
		for l, r := range z.scored {
			gold := int(r) == x.rule
			if !gold && !z.allows(r, &x.word) || !z.apply(&sc, r, x.word.Runes) {
				continue
			}
			right, end := string(sc.lemma) == x.lemma, z.endKey(r, x.word.Runes)
			has := func(fact hash.Key) bool {
				own := 0
				if right && x.known < 3 && fact != end {
					return false // the other forms of an entry's lemma are entries, too: as if none of them were
				}
				if fact == end && gold || fact != end && right {
					own = 1
				}
				return seen[fact] > own
			}
			if s := z.signs(r, x.word.Runes, sc.lemma, x.tags, has); s != 0 {
				keys = append(keys, signsKey(l, s, x.tags))
			}
			allowed = append(allowed, uint16(l))
		}
		p.Add(keys, allowed, uint16(label))
		p.EndSequence(1)
	}
	z.layer = p.Learn("lemma", lemmaEpochs, 4, o)
}

// entryExamples returns the entries that have a lemma as words of a treebank.
func entryExamples(entries []Entry) []example {
	var list []example
	for _, e := range entries {
		if e.Lemma == "" {
			continue
		}
		x := example{form: word.Plain(e.Form), upos: e.UPOS, feats: e.Feats, lemma: e.Lemma, n: 1, known: 1,
			tags: TagsOf(e.UPOS, e.XPOS, e.Feats)}
		if e.XPOS != "" {
			x.known = 2
			if e.Feats != "" {
				x.known = 3
			}
		}
		list = append(list, x)
	}
	return list
}
