package segment

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/treebeam/treebeam/parser/hash"
	"github.com/treebeam/treebeam/parser/linear"
	"github.com/treebeam/treebeam/parser/syntax"
)

// Options are the options of Train. The zero value means the defaults.
type Options struct {
	Seed    uint64
	Workers int                           // classifiers trained at a time; the result does not depend on it
	Log     func(format string, a ...any) // nil: silent

	// Abbreviations are forms with a period that belongs to them. From those that occur
	// in the treebank, the classifiers learn how to treat the others.
	Abbreviations []string

	// Begins returns log-odds from an encoder that has not seen dev; nil: none. They
	// are used if many words of train are hidden (syntax.HidesWords) and if they help
	// on dev. Segment then needs them too (Model.UsesBegins).
	Begins Begins

	// Small makes a model with coarser weights, of about a third of the size.
	Small bool
}

func (o *Options) log(format string, a ...any) {
	if o.Log != nil {
		o.Log(format, a...)
	}
}

// unit is a packed weight of 1, that is one nat of log-odds.
const unit = 512

// Train learns a segmenter from the sentences of a treebank. It rebuilds their raw text
// from SpaceAfter, "# newpar" and "# newdoc". It tunes the threshold for sentence ends
// on dev, if dev is not empty. The result is the same for any number of workers.
func Train(train, dev []syntax.Sentence, o Options) (*Model, error) {
	all := paragraphs(train)
	if len(all) == 0 {
		return nil, errors.New("segmenter: the training treebank has no tokens")
	}
	m := &Model{split: learnSplits(all)}
	counts := map[uint64]occurrences{}
	plain := make([]*goldBlock, len(all))
	for i, p := range all {
		plain[i] = newGoldBlock(p)
		plain[i].count(counts)
	}
	for _, form := range o.Abbreviations {
		word := hash.Runes(normalRunes(form))
		c := counts[word]
		c.short = true
		counts[word] = c
	}
	for _, b := range plain {
		b.recall(counts)
	}
	copies, weight := augment(all, o.Seed)
	both := slices.Clone(plain)
	for _, p := range copies {
		b := newGoldBlock(p).recall(counts)
		b.weight = weight
		both = append(both, b)
	}
	m.learnPairs(plain)
	if o.Begins != nil && len(dev) > 0 && syntax.HidesWords(train) {
		o.Begins, m.spaces = remembered(o.Begins), manySpaces(all)
	} else {
		o.Begins = nil
	}
	m.lexicon.counts = counts
	typography := withTypography(all, o.Abbreviations, o.Seed)
	tasks := []struct {
		name string
		linear.Logistic
	}{
		{"sentence", linear.Logistic{Examples: sentenceExamples(both), Epochs: 8, Rate: 0.1, Least: 2, Floor: 0.05}},
		{"token", linear.Logistic{Examples: tokenExamples(plain, typography, counts), Epochs: 10, Rate: 0.4, Least: 1, Floor: 0.1}},
		{"split", linear.Logistic{Examples: m.splitExamples(plain), Epochs: 10, Rate: 0.4, Least: 2, Floor: 0.12}},
		{"join", linear.Logistic{Examples: m.joinExamples(plain), Epochs: 10, Rate: 0.4, Least: 1, Floor: 0.1}},
	}
	learned := make([]*linear.Fitted, len(tasks))
	linear.Parallel(len(tasks), o.Workers, func(_, i int) { learned[i] = tasks[i].Fit(o.Seed + uint64(i)) })
	var weights []linear.Features
	for i, f := range learned {
		o.log("segmenter: %s: %d examples, %d features", tasks[i].name, f.Examples, len(f.Keys))
		weights = append(weights, f.Each)
	}
	m.pack(weights, o.Small)
	if o.Small {
		maps.DeleteFunc(counts, func(_ uint64, c occurrences) bool { return c.n < 2 && !c.short })
	}
	words := slices.Sorted(maps.Keys(counts))
	known := make([]uint16, len(words))
	for i, word := range words {
		known[i] = uint16(counts[word].stats())
	}
	m.lexicon = lexicon{stats: hash.NewMap(words, known, o.Small)}
	if o.Begins != nil {
		m.mix(dev, o)
	}
	m.tune(dev, o)
	return m, nil
}

// pack packs the weights of all classifiers.
func (m *Model) pack(weights []linear.Features, small bool) {
	all := func(yield func(hash.Key, []uint16, []float32)) {
		for _, features := range weights {
			features(yield)
		}
	}
	m.weights = *linear.Pack(all, linear.Packing{Unit: unit, Slots: 5.0 / 3, Narrow: small})
}

// learnPairs collects the pairs of tokens that a space joins.
func (m *Model) learnPairs(blocks []*goldBlock) {
	var keys []hash.Key
	for _, b := range blocks {
		for i := range b.pieces {
			if b.open[i] && i+1 < len(b.pieces) {
				keys = append(keys, pairKey(&b.pieces[i], &b.pieces[i+1]))
			}
		}
	}
	m.pairs, _ = hash.NewSet(keys, false)
}

// examples yields the examples of a linear.Logistic.
type examples = func(yield func(keys []hash.Key, positive bool, weight float32))

func sentenceExamples(blocks []*goldBlock) examples {
	return func(yield func([]hash.Key, bool, float32)) {
		var w workspace
		for _, b := range blocks {
			w.sentenceEnds(b.tokens, func(i int, keys []hash.Key) bool {
				yield(keys, b.gold[i].ends, b.weight)
				return b.gold[i].ends
			})
		}
	}
}

// maxTimes bounds the weight of a chunk that was seen often.
const maxTimes = 30

// tokenExamples joins equal chunks that are cut in the same way. From the
// variants it takes the chunks that the blocks do not have.
func tokenExamples(blocks, variants []*goldBlock, counts map[uint64]occurrences) examples {
	type example struct {
		chunk
		ends    []int32 // of its tokens
		times   int
		variant bool
	}
	seen := map[string]*example{}
	var all []*example
	for k, b := range slices.Concat(blocks, variants) {
		piece := 0
		for i, s := range b.layout.chunks {
			e := &example{chunk: newChunk(&b.layout, i)}
			for ; piece < len(b.pieces) && b.pieces[piece].end <= s.end; piece++ {
				e.ends = append(e.ends, b.pieces[piece].end-s.start)
			}
			key := fmt.Sprint(e.before, e.after, e.ends, b.layout.text(s))
			if seen[key] == nil {
				seen[key], all = e, append(all, e)
				e.variant = k >= len(blocks)
			}
			if seen[key].variant == (k >= len(blocks)) {
				seen[key].times++
			}
		}
	}
	return func(yield func([]hash.Key, bool, float32)) {
		var w workspace
		for _, e := range all {
			x := lexicon{counts: counts, without: map[uint64]int32{}}
			last := 0
			for _, end := range e.ends {
				x.without[hash.Runes(e.norm[last:end])]++
				last = int(end)
			}
			w.cuts(&e.chunk, &x, func(g int, keys []hash.Key) int32 {
				_, ends := slices.BinarySearch(e.ends, int32(g))
				yield(keys, ends, float32(min(e.times, maxTimes)))
				if ends {
					return 1
				}
				return 0
			})
		}
	}
}

func (m *Model) joinExamples(blocks []*goldBlock) examples {
	return func(yield func([]hash.Key, bool, float32)) {
		var buf []hash.Key
		for _, b := range blocks {
			for i := range b.pieces {
				if m.mayJoin(b.pieces, i) {
					buf = joinFeatures(buf[:0], b.pieces, i)
					yield(buf, b.open[i], 1)
				}
			}
		}
	}
}
