package train

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"

	"github.com/treebeam/treebeam/model"
	"github.com/treebeam/treebeam/parser/hash"
	"github.com/treebeam/treebeam/parser/syntax"
)

// MaxSilverWeight is the largest Options.SilverWeight.
const MaxSilverWeight = 100

// leastSilverWeight is the least weight of a silver sentence: 0 would mean
// gold.
const leastSilverWeight = 1e-9

// Limits of silver sentences.
const (
	minSilver           = 3   // words
	maxSilver           = 200 // words
	minSilverConfidence = 0.5 // mean over words
)

// A Sampler selects sentences to learn from among those of silver files, which a parser
// has parsed. If there are more words than wanted, it draws sentences by a hash of
// their forms; in the same way it draws the sentences that keep their trees. It holds
// at most about twice the wanted number of words. It is not safe for concurrent use.
type Sampler struct {
	words int // to keep
	trees int // of them, words that keep their heads and relations
	kept  int
	limit uint64          // hashes from limit on are not drawn
	seen  map[uint64]bool // hashes of the forms of the sentences in train, dev and list
	rels  map[string]bool // of gold
	gold  *trigrams
	list  []sampled
	left  map[string]int // sentences left out, by reason
}

type sampled struct {
	file int
	hash uint64
	s    syntax.Sentence
}

// NewSampler returns a Sampler that keeps sentences of at most trees words with their
// trees, and further sentences of at most tags words without trees, from which only the
// tagger learns. It leaves out sentences of train and dev, and sentences with relations
// that train lacks, with low confidence, or with too many unknown letter trigrams,
// among others (String).
func NewSampler(train, dev Treebank, trees, tags int) *Sampler {
	const all = math.MaxInt / 4 // twice the sum of two is a number
	trees, tags = min(trees, all), min(tags, all)
	known := train.All()
	x := &Sampler{words: trees + tags, trees: trees, limit: math.MaxUint64, seen: map[uint64]bool{}, rels: map[string]bool{},
		left: map[string]int{},
		gold: newTrigrams(known, dev.Sentences)}
	for _, list := range [][]syntax.Sentence{known, dev.Sentences} {
		for i := range list {
			x.seen[formsHash(&list[i])] = true
		}
	}
	for w := range syntax.Words(known) {
		x.rels[w.Deprel] = true
	}
	delete(x.rels, "") // partial trees may have open relations, silver trees may not
	return x
}

func formsHash(s *syntax.Sentence) uint64 {
	h := uint64(0x51)
	for i := range s.Words {
		h = hash.Pair(h, hash.String(s.Words[i].Form))
	}
	return h
}

// Add offers a sentence with tags and a tree, from the file with that number. The mean
// of syntax.HeadConfKey in MISC becomes the Weight of the sentence; without it the
// Weight is 1.
func (x *Sampler) Add(file int, s *syntax.Sentence) {
	h := formsHash(s)
	confidence := meanConfidence(s)
	reason := ""
	switch {
	case s.Len() < minSilver:
		reason = fmt.Sprintf("under %d words", minSilver)
	case s.Len() > maxSilver:
		reason = fmt.Sprintf("over %d words", maxSilver)
	case syntax.CheckTree(s.Words) != nil:
		reason = "no tree with one root"
	case slices.ContainsFunc(s.Words, func(w syntax.Word) bool { return w.UPOS == "" }):
		reason = "no UPOS"
	case slices.ContainsFunc(s.Words, func(w syntax.Word) bool { return !x.rels[w.Deprel] }):
		reason = "relations that the treebank does not have"
	case confidence < minSilverConfidence:
		reason = "low confidence"
	case x.gold.foreign(s):
		reason = "letters of another language"
	case h >= x.limit:
		reason = "not drawn"
	case x.seen[h]:
		reason = "seen before"
	}
	if reason != "" {
		x.left[reason]++
		return
	}
	x.seen[h] = true
	one := syntax.Sentence{ID: s.ID, Words: slices.Clone(s.Words), MWTs: s.MWTs, Weight: confidence}
	for i := range one.Words {
		one.Words[i].Misc, one.Words[i].Deps = "", ""
	}
	x.list = append(x.list, sampled{file, h, one})
	if x.kept += s.Len(); x.kept > 2*x.words {
		x.cut()
	}
}

// meanConfidence returns the mean HeadConf of the words that have one, or 1 if
// none has one.
func meanConfidence(s *syntax.Sentence) float32 {
	sum, n := 0.0, 0
	for i := range s.Words {
		value, _ := syntax.Value(s.Words[i].Misc, syntax.HeadConfKey)
		if p, err := strconv.ParseFloat(value, 64); err == nil && p >= 0 && p <= 1 {
			sum += p
			n++
		}
	}
	if n == 0 {
		return 1
	}
	return float32(sum / float64(n))
}

// cut keeps the sentences with the lowest hashes, and no more than the words
// wanted. The first hash that does not fit is the limit for all later
// sentences, since lower hashes can only be added.
func (x *Sampler) cut() {
	if x.kept <= x.words {
		return
	}
	x.sort()
	x.kept = 0
	for i := range x.list {
		if x.kept += x.list[i].s.Len(); x.kept > x.words {
			x.kept -= x.list[i].s.Len()
			x.left["not drawn"] += len(x.list) - i
			x.limit = x.list[i].hash
			for _, dropped := range x.list[i:] {
				delete(x.seen, dropped.hash)
			}
			clear(x.list[i:])
			x.list = x.list[:i]
			break
		}
	}
}

func (x *Sampler) sort() {
	slices.SortStableFunc(x.list, func(a, b sampled) int { return cmp.Compare(a.hash, b.hash) })
}

// Sentences returns the kept sentences of each file, in the order of their hashes. If
// not all may keep their trees, those with the highest hashes lose them. So the
// sentences with trees are the same as if tags were 0.
func (x *Sampler) Sentences(files int) [][]syntax.Sentence {
	x.cut()
	if x.kept > x.trees {
		x.sort()
	}
	words := 0
	for i := range x.list {
		s := &x.list[i].s
		if words += s.Len(); words > x.trees {
			for k := range s.Words {
				s.Words[k].Head, s.Words[k].Deprel = syntax.NoHead, ""
			}
		}
	}
	out := make([][]syntax.Sentence, files)
	for i := range x.list {
		out[x.list[i].file] = append(out[x.list[i].file], x.list[i].s)
	}
	return out
}

// Words returns the number of words in the kept sentences.
func (x *Sampler) Words() int {
	x.cut()
	return x.kept
}

// onlyTags reports whether only the tagger learns from a silver sentence, which has no
// tree.
func onlyTags(s *syntax.Sentence) bool { return !s.Gold() && s.Partial() }

// bareWords counts the words of sentences from which only the tagger learns.
func bareWords(list []syntax.Sentence) (n int) {
	for i := range list {
		if onlyTags(&list[i]) {
			n += list[i].Len()
		}
	}
	return n
}

// String says how many words were kept, and how many sentences were left out for which
// reason.
func (x *Sampler) String() string {
	x.cut()
	text := fmt.Sprintf("silver sentences: %d, words: %d", len(x.list), x.kept)
	for _, reason := range slices.Sorted(maps.Keys(x.left)) {
		text += fmt.Sprintf("; %d left out: %s", x.left[reason], reason)
	}
	return text
}

// mixed returns gold with the sentences of further files, and the silver ones,
// interleaved evenly with the treebank's own, so that every fold has as much of
// each.
func (t *trainer) mixed(gold dataset) dataset {
	if len(t.train.More)+len(t.Silver) == 0 {
		return gold
	}
	var others [][]syntax.Sentence
	keys := []string{"silver 2", gold.key, fmt.Sprint(t.SilverWeight, max(t.Repeat, 1))}
	for _, file := range t.train.More {
		list := shuffled(file.Sentences)
		for range max(t.Repeat, 1) {
			others = append(others, list)
		}
	}
	var silver []syntax.Sentence
	for _, file := range t.Silver {
		keys = append(keys, drawnFrom(file)...)
		silver = append(silver, file.Sentences...)
	}
	silver = shuffled(silver)
	for i := range silver {
		silver[i].Weight = max(silver[i].Weight*float32(t.SilverWeight), leastSilverWeight)
	}
	return dataset{interleave(t.train.Sentences, append(others, silver)), gold.dev, hashKey(keys...)}
}

// drawnFrom says what was drawn from a silver file.
func drawnFrom(file Treebank) []string {
	keys := []string{file.SHA256, fmt.Sprint(len(file.Sentences), syntax.CountWords(file.Sentences))}
	if n := bareWords(file.Sentences); n > 0 {
		keys = append(keys, fmt.Sprint("tags ", n))
	}
	return keys
}

// silverOf is the provenance of silver files.
func silverOf(files []Treebank) (list []model.Data) {
	for _, s := range files {
		list = append(list, s.Data())
	}
	return list
}

// withTrees returns gold with the silver sentences that have trees.
func (t *trainer) withTrees(gold dataset) dataset {
	list, keys := slices.Clone(gold.train), []string{"trees", gold.key}
	for _, file := range t.Silver {
		keys = append(keys, drawnFrom(file)...)
		for _, s := range file.Sentences {
			if !onlyTags(&s) {
				list = append(list, s)
			}
		}
	}
	return dataset{list, gold.dev, hashKey(keys...)}
}

// shuffled returns the sentences in another order, which depends on their number
// alone.
func shuffled(list []syntax.Sentence) []syntax.Sentence {
	out := make([]syntax.Sentence, len(list))
	for i, at := range hash.Shuffled(len(list), 0x51) {
		out[i] = list[at]
	}
	return out
}

// interleave returns list with the sentences of the others evenly between its
// own, each list in its own order. Sentences of equal lists stand together.
func interleave(list []syntax.Sentence, others [][]syntax.Sentence) []syntax.Sentence {
	var out []syntax.Sentence
	from := make([]int, len(others))
	for i := range list {
		out = append(out, list[i])
		due := func(k int) int { return len(others[k]) * (i + 1) / len(list) }
		for left := true; left; {
			left = false
			for k, other := range others {
				if from[k] < due(k) {
					out = append(out, other[from[k]])
					from[k]++
					left = true
				}
			}
		}
	}
	return out
}
