package segment

import (
	"errors"
	"sync"

	"github.com/treebeam/treebeam/parser/syntax"
)

// Options of training. The zero value trains with the defaults.
type Options struct {
	Seed    uint64
	Workers int                           // classifiers trained at a time; the result does not depend on it
	Log     func(format string, a ...any) // nil: silent
}

func (o *Options) log(format string, a ...any) {
	if o.Log != nil {
		o.Log(format, a...)
	}
}

// Train learns a segmenter from the sentences of a treebank, whose raw text
// it rebuilds from SpaceAfter, "# newpar" and "# newdoc". The sentence
// threshold is tuned on dev, if there is any. The result depends on the
// arguments but not on the number of workers.
func Train(train, dev []syntax.Sentence, o Options) (*Model, error) {
	all := paragraphs(train)
	if len(all) == 0 {
		return nil, errors.New("segmenter: the training treebank has no tokens")
	}
	plain := make([]*lesson, len(all))
	m := &Model{lexicon: lexicon{counts: map[uint64]wordCount{}}}
	surface := map[string]int{}
	var sightings []sighting
	for i, p := range all {
		plain[i] = newLesson(p)
		plain[i].count(m.lexicon.counts)
		for _, t := range p {
			lower := lowerCase(t.form)
			surface[lower]++
			if len(t.words) > 1 {
				sightings = append(sightings, sighting{lower, lowerAll(t.words)})
			}
		}
	}
	var err error
	if m.multi, err = learnMultiword(sightings, surface); err != nil {
		return nil, err
	}
	m.learnPairs(plain)
	c := m.learnAll(plain, all, o)
	m.weights = newTable(c.keys, c.weights)
	m.lexicon = m.lexicon.freeze()
	m.tune(dev, o)
	return m, nil
}

func lowerAll(words []string) []string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = lowerCase(w)
	}
	return out
}

// learnAll trains the classifiers and returns all their weights.
func (m *Model) learnAll(plain []*lesson, all []paragraph, o Options) classifier {
	for _, l := range plain {
		m.recallAll(l)
	}
	jobs := []struct {
		name string
		from func() source
		o    learnOptions
	}{
		{"sentence", func() source { return m.sentenceSource(append(plain, m.altered(all, o)...)) },
			learnOptions{epochs: 8, step: 0.1, l1: 0.4, l2: 1, minCount: 2}},
		{"token", func() source { return m.tokenSource(plain) },
			learnOptions{epochs: 10, step: 0.1, l1: 0.2, l2: 1, minCount: 2}},
		{"multiword", func() source { return m.multiwordSource(plain) },
			learnOptions{epochs: 10, step: 0.1, l1: 0.2, l2: 1, minCount: 2}},
		{"join", func() source { return m.joinSource(plain) },
			learnOptions{epochs: 10, step: 0.1, l1: 0.05, l2: 1, minCount: 1}},
	}
	parts := make([]classifier, len(jobs))
	limit := make(chan struct{}, max(1, o.Workers))
	var wait sync.WaitGroup
	for i := range jobs {
		wait.Add(1)
		limit <- struct{}{}
		go func() {
			defer wait.Done()
			jobs[i].o.seed = o.Seed + uint64(i)
			parts[i] = learn(jobs[i].from(), jobs[i].o)
			<-limit
		}()
	}
	wait.Wait()
	var c classifier
	for i, p := range parts {
		kept := 0
		for _, w := range p.weights {
			kept += int(b2u(w != 0))
		}
		o.log("segmenter: %s: %d features, %d kept", jobs[i].name, len(p.keys), kept)
		c.keys, c.weights = append(c.keys, p.keys...), append(c.weights, p.weights...)
	}
	return c
}

// alteredWeight is the weight of an instance of an augmented copy. Where the
// treebank marks its real paragraphs, full weight costs half a point of
// sentence F1; where it does not, the copies are nearer to real text.
func alteredWeight(all []paragraph) float32 {
	sentences := 0
	for _, p := range all {
		for i := range p {
			sentences += int(b2u(p[i].ends))
		}
	}
	if sentences > 10*len(all) {
		return 1
	}
	return 0.3
}

// altered returns the lessons of augmented copies of the paragraphs.
func (m *Model) altered(all []paragraph, o Options) []*lesson {
	var out []*lesson
	weight := alteredWeight(all)
	for _, p := range augment(all, o.Seed) {
		l := newLesson(p)
		l.weight = weight
		m.recallAll(l)
		out = append(out, l)
	}
	return out
}

// recallAll gives each token the stats that the rest of the treebank has.
func (m *Model) recallAll(l *lesson) {
	start := true
	for i := range l.tokens {
		t := &l.tokens[i]
		ends := l.gold[i].ends
		t.recall(m.lexicon.without(t.word, start, t.role&roleLower != 0, ends))
		start = ends
	}
}

func (m *Model) sentenceSource(lessons []*lesson) source {
	return func(yield func([]uint64, bool, float32)) {
		var buf []uint64
		var o outlook
		for _, l := range lessons {
			o.read(l.tokens)
			var p progress
			for i := range len(l.tokens) - 1 {
				p.add(&l.tokens[i])
				buf = sentenceFeatures(buf[:0], l.tokens, &o, &p, i)
				yield(buf, l.gold[i].ends, l.weight)
				if l.gold[i].ends {
					p.reset(&l.tokens[i])
				}
			}
		}
	}
}

// maxCase is the length in characters of the longest chunk that is learned
// from; it keeps the ends in chunkCase valid as characters of a string.
const maxCase = 50000

// A chunkCase is a chunk with its gold tokens and what it depends on outside.
type chunkCase struct {
	text string
	out  outside
	ends string // character counts of the ends of its tokens
}

func (m *Model) tokenSource(lessons []*lesson) source {
	counts := map[chunkCase]int{}
	var order []chunkCase
	for _, l := range lessons {
		piece := 0
		for i, s := range l.layout.chunk {
			c := chunkCase{text: l.layout.text(s), out: l.layout.outside(i)}
			var ends []rune
			for ; piece < len(l.pieces) && l.pieces[piece].end <= s.end; piece++ {
				ends = append(ends, rune(l.pieces[piece].end-s.start))
			}
			if len(ends) > 0 && ends[len(ends)-1] > maxCase {
				continue
			}
			c.ends = string(ends)
			if counts[c] == 0 {
				order = append(order, c)
			}
			counts[c]++
		}
	}
	return func(yield func([]uint64, bool, float32)) {
		var l layout
		var v chunkView
		var buf []uint64
		x := lexicon{counts: m.lexicon.counts}
		for _, c := range order {
			l.read(c.text)
			if len(l.chunk) != 1 {
				continue
			}
			v.view(&l, l.chunk[0], c.out)
			isEnd := make([]bool, len(v.norm)+1)
			x.held = x.held[:0]
			last := 0
			for _, e := range c.ends {
				isEnd[e] = true
				x.held = append(x.held, hashRunes(v.norm[last:e]))
				last = int(e)
			}
			weight := float32(min(counts[c], 30))
			last = 0
			for g := 1; g < len(v.norm); g++ {
				buf = v.gapFeatures(buf[:0], &x, g, last)
				yield(buf, isEnd[g], weight)
				if isEnd[g] {
					last = g
				}
			}
		}
	}
}

func (m *Model) multiwordSource(lessons []*lesson) source {
	return func(yield func([]uint64, bool, float32)) {
		var buf []uint64
		var rules [maxRules]*rule
		x := &lexicon{counts: m.lexicon.counts}
		for _, l := range lessons {
			start := 0
			for i := range l.tokens {
				if !l.gold[i].ends {
					continue
				}
				toks := l.tokens[start : i+1]
				for k := range toks {
					norm := l.layout.norm[toks[k].start:toks[k].end]
					g := &l.gold[start+k]
					// What was seen once is learned from as if the table lacked it.
					known := m.multi.knows(toks[k].word) && x.counts[toks[k].word].n > 1
					for _, r := range rules[:m.multi.candidates(norm, known, &rules)] {
						buf = multiwordFeatures(buf[:0], x, toks, norm, k, r)
						yield(buf, len(g.words) > 1 && (known || r.agrees(g)), 1)
					}
				}
				start = i + 1
			}
		}
	}
}

func (m *Model) joinSource(lessons []*lesson) source {
	return func(yield func([]uint64, bool, float32)) {
		if !m.joins {
			return
		}
		var buf []uint64
		for _, l := range lessons {
			for i := range len(l.pieces) - 1 {
				a, b := &l.pieces[i], &l.pieces[i+1]
				if a.end < b.start && m.pairs.get(pairKey(a.word, b.word)) != 0 {
					buf = joinFeatures(buf[:0], l.pieces, i)
					yield(buf, l.goesOn[i], 1)
				}
			}
		}
	}
}

// learnPairs collects the pairs of tokens that a space joins.
func (m *Model) learnPairs(lessons []*lesson) {
	pairs := map[uint64]bool{}
	for _, l := range lessons {
		for i := range l.pieces {
			if l.goesOn[i] {
				pairs[pairKey(l.pieces[i].word, l.pieces[i+1].word)] = true
			}
		}
	}
	keys := sortedKeys(pairs)
	values := make([]uint16, len(keys))
	for i := range values {
		values[i] = 1
	}
	m.pairs = newTable(keys, values)
	m.setJoins()
}
