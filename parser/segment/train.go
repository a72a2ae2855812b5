package segment

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/treebeam/treebeam/parser/graph"
	"github.com/treebeam/treebeam/parser/hash"
	"github.com/treebeam/treebeam/parser/linear"
	"github.com/treebeam/treebeam/parser/syntax"
)

// Options of training. The zero value trains with the defaults.
type Options struct {
	Seed    uint64
	Workers int                           // classifiers trained at a time; the result does not depend on it
	Log     func(format string, a ...any) // nil: silent

	// Abbreviations are forms that end in a period which belongs to them. The
	// classifiers learn from those of the treebank what to expect of others.
	Abbreviations []string
}

func (o *Options) log(format string, a ...any) {
	if o.Log != nil {
		o.Log(format, a...)
	}
}

// unit is a packed weight of 1, that is one nat of log-odds.
const unit = 512

// Train learns a segmenter from the sentences of a treebank, whose raw text
// it rebuilds from SpaceAfter, "# newpar" and "# newdoc". The sentence
// threshold is tuned on dev, if there is any. The result depends on the
// arguments but not on the number of workers.
func Train(train, dev []syntax.Sentence, o Options) (*Model, error) {
	all := paragraphs(train)
	if len(all) == 0 {
		return nil, errors.New("segmenter: the training treebank has no tokens")
	}
	m := &Model{split: learnSplits(all)}
	counts := map[uint64]tally{}
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
	m.lexicon.counts = counts
	tasks := []*task{
		{name: "sentence", examples: sentenceExamples(both), epochs: 8, rate: 0.1, least: 2, floor: 0.05},
		{name: "token", examples: tokenExamples(plain, typed(all, o.Abbreviations, o.Seed), counts), epochs: 10, rate: 0.4, least: 1, floor: 0.1},
		{name: "split", examples: m.splitExamples(plain), epochs: 10, rate: 0.4, least: 2, floor: 0.12},
		{name: "join", examples: m.joinExamples(plain), epochs: 10, rate: 0.4, least: 1, floor: 0.1},
	}
	failed := make([]error, len(tasks))
	linear.Parallel(len(tasks), o.Workers, func(_, i int) { failed[i] = tasks[i].learn(o.Seed + uint64(i)) })
	for _, t := range tasks {
		o.log("segmenter: %s: %d examples, %d features", t.name, t.size, len(t.keys))
	}
	m.pack(tasks)
	words := slices.Sorted(maps.Keys(counts))
	known := make([]uint16, len(words))
	for i, word := range words {
		known[i] = uint16(counts[word].stats())
	}
	m.lexicon = lexicon{stats: newDictionary(words, known)}
	m.tune(dev, tasks, o)
	return m, errors.Join(failed...)
}

// pack packs the weights of all classifiers.
func (m *Model) pack(tasks []*task) {
	m.weights = *linear.Pack(features(tasks), linear.Packing{Unit: unit, Slots: 5.0 / 3})
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
	m.pairs, _ = hash.NewSet(keys)
}

// Examples call yield once per example, with the same ones in the same order
// each time. The keys are valid only during the call.
type examples func(yield func(keys []hash.Key, positive bool, weight float32))

// A task is the training of one classifier.
type task struct {
	name     string
	examples examples
	epochs   int
	rate     float32
	least    int     // rarer features are dropped
	floor    float64 // smaller weights are dropped: most are

	size    int // examples
	keys    []hash.Key
	weights []float32
}

// learn fits the classifier by logistic regression with steps of AdaGrad.
func (t *task) learn(seed uint64) error {
	var index linear.Index
	t.examples(func(keys []hash.Key, _ bool, _ float32) {
		for _, k := range keys {
			index.Count(k)
		}
	})
	index.Cut(t.least)
	var ids []int32
	bounds := []int{0}
	var goals []float32 // weight, negative for negative examples
	t.examples(func(keys []hash.Key, positive bool, weight float32) {
		for _, k := range keys {
			if id := index.ID(k); id >= 0 {
				ids = append(ids, id)
			}
		}
		if !positive {
			weight = -weight
		}
		bounds, goals = append(bounds, len(ids)), append(goals, weight)
	})
	w := linear.NewDense(index.Len())
	row := func(i int) []int32 { return ids[bounds[i]:bounds[i+1]] }
	rule := linear.AdaGrad{Rate: t.rate, Floor: 1}
	t.size, t.keys, t.weights = len(goals), index.Keys(), w.W
	return linear.Run(linear.Loop{Examples: len(goals), Epochs: t.epochs, Seed: seed}, linear.Task[float32]{
		Learn: func(_ int, at linear.At, gradient *float32) {
			sum := 0.0
			for _, id := range row(at.Example) {
				sum += float64(w.W[id])
			}
			goal := goals[at.Example]
			if goal < 0 {
				sum = -sum
			}
			*gradient = goal * float32(1/(1+graph.Exp(min(max(sum, -600), 600))))
		},
		Apply: func(at linear.At, gradient *float32) {
			for _, id := range row(at.Example) {
				w.Climb(int(id), *gradient, rule)
			}
		},
		Keep: func(int, int) {},
	})
}

// features lists the weights of all classifiers.
func features(tasks []*task) linear.Features {
	return func(yield func(hash.Key, []uint16, []float32)) {
		for _, t := range tasks {
			for i, k := range t.keys {
				if math.Abs(float64(t.weights[i])) >= t.floor {
					yield(k, []uint16{0}, t.weights[i:i+1])
				}
			}
		}
	}
}

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

// tokenExamples takes equal chunks, cut in the same way, together. Of the
// variants it takes what the blocks do not have.
func tokenExamples(blocks, variants []*goldBlock, counts map[uint64]tally) examples {
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
			x := lexicon{counts: counts, held: map[uint64]int32{}}
			last := 0
			for _, end := range e.ends {
				x.held[hash.Runes(e.norm[last:end])]++
				last = int(end)
			}
			w.tokenEnds(&e.chunk, &x, func(g int, keys []hash.Key) bool {
				_, ends := slices.BinarySearch(e.ends, int32(g))
				yield(keys, ends, float32(min(e.times, maxTimes)))
				return ends
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
