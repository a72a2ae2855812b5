package feature

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/treebeam/treebeam/parser/pack"
	"github.com/treebeam/treebeam/parser/syntax"
)

// maxFine bounds the fine tags of a treebank; the first CoarseTags ids are
// the coarse tags themselves, the back-off of a fine tag seen too rarely.
const maxFine = 256

// minFineCount is how often training must see a fine tag for it to have an id.
const minFineCount = 8

// Templates is the version of all that a word or an arc of a sentence means to
// the models of this package's users: atoms, templates, the dense tables of the
// pruner, the rows of the tensor. A model keeps the version that it was
// trained with, and is read by that one. Raise it with any change of these; keep
// what the older ones did as long as a model is in use that needs it.
//
//	1  as in models that name no version
//	2  a closing bracket without an opening one, and a depth of brackets that
//	   falls between two words, leave the count of quotes alone
const Templates = 2

// A Vocabulary is what the templates know of a treebank: the forms and
// lemmas seen at least twice, and its fine tags. It is read-only after
// Learn or OpenVocabulary and safe for concurrent use.
type Vocabulary struct {
	templates int // version, 1 to Templates; 0 is 1

	words   []uint32 // open-addressed set of the high halves of hashes, 0 is empty
	useXPOS bool
	attrs   []string // FEATS attributes that are part of the fine tag, with their '='
	tags    []uint32 // open-addressed set of fine tag hashes
	ids     []uint8  // id of the tag in the same slot
}

// Learn builds the Vocabulary of a treebank. The fine tag is UPOS with XPOS
// where XPOS refines it, and with those FEATS attributes that most lower the
// conditional entropy of a word's head direction and deprel, as long as at
// most 256 values remain.
func Learn(train []syntax.Sentence) *Vocabulary {
	v := &Vocabulary{templates: Templates}
	v.learnWords(train)
	v.learnTags(train)
	return v
}

func (v *Vocabulary) learnWords(train []syntax.Sentence) {
	count := make(map[uint32]int)
	for i := range train {
		for j := range train[i].Words {
			w := &train[i].Words[j]
			count[uint32(HashString(w.Form)>>32)]++
			if w.Lemma != w.Form {
				count[uint32(HashString(w.Lemma)>>32)]++
			}
		}
	}
	var kept []uint32
	for h, n := range count {
		if n >= 2 && h != 0 {
			kept = append(kept, h)
		}
	}
	slices.Sort(kept)
	v.words = make([]uint32, slotsFor(len(kept)))
	for _, h := range kept {
		v.words[probe(v.words, h)] = h
	}
}

// slotsFor returns a power of two that keeps the load under two thirds.
func slotsFor(n int) int {
	size := 16
	for size*2 < n*3 {
		size *= 2
	}
	return size
}

// probe returns the slot that holds h, or the empty one where it belongs.
func probe(set []uint32, h uint32) int {
	mask := uint32(len(set) - 1)
	i := (h * 0x9E3779B1) & mask
	for set[i] != 0 && set[i] != h {
		i = (i + 1) & mask
	}
	return int(i)
}

func (v *Vocabulary) known(h uint32) bool {
	return len(v.words) > 0 && h != 0 && v.words[probe(v.words, h)] == h
}

// fineHash is the identity of a word's fine tag.
func (v *Vocabulary) fineHash(w *syntax.Word) uint32 {
	h := HashString(w.UPOS)
	if v.useXPOS {
		h = Combine(h, HashString(w.XPOS))
	}
	for _, a := range v.attrs {
		h = Combine(h, HashString(attribute(w.Feats, a)))
	}
	return uint32(h>>32) | 1
}

// attribute returns the value in feats of an attribute given with its '='.
func attribute(feats, name string) string {
	for rest := feats; rest != ""; {
		var item string
		item, rest, _ = strings.Cut(rest, "|")
		if strings.HasPrefix(item, name) {
			return item[len(name):]
		}
	}
	return ""
}

func (v *Vocabulary) fineOf(w *syntax.Word) uint8 {
	if len(v.tags) > 0 {
		h := v.fineHash(w)
		if i := probe(v.tags, h); v.tags[i] == h {
			return v.ids[i]
		}
	}
	return coarseOf(w.UPOS)
}

func (v *Vocabulary) learnTags(train []syntax.Sentence) {
	names := attributeNames(train)
	distinct := func() int { return len(v.frequentTags(train)) }
	v.useXPOS = true
	withX := distinct()
	v.useXPOS = false
	v.useXPOS = withX > distinct() && withX <= 128
	best := v.entropy(train)
	for len(v.attrs) < 6 {
		gain, pick := 0.004, ""
		for _, a := range names {
			if slices.Contains(v.attrs, a) {
				continue
			}
			v.attrs = append(v.attrs, a)
			if len(v.frequentTags(train)) <= maxFine-CoarseTags {
				if g := best - v.entropy(train); g > gain {
					gain, pick = g, a
				}
			}
			v.attrs = v.attrs[:len(v.attrs)-1]
		}
		if pick == "" {
			break
		}
		v.attrs = append(v.attrs, pick)
		best -= gain
	}
	tags := v.commonest(v.frequentTags(train), train, maxFine-CoarseTags)
	v.tags = make([]uint32, slotsFor(len(tags)))
	v.ids = make([]uint8, len(v.tags))
	for i, h := range tags {
		slot := probe(v.tags, h)
		v.tags[slot], v.ids[slot] = h, uint8(CoarseTags+i)
	}
}

// frequentTags returns the hashes of the fine tags that have an id, sorted.
func (v *Vocabulary) frequentTags(train []syntax.Sentence) []uint32 {
	count := make(map[uint32]int)
	for i := range train {
		for j := range train[i].Words {
			count[v.fineHash(&train[i].Words[j])]++
		}
	}
	var list []uint32
	for h, n := range count {
		if n >= minFineCount {
			list = append(list, h)
		}
	}
	slices.Sort(list)
	return list
}

// commonest returns at most limit of the tags that frequentTags has found in
// train, the commonest, sorted.
func (v *Vocabulary) commonest(tags []uint32, train []syntax.Sentence, limit int) []uint32 {
	if len(tags) <= limit {
		return tags
	}
	count := make(map[uint32]int)
	for i := range train {
		for j := range train[i].Words {
			count[v.fineHash(&train[i].Words[j])]++
		}
	}
	slices.SortFunc(tags, func(a, b uint32) int {
		return cmp.Or(cmp.Compare(count[b], count[a]), cmp.Compare(a, b))
	})
	tags = tags[:limit]
	slices.Sort(tags)
	return tags
}

// entropy returns H(direction of head, deprel | fine tag) in nats, a rare
// tag counted as its coarse one.
func (v *Vocabulary) entropy(train []syntax.Sentence) float64 {
	frequent := v.frequentTags(train)
	type cell struct {
		tag   uint32
		label uint64
	}
	joint := make(map[cell]int)
	tags := make(map[uint32]int)
	total := 0
	for i := range train {
		for j := range train[i].Words {
			w := &train[i].Words[j]
			tag := v.fineHash(w)
			if _, ok := slices.BinarySearch(frequent, tag); !ok {
				tag = uint32(coarseOf(w.UPOS))
			}
			label := HashString(w.Deprel)
			if int(w.Head) > j+1 {
				label++
			}
			joint[cell{tag, label}]++
			tags[tag]++
			total++
		}
	}
	var counts []int
	for _, n := range joint {
		counts = append(counts, n)
	}
	slices.Sort(counts) // a fixed order of summation
	sum := 0.0
	for _, n := range counts {
		sum -= float64(n) * math.Log(float64(n))
	}
	counts = counts[:0]
	for _, n := range tags {
		counts = append(counts, n)
	}
	slices.Sort(counts)
	for _, n := range counts {
		sum += float64(n) * math.Log(float64(n))
	}
	return sum / float64(max(total, 1))
}

// maxAttributes bounds the attributes of FEATS that are tried as a part of the
// fine tag, each in a pass over the treebank.
const maxAttributes = 200

// attributeNames returns the names in FEATS with their '=', the commonest if
// there are too many, sorted.
func attributeNames(train []syntax.Sentence) []string {
	count := make(map[string]int)
	for i := range train {
		for j := range train[i].Words {
			rest := train[i].Words[j].Feats
			for k := 0; rest != "" && k < syntax.MaxFeats; k++ {
				var item string
				item, rest, _ = strings.Cut(rest, "|")
				if k := strings.IndexByte(item, '='); k > 0 {
					count[item[:k+1]]++
				}
			}
		}
	}
	var list []string
	for a := range count {
		list = append(list, a)
	}
	slices.SortFunc(list, func(a, b string) int {
		return cmp.Or(cmp.Compare(count[b], count[a]), cmp.Compare(a, b))
	})
	list = list[:min(len(list), maxAttributes)]
	slices.Sort(list)
	return list
}

// Pack stores the Vocabulary, with the version of the templates.
func (v *Vocabulary) Pack(s *pack.Sub) {
	pack.Put(s, "templates", []uint32{uint32(v.templates)})
	pack.Put(s, "vocabulary.words", v.words)
	pack.Put(s, "vocabulary.tags", v.tags)
	pack.Put(s, "vocabulary.ids", v.ids)
	s.PutStrings("vocabulary.attributes", v.attrs)
	x := []uint8{0}
	if v.useXPOS {
		x[0] = 1
	}
	pack.Put(s, "vocabulary.xpos", x)
}

// OpenVocabulary is the inverse of Pack. It refuses a version of the templates
// that this program does not know; a component without one is of version 1.
func OpenVocabulary(w *pack.View, component string) (*Vocabulary, error) {
	v := &Vocabulary{templates: 1}
	var err error
	if w.Has(component, "templates") {
		version, err := pack.Get[uint32](w, component, "templates")
		if err != nil {
			return nil, err
		}
		if len(version) != 1 {
			return nil, ErrDamaged(component + ".templates")
		}
		if version[0] < 1 || version[0] > Templates {
			return nil, fmt.Errorf("model component %q has templates of version %d, this program knows 1 to %d: use the program that trained it, or train the model again with this one", component, version[0], Templates)
		}
		v.templates = int(version[0])
	}
	if v.words, err = pack.Get[uint32](w, component, "vocabulary.words"); err != nil {
		return nil, err
	}
	if v.tags, err = pack.Get[uint32](w, component, "vocabulary.tags"); err != nil {
		return nil, err
	}
	if v.ids, err = pack.Get[uint8](w, component, "vocabulary.ids"); err != nil {
		return nil, err
	}
	if v.attrs, err = w.GetStrings(component, "vocabulary.attributes"); err != nil {
		return nil, err
	}
	x, err := pack.Get[uint8](w, component, "vocabulary.xpos")
	if err != nil {
		return nil, err
	}
	v.useXPOS = len(x) == 1 && x[0] == 1
	if err := CheckSet(v.words, "vocabulary.words"); err != nil {
		return nil, err
	}
	if err := CheckSet(v.tags, "vocabulary.tags"); err != nil {
		return nil, err
	}
	if len(v.ids) != len(v.tags) {
		return nil, ErrDamaged("vocabulary.ids")
	}
	return v, nil
}
