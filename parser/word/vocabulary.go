package word

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/treebeam/treebeam/parser/graph"
	"github.com/treebeam/treebeam/parser/hash"
	"github.com/treebeam/treebeam/parser/pack"
	"github.com/treebeam/treebeam/parser/syntax"
)

const (
	minFineCount  = 8   // least words of a fine tag
	maxFineXPOS   = 128 // most fine tags if XPOS is a part of them
	maxFineAttrs  = 6
	minFineGain   = 0.004 // least reduction of entropy by an attribute, in nats
	maxAttributes = 200   // most attributes to try
)

// FineTags is the number of ids of fine tags. The first CoarseTags ids are the coarse
// tags, for words whose fine tag is too rare to have an id.
const FineTags = 256

// A Vocabulary is what the words of a treebank teach: known forms and lemmas, which
// occur at least twice, fine tags, and the Casing. It is the component "word" of a
// model, read-only and safe for concurrent use.
//
// The code of a known word is its Hash. All numbers share one code. The codes of all
// other words depend only on their last two letters and Signs, so the features of
// rare words are trained on words that occur once.
type Vocabulary struct {
	casing Casing
	words  hash.Set
	xpos   bool            // XPOS is part of the fine tag
	attrs  []string        // and so are these attributes of FEATS, with their '='
	tags   hash.Map[uint8] // ids of fine tags

	bare bool // words count by their Signs alone
}

// WithCasing returns a Vocabulary that differs from v only in its Casing.
func (v *Vocabulary) WithCasing(c Casing) *Vocabulary {
	w := *v
	w.casing = c
	return &w
}

// Bare returns a Vocabulary of many languages at once. It has the fine tags of v and no
// words: a form or a lemma with a letter or a digit counts by its Signs, and any other
// form, such as a comma, by itself.
func (v *Vocabulary) Bare() *Vocabulary {
	w := *v
	w.words, w.bare = hash.Set{}, true
	return &w
}

// Casing returns the casing of the treebank's language.
func (v *Vocabulary) Casing() Casing { return v.casing }

// Learn builds the Vocabulary of a treebank. The fine tag is UPOS with XPOS where XPOS
// refines it, and with those FEATS attributes that most lower the conditional entropy
// of a word's deprel and head direction, as long as at most 256 values remain. The
// result does not depend on the order of the sentences. From silver sentences it learns
// only forms and lemmas.
func Learn(train []syntax.Sentence) *Vocabulary {
	gold := syntax.Gold(train)
	v := &Vocabulary{casing: LearnCasing(gold)}
	count := make(map[uint64]int)
	for w := range syntax.Words(train) {
		form, lemma := Plain(w.Form), Plain(w.Lemma)
		count[hash.String(form)]++
		if lemma != form {
			count[hash.String(lemma)]++
		}
	}
	v.words, _ = hash.NewSet(commonest(count, 2, len(count)), false)
	v.learnTags(kindsOf(gold))
	return v
}

// commonest returns, sorted, the limit keys with the largest counts. Counts below
// least are left out.
func commonest[K cmp.Ordered](count map[K]int, least, limit int) []K {
	maps.DeleteFunc(count, func(_ K, n int) bool { return n < least })
	list := syntax.ByCount(count)
	list = list[:min(len(list), limit)]
	slices.Sort(list)
	return list
}

// A kind has all properties of a word on which the choice of fine tags depends. Words
// of a kind are counted, and looked at once.
type kind struct {
	upos, xpos, feats string
	arc               uint64 // deprel and direction of the head
}

func kindsOf(train []syntax.Sentence) map[kind]int {
	kinds := make(map[kind]int)
	for i := range train {
		for j := range train[i].Words {
			w := &train[i].Words[j]
			kinds[kind{w.UPOS, w.XPOS, w.Feats, hash.Pair(hash.String(w.Deprel), Direction(int(w.Head), j+1))}]++
		}
	}
	return kinds
}

// tagHash is the identity of a fine tag, given the hash of its attributes.
func (v *Vocabulary) tagHash(upos, xpos string, attrs uint64) uint64 {
	h := hash.Pair(hash.String(upos), attrs)
	if v.xpos {
		h = hash.Pair(h, hash.String(xpos))
	}
	return h
}

// attrHash hashes the values of the attributes in the fine tag.
func (v *Vocabulary) attrHash(feats string) uint64 {
	h := uint64(0)
	for _, a := range v.attrs {
		value := ""
		for item := range items(feats) {
			if rest, found := strings.CutPrefix(item, a); found {
				value = rest
				break
			}
		}
		h = hash.Pair(h, hash.String(value))
	}
	return h
}

func (v *Vocabulary) learnTags(kinds map[kind]int) {
	names := attributeNames(kinds)
	plain := len(v.frequent(kinds))
	v.xpos = true
	refined := len(v.frequent(kinds))
	v.xpos = refined > plain && refined <= maxFineXPOS
	best := v.entropy(kinds)
	for len(v.attrs) < maxFineAttrs {
		gain, pick := minFineGain, ""
		for _, a := range names {
			if slices.Contains(v.attrs, a) {
				continue
			}
			v.attrs = append(v.attrs, a)
			if g := best - v.entropy(kinds); g > gain && len(v.frequent(kinds)) <= FineTags-CoarseTags {
				gain, pick = g, a
			}
			v.attrs = v.attrs[:len(v.attrs)-1]
		}
		if pick == "" {
			break
		}
		v.attrs = append(v.attrs, pick)
		best -= gain
	}
	fine := commonest(v.frequent(kinds), 1, FineTags-CoarseTags)
	ids := make([]uint8, len(fine))
	for i := range ids {
		ids[i] = uint8(CoarseTags + i)
	}
	v.tags = hash.NewMap(fine, ids, false)
}

// frequent counts the words of every fine tag that is frequent enough.
func (v *Vocabulary) frequent(kinds map[kind]int) map[uint64]int {
	count := make(map[uint64]int)
	for k, n := range kinds {
		count[v.tagHash(k.upos, k.xpos, v.attrHash(k.feats))] += n
	}
	maps.DeleteFunc(count, func(_ uint64, n int) bool { return n < minFineCount })
	return count
}

// entropy returns H(deprel and direction | fine tag) in nats. A rare tag counts as its
// coarse tag.
func (v *Vocabulary) entropy(kinds map[kind]int) float64 {
	frequent := v.frequent(kinds)
	joint, tags := make(map[[2]uint64]int), make(map[uint64]int)
	total := 0
	for k, n := range kinds {
		tag := v.tagHash(k.upos, k.xpos, v.attrHash(k.feats))
		if frequent[tag] == 0 {
			tag = uint64(Coarse(k.upos))
		}
		joint[[2]uint64{tag, k.arc}] += n
		tags[tag] += n
		total += n
	}
	return (sumOfLogs(tags) - sumOfLogs(joint)) / float64(max(total, 1))
}

// sumOfLogs returns the sum of n log n over the counts, in a fixed order.
func sumOfLogs[K comparable](count map[K]int) (sum float64) {
	for _, n := range slices.Sorted(maps.Values(count)) {
		sum += float64(float64(n) * graph.Log(float64(n)))
	}
	return sum
}

// attributeNames returns, sorted, the names in FEATS with their '='. If there are too
// many, it returns the commonest.
func attributeNames(kinds map[kind]int) []string {
	count := make(map[string]int)
	for k, n := range kinds {
		for item := range items(k.feats) {
			if at := strings.IndexByte(item, '='); at > 0 {
				count[item[:at+1]] += n
			}
		}
	}
	return commonest(count, 1, maxAttributes)
}

func (v *Vocabulary) layout(l *pack.Layout) {
	l.Bool("casing", (*bool)(&v.casing))
	v.words.Layout(l, "words")
	l.Bool("xpos", &v.xpos)
	l.Strings("attributes", &v.attrs)
	v.tags.Layout(l, "tags", "ids")
	if v.bare {
		l.Bool("bare", &v.bare)
	}
	l.Check("attributes", len(v.attrs) <= maxFineAttrs, "has too many")
}

// Pack stores the Vocabulary in s.
func (v *Vocabulary) Pack(s *pack.Sub) { pack.Write(s, v.layout) }

// Open is the inverse of Pack.
func Open(w *pack.View, component string) (*Vocabulary, error) {
	v := &Vocabulary{bare: w.Has(component, "bare")}
	return v, pack.Read(w, component, v.layout)
}
