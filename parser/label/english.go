package label

import (
	"slices"
	"strings"

	"github.com/treebeam/treebeam/parser/syntax"
	"github.com/treebeam/treebeam/parser/word"
)

// What English has almost without exception, beside the rules of all languages: in the
// training part of UD English-EWT the rules of relations have 8 exceptions in 204,577
// words, names and typing errors among them. All that is said about English is in this
// file. Only models of English obey it.
//
//   - nsubj:pass: its head is a past participle, or has a form of be or get.
//   - nsubj:outer: a verb has one only with a form of be.
//   - obl, xcomp, iobj: behind a verb of giving and a noun or pronoun, another noun
//     without a preposition is the thing that is given, obj, unless it is a time, a measure
//     or a manner.
//   - Between a verb of giving and its object, a noun before an adjective of the object is
//     no part of the object: gave [the baby] [new shoes].
//   - case: only a genitive marks an object.
//   - Behind do and the modal verbs comes a verb (VerbBehind).

// english is the code of the language.
const english = syntax.English

// giving lists the lemmas of verbs with two objects. Verbs that also call somebody
// something, such as make and find, are not among them.
var giving = wordsOf(`allot allow ask assign award bake bring buy cable cause charge cook cost deny draw e-mail email fax
	feed fetch forward give grant guarantee hand knit leave lend loan mail offer order owe pass pay
	permit pour promise quote read refuse save sell send serve show spare supply teach tell text throw
	toss wish write`)

// unmarked lists the lemmas of nouns that modify a verb without a preposition.
var unmarked = wordsOf(`year time day week today bit night way month lot tomorrow yesterday morning hour minute couple
	tonight evening weekend afternoon summer winter spring autumn fall decade century notch matter hand life second while
	degree mile kilometre kilometer metre meter inch foot yard cm pound percent once twice everyday someday semester term
	season midnight noon midday a.m. p.m. am pm dozen half home back head first last one fashion style direction distance
	monday tuesday wednesday thursday friday saturday sunday january february march april may june july august september
	october november december mon tue tues wed thu thur thurs fri sat sun jan feb mar apr jun jul aug sep sept oct nov dec
	christmas easter thanksgiving halloween moment quarter age instant mid-january tommorow tommorrow fedex ups`)

// auxiliaries lists the forms behind which a verb comes.
var auxiliaries = wordsOf("do does did will would can could should may might must shall wo ca")

// ellipsis lists the words before an auxiliary that stands for a verb: so does she.
var ellipsis = wordsOf("so as than nor neither like")

func wordsOf(list string) map[string]bool {
	set := map[string]bool{}
	for w := range strings.FieldsSeq(list) {
		set[w] = true
	}
	return set
}

// Relations that a word may not have in English.
const (
	barPassive = 1 << iota
	barOuter
	barUnmarked
	barComplement
	barRecipient // all relations
	barAll       = 1<<iota - 1
)

var barred = map[string]uint8{
	"nsubj:pass": barPassive, "csubj:pass": barPassive, "nsubj:outer": barOuter,
	"obl": barUnmarked, "obl:unmarked": barUnmarked, "iobj": barUnmarked, "xcomp": barComplement,
}

// addEnglish adds the rules of English.
func (r *rules) addEnglish(names []string) {
	for l, name := range names {
		r.bar[l] = barred[name] | barRecipient
		if base := syntax.Universal(name); base == "obj" || base == "iobj" {
			r.object.add(l)
			r.bound[l] = true
			for k, modifier := range names {
				if syntax.Universal(modifier) == "case" {
					r.under[l].add(k)
				}
			}
		}
	}
}

// bars returns which of the wanted bars hold for word m.
func (c *chart) bars(words []syntax.Word, m int32, want uint8) (bars uint8) {
	h := c.head[m]
	if h == 0 {
		return 0
	}
	w, head := &words[m-1], &words[h-1]
	if want&barRecipient != 0 && c.isRecipient(words, m) {
		bars |= barRecipient
	}
	if want&barPassive != 0 && head.XPOS != "" && head.XPOS != "VBN" && !c.has(words, h, "be") && !c.has(words, h, "get") {
		bars |= barPassive
	}
	if want&barOuter != 0 && head.UPOS == "VERB" && !c.has(words, h, "be") {
		bars |= barOuter
	}
	if want&(barUnmarked|barComplement) == 0 || !c.isGiven(words, m) {
		return bars
	}
	if w.UPOS != "PRON" && !unmarked[strings.ToLower(w.Lemma)] {
		bars |= barUnmarked
	}
	if head.Lemma != "leave" && !c.has(words, m, "be") {
		bars |= barComplement
	}
	return bars & want
}

// isGiven reports whether word m is a noun or pronoun behind another one, neither with a
// preposition, and both behind their head, a verb of giving.
func (c *chart) isGiven(words []syntax.Word, m int32) bool {
	h := c.head[m]
	head := &words[h-1]
	if h > m || head.UPOS != "VERB" || !giving[strings.ToLower(head.Lemma)] || !c.isBare(m) {
		return false
	}
	for k := range c.children(h) {
		if h < k && k < m && c.isBare(k) {
			return true
		}
	}
	return false
}

// isRecipient reports whether word m, before its head, must depend on the verb of giving
// before both.
func (c *chart) isRecipient(words []syntax.Word, m int32) bool {
	h := c.head[m]
	v := c.head[h]
	if c.tree.nodes[m].Coarse != word.NOUN || c.tree.nodes[h].Coarse != word.NOUN || m > h || v == 0 || v > m ||
		words[v-1].UPOS != "VERB" || !giving[strings.ToLower(words[v-1].Lemma)] || !c.isBare(m) {
		return false
	}
	for k := range c.children(m) {
		if c.tree.nodes[k].Coarse == word.PART { // a genitive
			return false
		}
	}
	for k := range c.children(v) {
		if v < k && k < m && c.isBare(k) { // there is a recipient
			return false
		}
	}
	for k := range c.children(h) {
		if m < k && k < h && c.tree.nodes[k].Coarse == word.ADJ {
			return true
		}
	}
	return false
}

// has reports whether an auxiliary with that lemma is below word m.
func (c *chart) has(words []syntax.Word, m int32, lemma string) bool {
	for k := range c.children(m) {
		if words[k-1].UPOS == "AUX" && words[k-1].Lemma == lemma {
			return true
		}
	}
	return false
}

// isBare reports whether word m is a noun or pronoun without a preposition below it.
func (c *chart) isBare(m int32) bool {
	switch c.tree.nodes[m].Coarse {
	case word.NOUN, word.PROPN, word.PRON:
	default:
		return false
	}
	for k := range c.children(m) {
		switch c.tree.nodes[k].Coarse {
		case word.ADP, word.SCONJ:
			return false
		case word.ADV, word.VERB: // instead of, according to
			for x := range c.children(k) {
				if k < m && c.tree.nodes[x].Coarse == word.ADP {
					return false
				}
			}
		}
	}
	return true
}

// VerbBehind returns the words, from 0 and half open, one of which must be a verb: they
// are behind an auxiliary that needs one, up to a preposition, a punctuation mark or a
// conjunction, and neither they nor the rest of the sentence have one. ok is false if
// nothing is amiss. The words must have UPOS. VerbBehind is about English.
func VerbBehind(words []syntax.Word) (from, to int, ok bool) {
	last := -1 // the last auxiliary that needs a verb
	for i := len(words) - 1; i >= 0 && last < 0; i-- {
		switch words[i].UPOS {
		case "VERB":
			return 0, 0, false
		case "AUX":
			if !auxiliaries[strings.ToLower(words[i].Form)] || i > 0 && ellipsis[strings.ToLower(words[i-1].Form)] {
				return 0, 0, false
			}
			last = i
		}
	}
	if last < 0 {
		return 0, 0, false
	}
	to = last + 1
	for to < len(words) && !slices.Contains([]string{"ADP", "PUNCT", "CCONJ", "SCONJ", "SYM"}, words[to].UPOS) {
		to++
	}
	return last + 1, to, to > last+1
}
